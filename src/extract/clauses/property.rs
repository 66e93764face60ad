//! The property's identifier, where the document states one unmistakably.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::doubt;
use crate::posting::Confidence;

use super::{Candidate, Reading};

/// The label of a property, at the start of a line or a cell or behind the property before it.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?P<before>^|\t|\b(?:and|or|;|,)\s+)\s*(?:[*\x{2022}-]\s*|\(?[0-9a-z]{1,3}[.)]\s+)?(?:the\s+)?(?P<label>property\s+(?:id|i\.d\.|identifier|identification(?:\s+(?:no\.|number))?|no\.|number|code)\s*[:#])",
    )
    .expect("the label of a property is a valid expression")
});

/// An identifier that takes up its cell from end to end.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?P<id>[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,62}[A-Za-z0-9])?)\.?$")
        .expect("an identifier is a valid expression")
});

/// Proposes what stands behind a label such as "Property ID:" on a line of its own, where it takes up the whole cell. An
/// identifier holds a digit; anything else behind such a label is prose. Where such a field holds more than one
/// identifier, what it means is a person's to say, and nothing is proposed.
pub fn propose(reading: &Reading<'_>) -> Vec<Candidate<String>> {
    let mut candidates = Vec::new();
    for (start, line) in reading.text.lines().take_while(|(start, _)| *start < reading.scope.end) {
        let labels: Vec<_> = LABEL.captures_iter(line).collect();
        // A sentence that mentions a property is no field.
        if labels.first().is_none_or(|label| !matches!(&label["before"], "" | "\t")) {
            continue;
        }
        for (index, label) in labels.iter().enumerate() {
            let Some(label) = label.name("label") else { continue };
            let next =
                labels.get(index + 1).and_then(|next| next.get(0)).map_or(line.len(), |next| next.start());
            let behind = &line[label.end()..next];
            let cell = behind.trim_start().split('\t').next().unwrap_or_default().trim();
            match IDENTIFIER.captures(cell).map(|found| found["id"].to_owned()) {
                Some(id) if doubt::holds_a_figure(&id) => {
                    let cell_at = label.end() + behind.len() - behind.trim_start().len();
                    candidates.push(Candidate {
                        value: id,
                        confidence: Confidence::percent(95),
                        range: start + label.start()..start + cell_at + cell.len(),
                        rule: "labelled_property_id",
                    });
                }
                None if doubt::holds_a_figure(cell) => return Vec::new(),
                _ => {}
            }
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::reading_of;

    #[test]
    fn only_a_labelled_identifier_counts() {
        let rows: &[(&str, &[&str])] = &[
            ("Property ID: HP-210", &["HP-210"]),
            ("PROPERTY NO.: 4711", &["4711"]),
            ("Property Number # A/12.", &["A/12"]),
            ("Property Code:\tNW_88-1", &["NW_88-1"]),
            ("Property Code:\tNW-88.1", &["NW-88.1"]),
            ("Property: 12 Elm Street", &[]),
            ("the property no. 3 is excluded", &[]),
            ("Property ID: to be assigned", &[]),
            ("Property ID: ______", &[]),
            ("Property ID: A1 and Property ID: A2", &["A1", "A2"]),
            ("Date\tMay 1, 2020\tProperty ID:\tHP-210\tFloor 3", &["HP-210"]),
            ("1. Property ID: HP-210", &["HP-210"]),
            ("Property ID: 12 B", &[]),
            ("Property ID: 12, 13 and 14", &[]),
            ("Property ID: 12 B\nProperty ID: 12", &[]),
            ("The yard next door, Property No.: 17, is not let.", &[]),
            ("Property No.: 17, is not let.", &[]),
            ("Tenant gives up its suite at Property ID: HP-9.", &[]),
            ("Prior Property ID: HP-9", &[]),
        ];
        for (text, expected) in rows {
            let values: Vec<String> =
                reading_of(text, propose).into_iter().map(|candidate| candidate.value).collect();
            assert_eq!(values, *expected, "{text}");
        }
    }
}
