//! A progress bar for the current stage, on a terminal.

use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::text::one_line;
use crate::compile::{Progress, Stage};

/// The interval between spinner updates.
const TICK: Duration = Duration::from_millis(120);

/// Shows the current stage.
#[derive(Default)]
pub(super) struct Bars {
    current: Mutex<Option<ProgressBar>>,
    /// Before the name of each stage: the mesh that it is of, in a world.
    mesh: Mutex<String>,
}

impl Bars {
    /// Runs something whose progress is shown if anybody would see it.
    pub(super) fn around<T>(quiet: bool, run: impl FnOnce(&dyn Progress) -> T) -> T {
        if !is_watched(quiet) {
            return run(&());
        }
        let bars = Self::default();
        let result = run(&bars);
        bars.finish();
        result
    }

    /// Removes the last bar.
    fn finish(&self) {
        self.show(None);
    }

    fn show(&self, bar: Option<ProgressBar>) {
        let mut current = held(&self.current);
        if let Some(old) = std::mem::replace(&mut *current, bar) {
            old.finish_and_clear();
        }
    }
}

/// Counts models that are done.
pub(super) struct Count {
    bar: ProgressBar,
}

impl Count {
    /// A bar if it would be visible, else nothing.
    pub(super) fn if_watched(quiet: bool, models: usize) -> Self {
        let bar = if is_watched(quiet) { ProgressBar::new(models as u64) } else { ProgressBar::hidden() };
        bar.set_style(style(models as u64));
        bar.enable_steady_tick(TICK);
        Self { bar }
    }

    /// One more is done.
    pub(super) fn advance(&self, name: &str) {
        self.bar.set_message(name.to_owned());
        self.bar.inc(1);
    }

    /// Prints something while the bar is away.
    pub(super) fn pause<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Whether anybody would see a bar.
fn is_watched(quiet: bool) -> bool {
    !quiet && std::io::stderr().is_terminal()
}

/// What a mutex guards, even if a thread has failed.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Progress for Bars {
    fn mesh(&self, name: &str) {
        *held(&self.mesh) = format!("{}: ", one_line(name));
    }

    fn begin(&self, stage: Stage, steps: u64) {
        let bar = if steps == 0 { ProgressBar::new_spinner() } else { ProgressBar::new(steps) };
        let bar =
            bar.with_style(style(steps)).with_prefix(held(&self.mesh).clone()).with_message(stage.name());
        bar.enable_steady_tick(TICK);
        self.show(Some(bar));
    }

    fn advance(&self, steps: u64) {
        if let Some(bar) = &*held(&self.current) {
            bar.inc(steps);
        }
    }
}

/// Template for a stage of unknown length.
const SPINNER: &str = "{spinner} {prefix}{msg:10} {elapsed}";

/// Template for a stage with steps: the last field is an estimate of the time left.
const BAR: &str = "{spinner} {prefix}{msg:10} {wide_bar} {human_pos}/{human_len} {eta}";

fn style(steps: u64) -> ProgressStyle {
    let template = if steps == 0 { SPINNER } else { BAR };
    // The templates are valid, so the fallback is never used.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_right() {
        for template in [SPINNER, BAR] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }

    #[test]
    fn a_bar_follows_the_stage() {
        let bars = Bars::default();
        bars.begin(Stage::OBB, 12);
        bars.advance(5);
        bars.advance(4);
        let seen = |bars: &Bars| {
            held(&bars.current).as_ref().map(|bar| (bar.prefix(), bar.position(), bar.length()))
        };
        assert_eq!(seen(&bars), Some((String::new(), 9, Some(12))));
        bars.mesh("a\nb");
        bars.begin(Stage::OBB, 3);
        assert_eq!(seen(&bars), Some(("a\\nb: ".to_owned(), 0, Some(3))));
        bars.finish();
        assert_eq!(seen(&bars), None);
    }
}
