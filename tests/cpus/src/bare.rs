//! On an ARM Cortex-M without an operating system, with a file in flash memory.
//!
//! When the program is built, `BVHC_FILE` is the path of the file, `BVHC_NAME` its name in the output, and `BVHC_COUNTS`
//! is `COUNT PAIR_COUNT`. Output goes to the debugger.
//!
//! Unsafe code is allowed here for the instruction that calls the debugger.
//!
//! Based on: ARM, "Semihosting for AArch32 and AArch64", 2.0.

#![allow(unsafe_code)]

use core::arch::asm;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use bvhc_cpus::{Counts, ask};
use bvhc_runtime::{Level, include_aligned};

static FILE: &[u8] = include_aligned!(env!("BVHC_FILE"));

/// `SYS_WRITEC`: writes the character that the parameter points to.
const WRITE: u32 = 0x03;

/// `SYS_EXIT`: ends the program for this reason.
const EXIT: u32 = 0x18;

/// The reason for [`EXIT`] of a program that is done: `ADP_Stopped_ApplicationExit`.
const DONE: u32 = 0x20026;

/// The reason of a program that failed: `ADP_Stopped_RunTimeErrorUnknown`.
const FAILED: u32 = 0x20023;

struct Debugger;

impl Write for Debugger {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            call(WRITE, &raw const byte as u32);
        }
        Ok(())
    }
}

/// Asks the debugger for something.
fn call(operation: u32, parameter: u32) {
    // SAFETY: the debugger reads at most the byte that the parameter points to, and keeps all registers but r0.
    unsafe { asm!("bkpt 0xab", inout("r0") operation => _, in("r1") parameter) };
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Debugger, "{info}");
    exit(FAILED)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut counts = env!("BVHC_COUNTS").split(' ').map(|count| count.parse().expect("a number"));
    let mut next = || counts.next().expect("two numbers");
    let counts = Counts { one: next(), two: next() };
    let level = Level::detect().expect("every ARM has a level");
    let asked = ask(FILE, level, counts, &mut |query, by, digest| {
        let name = env!("BVHC_NAME");
        let _ = writeln!(Debugger, "{name} {query} {by} {} {:016x}", digest.found, digest.state);
    });
    exit(if asked.is_ok() { DONE } else { FAILED })
}

fn exit(reason: u32) -> ! {
    loop {
        call(EXIT, reason);
    }
}
