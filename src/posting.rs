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
    /// How sure the extractor is of each field that must be right, by its name, where it says so field by field: a
    /// person who reviews the document is told which are too weak.
    fn field_confidences(&self) -> Vec<(&str, Confidence)> {
        Vec::new()
    }
    /// What the document is filed under (a property, a policy holder). The same bytes under two of these are never silently one.
    fn filed_under(&self) -> &str;
    /// The second part of the index by what it is filed under (a date, a number), as sortable text.
    fn filing_order(&self) -> String;
    /// Further attributes to stand in the row. Names must not collide with those of the protocol, see `aws::item`.
    fn indexed(&self) -> Vec<(&'static str, Indexed)>;
}

/// Why a document is under the threshold, if it is: each field that is, with its confidence, the weakest first.
pub fn low_confidence(document: &impl Posted, threshold: Confidence) -> Option<Reason> {
    let whole = document.confidence();
    if whole >= threshold {
        return None;
    }
    let mut fields = document.field_confidences();
    fields.retain(|(_, confidence)| *confidence < threshold);
    fields.sort_by_key(|(_, confidence)| *confidence);
    // What the whole is said to be can be less than any of its fields.
    if fields.first().is_none_or(|(_, weakest)| whole < *weakest) {
        fields.insert(0, ("the whole document", whole));
    }
    let listed: Vec<String> =
        fields.iter().map(|(field, confidence)| format!("{field} is at {confidence}")).collect();
    Some(Reason::new(
        "low_confidence",
        format!("{}, under the threshold of {threshold}: compare each with its passage.", listed.join(", ")),
    ))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The smallest kind of document that has everything: for the tests of whatever is generic over [`Posted`].
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub(crate) struct Note {
        pub(crate) holder: String,
        pub(crate) day: String,
        #[serde(with = "rust_decimal::serde::arbitrary_precision")]
        pub(crate) amount: Decimal,
        pub(crate) lines: Vec<String>,
        pub(crate) confidence: Confidence,
    }

    impl Note {
        pub(crate) fn of(holder: &str) -> Self {
            Self {
                holder: holder.to_owned(),
                day: "2026-01-31".to_owned(),
                amount: Decimal::new(123_450, 2),
                lines: vec!["first".to_owned(), String::new()],
                confidence: Confidence::permille(925),
            }
        }
    }

    impl Posted for Note {
        const KIND: &'static str = "note";
        const SCHEMA_VERSION: u32 = 3;

        fn faults(&self) -> Vec<Fault> {
            Vec::new()
        }
        fn confidence(&self) -> Confidence {
            self.confidence
        }
        fn filed_under(&self) -> &str {
            &self.holder
        }
        fn filing_order(&self) -> String {
            self.day.clone()
        }
        fn indexed(&self) -> Vec<(&'static str, Indexed)> {
            vec![("holder", Indexed::Text(self.holder.clone())), ("amount", Indexed::Number(self.amount))]
        }
    }

    #[test]
    fn a_confidence_is_cut_and_never_rounded() {
        let table = [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("0.0009999", Some(0)),
            ("0.001", Some(1)),
            ("0.85", Some(850)),
            ("0.8500", Some(850)),
            ("0.8499999999999999999999999999", Some(849)),
            ("0.9995", Some(999)),
            ("0.9999999999999999999999999999", Some(999)),
            ("1", Some(1000)),
            ("1.0000000000000000000000000000", Some(1000)),
            ("1.0000000000000000000000000001", None),
            ("1.001", None),
            ("2", None),
            ("-0.0000000000000000000000000001", None),
            ("-1", None),
            ("79228162514264337593543950335", None),
            ("-79228162514264337593543950335", None),
        ];
        for (written, expected) in table {
            let value = Decimal::from_str_exact(written).unwrap();
            assert_eq!(Confidence::from_decimal(value).map(Confidence::as_permille), expected, "{written}");
        }
    }

    #[test]
    fn percents_and_thousandths_end_at_certainty() {
        let table = [
            // number, as a percentage, as thousandths
            (0, 0, 0),
            (1, 10, 1),
            (85, 850, 85),
            (99, 990, 99),
            (100, 1000, 100),
            (101, 1000, 101),
            (999, 1000, 999),
            (1000, 1000, 1000),
            (1001, 1000, 1000),
            (6_554, 1000, 1000),
            (u16::MAX, 1000, 1000),
        ];
        for (number, percent, permille) in table {
            assert_eq!(Confidence::percent(number).as_permille(), percent, "{number} %");
            assert_eq!(Confidence::permille(number).as_permille(), permille, "{number} ‰");
        }
        assert_eq!(
            (Confidence::ZERO, Confidence::ONE),
            (Confidence::permille(0), Confidence::permille(1000))
        );
        assert!(Confidence::permille(849) < Confidence::percent(85));
    }

    #[test]
    fn a_confidence_is_written_as_a_plain_number() {
        for (permille, expected) in [(0, "0"), (1, "0.001"), (850, "0.85"), (925, "0.925"), (1000, "1")] {
            let confidence = Confidence::permille(permille);
            assert_eq!(confidence.to_string(), expected);
            assert_eq!(serde_json::to_string(&confidence).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_no_confidence_is_not_read_as_one() {
        let table = [
            ("0", Some(0)),
            ("1", Some(1000)),
            ("0.8509", Some(850)),
            ("8.5e-1", Some(850)),
            ("1.001", None),
            ("-0.001", None),
            ("85", None),
            ("null", None),
            ("true", None),
            ("[]", None),
        ];
        for (json, expected) in table {
            let read = serde_json::from_str::<Confidence>(json).ok();
            assert_eq!(read.map(Confidence::as_permille), expected, "{json}");
        }
    }

    #[test]
    fn every_confidence_is_read_as_it_was_written() {
        for permille in 0..=1000 {
            let confidence = Confidence::permille(permille);
            assert_eq!(confidence.as_permille(), permille);
            assert_eq!(Confidence::from_decimal(confidence.as_decimal()), Some(confidence));
            let json = serde_json::to_string(&confidence).unwrap();
            assert_eq!(serde_json::from_str::<Confidence>(&json).unwrap(), confidence);
        }
    }

    #[test]
    fn a_fault_reads_as_a_sentence_about_its_field() {
        let fault = Fault { field: "rent".to_owned(), problem: "is missing".to_owned() };
        assert_eq!(fault.to_string(), "rent: is missing");
    }

    #[test]
    fn what_is_under_the_threshold_is_named_the_weakest_first() {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        struct Sure(Note, Vec<(String, Confidence)>);
        impl Posted for Sure {
            const KIND: &'static str = "sure";
            const SCHEMA_VERSION: u32 = 1;

            fn faults(&self) -> Vec<Fault> {
                self.0.faults()
            }
            fn confidence(&self) -> Confidence {
                self.0.confidence
            }
            fn field_confidences(&self) -> Vec<(&str, Confidence)> {
                self.1.iter().map(|(field, confidence)| (field.as_str(), *confidence)).collect()
            }
            fn filed_under(&self) -> &str {
                self.0.filed_under()
            }
            fn filing_order(&self) -> String {
                self.0.filing_order()
            }
            fn indexed(&self) -> Vec<(&'static str, Indexed)> {
                self.0.indexed()
            }
        }
        // Confidence of the whole, of its fields, and what is said at a threshold of 0.85.
        type Row<'a> = (u16, &'a [(&'a str, u16)], Option<&'a str>);
        let table: &[Row<'_>] = &[
            (850, &[("tenant", 850)], None),
            (850, &[("tenant", 1)], None),
            (845, &[("tenant", 845), ("rent", 850)], Some("tenant is at 0.845, under the threshold of 0.85")),
            (
                700,
                &[("tenant", 845), ("rent", 700), ("end", 900)],
                Some("rent is at 0.7, tenant is at 0.845, under the threshold of 0.85"),
            ),
            (600, &[], Some("the whole document is at 0.6, under the threshold of 0.85")),
            (600, &[("tenant", 900)], Some("the whole document is at 0.6, under the threshold of 0.85")),
            (
                600,
                &[("tenant", 800)],
                Some("the whole document is at 0.6, tenant is at 0.8, under the threshold of 0.85"),
            ),
        ];
        for (whole, fields, expected) in table {
            let note = Note { confidence: Confidence::permille(*whole), ..Note::of("P-1") };
            let fields =
                fields.iter().map(|(name, sure)| ((*name).to_owned(), Confidence::permille(*sure))).collect();
            let reason = low_confidence(&Sure(note, fields), Confidence::percent(85));
            let said = reason.as_ref().map(|reason| reason.detail.split(": ").next().unwrap());
            assert_eq!(said, *expected);
            assert!(reason.is_none_or(|reason| reason.code == "low_confidence"));
        }
    }

    proptest! {
        #[test]
        fn a_decimal_is_within_a_thousandth_above_what_is_read_of_it(mantissa in any::<u64>(), scale in 0u32..=28) {
            let value = Decimal::from_i128_with_scale(i128::from(mantissa), scale);
            match Confidence::from_decimal(value) {
                None => prop_assert!(value > Decimal::ONE),
                Some(read) => {
                    prop_assert!(value <= Decimal::ONE);
                    prop_assert!(read.as_decimal() <= value && value - read.as_decimal() < Decimal::new(1, 3));
                }
            }
        }
    }
}
