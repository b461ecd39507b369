//! The times of peers for several questions, relative to bvhc's.

use super::table::geometric_mean;

/// The rows of a table, and the questions of its columns.
pub struct PeerTimes {
    questions: &'static [&'static str],
    rows: Vec<Row>,
}

/// A peer's seconds for each question that it supports, and bvhc's.
struct Row {
    title: String,
    peer: &'static str,
    seconds: Vec<Option<f64>>,
    ours: Vec<f64>,
}

impl Row {
    /// The peer's time divided by bvhc's.
    fn ratio(&self, question: usize) -> Option<f64> {
        self.seconds[question].map(|seconds| seconds / self.ours[question])
    }

    fn cell(&self, question: usize) -> String {
        match (self.seconds[question], self.ratio(question)) {
            (Some(seconds), Some(ratio)) => format!("{:.2} ({ratio:.1}x)", seconds * 1e6),
            _ => "-".to_owned(),
        }
    }
}

impl PeerTimes {
    /// An empty table.
    pub fn of(questions: &'static [&'static str]) -> Self {
        Self { questions, rows: Vec::new() }
    }

    /// Adds a row: seconds of a peer, and of bvhc for the same queries.
    pub fn add(&mut self, title: &str, peer: &'static str, seconds: &[Option<f64>], ours: &[f64]) {
        assert!([seconds.len(), ours.len()] == [self.questions.len(); 2], "a column for each question");
        let (seconds, ours) = (seconds.to_vec(), ours.to_vec());
        self.rows.push(Row { title: title.to_owned(), peer, seconds, ours });
    }

    /// Prints the rows, and the means of each peer.
    pub fn print(&self) {
        println!("\n| us (x bvhc's time) | {} |", self.questions.join(" | "));
        println!("{}|", "|---".repeat(1 + self.questions.len()));
        for row in &self.rows {
            let cells: Vec<_> = (0..self.questions.len()).map(|question| row.cell(question)).collect();
            println!("| {}, {} | {} |", row.title, row.peer, cells.join(" | "));
        }
        let mut peers: Vec<_> = self.rows.iter().map(|row| row.peer).collect();
        peers.sort_unstable();
        peers.dedup();
        peers.into_iter().for_each(|peer| self.print_means(peer));
    }

    fn print_means(&self, peer: &str) {
        for (question, what) in self.questions.iter().enumerate() {
            let of_peer = self.rows.iter().filter(|row| row.peer == peer);
            let ratios: Vec<_> = of_peer.filter_map(|row| row.ratio(question)).collect();
            if !ratios.is_empty() {
                let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                let mean = geometric_mean(&ratios);
                println!(
                    "\n{what}: {peer} takes {mean:.1} times bvhc's time in the geometric mean, {least:.1} at least"
                );
            }
        }
    }
}
