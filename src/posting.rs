//! What the protocol needs to know of a document kind in order to post it, and nothing else.
//!
//! The protocol rooms are generic over [`Posted`]. A lease abstraction is one instance; an invoice or an
//! insurance certificate needs a type and an extractor, and no change anywhere else.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// How sure an extractor is, from 0 to 1 in thousandths. A number of its own rather than a float, so that it
/// is stored, compared and printed exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Confidence(u16);

impl Confidence {
    /// No support at all.
    pub const ZERO: Self = Self(0);
    /// Certain.
    pub const ONE: Self = Self(1000);

    /// From a percentage; more than 100 counts as 100.
    pub const fn percent(percent: u16) -> Self {
        Self::permille(if percent > 100 { 1000 } else { percent * 10 })
    }

    /// From thousandths; more than 1000 counts as 1000.
    pub const fn permille(permille: u16) -> Self {
        Self(if permille > 1000 { 1000 } else { permille })
    }

    /// In thousandths.
    pub const fn as_permille(self) -> u16 {
        self.0
    }

    /// From a decimal; `None` outside 0..=1. Digits beyond the third are cut, never rounded up.
    pub fn from_decimal(value: Decimal) -> Option<Self> {
        if value < Decimal::ZERO || value > Decimal::ONE {
            return None;
        }
        u16::try_from((value * Decimal::from(1000)).trunc()).ok().map(Self)
    }

    /// As a decimal number.
    pub fn as_decimal(self) -> Decimal {
        Decimal::new(i64::from(self.0), 3).normalize()
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_decimal())
    }
}

impl Serialize for Confidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rust_decimal::serde::arbitrary_precision::serialize(&self.as_decimal(), serializer)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = rust_decimal::serde::arbitrary_precision::deserialize(deserializer)?;
        Self::from_decimal(value).ok_or_else(|| serde::de::Error::custom("a confidence lies between 0 and 1"))
    }
}

/// One thing wrong with a document, in words for the person who reviews it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Name of the field.
    pub field: String,
    /// What is wrong with it and what would be right.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.problem)
    }
}

/// A reason as a code for counting and a sentence for people. The code never holds customer data; the
/// sentence may, so it is stored and shown but never logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Stable code in snake case, such as `encrypted_pdf`.
    pub code: String,
    /// One sentence: what is wrong and what to do.
    pub detail: String,
}

impl Reason {
    /// A reason from its two parts.
    pub fn new(code: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code: code.into(), detail: detail.into() }
    }
}

/// The value of an attribute that stands beside the document in its row, so that an index or a query can use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indexed {
    /// A DynamoDB string.
    Text(String),
    /// A DynamoDB number, exact to 38 digits.
    Number(Decimal),
}

/// A kind of document that can be posted exactly once.
pub trait Posted:
    Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The kind's name, stored on each row.
    const KIND: &'static str;
    /// Raised when the stored shape changes; stored on each row.
    const SCHEMA_VERSION: u32;

    /// Everything that is wrong with the document; empty when it may be posted.
    fn faults(&self) -> Vec<Fault>;
    /// How sure the extractor is of the weakest field that must be right.
    fn confidence(&self) -> Confidence;
    /// What the document is filed under (a property, a policy holder). The same bytes under two of these are never silently one.
    fn filed_under(&self) -> &str;
    /// The second part of the index by what it is filed under (a date, a number), as sortable text.
    fn filing_order(&self) -> String;
    /// Further attributes to stand in the row. Names must not collide with those of the protocol, see `aws::item`.
    fn indexed(&self) -> Vec<(&'static str, Indexed)>;
}
