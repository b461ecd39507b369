//! The chunks of a GLB file.

use super::fail::Fail;
use crate::import::ImportError;

/// How GLB files begin.
pub(super) const MAGIC: &[u8] = b"glTF";

const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// The two chunks that bvhc reads.
#[derive(Clone, Copy)]
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    pub(super) bin: Option<&'a [u8]>,
}

/// Splits a GLB file, version 2.
pub(super) fn chunks<'a>(bytes: &'a [u8], fail: &Fail<'_>) -> Result<Chunks<'a>, ImportError> {
    let [_, version, length] = [0, 4, 8].map(|at| number(bytes, at));
    let (Some(version), Some(length)) = (version, length) else {
        return Err(fail.ends("byte 0", "the 12 bytes of a GLB header"));
    };
    if version != 2 {
        return Err(fail.rule("byte 4", format!("this is GLB version {version}; bvhc reads version 2")));
    }
    let Some(file) = bytes.get(..length as usize) else {
        let found = bytes.len();
        return Err(fail.rule("byte 8", format!("the header says {length} bytes, but the file has {found}")));
    };
    let mut chunks = Chunks { json: &[], bin: None };
    let mut at = 12;
    for chunk in 0.. {
        if at >= file.len() && chunk > 0 {
            break;
        }
        let place = || format!("byte {at}");
        let (Some(length), Some(kind)) = (number(file, at), number(file, at + 4)) else {
            return Err(fail.ends(place(), "a chunk's header"));
        };
        let Some(content) = file.get(at + 8..).and_then(|rest| rest.get(..length as usize)) else {
            return Err(fail.ends(place(), &format!("a chunk of {length} bytes")));
        };
        match (chunk, kind) {
            (0, JSON) => chunks.json = content,
            (0, _) => return Err(fail.rule(place(), "the first chunk is not JSON".to_owned())),
            (1, BIN) => chunks.bin = Some(content),
            // Others are of extensions, and to be skipped.
            _ => {}
        }
        at = (at + 8 + length as usize).next_multiple_of(4);
    }
    Ok(chunks)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}
