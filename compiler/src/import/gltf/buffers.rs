//! Buffers and views of them: bytes of the file itself, of other files, of data URIs, compressed or not.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::document::{Buffer, Document, Meshopt};
use super::fail::Fail;
use super::meshopt::{self, Filter, Mode};
use crate::file;
use crate::import::{ImportError, Input, OtherInput};

/// Base64 as it is found: with padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of the buffers and views of a document, each made when it is first asked for.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    input: &'a Input<'a>,
    fail: Fail<'a>,
    /// The binary chunk of a GLB file.
    bin: Option<&'a [u8]>,
    buffers: Vec<OnceCell<Cow<'a, [u8]>>>,
    /// The views that were compressed.
    views: Vec<OnceCell<Vec<u8>>>,
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
            views: document.buffer_views.iter().map(|_| OnceCell::new()).collect(),
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
        let buffers = self.document.buffers.iter().zip(&self.buffers).enumerate();
        let lengths = buffers.map(|(index, (buffer, cell))| {
            get_or_try_init(cell, || self.load(index, buffer)).map_or(0, |bytes| bytes.len() as u64)
        });
        self.input.bytes.len() as u64 + lengths.sum::<u64>()
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
        let bytes = get_or_try_init(&self.buffers[index], || self.load(index, buffer))?;
        let part = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
        let part = part.zip(usize::try_from(length).ok()).and_then(|(rest, length)| rest.get(..length));
        part.ok_or_else(|| {
            let size = bytes.len();
            self.fail
                .rule(place, format!("{length} bytes from {offset} on are not in a buffer of {size} bytes"))
        })
    }

    /// The bytes of a buffer.
    fn load(&self, index: usize, buffer: &Buffer) -> Result<Cow<'a, [u8]>, ImportError> {
        let place = || format!("buffers[{index}]");
        let bytes: Cow<'a, [u8]> = match (&buffer.uri, self.bin) {
            (None, Some(bin)) if index == 0 => bin.into(),
            (None, _) => {
                return Err(self.fail.rule(place(), "it has no bytes: neither a URI nor a chunk".into()));
            }
            (Some(uri), _) => match uri.strip_prefix("data:") {
                Some(data) => self.data(data, &place())?.into(),
                None => self.other_file(uri, &place())?.into(),
            },
        };
        let length = usize::try_from(buffer.byte_length).unwrap_or(usize::MAX);
        if bytes.len() < length {
            let found = bytes.len();
            return Err(self.fail.rule(place(), format!("byteLength is {length}, but it has {found} bytes")));
        }
        Ok(match bytes {
            Cow::Borrowed(bytes) => bytes[..length].into(),
            Cow::Owned(mut bytes) => {
                bytes.truncate(length);
                bytes.into()
            }
        })
    }

    /// The bytes of a data URI, without `data:`.
    fn data(&self, data: &str, place: &str) -> Result<Vec<u8>, ImportError> {
        let Some((media, content)) = data.split_once(',') else {
            return Err(self.fail.rule(place, "its data URI has no comma".to_owned()));
        };
        let content = percent_decode_str(content);
        if !media.ends_with(";base64") {
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
            return Err(self.fail.rule(place, format!("`{uri}` is not a relative path")));
        };
        let bytes = self.input.files.read(&name).map_err(|error| ImportError::OtherFile {
            file: self.input.name.to_owned(),
            other: name.to_string(),
            reason: error.to_string(),
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
        let [count, stride] =
            [view.count, view.byte_stride].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        meshopt::decode(bytes, count, stride, mode, filter)
            .map_err(|error| self.fail.rule(place, error.to_string()))
    }
}

/// The value of a cell, made when it is first asked for, if it can be made.
fn get_or_try_init<T, E>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    if cell.get().is_none() {
        let _ = cell.set(make()?);
    }
    // It was set above.
    cell.get().map_or_else(|| unreachable!("the cell is set"), Ok)
}
