//! Two dates that bound the term: "from ... to ...".

use crate::extract::clauses::Reading;
use crate::extract::dates::FoundDate;
use crate::extract::text::floor_boundary;
use regex::Regex;
use std::sync::LazyLock;

use super::CUE_REACH_BYTES;
use super::cues::expression;

/// The side of a range of dates on which a date stands, with where its passage starts.
pub(super) enum RangePart {
    From(usize),
    To(usize),
}

/// Whether a date is one of two that bound the term: "Term: May 1, 2020 - April 30, 2025", "the letting runs from
/// 1 May 2020 to 30 April 2025".
pub(super) fn part_of_range(reading: &Reading<'_>, found: &[FoundDate], index: usize) -> Option<RangePart> {
    static TO: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)^(?:\s*\(\s*(?:the\s+)?"[^"()]{3,40}"\s*\))?\s*,?\s*(?:-|\u{2013}|\u{2014}|to|through|thru|until|till|up\s+to|and\s+(?:ending|expiring)(?:\s+on)?)(?:\s+and\s+including|,?\s+(?:and\s+)?including)?(?:\s+midnight\s+on)?\s+(?:the\s+)?$|^\s*[-\u{2013}\u{2014}]\s*$"#,
        )
    });
    static BOUNDED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)(?:(?:^|[\t\n.;"])\s*(?:\(?[0-9a-z]{1,4}(?:\.[0-9]{1,2})?[.):]?\s*)?"?(?:initial\s+|lease\s+|contractual\s+|base\s+)?(?:terms?|lease\s+period|rental\s+period|duration)\b(?:\s+of\s+(?:the\s+)?(?:lease|tenancy|agreement))?"?\.?[^.$\u{a3}\u{20ac};:]{0,40}:?[\s\t]*[^.$\u{a3}\u{20ac};]{0,60}|\b(?:(?:term|tenancy|letting)\b[^.$\u{a3}\u{20ac};]{0,90}?\b(?:from|runs?|begin\w*|commenc\w*)|(?:lease|agreement)\s+(?:shall\s+|will\s+)?(?:runs?|begins?|commences?|is\s+for\s+(?:the|a)\s+period))\s*(?:and\s+including)?)\s*(?:from\s+)?(?:and\s+including\s+)?(?:the\s+)?$"#,
        )
    });
    // A range of something else, or a date that is changed from one to another.
    static NOT_OF_TERM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:chang|extend|amend|expir|replac|modif|rent|pay|instal|tax|insur|option|renew|review|(?:lease|fiscal|tax|each|every|per)\s+year|abat|work|construct)",
        )
    });
    let text = reading.text;
    let between = |first: &FoundDate, second: &FoundDate| {
        second.date > first.date && TO.is_match(text.slice(&(first.range.end..second.range.start)))
    };
    let date = found.get(index)?;
    let (first, is_first) = match found.get(index + 1).filter(|next| between(date, next)) {
        Some(_) => (date, true),
        None => (
            index
                .checked_sub(1)
                .and_then(|before| found.get(before))
                .filter(|before| between(before, date))?,
            false,
        ),
    };
    let floor = floor_boundary(text.lined(), first.range.start.saturating_sub(CUE_REACH_BYTES));
    let before = text.lined().get(floor..first.range.start)?;
    let cue = BOUNDED.find(before)?;
    let sentence = text.sentence_around(&first.range, CUE_REACH_BYTES);
    // A label stands for itself; of running text the whole sentence up to the range counts.
    let is_labelled = floor + cue.start() == 0 || cue.as_str().starts_with(['\n', '\t']);
    let led_up = if is_labelled { cue.as_str() } else { text.slice(&(sentence.start..first.range.start)) };
    if NOT_OF_TERM.is_match(cue.as_str()) || NOT_OF_TERM.is_match(led_up) {
        return None;
    }
    // The nearest label or verb before the range is its own; a money figure or another date between would be another's.
    if found
        .iter()
        .any(|other| other.range.start >= floor + cue.start() && other.range.end <= first.range.start)
    {
        return None;
    }
    let start = floor + cue.start() + (cue.as_str().len() - cue.as_str().trim_start().len());
    Some(if is_first { RangePart::From(start) } else { RangePart::To(start) })
}
