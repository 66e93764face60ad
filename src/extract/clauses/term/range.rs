//! Two dates that bound the term: "from ... to ...".

use crate::extract::clauses::Reading;
use crate::extract::dates::FoundDate;
use crate::extract::text::floor_boundary;
use regex::Regex;
use std::sync::LazyLock;

use super::cues::{NOT_OF_LETTING, OTHER_PERIOD, expression};
use super::{CUE_REACH_BYTES, SENTENCE_REACH_BYTES};

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
            r#"(?i)^(?:\s*\(\s*(?:the\s+)?"[^"()]{3,40}"\s*\))?\s*,?\s*(?:-|\u{2013}|\u{2014}|to|through|thru|until|till|up\s+to|and\s+(?:ending|expiring)(?:\s+on)?|and\s+(?:(?:from\s+)?thenceforth\s+)?(?:to\s+be\s+)?(?:fully\s+)?complete(?:d)?\s+and\s+ended\s+on)(?:\s+and\s+including|,?\s+(?:and\s+)?including)?(?:\s+midnight\s+on)?\s+(?:the\s+)?$|^\s*[-\u{2013}\u{2014}]\s*$"#,
        )
    });
    static BOUNDED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)(?:(?:^|[\t\n.;"])\s*(?:\(?[0-9a-z]{1,4}(?:\.[0-9]{1,2})?[.):]?\s*)?"?(?:initial\s+|lease\s+|contractual\s+|base\s+)?(?:terms?|lease\s+period|rental\s+period|duration)\b(?:\s+of\s+(?:the\s+)?(?:lease|tenancy|agreement))?"?(?:\s*\.{3,}|\.)?[^.$\u{a3}\u{20ac};:]{0,40}:?[\s\t]*[^.$\u{a3}\u{20ac};]{0,60}|\b(?:(?:term|tenancy|letting)\b[^.$\u{a3}\u{20ac};]{0,90}?\b(?:from|runs?|begin\w*|commenc\w*)|(?:lease|agreement)\s+(?:shall\s+|will\s+)?(?:runs?|begins?|commences?|is\s+for\s+(?:the|a)\s+period))\s*(?:and\s+including)?)\s*(?:from\s+)?(?:and\s+including\s+)?(?:the\s+)?$"#,
        )
    });
    // "The Landlord lets the barn for seven years from ...", "the operator has the land from ...": the length before the
    // range is that of what is let, and who has the premises has them for the term.
    static LET_FOR: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:lets?|leases?|demises?)\b[^.;$\u{a3}\u{20ac}]*?\bfor\s+(?:(?:a|the)\s+(?:period|term)\s+of\s+)?(?:[a-z]+(?:-[a-z]+)?|\d{1,3})\s+(?:\(\d{1,3}\)\s+)?(?:full\s+)?(?:years?|months?)\s*,?\s*(?:(?:commencing|beginning|starting)\s+)?from\s+(?:and\s+including\s+)?(?:the\s+)?$|\b(?:has|holds|takes|lets|leases|demises)\s+(?:to\s+[^.;,$]{0,40}\s)?(?:the|this|said)\s+(?:land|farm|premises|property|building|house|store|shop|unit|space|room|office)s?\s+(?:to\s+[^.;,$]{0,40}\s)?from\s+(?:and\s+including\s+)?(?:the\s+)?$",
        )
    });
    // A number of the years that a lease counts by is the length of the term: "Ten Lease Years, May 1, 2005 to ...".
    static COUNTED_IN_LEASE_YEARS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|\(?\d{1,2}\)?)\s+(?:\(\d{1,2}\)\s+)?(?:full\s+)?lease\s+years\b",
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
    let sentence = text.sentence_around(&first.range, CUE_REACH_BYTES);
    let Some(cue) = BOUNDED.find(before) else {
        let whole = text.sentence_around(&first.range, SENTENCE_REACH_BYTES);
        let led_up = text.slice(&(whole.start..first.range.start));
        let cue = LET_FOR.find(led_up)?;
        // Words of another period, or of an earlier letting, make it another's.
        if OTHER_PERIOD.is_match(led_up) || NOT_OF_LETTING.is_match(led_up) {
            return None;
        }
        let floor = first.range.start.saturating_sub(CUE_REACH_BYTES).max(whole.start + cue.start());
        let start = floor_boundary(text.flow(), floor);
        return Some(if is_first { RangePart::From(start) } else { RangePart::To(start) });
    };
    // A label stands for itself; of running text the whole sentence up to the range counts.
    let is_labelled = floor + cue.start() == 0 || cue.as_str().starts_with(['\n', '\t']);
    let led_up = if is_labelled { cue.as_str() } else { text.slice(&(sentence.start..first.range.start)) };
    let [own, led_up] = [cue.as_str(), led_up].map(|words| COUNTED_IN_LEASE_YEARS.replace_all(words, ""));
    if NOT_OF_TERM.is_match(&own) || NOT_OF_TERM.is_match(&led_up) {
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
