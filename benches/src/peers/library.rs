//! Peers that are not crates: shared libraries, loaded when a benchmark runs.
#![allow(unsafe_code, reason = "nobody but the caller can know what a library does when it is loaded")]

use libloading::{Library, Symbol};

/// The library that the variable of the environment names, or else one of these names that the system finds.
///
/// If there is none, one line says which peer is left out; a path that cannot be loaded is an error.
pub(super) fn open(peer: &str, variable: &str, names: &[&str]) -> Option<Library> {
    if let Some(path) = std::env::var_os(variable) {
        let library = load(path.as_ref());
        return Some(library.unwrap_or_else(|error| panic!("{variable}: {error}")));
    }
    let library = names.iter().find_map(|name| load(name.as_ref()).ok());
    if library.is_none() {
        eprintln!("{peer} is left out: {variable} names no library");
    }
    library
}

fn load(path: &std::ffi::OsStr) -> Result<Library, libloading::Error> {
    // SAFETY: the user names the library, or has installed it under its own name; it is trusted as any dependency is.
    unsafe { Library::new(path) }
}

/// A function of a library, which must stay loaded as long as the function is used.
///
/// # Safety
///
/// `F` is the type of the function pointer that the library has under this name.
pub(super) unsafe fn function<F: Copy>(library: &Library, name: &str) -> F {
    // SAFETY: the caller guarantees the type.
    let symbol: Result<Symbol<'_, F>, _> = unsafe { library.get(name) };
    *symbol.unwrap_or_else(|error| panic!("{name}: {error}"))
}
