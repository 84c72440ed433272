//! A picture of points for a terminal, in Braille dots: enough to see that a measurement looks like a disk.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::symbols::Marker;
use ratatui_core::widgets::Widget;
use ratatui_widgets::chart::{Axis, Chart, Dataset, GraphType};

#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub title: String,
    /// What is drawn to the right, with its unit.
    pub x_label: &'static str,
    /// What is drawn upwards, with its unit. That axis starts at 0.
    pub y_label: &'static str,
    pub points: Vec<(f64, f64)>,
}

const HEIGHT: u16 = 14;

impl Drawing {
    /// The picture as lines of at most `width` characters; nothing where there are too few points to see anything.
    pub fn render(&self, width: u16) -> String {
        let highest = self.highest();
        let shown = |point: &&(f64, f64)| point.0.is_finite() && point.1 <= highest;
        let points: Vec<(f64, f64)> = self.points.iter().filter(shown).copied().collect();
        let bounds = |value: fn(&(f64, f64)) -> f64| {
            let values = points.iter().map(value);
            (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (_, top)) = (bounds(|point| point.0), bounds(|point| point.1));
        if points.len() < 3 || left >= right || top <= 0.0 {
            return String::new();
        }
        let top = top * 1.05;
        let axis = |low: f64, high: f64| {
            Axis::default().bounds([low, high]).labels([low, f64::midpoint(low, high), high].map(short))
        };
        let dots = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Scatter).data(&points);
        let chart = Chart::new(vec![dots]).x_axis(axis(left, right)).y_axis(axis(0.0, top));
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, HEIGHT));
        chart.render(buffer.area, &mut buffer);
        let rows = buffer.content().chunks(usize::from(width));
        let lines = rows.map(|row| row.iter().map(ratatui_core::buffer::Cell::symbol).collect::<String>());
        let picture: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
        format!("{}: {} over {}\n{}\n", self.title, self.y_label, self.x_label, picture.join("\n"))
    }
}

impl Drawing {
    /// Points above this are left out: one late sample would press all the others flat.
    fn highest(&self) -> f64 {
        let mut values: Vec<f64> = self.points.iter().map(|point| point.1).filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() * 95 / 100).map_or(0.0, |usual| usual * 1.3)
    }
}

/// A number as short as an axis needs it.
fn short(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// What needs no extraction, for the terminal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    pub numbers: Vec<(&'static str, String)>,
    pub drawing: Option<Drawing>,
}

impl FromIterator<(&'static str, String)> for Overview {
    fn from_iter<T: IntoIterator<Item = (&'static str, String)>>(numbers: T) -> Self {
        Self { numbers: numbers.into_iter().collect(), drawing: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(points: Vec<(f64, f64)>) -> Drawing {
        Drawing { title: "Bandwidth".to_owned(), x_label: "position (%)", y_label: "MB/s", points }
    }

    #[test]
    fn a_falling_profile_falls_on_the_screen() {
        let text = drawing((0..100).map(|x| (f64::from(x), 200.0 - f64::from(x))).collect()).render(60);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Bandwidth: MB/s over position (%)");
        let place = |line: &&str| line.chars().position(|letter| ('\u{2801}'..='\u{28ff}').contains(&letter));
        let places: Vec<usize> = lines.iter().filter_map(place).collect();
        assert!(places.len() > 4 && places.is_sorted(), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
    }

    #[test]
    fn axes_carry_the_numbers_they_run_between_and_start_at_nothing() {
        let text = drawing(vec![(0.0, 80.0), (50.0, 90.0), (100.0, 100.0)]).render(60);
        assert!(text.contains("105") && text.contains("0.00") && text.contains("100"), "{text}");
    }

    #[test]
    fn one_late_sample_does_not_press_the_others_flat() {
        let mut points: Vec<(f64, f64)> = (0..100).map(|x| (f64::from(x), 10.0)).collect();
        points[50].1 = 10_000.0;
        let text = drawing(points).render(60);
        assert!(text.contains("10.5") && !text.contains("10500"), "{text}");
    }

    #[test]
    fn too_little_to_see_anything_is_not_drawn() {
        assert_eq!(drawing(vec![]).render(60), "");
        assert_eq!(drawing(vec![(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]).render(60), "");
        assert_eq!(drawing(vec![(0.0, f64::NAN), (1.0, 2.0), (2.0, 3.0)]).render(60), "");
    }
}
