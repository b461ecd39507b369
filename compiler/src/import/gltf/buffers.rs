//! Buffers and views of them: bytes of the file itself, of other files, of data URIs, compressed or not.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::document::{Buffer, Document, Meshopt};
use super::fail::Fail;
use super::meshopt::{self, Filter, Mode};
use crate::file;
use crate::import::text::shown;
use crate::import::{ImportError, Input, OtherInput, reason};

/// Base64 as it is found: with padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How many times the bytes that were read may be decompressed. Views of a file that is not made to exhaust memory have bytes of
/// their own, once.
const MOST_SHARED: u64 = 4;

/// The bytes of the buffers and views of a document, each made when it is first asked for.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    input: &'a Input<'a>,
    fail: Fail<'a>,
    /// The binary chunk of a GLB file.
    bin: Option<&'a [u8]>,
    buffers: Vec<OnceCell<Cow<'a, [u8]>>>,
    /// For each buffer the first one with the same URI, which holds the bytes of all of these.
    first_equal: Vec<usize>,
    /// The views that were compressed.
    views: Vec<OnceCell<Vec<u8>>>,
    /// The compressed bytes of these.
    decompressed: Cell<u64>,
    held: OnceCell<u64>,
    others: RefCell<Vec<OtherInput>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(document: &'a Document, input: &'a Input<'a>, bin: Option<&'a [u8]>) -> Self {
        Self {
            document,
            input,
            fail: Fail { file: input.name },
            bin,
            buffers: document.buffers.iter().map(|_| OnceCell::new()).collect(),
            first_equal: first_equal(&document.buffers),
            views: document.buffer_views.iter().map(|_| OnceCell::new()).collect(),
            decompressed: Cell::default(),
            held: OnceCell::new(),
            others: RefCell::default(),
        }
    }

    /// The other files that were read.
    pub(super) fn take_others(&self) -> Vec<OtherInput> {
        self.others.take()
    }

    /// How many bytes have been read: of the model's own file, and of others.
    pub(super) fn read(&self) -> u64 {
        self.input.bytes.len() as u64 + self.others.borrow().iter().map(|other| other.length).sum::<u64>()
    }

    /// How many bytes there are: of the model's own file, and of all buffers that can be read.
    pub(super) fn held(&self) -> u64 {
        *self.held.get_or_init(|| {
            let firsts = (0..self.buffers.len()).filter(|index| self.first_equal[*index] == *index);
            let lengths = firsts.map(|index| self.whole(index).map_or(0, |bytes| bytes.len() as u64));
            self.input.bytes.len() as u64 + lengths.sum::<u64>()
        })
    }

    /// The bytes of a view.
    pub(super) fn view(&self, index: usize) -> Result<&[u8], ImportError> {
        let place = || format!("bufferViews[{index}]");
        let Some(view) = self.document.buffer_views.get(index) else {
            return Err(self.fail.missing("an accessor", place()));
        };
        if let Some(compressed) = &view.extensions.meshopt {
            let bytes = get_or_try_init(&self.views[index], || self.decompress(compressed, &place()))?;
            if bytes.len() as u64 != view.byte_length {
                let (found, expected) = (bytes.len(), view.byte_length);
                return Err(self
                    .fail
                    .rule(place(), format!("it decompresses to {found} bytes, not {expected}")));
            }
            return Ok(bytes);
        }
        self.part(view.buffer, view.byte_offset, view.byte_length, &place())
    }

    /// Part of a buffer.
    fn part(&self, index: usize, offset: u64, length: u64, place: &str) -> Result<&[u8], ImportError> {
        let Some(buffer) = self.document.buffers.get(index) else {
            return Err(self.fail.missing(place, format!("buffers[{index}]")));
        };
        let bytes = self.whole(index)?;
        let expected = usize::try_from(buffer.byte_length).unwrap_or(usize::MAX);
        let Some(bytes) = bytes.get(..expected) else {
            let (place, found) = (format!("buffers[{index}]"), bytes.len());
            return Err(self.fail.rule(place, format!("byteLength is {expected}, but it has {found} bytes")));
        };
        let part = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
        let part = part.zip(usize::try_from(length).ok()).and_then(|(rest, length)| rest.get(..length));
        part.ok_or_else(|| {
            let size = bytes.len();
            self.fail
                .rule(place, format!("{length} bytes from {offset} on are not in a buffer of {size} bytes"))
        })
    }

    /// All bytes of what a buffer is in.
    fn whole(&self, index: usize) -> Result<&[u8], ImportError> {
        let first = self.first_equal[index];
        let bytes =
            get_or_try_init(&self.buffers[first], || self.load(first, &self.document.buffers[first]))?;
        Ok(bytes)
    }

    /// The same, read or decoded.
    fn load(&self, index: usize, buffer: &Buffer) -> Result<Cow<'a, [u8]>, ImportError> {
        let place = || format!("buffers[{index}]");
        match (&buffer.uri, self.bin) {
            (None, Some(bin)) if index == 0 => Ok(bin.into()),
            (None, _) => Err(self.fail.rule(place(), "it has no bytes: neither a URI nor a chunk".into())),
            // The names of schemes ignore case.
            (Some(uri), _) => {
                match uri.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("data")) {
                    Some((_, data)) => Ok(self.data(data, &place())?.into()),
                    None => Ok(self.other_file(uri, &place())?.into()),
                }
            }
        }
    }

    /// The bytes of a data URI, without `data:`.
    fn data(&self, data: &str, place: &str) -> Result<Vec<u8>, ImportError> {
        let Some((media, content)) = data.split_once(',') else {
            return Err(self.fail.rule(place, "its data URI has no comma".to_owned()));
        };
        let content = percent_decode_str(content);
        // RFC 2397 takes the case of it to be as that of a media type's words: ignored.
        let is_base64 = media.rsplit_once(';').is_some_and(|(_, last)| last.eq_ignore_ascii_case("base64"));
        if !is_base64 {
            return Ok(content.collect());
        }
        let fail = |error| self.fail.rule(place, format!("its data URI is not base64: {error}"));
        BASE64.decode(Cow::from(content)).map_err(fail)
    }

    /// The bytes of a file beside the model.
    fn other_file(&self, uri: &str, place: &str) -> Result<Vec<u8>, ImportError> {
        let decoded = percent_decode_str(uri).decode_utf8().ok();
        let is_relative = |name: &str| !name.starts_with(['/', '\\']) && !name.contains(':');
        let Some(name) = decoded.filter(|name| is_relative(name) && !name.is_empty()) else {
            return Err(self
                .fail
                .rule(place, format!("{} is not a relative path in UTF-8", shown(uri.as_bytes()))));
        };
        let bytes = self.input.files.read(&name).map_err(|error| ImportError::OtherFile {
            file: self.input.name.to_owned(),
            other: name.to_string(),
            reason: reason(&error),
        })?;
        let mut others = self.others.borrow_mut();
        if !others.iter().any(|other| *other.name == *name) {
            let (hash, length) = (file::hash(&bytes), bytes.len() as u64);
            others.push(OtherInput { name: name.into_owned(), hash, length });
        }
        Ok(bytes)
    }

    fn decompress(&self, view: &Meshopt, place: &str) -> Result<Vec<u8>, ImportError> {
        let mode = match &*view.mode {
            "ATTRIBUTES" => Mode::Attributes,
            "TRIANGLES" => Mode::Triangles,
            "INDICES" => Mode::Indices,
            other => {
                return Err(self.fail.rule(place, format!("the compression's mode `{other}` is unknown")));
            }
        };
        let filter = match &*view.filter {
            "" | "NONE" => Filter::None,
            "OCTAHEDRAL" => Filter::Octahedral,
            "QUATERNION" => Filter::Quaternion,
            "EXPONENTIAL" => Filter::Exponential,
            other => {
                return Err(self.fail.rule(place, format!("the compression's filter `{other}` is unknown")));
            }
        };
        let bytes = self.part(view.buffer, view.byte_offset, view.byte_length, place)?;
        let decompressed = self.decompressed.get() + bytes.len() as u64;
        if decompressed > MOST_SHARED * self.read() {
            let reason =
                format!("compressed bytes are used more than {MOST_SHARED} times: by too many views");
            return Err(self.fail.rule(place, reason));
        }
        self.decompressed.set(decompressed);
        let [count, stride] =
            [view.count, view.byte_stride].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        meshopt::decode(bytes, count, stride, mode, filter)
            .map_err(|error| self.fail.rule(place, error.to_string()))
    }
}

/// For each buffer the first one with the same URI; buffers without one are different.
fn first_equal(buffers: &[Buffer]) -> Vec<usize> {
    let mut by_uri = HashMap::new();
    let uris = buffers.iter().map(|buffer| buffer.uri.as_deref()).enumerate();
    uris.map(|(index, uri)| uri.map_or(index, |uri| *by_uri.entry(uri).or_insert(index))).collect()
}

/// The value of a cell, made when it is first asked for, if it can be made.
fn get_or_try_init<T, E>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    if cell.get().is_none() {
        let _ = cell.set(make()?);
    }
    // It was set above.
    cell.get().map_or_else(|| unreachable!("the cell is set"), Ok)
}
