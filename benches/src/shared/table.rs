//! Tables in Markdown: throughputs, and ratios of the first participant to others.

/// What ratios refer to: the fastest of these.
pub struct Reference {
    /// The heading.
    pub title: &'static str,
    /// Names of tracers or locators.
    pub names: &'static [&'static str],
}

/// A table of throughputs in millions, and of ratios.
pub struct Table<'a> {
    names: Vec<&'a str>,
    references: Vec<&'static Reference>,
    /// For each row, the ratio to each reference.
    ratios: Vec<Vec<f64>>,
}

impl<'a> Table<'a> {
    /// Prints the head. Of the references, those that are present get a column.
    pub fn start(unit: &str, names: Vec<&'a str>, references: &'static [Reference]) -> Self {
        let present = |reference: &&Reference| reference.names.iter().any(|name| names.contains(name));
        let references: Vec<_> = references.iter().filter(present).collect();
        let titles: Vec<_> = references.iter().map(|reference| format!("x {}", reference.title)).collect();
        println!("\n| {unit} | {} | {} |", names.join(" | "), titles.join(" | "));
        println!("{}|", "|---".repeat(1 + names.len() + titles.len()));
        Self { names, references, ratios: Vec::new() }
    }

    /// Prints a row from all participants' seconds for `count` queries.
    pub fn row(&mut self, title: &str, seconds: &[f64], count: usize) {
        let rates = seconds.iter().map(|time| format!("{:.2}", count as f64 / time * 1e-6));
        let ratios: Vec<_> = self.references.iter().map(|to| self.best(to, seconds) / seconds[0]).collect();
        let cells: Vec<_> = rates.chain(ratios.iter().map(|ratio| format!("{ratio:.2}"))).collect();
        println!("| {title} | {} |", cells.join(" | "));
        self.ratios.push(ratios);
    }

    fn best(&self, reference: &Reference, seconds: &[f64]) -> f64 {
        let theirs = self.names.iter().zip(seconds).filter(|(name, _)| reference.names.contains(name));
        theirs.map(|(_, time)| *time).fold(f64::INFINITY, f64::min)
    }
}

/// The geometric mean.
pub fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// Ratios of several tables.
#[derive(Default)]
pub struct Means(Vec<(&'static str, Vec<f64>)>);

impl Means {
    /// Adds a table's ratios.
    pub fn add(&mut self, table: &Table<'_>) {
        for (column, reference) in table.references.iter().enumerate() {
            let ratios = table.ratios.iter().map(|row| row[column]);
            match self.0.iter_mut().find(|(title, _)| *title == reference.title) {
                Some((_, known)) => known.extend(ratios),
                None => self.0.push((reference.title, ratios.collect())),
            }
        }
    }

    /// Prints the geometric mean and the minimum of the ratios to each reference.
    pub fn print(&self, what: &str) {
        println!("\n| {what}, over the grid | geometric mean | least | of |\n|---|---|---|---|");
        for (title, ratios) in &self.0 {
            let mean = geometric_mean(ratios);
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            println!("| x {title} | {mean:.2} | {least:.2} | {} |", ratios.len());
        }
    }
}
