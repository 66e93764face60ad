//! How right the extractor is, measured on labelled documents. Pure: labels and extractions in, counts out.
//!
//! A value is *accepted* as the pipeline would post it: in a complete document without faults, at or above the
//! threshold. What a reviewer would be shown at or above the threshold is counted apart, since most leases go to
//! review. Names are equal without regard to case, punctuation and spacing (so `L.L.C.` is `LLC`, and `&` is
//! `and`), money as exact decimals with its currency, dates as calendar days.

mod by_rule;
mod counts;
mod labels;
mod reading;
mod report;

pub use by_rule::RuleLine;
pub use counts::{Counts, Ratio};
pub use labels::{Expected, Field, FieldValue, LABELS_FORMAT, LabelFault, LabelledDocument, Labels};
pub use reading::{Answer, DocumentReading, FieldReading, Verdict, View};
pub use report::{CurvePoint, DocumentCounts, DocumentLine, FieldLine, Finding, Report};

#[cfg(test)]
mod tests;
