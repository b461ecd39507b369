//! The lists of names that attribute runs refer to.

use bvhc_format::section::{ArchivedMetadata, ArchivedNames};

/// A list of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameList {
    /// Materials.
    Material,
    /// Groups.
    Group,
    /// Objects.
    Object,
}

impl NameList {
    /// All lists, in the order of the fields.
    pub const ALL: [Self; 3] = [Self::Material, Self::Group, Self::Object];

    pub(super) fn of<'a>(self, metadata: &'a ArchivedMetadata<'static>) -> &'a ArchivedNames<'static> {
        match self {
            Self::Material => &metadata.materials,
            Self::Group => &metadata.groups,
            Self::Object => &metadata.objects,
        }
    }
}

impl std::fmt::Display for NameList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Material => "material",
            Self::Group => "group",
            Self::Object => "object",
        })
    }
}
