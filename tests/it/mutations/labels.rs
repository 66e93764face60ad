//! A copy that commits is held to the labels of the sample that it was.
//!
//! Damage can change a value itself, so that the copy is another lease. That is believed where the passage which the
//! value was committed with stands in the copy's text and not in the sample's, and where the value is none of those that
//! tempt in the sample: damage beside such a figure makes it no other one. Two ways of damage have no such excuse, since
//! they leave every word alone that a value is made of.

use lease_ingest::eval::DocumentReading;
use lease_ingest::extract::sniff::{Format, format_of};
use lease_ingest::extract::{Caps, docx, html, pdf, plain};
use lease_ingest::lease::LeaseAbstraction;
use lease_ingest::ports::extractor::Extraction;

use super::Sample;
use super::damage::{NAME_CHANGED, WORDS_CHANGED};

/// Each value that was committed of a copy and is not the sample's, and whether the copy itself says so.
pub fn other_values(
    sample: &Sample,
    kind: &str,
    copy: &[u8],
    document: LeaseAbstraction,
) -> Vec<(bool, String)> {
    let Some(labels) = &sample.labels else {
        return vec![(false, "a value where the labels have none".to_owned())];
    };
    let (before, after) = (readable(&sample.bytes), readable(copy));
    let reading = DocumentReading::of(labels, &Extraction::Complete(document));
    let mut others = Vec::new();
    for field in reading.fields {
        let Some(answer) = field.answer.filter(|answer| !answer.is_right) else { continue };
        let value = answer.value.to_string();
        // An abstraction made elsewhere brings no passage, and its values stand in it as they are.
        let words = if answer.passage.is_empty() {
            value.split(' ').next().unwrap_or_default()
        } else {
            &answer.passage
        };
        let may_change = kind != WORDS_CHANGED && kind != NAME_CHANGED;
        let excused = may_change && !answer.is_tempting && after.contains(words) && !before.contains(words);
        others.push((excused, format!("{} is {value} by \"{words}\"", field.field.name())));
    }
    others
}

/// What a person reads of a document, as its text.
fn readable(bytes: &[u8]) -> String {
    let text = match format_of(bytes) {
        Format::Json => return String::from_utf8_lossy(bytes).into_owned(),
        Format::Text => plain::read(bytes),
        Format::Html => html::read(bytes),
        Format::Docx => docx::read(bytes).unwrap_or_default(),
        Format::Pdf => pdf::read(bytes, &Caps::default(), &[]).map(|pdf| pdf.text).unwrap_or_default(),
        Format::Picture(_) | Format::Unread(_) | Format::Unknown => return String::new(),
    };
    text.flow().to_owned()
}

#[test]
fn a_value_is_excused_only_where_the_copy_says_it() {
    use lease_ingest::extract::LeaseExtractor;
    let samples = Sample::all();
    let of = samples.iter().find(|sample| sample.path.ends_with("harbor-point-suite-210.txt")).unwrap();
    let text = String::from_utf8(of.bytes.clone()).unwrap();
    let read = |text: &str| match LeaseExtractor::default().read(text.as_bytes(), None) {
        Extraction::Complete(lease) => lease,
        other => panic!("{other:?}"),
    };
    let sound = read(&text);
    let renamed = text.replace("TIDEWATER ROBOTICS", "TIDEWATER ROBOTICA");
    let mut tempted = sound.clone();
    tempted.base_rent.amount = "3150.00".parse().unwrap();
    let field = |lease: &LeaseAbstraction, kind, copy: &str| -> Vec<bool> {
        let others = other_values(of, kind, copy.as_bytes(), lease.clone());
        others.into_iter().map(|(excused, _)| excused).collect()
    };
    // What was committed, how the copy came about, its text, and for each other value whether it is excused.
    let table: [(_, _, &LeaseAbstraction, &str, &[bool]); 5] = [
        ("the same", "bits flipped", &sound, &text, &[]),
        ("another name that the copy has", "bits flipped", &read(&renamed), &renamed, &[true]),
        ("the same where no value may change", WORDS_CHANGED, &read(&renamed), &renamed, &[false]),
        ("another name that the copy has not", "bits flipped", &read(&renamed), &text, &[false]),
        ("another figure of the sample", "bits flipped", &tempted, &text, &[false]),
    ];
    for (case, kind, lease, copy, expected) in table {
        assert_eq!(field(lease, kind, copy), expected, "{case}");
    }
}
