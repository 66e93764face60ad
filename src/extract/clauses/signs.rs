//! Sentences and fields by which a paper says of itself that it is not in force, or that another paper, a hand or an
//! event has changed it since. None of them gives the new value for certain; each is a reason to ask a person.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::kind::OF_A_CASE;
use crate::extract::expression;
use crate::extract::text::SourceText;

/// How far a sentence reaches around its words, in bytes.
const SENTENCE_REACH_BYTES: usize = 400;
/// Longest line that is a field or a note of its own, in bytes.
const NOTE_MAX_BYTES: usize = 90;

/// The paper is a proposal, a form, or waits for a signature or an event.
static NOT_IN_FORCE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?ix)
        \bsubject\s+to\s+contract\b|\bpending\s+signature\b
        |\b(?:has|have)\s+not\s+(?:yet\s+)?(?:been\s+)?(?:counter-?)?(?:signed|executed)\b
        |\bsignature\s+pages\s+to\s+follow|\bsignature\s+pages?\s*:?\s*not\s+received
        |\b(?:executed|signed)\s*:\s*(?:no|pending)\b
        |\b(?:lease\s+)?status\s*:\s*(?:pending|out\s+for|terminated|expired|draft|proposed|void|in\s+negotiation)
        |\btype\s*:\s*(?:proposal|draft|form)\b|\bdocument\s*:\s*[^\n]{0,30}\bunsigned\b
        |\bcounter-?proposal\b|\bback-?up\s+lease\b|\bfor\s+comment\s+only\b|\bheld\s+in\s+escrow\s+and\b
        |\bbinds\s+neither\s+party\b|\bengrossed\s+for\s+signature\b
        |\b(?:bankruptcy\s+)?court\s+must\s+approve\s+this\b|\bthis\s+lease\s+only\s+takes?\s+effect\b
        |\bcontingent\s+(?:up)?on\s+(?:landlord|lessor)\s+(?:acquiring|obtaining|closing)
        |\bon\s+behalf\s+of\s+an\s+entity\s+to\s+be\s+formed\b
        |\bnames\s+and\s+sums\s+used\s+here\s+illustrate\b",
    )
});

/// Lines that say so as titles, stamps and notes do.
static NOT_IN_FORCE_LINE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bredline\b|\bform\s+of\s+lease(?:back)?\b|\blease\s*\([^)]*\b(?:sample|form)\b|^\W*agreement\s+for\s+lease\W*$|\bcomments?\s+\d{1,2}[/.]\d|^\W*(?:expired|terminated|replaced|surrendered|cancelled)\b(?:\W+(?:by|on|for|-)|\W+\d|\W*$)|\bto\s+be\s+signed\s+at\s+closing\b",
    )
});

/// Its rent, its term or its tenant is another since: said as a fact that has come to pass.
static CHANGED_SINCE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?ix)
        \b(?:delete|struck)\s+"[^"]{1,60}"|\bread\s+[$\u{20ac}\u{a3}][\d.,]+\s+for\s+[$\u{20ac}\u{a3}]|\binitiall?ed\s+a\s+change\b
        |\brent\s+(?:as\s+revised|(?:was\s+reviewed|to\s+[$\u{20ac}\u{a3}]\d))|\bsurrendered\s+by\s+deed\b
        |\b(?:signed|spanish|french|german|original)\s+original\s+(?:differs|controls)\b
        |\b(?:revised|actual)(?:\s+(?:expiration|commencement|start|end))?(?:\s+date)?\s*:|\bactual\s+date\b|\b(?:early\s+termination|move-?out)\s+date\s*:|\b(?:expiration|end)\s+date\s+as\s+extended\b
        |\bboth\s+dates\s+being\s+estimates\b|\bdates\s+in\s+(?:this\s+)?section\s*(?:\d+\s+)?(?:shift|move)\b
        |\btook\s+over\s+as\s+(?:tenant|lessee)\b|\bwhich\s+alone\s+is\s+the\s+(?:tenant|lessee)\b
        |\bet\s+al\b|\beach\s+a\s+(?:tenant|lessee)\b|\bco-?tenants?\s*["':(]
        |\bdiscount\s*:\s*\d"#,
    )
});

/// Where a paper says that it is not in force.
pub fn not_in_force(text: &SourceText) -> Option<Range<usize>> {
    let line = text
        .lines()
        .find(|(_, line)| line.len() <= NOTE_MAX_BYTES && NOT_IN_FORCE_LINE.is_match(line))
        .map(|(start, line)| start..start + line.len());
    line.or_else(|| said(text, &NOT_IN_FORCE))
}

/// Where it says that it was changed since.
pub fn changed_since(text: &SourceText) -> Option<Range<usize>> {
    said(text, &CHANGED_SINCE)
}

/// A sentence with such words that speaks of a fact and not of a case.
fn said(text: &SourceText, words: &Regex) -> Option<Range<usize>> {
    words
        .find_iter(text.lined())
        .map(|found| {
            let line = text.line_at(found.start());
            let is_note = line.len() <= NOTE_MAX_BYTES;
            if is_note { line } else { text.sentence_around(&found.range(), SENTENCE_REACH_BYTES) }
        })
        .find(|sentence| !OF_A_CASE.is_match(text.slice(sentence)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_that_is_not_in_force_says_so() {
        let rows = [
            ("SUBJECT TO CONTRACT", true),
            ("Status: Pending signature", true),
            ("Executed: No", true),
            ("Landlord has not countersigned.", true),
            ("Doc. 4471-v3 REDLINE against v2", true),
            ("EXHIBIT D\nFORM OF LEASE", true),
            ("TERMINATED 6/30/2025", true),
            ("EXPIRED - FOR ARCHIVE ONLY", true),
            ("5. Condition. This Lease binds neither party until the board has approved it.", false),
            ("This Lease binds neither party. The board meets in March.", true),
            ("If a party has not executed a copy, the other may wait.", false),
            ("Executed: May 1, 2020", false),
            ("This Lease may be terminated by either party upon notice.", false),
            ("Terminated leases of others are of no concern.", false),
        ];
        for (text, expected) in rows {
            assert_eq!(not_in_force(&SourceText::from_lined(text)).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn what_has_changed_since_is_said_as_a_fact() {
        let rows = [
            ("RIDER\nSection 3: delete \"$4,500.00\" and insert \"$4,650.00\".", true),
            ("Actual Commencement Date: April 1, 2024", true),
            ("Revised Expiration Date: May 31, 2029.", true),
            ("Revised Expiration: May 31, 2029", true),
            ("The early termination date is that of the notice.", false),
            ("Tenant: Fern Inc. et al.", true),
            ("Upon a default the actual date of payment counts.", false),
        ];
        for (text, expected) in rows {
            assert_eq!(changed_since(&SourceText::from_lined(text)).is_some(), expected, "{text}");
        }
    }
}
