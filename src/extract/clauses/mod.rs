//! Proposers: small rules that read a value from a passage. They only propose; [`super::verify`] decides.

pub mod deposit;
pub mod extras;
pub mod kind;
pub mod names;
pub mod parties;
pub mod property;
pub mod rent;
pub mod rules;
pub mod scope;
pub mod signs;
pub mod term;

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::posting::Confidence;

use super::currency::{self, Dollar};
use super::dates::{self, DateOrder};
use super::expression;
use super::money::{self, FoundAmount};
use super::text::{SourceText, floor_boundary};

/// Most candidates that are kept for one field. Where a document offers more, they differ, and the first of
/// them show it.
pub const CANDIDATES_MAX_COUNT: usize = 200;

/// What every rule is given.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The document.
    pub text: &'a SourceText,
    /// The part of it that is the first agreement, without a second one bound behind.
    pub scope: Range<usize>,
    /// How it writes numeric dates.
    pub date_order: DateOrder,
    /// What a bare `$` means in it.
    pub dollar: Dollar,
    /// Where its sections begin, with their headings in lower case.
    sections: Vec<(usize, String)>,
    /// Where the recitals end, 0 where there are none.
    recitals_end: usize,
    /// The amounts of the first agreement, found when a rule first asks for them.
    amounts: OnceCell<Vec<FoundAmount>>,
}

/// What ends the recitals: the words of agreement, or the first numbered section.
static RECITALS_END: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?im)\bnow\s*,?\s*therefore\b|^\s*agreements?\s*[:.]?\s*$|\bagree(?:s)?\s+as\s+follows\b|^\s*(?:section\s+|article\s+)?1[.)]\s",
    )
});
static RECITALS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?im)^\s*(?:recitals|background|witnesseth|w\s+i\s+t\s+n\s+e\s+s\s+s\s+e\s+t\s+h)\b|\bwhereas\b|^\s*(?:R-1|A)[.)]\s",
    )
});

/// The number and heading that open a section: "6. Option to Extend. Tenant may ...", "ARTICLE IV - RENT".
static SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?m)(?:^|\t)\s*(?:(?i:article|section|sec\.|paragraph|exhibit|schedule|rider)\s+)?(?:\d{1,2}[A-Za-z]?(?:\.\d{1,2}){0,3}[.)]?|[IVXLC]{1,6}[.)]?|\(?[a-zA-Z][.)]|[A-Z](?:-\d)?)[\s:\u{2013}\u{2014}-]*(?P<heading>[A-Z][A-Za-z'&/, -]{2,70})(?:[.:;(]|$|\t|\u{2013}|\u{2014})",
    )
});

impl<'a> Reading<'a> {
    /// Prepares the part of a document up to `scope_end`.
    pub fn of(text: &'a SourceText, scope_end: usize) -> Self {
        let lined = text.lined();
        let in_scope = &lined[..floor_boundary(lined, scope_end)];
        let sections = SECTION
            .captures_iter(in_scope)
            .filter_map(|captures| {
                let heading = captures.name("heading")?;
                Some((heading.start(), heading.as_str().to_lowercase()))
            })
            .collect();
        let recitals_end = RECITALS
            .find(in_scope)
            .and_then(|start| RECITALS_END.find_at(in_scope, start.end()))
            .map_or(0, |end| end.start());
        Self {
            text,
            scope: 0..scope_end,
            date_order: dates::order_of(text.flow()),
            dollar: currency::dollar_of(text.lined()),
            sections,
            recitals_end,
            amounts: OnceCell::new(),
        }
    }

    /// Whether an offset lies in the recitals, where an amendment tells of what it changes.
    pub fn is_in_recitals(&self, offset: usize) -> bool {
        offset < self.recitals_end
    }

    /// The heading of the section in which an offset lies, in lower case; empty before the first.
    pub fn heading_at(&self, offset: usize) -> &str {
        let before = self.sections.partition_point(|(start, _)| *start <= offset);
        before.checked_sub(1).and_then(|index| self.sections.get(index)).map_or("", |(_, heading)| heading)
    }

    /// The section in which an offset lies, from its heading to the next one.
    pub fn section_at(&self, offset: usize) -> Range<usize> {
        let next = self.sections.partition_point(|(start, _)| *start <= offset);
        let start =
            next.checked_sub(1).and_then(|index| self.sections.get(index)).map_or(0, |(start, _)| *start);
        let end = self.sections.get(next).map_or(self.scope.end, |(start, _)| *start);
        start..end
    }

    /// The amounts of the first agreement, in order.
    pub fn amounts(&self) -> &[FoundAmount] {
        self.amounts.get_or_init(|| money::find(self.flow(), self.dollar.currency()))
    }

    /// Those of them that lie within a range.
    pub fn amounts_in(&self, range: &Range<usize>) -> &[FoundAmount] {
        let all = self.amounts();
        let from = all.partition_point(|amount| amount.range.start < range.start);
        let to = all.partition_point(|amount| amount.range.end <= range.end);
        all.get(from..to).unwrap_or_default()
    }

    /// The lines of the first agreement, with their ranges.
    pub fn lines(&self) -> impl Iterator<Item = (Range<usize>, &'a str)> {
        let mut at = 0;
        let lined = self.text.lined().get(..self.scope.end).unwrap_or_default();
        lined.split('\n').map(move |line| {
            let range = at..at + line.len();
            at = range.end + 1;
            (range, line)
        })
    }

    /// The flowing text of the first agreement; offsets in it are offsets in the document, because the scope
    /// starts at its start.
    pub fn flow(&self) -> &'a str {
        self.text.slice(&(0..self.scope.end))
    }
}

/// A value that a rule proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<T> {
    /// The value.
    pub value: T,
    /// How sure the rule is.
    pub confidence: Confidence,
    /// The passage that supports it.
    pub range: Range<usize>,
    /// The rule's name.
    pub rule: &'static str,
}

impl<T> Candidate<T> {
    /// The same with a confidence of at most `limit`.
    pub fn capped(mut self, limit: Confidence) -> Self {
        self.confidence = self.confidence.min(limit);
        self
    }

    /// The same with a value derived from it.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Candidate<U> {
        Candidate {
            value: change(self.value),
            confidence: self.confidence,
            range: self.range,
            rule: self.rule,
        }
    }
}
