//! How an element of an expression joins those before it.

use super::super::meaning::Element;
use crate::scheme::Scheme;

/// Adds an element; a lower bound and an upper bound in a row are one range: "since 1.0 and before 2.0".
pub(super) fn push_element<'a>(elements: &mut Vec<Element<'a>>, element: Element<'a>) {
    if let (
        Some(Element::Between { low, high }),
        Element::Between {
            low: next_low,
            high: next_high,
        },
    ) = (elements.last_mut(), element)
    {
        match (&low, &high, next_low, next_high) {
            (Some(_), None, None, Some(_)) if ascend(*low, next_high) => {
                *high = next_high;
                return;
            }
            (None, Some(_), Some(_), None) if ascend(next_low, *high) => {
                *low = next_low;
                return;
            }
            _ => {}
        }
    }
    elements.push(element);
}

/// Returns whether there are versions between two bounds.
fn ascend(low: Option<(&str, bool)>, high: Option<(&str, bool)>) -> bool {
    match (low, high) {
        (Some((low, _)), Some((high, _))) => Scheme::Generic
            .compare(low, high)
            .is_some_and(std::cmp::Ordering::is_lt),
        _ => false,
    }
}

/// Turns a pin behind "before" into the end of its branch: "before 5.0.2, 6.0.3".
pub(super) fn in_branch<'a>(elements: &[Element<'a>], element: Element<'a>) -> Element<'a> {
    let after_before = matches!(
        elements.last(),
        Some(
            Element::Between {
                low: None,
                high: Some((_, false))
            } | Element::BeforeInBranch(_)
        )
    );
    match element {
        Element::Pin(version)
            if after_before && version.split('.').count() >= 3 && !version.ends_with(".x") =>
        {
            Element::BeforeInBranch(version)
        }
        element => element,
    }
}
