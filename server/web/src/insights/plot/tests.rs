//! Axes end at round numbers, and drawings stay inside the axes.

use jiff::civil::date;

use super::{Plot, Series, Shape, round_ticks};

#[test]
fn axes_of_counts_have_few_round_ticks() {
    let check = |most, labels: &[&str], top| {
        let (ticks, end) = round_ticks(most);
        let found: Vec<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!((found.as_slice(), end), (labels, top), "{most}");
        assert_eq!(ticks.last().map(|tick| tick.height), Some(1.0));
    };
    check(0, &["0", "1"], 1);
    check(1, &["0", "1"], 1);
    check(7, &["0", "2", "4", "6", "8"], 8);
    check(50, &["0", "10", "20", "30", "40", "50"], 50);
    check(51, &["0", "20", "40", "60"], 60);
    check(12_345, &["0", "5000", "10000", "15000"], 15_000);
}

#[test]
fn a_line_has_gaps_at_missing_values_and_names_are_escaped() {
    let dates: Vec<_> = (1..=7).map(|day| date(2031, 5, day)).collect();
    let heights = vec![Some(0.0), Some(1.0), None, Some(0.5), None, None, Some(2.0)];
    let series = |name| Series {
        name,
        heights: heights.clone(),
    };
    let plot = Plot {
        id: "a",
        title: "<b>",
        description: "c",
        dates: &dates,
        ticks: round_ticks(3).0,
        series: vec![series("half"), series("all")],
        shape: Shape::Lines,
    };
    let drawn = plot.draw().into_string();
    let path = "d=\"M76.7 194L126.1 12M225 103M373.3 12\"";
    assert_eq!(drawn.matches(path).count(), 2, "{drawn}");
    assert_eq!(drawn.matches("<circle").count(), 8, "{drawn}");
    assert!(
        drawn.contains("&lt;b&gt;") && !drawn.contains("<b>"),
        "{drawn}"
    );
    for date in ["05-01", "05-03", "05-05", "05-07"] {
        assert!(drawn.contains(date), "{drawn}");
    }
    let bars = Plot {
        shape: Shape::Bars,
        ..plot
    };
    let drawn = bars.draw().into_string();
    assert_eq!(drawn.matches("<rect").count(), 8, "{drawn}");
}
