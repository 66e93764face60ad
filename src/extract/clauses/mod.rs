//! Proposers: small rules that read a value from a passage. They only propose; [`super::verify`] decides.

pub mod deposit;
pub mod kind;
pub mod parties;
pub mod property;
pub mod rent;
pub mod term;

use std::ops::Range;

use crate::lease::Currency;
use crate::posting::Confidence;

use super::dates::DateOrder;
use super::text::SourceText;

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
    pub dollar: Option<Currency>,
}

impl<'a> Reading<'a> {
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
