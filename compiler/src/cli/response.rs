//! Arguments in files: `@FILE` on the command line stands for the words in the file.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

use super::error::{Action, CliError, UsageError};

/// The arguments, with those from files in the places of the files' names. Words are separated by blanks and lines, and quoted
/// as in a shell; they do not stand for files in turn.
pub(super) fn expand(args: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, CliError> {
    let mut words = Vec::new();
    for arg in args {
        match arg.to_str().and_then(|arg| arg.strip_prefix('@')) {
            Some(path) if !path.is_empty() => {
                let text = read(path).map_err(|error| CliError::io(path, Action::Read, error))?;
                // As editors on Windows write it: with a mark at the start and two characters at the ends of lines.
                let text = text.trim_start_matches('\u{FEFF}').replace("\r\n", "\n");
                let of_file = shlex::split(&text);
                let of_file = of_file.ok_or_else(|| UsageError::OpenQuote { file: path.to_owned() })?;
                words.extend(of_file.into_iter().map(OsString::from));
            }
            _ => words.push(arg),
        }
    }
    Ok(words)
}

/// The most bytes of a file of arguments: a path may lead to something endless.
const MOST: u64 = 64 << 20;

fn read(path: &str) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(MOST + 1).read_to_string(&mut text)?;
    if read as u64 > MOST {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "more than 64 MiB of arguments"));
    }
    Ok(text)
}
