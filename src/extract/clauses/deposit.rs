//! The security deposit.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::expression;

use crate::extract::money::{FoundAmount, WordsBeside};
use crate::lease::Money;
use crate::posting::Confidence;

use super::{Candidate, Reading, rules};

/// How far behind the words "security deposit" its amount may stand, in bytes.
const AMOUNT_REACH_BYTES: usize = 160;
/// How far before an amount the words that make it another figure may stand, in bytes.
const HANDED_OVER_REACH_BYTES: usize = 100;
/// How near it stands when nothing can be between, in bytes.
const AMOUNT_NEAR_BYTES: usize = 60;

/// How far from the start the word "security" alone can be the label of a deposit, in bytes.
const BARE_LABEL_WITHIN_BYTES: usize = 6_000;
/// How far from its start a paper says that it is none that was agreed, in bytes.
const HEAD_BYTES: usize = 1_500;

/// The most for an amount that stands far from its label.
const FAR_LIMIT: Confidence = Confidence::percent(75);
/// The most for one between which and its label other matters stand.
const UNCLEAR_LIMIT: Confidence = Confidence::percent(45);

static DEPOSIT: LazyLock<Regex> = LazyLock::new(|| {
    // A bare "Deposit" counts only as the name of a field, and "a deposit" only with "of" behind it.
    expression(
        r"(?i)\b(?:security|damage|rent(?:al)?)\s+deposit\b|\bdeposit\s*:|\b(?:a|cash)\s+deposit\s+of\b",
    )
});

static OF_ANOTHER_LEASE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:master|prime|over|superior|head|existing|previous|prior|original)[\s-]*(?:lease|landlord|lessor)\b|\bunder\s+it\b",
    )
});

/// Words behind an amount by which it is given back or was paid for something else.
static HANDED_BACK: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*,?\s*(?:which\s+|held\s+[^.;$,]{0,40}\s+)?(?:(?:shall|will|is\s+to)\s+be\s+(?:\w+\s+)?(?:refunded|returned|reduced|released|repaid)|is\s+(?:hereby\s+)?(?:refunded|returned|released|waived)|has\s+been\s+(?:refunded|returned|applied))\b",
    )
});

/// Words between the label and a figure that make the figure something else.
static OTHER_FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:increas\w*|additional|reduc\w*|interest|letter of credit|return\w*|waive\w*|less|deduct\w*|apply|applied|exceed\w*|existing|original|previous\w*|currently|holds?|held|replac\w*|restor\w*|rent of|monthly)\b",
    )
});

/// All that may stand between the label and its own figure: what is not in this list belongs to another matter.
static ONLY_ITS_FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)^["')\s:.,\u{2013}\u{2014}-]*(?:\(?(?:the\s+)?"[^"]{2,30}"\)?)?\s*(?:(?:shall|will|is|means|mean|be|of|in|the|an?|amount|sum|total|equal|to|hereby|revised|initial|cash|required|tenant|lessee|has|have|been|paid|with|landlord|lessor|upon|execution|delivered|under|this|lease|lessor|on|or|before|signing|today|pays?|gives?|hands?|handed|lodges?|lodged|deposits|deposited)\b[\s:,)"]*)*(?:[a-z][a-z\s,-]*(?:\d{1,2}/100|no/100)?\s*(?:u\.?s\.?\s+)?dollars\s*)?\(?\s*$"#,
    )
});

/// A deposit handed over: "shall deposit with Landlord $5,000.00 (the "Security Deposit")".
static HANDED_OVER: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)^[^$.;]{0,50}(?:\(\s*(?:as\s+)?(?:the\s+|a\s+)?"?|\bas\s+(?:an?\s+|the\s+)?"?|\bfor\s+(?:an?\s+|the\s+)?)(?:security|damage)\s+deposit|^[^$.;]{0,60}\b(?:held\s+)?as\s+(?:a\s+)?security\s+(?:for|against)\b|^[^$.;]{0,30}\bas\s+security,|^\s*\(\s*the\s+"deposit"\s*\)"#,
    )
});

/// Proposes amounts near the words "security deposit".
pub fn propose(reading: &Reading<'_>, amounts: &[FoundAmount]) -> Vec<Candidate<Money>> {
    let flow = reading.flow();
    let mut candidates = Vec::new();
    for label in DEPOSIT.find_iter(flow) {
        // A bare "Deposit:" counts where it is the whole label; a pet and a key have deposits too.
        if label.as_str().ends_with(':') && !begins_its_line(reading, label.start()) {
            continue;
        }
        let next = amounts.get(amounts.partition_point(|amount| amount.range.start < label.end()));
        if let Some(amount) = next.filter(|amount| amount.range.start - label.end() <= AMOUNT_REACH_BYTES) {
            let between = &flow[label.end()..amount.range.start];
            let near = between.len() <= AMOUNT_NEAR_BYTES || amount.words == WordsBeside::Agree;
            let clean = ONLY_ITS_FIGURE.is_match(between) && !OTHER_FIGURE.is_match(between);
            // A deposit under another lease is none under this one.
            let sentence = reading.text.sentence_around(&label.range(), HANDED_OVER_REACH_BYTES);
            let clean =
                clean && !OF_ANOTHER_LEASE.is_match(reading.text.slice(&(sentence.start..label.start())));
            let of_other = label.as_str().to_lowercase().ends_with("of")
                && OTHER_VALUE.is_match(&flow[amount.range.end..]);
            let handed_back = of_other || HANDED_BACK.is_match(&flow[amount.range.end..]);
            let limit = match (near, clean && !handed_back) {
                (true, true) => Confidence::ONE,
                (false, true) => FAR_LIMIT,
                _ => UNCLEAR_LIMIT,
            };
            push(&mut candidates, amount, limit, label.start(), rules::DEPOSIT_AFTER_LABEL);
        }
    }
    from_fields(reading, amounts, &mut candidates);
    for amount in amounts {
        let behind = &flow[amount.range.end..];
        if HANDED_OVER.is_match(behind) {
            let sentence = reading.text.sentence_around(&amount.range, HANDED_OVER_REACH_BYTES);
            let before = reading.text.slice(&(sentence.start..amount.range.start));
            let clean = !OTHER_FIGURE.is_match(before);
            let limit = if clean { Confidence::ONE } else { UNCLEAR_LIMIT };
            push(&mut candidates, amount, limit, amount.range.start, rules::DEPOSIT_BEFORE_LABEL);
        }
    }
    candidates
}

/// What a field's value goes on to say may make it another figure: a fee by the month, a bond of an insurer.
static OTHER_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^(?:[ \t]*[\t\n]\s*(?:[a-z]{0,3}[$\u{a3}\u{20ac}]\s?\d)|\)?\s*,?\s*(?:(?:/|\bper\b|a\s+(?:month|week|year|day)|monthly|weekly|yearly|annually|each|every|p\.\s?[acm])|[^.;\n]{0,60}\b(?:performance|surety|fidelity|holding|hold\s+the|earnest|guards?|alarms?|patrols?|keys?|pets?|fobs?|waived|of\s+which|replac\w*|for\s+(?:each|every))\b))",
    )
});

/// Words at the start of a paper that is no lease yet: what it says of a deposit is not agreed.
static NOT_AGREED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:draft|proposal|proposes?|for\s+discussion|not\s+to\s+be\s+signed|(?:prepared|pleased)\s+to\s+offer|offer\s+lapses|letter\s+of\s+intent|subject\s+to\s+(?:contract|lease)|estoppel)\b",
    )
});

/// The deposit as a field or a clause with a heading of its own: "Bond\tA$9,000.00", "6. DEPOSIT. On signing, Tenant has
/// handed Landlord the sum of $7,000.00".
fn from_fields(reading: &Reading<'_>, amounts: &[FoundAmount], candidates: &mut Vec<Candidate<Money>>) {
    static FIELD: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?im)(?:^|\t)[ ]*(?:(?:item|section|clause)\s+\d{1,2}[.:]?[ \t\n]*)?(?:\(?[0-9a-z]{1,4}[.)][ ]*)?(?:the[ ]+)?(?P<label>(?:cash[ ]+|tenancy[ ]+|lease[ ]+)?deposit(?:[ ]+on[ ]+hand)?|(?:security[ ]+|rental[ ]+)?bond|security)[ ]*(?P<parted>[.:\t\n]|[\u{2013}\u{2014}-]|(?-i:[A-Z]{0,3})[$\u{a3}\u{20ac}])",
        )
    });
    static COSTS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:janitor\w*|utilit\w+|cleaning|landscap\w*|elevators?|trash|management|maintenance|repairs|administrati\w+|insurance|taxes|budget\w*)\b",
        )
    });
    static OF_OTHER_DEPOSITS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:purchase|options?|parking|storage|brokers?|escrow|utilit\w+|construction|allowance)\b",
        )
    });
    static NO_WORDS: LazyLock<Regex> = LazyLock::new(|| expression(r"^[\s.:\u{2013}\u{2014}-]*$"));
    let lined = reading.text.lined();
    let lined = &lined[..crate::extract::text::floor_boundary(lined, reading.scope.end)];
    if NOT_AGREED.is_match(&lined[..crate::extract::text::floor_boundary(lined, HEAD_BYTES)]) {
        return;
    }
    for found in FIELD.captures_iter(lined) {
        let Some(label) = found.name("label") else { continue };
        let next = amounts.get(amounts.partition_point(|amount| amount.range.start < label.end()));
        let Some(amount) = next.filter(|next| next.range.start - label.end() <= AMOUNT_REACH_BYTES) else {
            continue;
        };
        let between = &lined[label.end()..amount.range.start];
        let behind = &lined[amount.range.end..];
        if OTHER_VALUE.is_match(behind) || HANDED_BACK.is_match(behind) {
            continue;
        }
        // A price paid down and a stall have deposits of their own, and guards and alarms are security too: that word
        // alone counts among the terms at the start, and not among the costs of a building.
        let is_bare = label.as_str().eq_ignore_ascii_case("security");
        let row = reading.text.line_at(label.start());
        let above = reading.text.line_at(row.start.saturating_sub(1)).start;
        let below = reading.text.line_at(row.end + 1).end.max(row.end);
        let among_costs = is_bare
            && (label.start() > BARE_LABEL_WITHIN_BYTES
                || lined.get(above..below.min(lined.len())).is_some_and(|rows| COSTS.is_match(rows)));
        if among_costs || OF_OTHER_DEPOSITS.is_match(reading.heading_at(label.start())) {
            continue;
        }
        let is_value = NO_WORDS.is_match(between) && between.matches('\n').count() <= 1;
        let is_heading =
            found.name("parted").is_some_and(|parted| matches!(parted.as_str(), "." | ":" | "\n"));
        let names_deposit = label.as_str().to_lowercase().contains("deposit");
        let is_clause = is_heading
            && names_deposit
            && between.len() <= AMOUNT_NEAR_BYTES
            && ONLY_ITS_FIGURE.is_match(between)
            && !OTHER_FIGURE.is_match(between);
        if is_value || is_clause {
            push(candidates, amount, Confidence::ONE, label.start(), rules::DEPOSIT_AFTER_LABEL);
        }
    }
}

/// Whether nothing but a number stands before a label on its line.
fn begins_its_line(reading: &Reading<'_>, at: usize) -> bool {
    let line = reading.text.line_at(at);
    let before = reading.text.lined().get(line.start..at).unwrap_or_default();
    let cell = before.rsplit('\t').next().unwrap_or_default();
    !cell.chars().any(char::is_alphabetic)
}

fn push(
    candidates: &mut Vec<Candidate<Money>>,
    amount: &FoundAmount,
    limit: Confidence,
    start: usize,
    rule: rules::Rule,
) {
    let Some(currency) = amount.currency else { return };
    if amount.is_rate || amount.words == WordsBeside::Differ || amount.amount.is_zero() {
        return;
    }
    let value = Money { amount: amount.amount, currency };
    candidates.push(rule.says(value, start..amount.range.end).capped(limit));
}

/// Proposes from the text alone.
pub fn propose_from_text(reading: &Reading<'_>) -> Vec<Candidate<Money>> {
    propose(reading, reading.amounts())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::reading_of;

    #[test]
    fn the_deposit_is_the_figure_at_its_label() {
        let rows: &[(&str, Option<(&str, bool)>)] = &[
            ("Security Deposit: $5,000.00", Some(("5000.00", true))),
            ("Security Deposit\t$5,000.00", Some(("5000.00", true))),
            (
                "a security deposit in the amount of Five Thousand Dollars ($5,000.00)",
                Some(("5000.00", true)),
            ),
            ("shall deposit with Landlord $7,250.00 (the \"Security Deposit\")", Some(("7250.00", false))),
            ("the Security Deposit shall be increased to $9,000.00", Some(("9000.00", false))),
            ("Security Deposit: None", None),
            ("Security Deposit: None\nBase Rent: $5,000.00 per month", Some(("5000.00", false))),
            ("Security Deposit: Waived\nParking: $50.00", Some(("50.00", false))),
            ("Security Deposit\nBase Rent\t$5,000.00", Some(("5000.00", false))),
            (
                "The Security Deposit is in the form of a letter of credit. Fee: $90.00",
                Some(("90.00", false)),
            ),
            ("Deposit: $5,000.00", Some(("5000.00", true))),
            ("1.3 Deposit: $5,000.00", Some(("5000.00", true))),
            ("Pet deposit: $400.00", None),
            ("Key Deposit: $50.00", None),
            (
                "Tenant's security deposit in the amount of $5,000.00 shall be refunded to Tenant",
                Some(("5000.00", false)),
            ),
            ("a rent deposit of £5,000.00", Some(("5000.00", true))),
            ("\"Security Deposit\" means $5,000.00.", Some(("5000.00", true))),
            (
                "Sublandlord has posted with Master Landlord a security deposit of $5,000.00.",
                Some(("5000.00", false)),
            ),
            (
                "shall deliver a security deposit of $5,000.00, of which one-half will be returned",
                Some(("5000.00", true)),
            ),
            ("RENT $1,140.00 per month, including heat\nSECURITY DEPOSIT $ -", None),
            ("Bond\tA$9,000.00", Some(("9000.00", true))),
            ("Item 10\nBond\nA$9,000.00\nItem 11", Some(("9000.00", true))),
            ("Bond: $9,000.00 performance bond of the builder", None),
            ("J. Deposit ............. $9,000.00 (three months)", Some(("9000.00", true))),
            ("Deposit on hand\t$1,200.00", Some(("1200.00", true))),
            ("THE DEPOSIT £1,030.00 held by the scheme", Some(("1030.00", true))),
            ("Security $5,200.00", Some(("5200.00", true))),
            ("Cleaning\t$9,000.00\nSecurity\t$5,200.00\nTrash\t$900.00", None),
            ("9. Option to Purchase. Tenant may buy the shop.\nDeposit\t$5,200.00", None),
            ("Security: $52.00 per month for guards", None),
            ("Security: guards at the gate, $52.00", None),
            ("5. Deposit. $3,373.17, paid on signing.", Some(("3373.17", true))),
            ("4. DEPOSIT\nOn or before signing the Tenant shall pay $2,460.00", Some(("2460.00", true))),
            ("5. Deposit. Tenant gives Landlord $5,950.00.", Some(("5950.00", true))),
            ("5. Deposit. None. Fee: $5,950.00.", None),
            ("Deposit\t$4,000.00\t$4,560.00", None),
            ("DRAFT NO. 2\nDeposit\t$4,000.00", None),
            ("We are prepared to offer a lease.\nDeposit\t$4,000.00", None),
            ("Fern gives Elm a deposit of $1,000.00, which comes back.", Some(("1000.00", true))),
            ("A deposit of $500.00 is due for each bay.", Some(("500.00", false))),
            ("A key deposit of $50.00", None),
            (
                "Tenant has deposited with Landlord $3,970.00 as security, to be kept.",
                Some(("3970.00", false)),
            ),
            (
                "Tenant has handed over $7,154.00 to be held as security for its duties",
                Some(("7154.00", false)),
            ),
            ("The Tenants lodge £5,400 (the \"Deposit\") in an account.", Some(("5400", false))),
            ("Tenant pays $50.00 for the lock as security demands", None),
            ("Security Deposit: $0", None),
            ("Security Deposit: Four Thousand Dollars ($5,000.00)", None),
            ("Security Deposit: $2.00 per square foot", None),
        ];
        for (text, expected) in rows {
            let found = reading_of(text, propose_from_text);
            let best = found.iter().max_by_key(|candidate| candidate.confidence).map(|candidate| {
                (candidate.value.amount.to_string(), candidate.confidence >= Confidence::percent(85))
            });
            assert_eq!(best, expected.map(|(amount, sure)| (amount.to_owned(), sure)), "{text}");
        }
    }
}
