//! Boxes to be checked: which of the figures beside them counts is for a person to say.

use std::sync::LazyLock;

use regex::Regex;

use super::text::SourceText;
use super::{dates, expression, money};

/// How far behind a box a figure is still what the box decides on, in bytes: an alternative of a printed form is
/// a line or two.
const CHOICE_REACH_BYTES: usize = 160;
/// Most boxes that are looked at. A form has some dozens.
const BOXES_MAX_COUNT: usize = 500;

/// A box as signs draw it, or as typists do: `[x] monthly`, and `[ ] monthly` where nothing stands before it.
/// Elsewhere empty brackets are a blank to be filled in.
static BOX: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?m)[\u{2610}\u{2611}\u{2612}\u{2751}\u{274f}\u{25a1}\u{25fb}\u{1f78f}\u{1f5f8}\u{1f5f9}]|\[[xX\u{2713}\u{2714}]\]\s[A-Za-z$]|(?:^|\t|: )\[ \] [A-Za-z$]|(?:^|\s)\( \)\s[A-Za-z$]|(?i:\b(?:choose|check|select|tick|mark|circle)\s+(?:only\s+)?one\b|\b(?:delete|strike(?:\s+out)?)\s+(?:as|whichever|what|where|the)\s+(?:appropriate|applicable|inapplicable|(?:is|does)\s+not|one)|<--\s*(?:chosen|selected))",
    )
});

/// A passage in which a box decides whether an amount or a date counts.
pub fn undecided(text: &SourceText) -> Option<String> {
    BOX.find_iter(text.lined()).take(BOXES_MAX_COUNT).find_map(|found| {
        let behind = text.after(found.start(), CHOICE_REACH_BYTES);
        let decides = !money::find(behind, None).is_empty()
            || !dates::find(behind, dates::DateOrder::Unproven).is_empty();
        decides.then(|| behind.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_decide_on_figures_are_told_from_others() {
        let rows = [
            ("Rent: \u{2612} $5,000.00 monthly \u{2610} $55,000.00 yearly", true),
            ("[x] Tenant shall pay $5,000.00 a month.", true),
            ("[ ] The term begins on May 1, 2020.", true),
            ("Rent: [ ] $5,000.00 monthly", true),
            ("Rent\t[ ] $5,000.00 monthly", true),
            ("( ) base rent of $5,000.00 per month   (x) a share of sales", true),
            ("Choose one:\n- rent of $5,000.00 per month\n- rent as agreed", true),
            ("for an initial one (1) year term commencing May 1, 2020", false),
            ("Delete as appropriate: $5,000.00 / $6,000.00", true),
            ("(a) rent of $5,000.00 and (x) all taxes", false),
            ("\u{2610} Tenant is a corporation.", false),
            ("Rent of $[ ] a month from May 1, 2020", false),
            ("a deposit of [ ] dollars on May 1, 2020", false),
            ("dated as of [ ], 2020", false),
            ("[Signature page follows] $5.00", false),
            ("Rent of $5,000.00 a month", false),
        ];
        for (text, expected) in rows {
            assert_eq!(undecided(&SourceText::from_lined(text)).is_some(), expected, "{text}");
        }
    }
}
