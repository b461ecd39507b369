//! The options that determine a file's bytes, as the text recorded in the file.

use super::flags::Flags;
use super::options::Options;
use crate::section;

impl Options {
    /// The options that determine the file's bytes, as command-line arguments, without defaults. `steps` is the number
    /// of optimiser steps made. User metadata is left out: the file holds it anyway.
    pub fn text(&self, steps: Option<u32>) -> String {
        let mut text = format!("--quality {}", self.quality.name());
        if let Some(steps) = steps {
            text += &format!(" --steps {steps}");
        }
        let mut flags = Flags(&mut text);
        self.placement.flags(&mut flags);
        flags.flag("layout", self.layout.name(), super::Layout::default().name());
        let names = section::ALL.iter().filter_map(|section| section.tree_name(self));
        let trees = ["aabb"].into_iter().chain(names).collect::<Vec<_>>().join(",");
        flags.flag("trees", &*trees, if self.quality.has_obbs() { "aabb,obb" } else { "aabb" });
        section::ALL.iter().for_each(|section| section.flags(self, &mut flags));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::options::Quality;
    use crate::fit::Method;
    use crate::pair::obb;

    #[test]
    fn what_goes_without_saying_is_left_out() {
        assert_eq!(Options::default().text(None), "--quality default");
        assert_eq!(Options::of(Quality::Best).text(None), "--quality best");
        // Otherwise the defaults of the flags would not reproduce a file that records no parameters.
        assert_eq!(obb::Options::default().fit, Method::default());
    }

    #[test]
    fn a_seed_is_told_where_it_matters() {
        let of = |fit| Options {
            obb: Some(obb::Options { fit, seed: 7, ..Default::default() }),
            ..Default::default()
        };
        assert_eq!(of(Method::MEMETIC).text(None), "--quality default --obb-fit memetic --seed 7");
        assert_eq!(of(Method::Descent).text(None), "--quality default");
        assert_eq!(of(Method::Dito14).text(None), "--quality default --obb-fit dito14");
    }
}
