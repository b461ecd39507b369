//! Figures: lines over steps, and bars in groups.

use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Axes<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Distinguishable with most kinds of colour blindness (Okabe and Ito, "Color universal design", 2008).
const COLOURS: [RGBColor; 9] = [
    RGBColor(150, 150, 150),
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(240, 228, 66),
];

const SIZE: (u32, u32) = (880, 480);

/// The texts of a figure.
pub(crate) struct Figure<'a> {
    /// The number of the figure, its paper, and what it shows.
    pub(crate) caption: &'a str,
    /// What the horizontal axis counts; empty if groups have names below it.
    pub(crate) x: &'a str,
    /// What the vertical axis measures, with its unit.
    pub(crate) y: &'a str,
}

/// A name and its values.
pub(crate) type Series = (String, Vec<f64>);

/// The scale of the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal differences.
    Linear,
    /// Equal ratios, of values above 0.
    Logarithmic,
}

impl Scale {
    fn height(self, value: f64) -> f64 {
        if self == Self::Linear { value } else { value.log10() }
    }

    fn label(self, height: f64) -> String {
        if self == Self::Linear {
            return short(height);
        }
        let value = 10f64.powf(height);
        let unit = 10f64.powf(height.floor() - 1.0);
        short((value / unit).round() * unit)
    }
}

/// At most three decimals.
fn short(value: f64) -> String {
    ((value * 1000.0).round() / 1000.0).to_string()
}

/// Draws one line per series, with values at these positions of the horizontal axis.
pub(crate) fn lines(path: &Path, figure: &Figure<'_>, scale: Scale, places: &[f64], series: &[Series]) {
    draw(path, |area| {
        let heights =
            || series.iter().flat_map(|(_, values)| values.iter().map(|value| scale.height(*value)));
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let [low, high] = ends(&mut heights());
        let margin = 0.05 * (high - low);
        // The legend is where the lines leave space in the figures of each scale, or space is added.
        let (free, above) = match scale {
            Scale::Linear => (SeriesLabelPosition::LowerRight, margin),
            Scale::Logarithmic => (SeriesLabelPosition::UpperRight, 0.45 * (high - low)),
        };
        let mut axes = axes(area, figure, ends(&mut places.iter().copied()), [low - margin, high + above])?;
        let height = |height: &f64| scale.label(*height);
        let mut mesh = axes.configure_mesh();
        mesh.x_desc(figure.x).x_label_formatter(&|x| short(*x)).x_max_light_lines(0);
        mesh.y_desc(figure.y).y_label_formatter(&height).y_max_light_lines(0);
        mesh.axis_desc_style(text(14)).draw()?;
        for (index, (name, values)) in series.iter().enumerate() {
            let style = COLOURS[index].stroke_width(2);
            let points = places.iter().zip(values).map(|(place, value)| (*place, scale.height(*value)));
            let line = axes.draw_series(LineSeries::new(points, style))?.label(name);
            line.legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], style));
        }
        legend(&mut axes, free)
    });
}

/// Draws, for each group, one bar per series with its value above it. Group names may have two lines.
pub(crate) fn bars(path: &Path, figure: &Figure<'_>, groups: &[String], series: &[Series]) {
    draw(path, |area| {
        let highest = series.iter().flat_map(|(_, values)| values).copied().fold(0.0, f64::max);
        // Leaves space for the legend above the bars.
        let mut axes = axes(area, figure, [0.0, groups.len() as f64], [0.0, 1.5 * highest])?;
        let mut mesh = axes.configure_mesh();
        mesh.disable_x_mesh().disable_x_axis();
        mesh.y_desc(figure.y).y_max_light_lines(0).axis_desc_style(text(14)).draw()?;
        for (index, (name, values)) in series.iter().enumerate() {
            let style = COLOURS[index].filled();
            let bar = Bar { index, of: series.len() };
            let boxes = values.iter().enumerate().map(|(group, value)| bar.draw(group, *value, style));
            let label = axes.draw_series(boxes)?.label(name);
            label.legend(move |(x, y)| Rectangle::new([(x + 4, y - 5), (x + 16, y + 5)], style));
            let numbers = values.iter().enumerate().map(|(group, value)| bar.number(group, *value));
            axes.draw_series(numbers)?;
        }
        let area = axes.plotting_area().clone();
        for (group, name) in groups.iter().enumerate() {
            for (line, words) in (0..).zip(name.lines()) {
                let style = text(13).pos(Pos::new(HPos::Center, VPos::Top));
                let below = Text::new(words.to_owned(), (0, 10 + 16 * line), style);
                area.draw(&(EmptyElement::at((group as f64 + 0.5, 0.0)) + below))?;
            }
        }
        legend(&mut axes, SeriesLabelPosition::UpperRight)
    });
}

/// The position of a series among the bars of every group.
struct Bar {
    index: usize,
    of: usize,
}

impl Bar {
    /// The fraction of a group's width that is left empty.
    const GAP: f64 = 0.2;

    fn sides(&self, group: usize) -> [f64; 2] {
        let width = (1.0 - Self::GAP) / self.of as f64;
        let left = group as f64 + Self::GAP / 2.0 + self.index as f64 * width;
        [left, left + width]
    }

    fn draw(&self, group: usize, value: f64, style: ShapeStyle) -> Rectangle<(f64, f64)> {
        let [left, right] = self.sides(group);
        Rectangle::new([(left, 0.0), (right, value)], style)
    }

    fn number(&self, group: usize, value: f64) -> Text<'static, (f64, f64), String> {
        let [left, right] = self.sides(group);
        let style = text(11).pos(Pos::new(HPos::Center, VPos::Bottom));
        Text::new(format!("{value:.2}"), (0.5 * (left + right), value), style)
    }
}

fn draw(path: &Path, content: impl FnOnce(&Area<'_>) -> Drawn) {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    let drawn = area.fill(&WHITE).and_then(|()| content(&area)).and_then(|()| area.present());
    drawn.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("\n{}", path.display());
}

fn axes<'a, 'b>(
    area: &'a Area<'b>,
    figure: &Figure<'_>,
    x: [f64; 2],
    y: [f64; 2],
) -> Result<Axes<'a, 'b>, DrawingAreaErrorKind<std::io::Error>> {
    ChartBuilder::on(area)
        .caption(figure.caption, text(17))
        .margin(12)
        .x_label_area_size(46)
        .y_label_area_size(64)
        .build_cartesian_2d(x[0]..x[1], y[0]..y[1])
}

fn legend<'a, 'b: 'a>(axes: &mut Axes<'a, 'b>, position: SeriesLabelPosition) -> Drawn {
    let mut labels = axes.configure_series_labels();
    labels.position(position).background_style(WHITE).border_style(BLACK.mix(0.3)).label_font(text(13)).draw()
}

fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}
