//! The property's identifier, where the document states one unmistakably.

use std::sync::LazyLock;

use regex::Regex;

use crate::posting::Confidence;

use super::{Candidate, Reading};

static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bproperty\s+(?:id|i\.d\.|identifier|identification(?:\s+(?:no\.|number))?|no\.|number|code)\s*[:#]\s*(?P<id>[a-z0-9][a-z0-9._/-]{0,62}[a-z0-9]|[a-z0-9])",
    )
    .expect("the label of a property is a valid expression")
});

/// Proposes what stands behind a label such as "Property ID:". An identifier holds a digit; anything else behind
/// such a label is prose.
pub fn propose(reading: &Reading<'_>) -> Vec<Candidate<String>> {
    LABELLED
        .captures_iter(reading.flow())
        .filter_map(|captures| {
            let id = captures.name("id")?.as_str();
            id.contains(|character: char| character.is_ascii_digit()).then(|| Candidate {
                value: id.to_owned(),
                confidence: Confidence::percent(95),
                range: captures.get(0).map_or(0..0, |whole| whole.range()),
                rule: "labelled_property_id",
            })
        })
        .collect()
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
        ];
        for (text, expected) in rows {
            let values: Vec<String> =
                reading_of(text, propose).into_iter().map(|candidate| candidate.value).collect();
            assert_eq!(values, *expected, "{text}");
        }
    }
}
