//! The pairs of triangles in which peers differ from the exact oracle.

use std::collections::BTreeMap;

/// The share of the exact pairs in which a timed peer may differ, and the number of pairs added to it.
const ALLOWED: (f64, usize) = (0.05, 2);

/// The results of each peer.
#[derive(Default)]
pub struct Differences(BTreeMap<&'static str, Counts>);

/// Sums over queries.
#[derive(Default)]
struct Counts {
    exact: usize,
    missing: usize,
    extra: usize,
    queries: usize,
    wrong: usize,
}

impl Differences {
    /// Adds a query: the pairs that a peer finds, its yes or no, and the exact pairs, in order.
    pub fn add(&mut self, peer: &'static str, mut found: Vec<(u32, u32)>, yes: bool, exact: &[(u32, u32)]) {
        found.sort_unstable();
        let common = found.iter().filter(|pair| exact.binary_search(pair).is_ok()).count();
        let (missing, extra) = (exact.len() - common, found.len() - common);
        let allowed = (ALLOWED.0 * exact.len() as f64) as usize + ALLOWED.1;
        assert!(missing + extra <= allowed, "{peer}: {missing} missing and {extra} extra of {}", exact.len());
        let counts = self.0.entry(peer).or_default();
        counts.exact += exact.len();
        counts.missing += missing;
        counts.extra += extra;
        counts.queries += 1;
        counts.wrong += usize::from(yes == exact.is_empty());
    }

    /// Prints a table.
    pub fn print(&self) {
        println!("\n| against the exact oracle | pairs missing | pairs too many | of | wrong yes/no | of |");
        println!("{}|", "|---".repeat(6));
        for (peer, Counts { exact, missing, extra, queries, wrong }) in &self.0 {
            println!("| {peer} | {missing} | {extra} | {exact} | {wrong} | {queries} |");
        }
    }
}
