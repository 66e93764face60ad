//! The property's identifier, where the document states one unmistakably.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::{doubt, expression};
use crate::posting::Confidence;

use super::{Candidate, Reading};

/// The label of a property, at the start of a line or a cell or behind the property before it.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)(?P<before>^|\t|\b(?:and|or|;|,)\s+)\s*(?:[*\x{2022}-]\s*|\(?[0-9a-z]{1,3}[.)]\s+)?(?:\*\*|__)?(?:the\s+)?(?P<label>property\s+(?:id|i\.d\.|identifier|identification(?:\s+(?:no\.|number))?|no\.|number|code)(?:\*\*|__)?\s*[:#](?:\*\*|__)?)",
    )
});

/// An identifier that takes up its cell from end to end.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"^(?:\*\*|__)?(?P<id>[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,62}[A-Za-z0-9])?)(?:\*\*|__)?\.?$")
});

/// A label and its identifier within a line, behind a full stop, a comma or a semicolon, with which the sentence ends.
/// "No." and "number" are no such labels here: within a sentence they may be of anything.
static IN_LINE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)[.,;]\s+(?:\*\*|__)?(?P<field>property\s+(?:id|i\.d\.|identifier|identification(?:\s+(?:no\.|number))?)(?:\*\*|__)?\s*[:#](?:\*\*|__)?\s*(?:\*\*|__)?(?P<id>[a-z0-9](?:[a-z0-9._/-]{0,62}[a-z0-9])?))(?:\*\*|__)?(?:$|\t|[.;](?P<behind>\s|$))",
    )
});

/// Words of another property than the one that is let, or of no letting, before such a label.
static OTHER_PROPERTY: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:also|too|an?other|other|adjacent|adjoining|adjoins|neighbou?r\w*|next|nearby|prior|previous\w*|former\w*|old|earlier|not|never|no\s+longer|without|except\w*|exclu\w+|besides|surrender\w*|gives?\s+up|gave|vacat\w*|leaves|left|mov\w+|relocat\w*|transfer\w*|instead|replac\w*|cancel\w*|end(?:s|ed)|terminat\w*|option|right|if|unless|owns?|owned|sold|sells?|was|were|had|like|as\s+at|same|comparable|example)\b",
    )
});

/// Words that go on to speak of what was named before them.
static SPEAKS_ON: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^(?:this|that|these|those|it|its|both|which|such)\b"));

/// Proposes what stands behind a label such as "Property ID:" on a line of its own, where it takes up the whole cell. An
/// identifier holds a digit; anything else behind such a label is prose. Where such a field holds more than one
/// identifier, what it means is a person's to say, and nothing is proposed. Within a line the label must begin a
/// sentence or a part of one, which its identifier ends, and what stands around it must not speak of another property.
pub fn propose(reading: &Reading<'_>) -> Vec<Candidate<String>> {
    let mut candidates = Vec::new();
    for (start, line) in reading.text.lines().take_while(|(start, _)| *start < reading.scope.end) {
        let labels: Vec<_> = LABEL.captures_iter(line).collect();
        // A sentence that mentions a property is no field.
        if labels.first().is_none_or(|label| !matches!(&label["before"], "" | "\t")) {
            candidates.extend(in_line(start, line));
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

/// The identifiers that stand behind labels within a line.
fn in_line(start: usize, line: &str) -> impl Iterator<Item = Candidate<String>> {
    IN_LINE.captures_iter(line).filter_map(move |found| {
        let (field, id) = (found.name("field")?, found.name("id")?);
        let is_let = !OTHER_PROPERTY.is_match(&line[..field.start()])
            && found
                .name("behind")
                .is_none_or(|behind| !SPEAKS_ON.is_match(line[behind.end()..].trim_start()));
        (is_let && doubt::holds_a_figure(id.as_str())).then(|| Candidate {
            value: id.as_str().to_owned(),
            confidence: Confidence::percent(90),
            range: start + field.start()..start + field.end(),
            rule: "property_id_in_line",
        })
    })
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
            // In Markdown.
            ("**Property ID:** WH-77", &["WH-77"]),
            ("**Property ID**: WH-77", &["WH-77"]),
            ("- **Property ID:** WH-77", &["WH-77"]),
            ("Property ID: **WH-77**", &["WH-77"]),
            ("__Property ID:__ WH-77", &["WH-77"]),
            ("**Property ID:** to be assigned", &[]),
            ("**Prior Property ID:** WH-77", &[]),
            // Within a line.
            ("Lease of Suite 4. Property ID: EW-5", &["EW-5"]),
            ("Premises: Suite 4, 9 Elm Row, Austin, Property ID: EW-5.", &["EW-5"]),
            (
                "Landlord lets to Tenant Suite 4, 9 Elm Row, Property ID: EW-5. The term is five years.",
                &["EW-5"],
            ),
            ("SHOP LEASE. **Property ID:** EW-5. Made on May 1, 2020.", &["EW-5"]),
            ("Suite 4; Property Identifier: EW-5; Austin", &["EW-5"]),
            ("Suite 4, Property ID: EW-5. Suite 5, Property ID: EW-6.", &["EW-5", "EW-6"]),
            ("Suite 4, Property ID: to be assigned.", &[]),
            ("Suite 4, Property ID: EW-5, is not let.", &[]),
            ("Suite 4, Property ID: EW-5 or EW-6.", &[]),
            ("The yard next door, Property ID: EW-6.", &[]),
            ("Tenant gives up its suite, Property ID: HP-9.", &[]),
            ("Tenant has an option on the lot, Property ID: HP-9.", &[]),
            ("Landlord also owns the mill. Property ID: HP-9.", &[]),
            ("Suite 4. Property ID: HP-9. This suite stays empty.", &[]),
            ("Each letter names the Property ID: HP-9.", &[]),
        ];
        for (text, expected) in rows {
            let values: Vec<String> =
                reading_of(text, propose).into_iter().map(|candidate| candidate.value).collect();
            assert_eq!(values, *expected, "{text}");
        }
    }
}
