//! What a document says of its rent, its term or its parties that the values read from it do not account for.
//!
//! The rules look for values and are silent on what they do not know. This module asks the other way round: a day beside
//! words of the term, an amount beside words of the rent, a company beside words of the letting, a column or a row of a
//! rent's table, a sentence that reports a change as a fact. Each has to be one that the values explain, or speak of a
//! case, an option or another charge as every lease does. What is left over is shown to a person; nothing is guessed
//! from it.

mod headings;
mod notes;
mod parties;
mod rent;
mod term;
mod told;

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use rust_decimal::Decimal;

use super::around::TABLE_LINE_MAX_BYTES;
use super::clauses::names::folded;
use super::clauses::rent::Figures;
use super::clauses::{Candidate, Reading};
use super::expression;
use crate::lease::DocumentKind;

/// How far a sentence reaches around its words, in bytes.
const SENTENCE_REACH_BYTES: usize = 400;
/// Longest line above running text that is a row of its own, in bytes.
const ROW_MAX_BYTES: usize = 60;

/// The values that were settled on.
#[derive(Debug)]
pub struct Known<'a> {
    /// Days that the abstraction gives: of the term, of its steps, of the document.
    pub days: Vec<Date>,
    /// The day on which the paper was made, where it says so.
    pub executed: Option<Date>,
    /// The rent.
    pub rent: &'a Candidate<Figures>,
    /// First and last day of the term.
    pub term: [&'a Candidate<Date>; 2],
    /// What kind of document it is: an amendment changes a lease, and says so.
    pub kind: DocumentKind,
    /// Amounts of other fields.
    pub amounts: Vec<Decimal>,
    /// The tenant's name.
    pub tenant: Option<&'a str>,
    /// The names of the parties, [`folded`].
    pub parties: Vec<String>,
}

impl Known<'_> {
    /// Whether words are a party's name, or a part of it, or hold it.
    fn is_party(&self, words: &str) -> bool {
        let words = folded(words);
        self.parties.iter().any(|party| party.contains(&words) || words.contains(party.as_str()))
    }

    /// Whether words hold a party's whole name.
    fn is_named_in(&self, words: &str) -> bool {
        let words = folded(words);
        self.parties.iter().any(|party| words.contains(party.as_str()))
    }
}

/// A passage that no value explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unexplained {
    /// Which of the questions below was left open.
    pub rule: &'static str,
    /// The passage.
    pub range: Range<usize>,
}

/// Asks each question of a document, and answers the first passage that leaves one open.
pub fn find(reading: &Reading<'_>, known: &Known<'_>) -> Option<Unexplained> {
    type Question = fn(&Reading<'_>, &Known<'_>) -> Option<Range<usize>>;
    const QUESTIONS: [(&str, Question); 46] = [
        ("reported_change", told::reported_change),
        ("conditional_effect", |reading, _| told::conditional_effect(reading)),
        ("reported_deed", |reading, _| told::reported_deed(reading)),
        ("breaks_off", |reading, _| notes::breaks_off(reading)),
        ("line_over_the_title", notes::line_over_the_title),
        ("after_the_lease", told::after_the_lease),
        ("has_occurred", |reading, _| told::has_occurred(reading)),
        ("ended_tenancy", |reading, _| told::ended_tenancy(reading)),
        ("prevailing_text", |reading, _| told::prevailing_text(reading)),
        ("blank_day", |reading, _| notes::blank_day(reading)),
        ("other_paper", |reading, _| notes::other_paper(reading)),
        ("tail_of_the_rent", rent::tail_of_rent),
        ("other_product", rent::other_product),
        ("stamp", |reading, _| notes::stamp(reading)),
        ("jotted_day", notes::jotted_day),
        ("bracketed_remark", notes::bracketed_remark),
        ("missing_signature", |reading, _| notes::missing_signature(reading)),
        ("rent_referred_to", rent::referred_to),
        ("earlier_step", rent::earlier_step),
        ("rent_ends_early", rent::ends_early),
        ("other_currency", rent::other_currency),
        ("changed_deposit", rent::changed_deposit),
        ("tax_in_the_rent", |reading, _| rent::holds_tax(reading)),
        ("share_of_the_rent", |reading, _| rent::share_of_rent(reading)),
        ("other_period", rent::other_period),
        ("behind_the_signatures", told::behind_signatures),
        ("other_date", term::other_date),
        ("other_amount", rent::other_amount),
        ("other_row", rent::other_row),
        ("other_company", parties::other_company),
        ("other_step", rent::other_step),
        ("other_tenant", parties::other_tenant),
        ("another_as_tenant", parties::another_as_tenant),
        ("other_label", parties::other_label),
        ("words_behind", term::words_behind),
        ("footnote", |reading, _| term::footnote(reading)),
        ("second_grant", |reading, _| parties::second_grant(reading)),
        ("tentative", |reading, _| term::tentative(reading)),
        ("other_reckoning", |reading, _| term::other_reckoning(reading)),
        ("no_fixed_term", |reading, _| term::no_fixed_term(reading)),
        ("other_length", term::other_length),
        ("other_signer", parties::other_signer),
        ("bare_row", rent::bare_row),
        ("lost_stroke", rent::lost_stroke),
        ("remark_behind", told::remark_behind),
        ("other_heading", headings::other_heading),
    ];
    QUESTIONS
        .into_iter()
        .find_map(|(rule, question)| Some(Unexplained { rule, range: question(reading, known)? }))
}

/// Words of a supposition, without those of duty: a discount is given by a duty.
static IF: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:if|unless|event|should|upon|whenever|provided|(?-i:may)|option|damage\w*|casualty|condemn\w*|untenantable|late)\b",
    )
});

/// Words of another paper, another time or another matter beside a date or an amount.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:options?|renew\w*|prior|previous\w*|former\w*|original\w*|existing|plans?|drawings?|built|constructed|insur\w*|tax(?:es)?|record(?:ed|ing)|mortgage|deed|permits?|zoning|invoice\w*|cpi|index|notices?\s+(?:of|by|before)|deliver\w*\s+by|holdover|holding\s+over|default|cure|interest|example|amended|guarant\w+|statut\w*|act|code|law|ordinance|licen[cs]e\s+no|born|birth|appraisal|survey|report|brochure|letter\s+of\s+intent|proposal|notary|commission|further\s+term|extension\s+(?:option|term|one|two|right)|free\s+of\s+rent|request\w*|right|early)\b",
    )
});

/// Words of the lease above a sublease, which tells of its days and its rent.
static OF_THE_MASTER: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:master|prime|head|over|superior|underlying)[\s-]?(?:lease|landlord|lessor|tenant)|under\s+a\s+lease\s+(?:with|from|dated))\b",
    )
});

/// Words of the steps of a rent, whose days and amounts need not all be read.
static STEPS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:years?|months?)\s+(?:\d|one|two|three|four|five|six|seven|eight|nine|ten)|\b(?:increas\w*|escalat\w*|adjust\w*|step\w*|thereafter|through|abat\w*|prorat\w*|first\s+(?:install?ment|payment)|anniversary|review\w*|calendar\s+year|broken|partial|part|pro\s?rata|apportion\w*)\b",
    )
});

/// Words of another charge than the base rent.
static OTHER_CHARGE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:excess|deductibles?|on\s+account|account\s+years?|additional|assess\w*|percentage|estimat\w+|operating|tax\w*|gst|hst|vat|insurance|premium|liability|coverage|deposit|bond|late|parking|storage|utilit\w+|cam\b|common|maintenance|service\s+charge|fees?|commission|broker\w*|allowance|improvement\w*|expenses?|cleaning|pets?|keys?|sign\w*|sales|breakpoint|turnover|square|sq|area|rsf|sf|promot\w+|marketing|guarant\w+|total|first\s+(?:month|and\s+last)|last\s+month|prepaid|advance|interest|penalt\w+|admin\w*|legal|cap\b|maximum|repairs?|electric\w*|water|garbage|internet|garage|lockers?|furniture|equipment|options?|renewal|holdover)\b",
    )
});

/// The sentence around a range, or its line where that is a label's, a row's or a note's, and no running text.
fn unit(reading: &Reading<'_>, range: &Range<usize>) -> Range<usize> {
    let line = reading.text.line_at(range.start);
    let words = reading.text.lined().get(line.clone()).unwrap_or_default();
    if range.end <= line.end && is_label(words) {
        return line;
    }
    let sentence = sentence(reading, range);
    // Rows and labels end in no full stop, and are no part of the running text behind them.
    let mut start = sentence.start;
    let mut at = sentence.start;
    for above in
        reading.text.lined().get(sentence.start..line.start).unwrap_or_default().split_inclusive('\n')
    {
        at += above.len();
        if above.len() <= ROW_MAX_BYTES && is_label(above.trim_end()) {
            start = at;
        }
    }
    start..sentence.end
}

fn sentence(reading: &Reading<'_>, range: &Range<usize>) -> Range<usize> {
    let sentence = reading.text.sentence_around(range, SENTENCE_REACH_BYTES);
    sentence.start..sentence.end.min(reading.scope.end.max(range.end))
}

/// Whether a line is a label with its value, or a row of a table, and no line of running text.
fn is_label(line: &str) -> bool {
    static ROW: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"^\W*(?:\d{1,3}\b|[A-Z][\w ]{0,20}\d)[^a-z]{0,40}[$\u{20ac}\u{a3}]?\d[\d,.]*\W*$")
    });
    line.len() <= TABLE_LINE_MAX_BYTES
        && !is_sentence(line)
        && !line.ends_with([',', ';'])
        && (line.contains(": ") || line.contains('\t') || ROW.is_match(line))
}

/// Whether a line is running text and no row.
fn is_sentence(line: &str) -> bool {
    static VERB: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\b(?:shall|is|are|was|will|pays?|agrees?|has|have|be|the)\b"));
    let words = line.split_whitespace().filter(|word| word.starts_with(char::is_lowercase)).count();
    words > 7 || VERB.is_match(line) || (line.trim_end().ends_with('.') && words > 3)
}

#[cfg(test)]
mod tests {
    use crate::extract::LeaseExtractor;
    use crate::ports::extractor::Extraction;

    /// A lease that is posted, with a place for one more line in front of the signatures.
    fn lease(extra: &str) -> String {
        format!(
            "SHOP LEASE\nProperty ID: EW-5\nTHIS LEASE is made as of April 2, 2020, between Elm Row Partners LLC, a Texas \
             limited liability company (\"Landlord\"), and Juniper Health, Inc., a Texas corporation (\"Tenant\"), for \
             Suite 4, 9 Elm Row, Austin, Texas.\n1. Term. The term of this Lease shall commence on May 1, 2020 and shall \
             expire on April 30, 2025.\n2. Base Rent. Tenant shall pay Base Rent of $5,000.00 per month, in advance.\n\
             3. Security Deposit. Tenant has paid a security deposit of $10,000.00.\n{extra}\nIN WITNESS WHEREOF the \
             parties have signed this Lease.\nLANDLORD: Elm Row Partners LLC\nTENANT: Juniper Health, Inc.\n"
        )
    }

    /// The question that a text leaves open: none where it is posted.
    fn left_open(text: &str) -> String {
        match LeaseExtractor::default().read(text.as_bytes(), None) {
            Extraction::Complete(_) => String::new(),
            Extraction::Incomplete(incomplete) => {
                let rule = incomplete.found["unexplained"]["rule"].as_str();
                match (&incomplete.reason.code[..], rule) {
                    ("unexplained_statement", Some(rule)) => rule.to_owned(),
                    (code, _) => code.to_owned(),
                }
            }
            other => format!("{other:?}"),
        }
    }

    fn holds(rows: &[(&str, &str)]) {
        let wrong: Vec<String> = rows
            .iter()
            .map(|(extra, expected)| (extra, expected, left_open(&lease(extra))))
            .filter(|(_, expected, seen)| seen != *expected)
            .map(|(extra, expected, seen)| format!("{extra}\n    expected {expected:?}, seen {seen:?}"))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_a_lease_supposes_grants_or_forbids_leaves_nothing_open() {
        holds(&[
            ("", ""),
            ("4. Assignment. Tenant shall not assign this Lease without Landlord's consent.", ""),
            ("4. Default. If Tenant has vacated the premises, Landlord may end this Lease.", ""),
            ("4. Casualty. Upon a fire that has closed the shop, rent abates in proportion.", ""),
            ("4. Option. Tenant may extend the term to April 30, 2030 at a monthly rent of $5,900.00.", ""),
            ("4. Increase. Base Rent is adjusted on each anniversary by the change of the index.", ""),
            ("4. Holdover. A tenancy from month to month follows if Tenant remains in possession.", ""),
            ("4. Late. A late charge of five per cent of the monthly rent, or $250.00, is due.", ""),
            ("4. Parking. Tenant pays $120.00 each month for two parking stalls.", ""),
            ("4. Broker. Landlord pays a commission of $9,000.00 to Fern Realty LLC, the broker.", ""),
            ("4. Guaranty. Moss Holdings Inc. guarantees what the Tenant owes under this Lease.", ""),
            ("4. Inspection. Tenant has inspected the premises and found them in order.", ""),
            ("4. Building. The building was constructed in 1987 and was let to others before.", ""),
            ("4. Binding. This Lease binds the parties, their heirs and successors.", ""),
            ("4. Effect. This Lease is not effective until it is signed and delivered by both parties.", ""),
            ("4. Recording. This Lease shall not be recorded.", ""),
            ("4. Lenders. This Lease is subject to and subordinate to every mortgage of the building.", ""),
            ("4. First month. Upon signing Tenant pays $5,000.00 for the first month.", ""),
            ("4. Rent. The yearly rent of $60,000.00 is paid in twelve parts.", ""),
            ("Date: April 3, 2020", ""),
        ]);
    }

    #[test]
    fn a_change_that_is_told_as_a_fact_is_asked_about() {
        const CHANGE: &str = "reported_change";
        holds(&[
            ("4. Break. Tenant has exercised its right to leave in 2023.", CHANGE),
            ("4. Since April, Tenant has moved its shop to Suite 9.", CHANGE),
            ("4. The parties have since lowered what is due.", CHANGE),
            ("4. The term was shortened by a year.", CHANGE),
            (
                "4. Tenant waives and assigns to Landlord any interest of Tenant in any such damages or awards.",
                "",
            ),
            (
                "4. Landlord takes the award for a taking, and Tenant assigns to Landlord all its right to it.",
                CHANGE,
            ),
            ("4. Tenant assigns to Fern Bank the lease and the right to awards.", CHANGE),
            ("4. The term now runs into 2027.", CHANGE),
            ("4. This Lease is one of two and the term was shortened.", CHANGE),
            ("4. Because the lift came late, the dates in this section move by forty days.", CHANGE),
            ("4. Because the lift came late, the parties agree that all dates move by forty days.", CHANGE),
            ("4. Base monthly rent has been raised for the new awning.", CHANGE),
            ("4. Tenant surrendered the premises in October.", CHANGE),
            ("4. Tenant has today assigned all its interest to Coral Tea Works.", CHANGE),
            ("4. Tenant changed its name to that of its founder.", CHANGE),
            ("4. Tenant became another than it was.", CHANGE),
            ("4. Opening is now expected in autumn.", CHANGE),
            ("[Section 2 is left blank - see rider]", CHANGE),
        ]);
    }

    #[test]
    fn a_lease_that_waits_for_an_event_is_asked_about() {
        const WAITS: &str = "conditional_effect";
        holds(&[
            ("4. This Lease binds neither party until Landlord's council has voted.", WAITS),
            ("4. This Lease is contingent upon a grant of the county.", WAITS),
            ("4. This Lease takes effect only when the former tenant is gone.", WAITS),
            ("4. Neither party shall be bound by this Lease until the bank has agreed.", WAITS),
            ("4. This paper does not create a binding obligation; a definitive lease will follow.", WAITS),
            ("4. The parish council must approve this Lease.", WAITS),
            ("4. Signed copies are held in escrow until the bank has paid.", WAITS),
        ]);
    }

    #[test]
    fn parts_amounts_and_rows_that_the_rent_does_not_explain_are_asked_about() {
        holds(&[
            ("4. Thanks. Tenant enjoys a ten percent reduction of the rent throughout.", "share_of_the_rent"),
            ("4. Patio. The patio is let at the same rent.", "share_of_the_rent"),
            (
                "4. The rent shall be replaced by what an appraiser finds before the term begins.",
                "share_of_the_rent",
            ),
            ("4. In summer the monthly rent is $6,100.00.", "other_amount"),
            ("4. In words: the monthly rent is six thousand one hundred dollars.", "other_amount"),
            ("4. The rider speaks of a rent of 6,100 dollars.", "other_amount"),
            ("Reduced rent: $3,000.00 through December 31, 2020", "other_amount"),
            ("Initials   Revised monthly base rent\nAM   $4,250.00", "other_amount"),
            ("Checked   Monthly base rent\nAM   $5,000.00", ""),
            ("4. Rent.\nYear 1   $4,100.00\nYear 2   $4,200.00", "other_step"),
            ("4. Rent.\nYear 1   4,100.00\nYear 2   4,200.00", "other_step"),
            ("4. Rent.\n05/2020 - 04/2021   4,100.00\n05/2021 - 04/2025   5,000.00", "other_step"),
            ("4. Rent.\nYear 1   $5,000.00\nYear 2   $5,100.00", ""),
        ]);
    }

    #[test]
    fn days_and_lengths_that_the_term_does_not_explain_are_asked_about() {
        holds(&[
            ("4. Possession was given on June 9, 2020, with which the term begins.", "after_the_lease"),
            ("Commencement certificate: the term begins July 1, 2020", "other_date"),
            ("4. The parties treat this as a month-to-month tenancy from the outset.", "no_fixed_term"),
        ]);
        let of = |from: &str, to: &str| left_open(&lease("").replace(from, to));
        assert_eq!(of("April 30, 2025.", "April 30, 2025, a total of eighty months."), "other_length");
        assert_eq!(of("April 30, 2025.", "April 30, 2025, a total of sixty months."), "");
        assert_eq!(of("April 30, 2025.", "April 30, 2025, being five years."), "");
        assert_eq!(of("The term of", "The seven-year term of"), "other_length");
        assert_eq!(of("The term of", "The five-year term of"), "");
        assert_eq!(of("$10,000.00.", "$10,000.00*\n* before a bonus"), "footnote");
    }

    #[test]
    fn words_behind_a_value_on_its_line_are_asked_about() {
        let of = |rent: &str, end: &str| {
            left_open(&format!(
                "SHOP LEASE\nProperty ID: EW-5\nLandlord: Elm Row Partners LLC\nTenant: Juniper Health, Inc.\nPremises: 9 \
                 Elm Row, Austin, Texas\nCommencement Date: May 1, 2020\nExpiration Date: April 30, 2025{end}\nMonthly \
                 Base Rent: $5,000.00{rent}\n1. Use. Tenant shall use the premises as a shop.\nLANDLORD: Elm Row \
                 Partners LLC\nBy: /s/ Ada Moss\nTENANT: Juniper Health, Inc.\nBy: /s/ Ben Fern\n"
            ))
        };
        let rows = [
            ("", "", ""),
            (" per month", " (60 months)", ""),
            (" plus tax", "", ""),
            (" due on the first day", " at midnight", ""),
            (" (asking)", "", "words_behind"),
            (" for Year 3", "", "words_behind"),
            (", thereafter as posted", "", "words_behind"),
            ("", " less a day", "words_behind"),
            ("", " - given up", "words_behind"),
            ("\nFrequency: quarterly", "", "other_period"),
            ("   $5,900.00", "", "other_amount"),
            ("\nWith roof   $6,200.00", "", "other_amount"),
            ("\nChoices\nWith roof   $6,200.00", "", "other_row"),
            ("\nDiscount: given", "", "other_label"),
            ("\nStage: under way", "", "other_label"),
            ("\nSquare feet: 900", "", ""),
            ("\nPayment: Rent is billed every four weeks", "", "other_period"),
        ];
        for (rent, end, expected) in rows {
            assert_eq!(of(rent, end), expected, "{rent:?} {end:?}");
        }
    }

    #[test]
    fn a_paper_behind_the_signatures_is_asked_about() {
        const BEHIND: &str = "behind_the_signatures";
        let rows = [
            ("Ben Fern, May 2, 2020", ""),
            (
                "State of Texas, County of Travis\nSworn before me on May 2, 2020 by the said Ada Moss in person",
                "",
            ),
            (
                "EXHIBIT A - DESCRIPTION OF THE PREMISES\nLot 9, as of a plat that was made on May 2, 1987 for the town",
                "",
            ),
            ("Rules and regulations\nA new key costs $25.00", ""),
            (
                "EXHIBIT E - CERTIFICATE\nThe parties agree that all of it begins on June 9, 2020 and not before",
                BEHIND,
            ),
            ("EXHIBIT C\nMonths 1-12 $4,900.00", BEHIND),
            ("NOTICE\nLandlord takes the shop back as of midnight on March 3, 2022, for good", BEHIND),
            ("Gentlemen: we elect to stay for five additional years.", BEHIND),
            ("ASSIGNMENT AND ASSUMPTION\nTenant gives all of it to Coral Tea Works.", BEHIND),
            ("AMENDMENT NO. 1\nThe figure in section 2 becomes 5,900.", BEHIND),
        ];
        for (extra, expected) in rows {
            let signed = "LANDLORD: Elm Row Partners LLC\nBy: /s/ Ada Moss\nTENANT: Juniper Health, Inc.\nBy: /s/ Ben Fern\n";
            let text =
                lease("").replace("LANDLORD: Elm Row Partners LLC\nTENANT: Juniper Health, Inc.\n", signed);
            assert_eq!(left_open(&format!("{text}{extra}\n")), expected, "{extra}");
        }
    }

    #[test]
    fn stamps_and_remarks_are_asked_about() {
        holds(&[
            ("ARCHIVED", "stamp"),
            ("C L O S E D   F I L E", ""),
            ("V O I D", "stamp"),
            ("R\u{c9}SILI\u{c9}", "stamp"),
            ("Errata", "stamp"),
            ("moss lease - superseded.docx", "stamp"),
            ("Execution: not yet", "stamp"),
            ("4. Records. Tenant's old files and archived papers are removed by it.", ""),
            ("4. Deemed rejected. A request that is not answered is rejected.", ""),
            ("Keys in 9/14/23. Space shown to Fern Dental.", "jotted_day"),
            ("Notice rec'd 1/31/22", "jotted_day"),
            ("Form 12, rev. 3/14", ""),
            ("Signed 4/3/20", ""),
            ("4. Rent. [handwritten: see above]", "bracketed_remark"),
            ("4. Rent. {5,200.00}", "bracketed_remark"),
            ("4. Rent. [5,000.00]", ""),
            ("4. Notices go to [address].", "bracketed_remark"),
            ("[Signatures not yet exchanged]", "bracketed_remark"),
            ("[Signature page follows]", ""),
            ("[Floor plan attached]", ""),
            ("- Rent is due.\n+ Rent is forgiven.", "other_paper"),
            ("Rent: see attached", "stamp"),
            ("From: Ada\nTo: Ben\nUse this one.", "other_paper"),
            ("From: May 1, 2020\nTo: April 30, 2025", ""),
        ]);
        let of = |day: &str| left_open(&lease("").replace("April 2, 2020", day));
        assert_eq!(of("the ____ day of April"), "blank_day");
    }

    #[test]
    fn signatures_that_are_missing_are_asked_about() {
        let of = |landlord: &str, tenant: &str| {
            let signed = format!(
                "LANDLORD: Elm Row Partners LLC\n{landlord}\nTENANT: Juniper Health, Inc.\n{tenant}\n"
            );
            left_open(
                &lease("").replace("LANDLORD: Elm Row Partners LLC\nTENANT: Juniper Health, Inc.\n", &signed),
            )
        };
        const MISSING: &str = "missing_signature";
        let rows = [
            ("By: /s/ Ada Moss", "By: /s/ Ben Fern", ""),
            ("By: ____________", "By: /s/ Ben Fern", MISSING),
            ("By:", "By: /s/ Ben Fern", MISSING),
            ("By:\n/s/ Ada Moss", "By: /s/ Ben Fern", ""),
            ("By: Ada Moss", "By: returned unsigned", MISSING),
            ("By: /s/ Ada Moss", "By: /s/ Ben Fern\nWITNESS:\nBy: ____________", ""),
            // Ink on paper leaves no letters behind.
            ("By: ____________", "By: ____________", ""),
        ];
        for (landlord, tenant, expected) in rows {
            assert_eq!(of(landlord, tenant), expected, "{landlord} {tenant}");
        }
    }

    #[test]
    fn what_no_lease_can_tell_of_itself_is_asked_about() {
        holds(&[
            (
                "4. Yard. You bought the yard from us and it was handed over on June 5, 2023.",
                "after_the_lease",
            ),
            ("Unit flooded January 9, 2023. Goods moved.", "after_the_lease"),
            (
                "4. Tenant may leave at the end of a year; notice was given on September 12, 2022.",
                "has_occurred",
            ),
            ("4. If paid late three times, interest is due; this occurred in March.", "has_occurred"),
            ("4. Certificates. A certificate dated June 5, 2023 was lodged.", ""),
            ("4. Option. Tenant may renew, and the renewed term ends on April 30, 2030.", ""),
            ("4. Building. The building was opened on June 5, 1999.", ""),
        ]);
    }

    #[test]
    fn words_that_take_up_the_rent_and_change_it_are_asked_about() {
        const TAKEN_UP: &str = "rent_referred_to";
        holds(&[
            ("4. Lift. One third of the sum in Section 2 is forgiven.", TAKEN_UP),
            ("4. Persons. The figure above is each resident's share.", TAKEN_UP),
            ("4. Tenant will be billed $4,210.00 instead.", TAKEN_UP),
            ("4. Bakery. It takes six percent of sales in lieu of the foregoing.", TAKEN_UP),
            ("4. Snow. For clearing it Tenant keeps back $200.00 of it.", TAKEN_UP),
            ("4. If Tenant fails to pay the foregoing, five percent is added.", ""),
            ("4. In addition to the foregoing Tenant pays an administrative fee of $50.00.", ""),
            ("4. Area. This is $30.00 per square foot per annum on 2,100 square feet.", "other_product"),
            ("4. Area. This is $30.00 per square foot per annum on 2,000 square feet.", ""),
            ("4. Rent. In lieu of the amount above Tenant pays one half.", TAKEN_UP),
            ("4. Rent. The rent above is net effective.", "share_of_the_rent"),
            ("4. Rent. Prices are by the room.", "share_of_the_rent"),
            ("4. A month is a period of four weeks.", "other_period"),
            ("4. The rent of $5,000.00 is payable every second Friday.", "other_period"),
        ]);
        let of = |rent: &str| left_open(&lease("").replace("per month, in advance", rent));
        assert_eq!(of("per month, in advance"), "");
        assert_eq!(of("per month, less the allowance of Section 9, in advance"), "tail_of_the_rent");
        assert_eq!(of("per month, or such other sum as Landlord names"), "tail_of_the_rent");
    }

    #[test]
    fn days_and_tenants_that_words_make_others_are_asked_about() {
        holds(&[
            ("4. The term always ends on the last Saturday of the month.", "other_reckoning"),
            ("4. Possession. The term shall not start before the last occupant has gone.", "other_reckoning"),
            ("4. Ada Moss signs below as a second tenant.", "another_as_tenant"),
            ("4. Tenant signs for a company to be formed.", "another_as_tenant"),
            ("4. Upon an assignment the assignee becomes the tenant in its place.", ""),
            ("4. Moss Holdings joins Juniper as a second occupant.", "another_as_tenant"),
            ("4. Neither the Term nor the rent shall begin until the roof is on.", "other_reckoning"),
        ]);
        let of = |end: &str| left_open(&lease("").replace("April 30, 2025.", end));
        assert_eq!(of("April 30, 2025 at 12:01 a.m."), "other_reckoning");
        assert_eq!(of("April 30, 2025 at midnight."), "");
    }

    #[test]
    fn a_line_over_the_title_that_is_of_no_cover_is_asked_about() {
        const OVER: &str = "line_over_the_title";
        let rows = [
            ("", ""),
            ("RECEIVED", ""),
            ("COPY", ""),
            ("Exhibit 10.4", ""),
            ("EX-10.7", ""),
            ("between", ""),
            ("Elm Row Partners LLC", ""),
            ("City of Austin", ""),
            ("Do not record this Lease", ""),
            ("HOLD - DO NOT PROCESS", OVER),
            ("UNDER REVIEW", OVER),
            ("Denied", OVER),
            ("Prior tenant", OVER),
            ("For negotiation purposes", OVER),
        ];
        for (over, expected) in rows {
            assert_eq!(left_open(&format!("{over}\n{}", lease(""))), expected, "{over}");
        }
    }

    #[test]
    fn what_parties_are_not_said_to_have_done_is_asked_about() {
        holds(&[
            ("4. Tenant has flown to Spain and the shop stands empty.", "reported_deed"),
            ("4. Landlord has auctioned the goods.", "reported_deed"),
            ("4. Tenant has inspected the shop and has received a key.", ""),
            ("4. If Tenant has auctioned its goods, Landlord may end this Lease.", ""),
            ("4. Landlord has not bargained with a broker.", ""),
            ("4. Judgment for possession was entered.", "ended_tenancy"),
            ("4. If the locks are changed, Tenant is given a key.", ""),
            ("4. The locks changed in May.", "ended_tenancy"),
            ("4. To Landlord's knowledge, any storage of oil that has occurred on the land was lawful.", ""),
        ]);
        let text = lease("");
        assert_eq!(
            left_open(&format!("{text}and the Tenant agrees with the Landlord to keep the")),
            "breaks_off"
        );
        assert_eq!(left_open(&format!("{text}Signed for the Tenant by")), "");
        let behind = |line: &str| {
            let signed = "LANDLORD: Elm Row Partners LLC\nBy: /s/ Ada Moss\nTENANT: Juniper Health, Inc.\nBy: /s/ Ben Fern\n";
            let plain = "LANDLORD: Elm Row Partners LLC\nTENANT: Juniper Health, Inc.\n";
            left_open(&format!("{}{line}\n", text.replace(plain, signed)))
        };
        assert_eq!(behind("P.S. Come down a hundred."), "behind_the_signatures");
        assert_eq!(behind("The tenant has since thought again."), "behind_the_signatures");
        assert_eq!(behind("Executed as a deed."), "");
        let by =
            |words: &str| left_open(&text.replace("LANDLORD: Elm", &format!("By: {words}\nLANDLORD: Elm")));
        assert_eq!(by("Ada Moss, its managing member"), "");
        assert_eq!(by("Ada Moss (abroad; signs when back)"), "missing_signature");
    }

    #[test]
    fn names_that_the_parties_do_not_explain_are_asked_about() {
        holds(&[
            ("4. Shop. Moss Bakery LLC occupies one half as a tenant.", "other_company"),
            (
                "4. Suite 9. Landlord leases to Tenant the yard behind the shop.\n5. Landlord leases to Tenant the roof.",
                "second_grant",
            ),
            ("Tenant: Juniper Health, Inc., Ada Moss", "other_tenant"),
            ("Tenant: Juniper Health, Inc.\nAda Moss", "other_tenant"),
            ("Tenant: Juniper Health, Inc.\n9 Elm Row, Austin", ""),
            ("Ada Moss, Tenant", "other_signer"),
            ("Ada Moss, President", ""),
        ]);
    }

    #[test]
    fn what_every_lease_says_leaves_nothing_open() {
        let mut asked: Vec<(String, &str)> = Vec::new();
        for line in [
            "4. Notices. Notices go to the premises.",
            "4. Waiver. None of the foregoing shall be deemed waived by delay.",
            "4. Covenants. Tenant shall perform each of the foregoing covenants.",
            "4. Transfer. Notwithstanding the foregoing, a transfer of forty percent of Tenant's stock is no assignment.",
            "4. Waiver. Acceptance of rent with knowledge of a breach is no waiver of it, and no covenant is waived except in writing.",
            "4. Drafting. Both parties have participated in drafting this Lease and the rules of construction do not apply.",
            "4. Zoning. The Premises have been zoned for offices.",
            "4. Default. Tenant has defaulted on no other lease.",
            "4. Agency. The managing agent acts solely as agent for Landlord.",
            "4. Signatures. This Lease is signed by the person whose name stands above.",
            "4. Indemnity. Tenant indemnifies Landlord against any claim for any injury that occurred on the Premises.",
            "4. Cleaning. Tenant shall pay a make-ready fee of $200.00 when it leaves.",
            "4. Locks. Tenant shall not have the locks changed without consent.",
            "4. Deposit. The deposit is returned within thirty days after all keys returned.",
            "4. Default. If Tenant defaults, Landlord may have a writ of possession issued.",
            "4. Clauses. Landlord may treat as\nabandoned by Tenant, Landlord may remove its goods.",
            "Pets: see Pet Addendum",
            "Exhibit D - Form of Commencement Date Certificate",
            "[Signature page to follow]",
            "[Signatures appear on the following page; remainder not used]",
            "[Page 3 of 12]",
            "4. Term. The term commences at 12:01 a.m. on May 1, 2020.",
            "4. Taxes. The base year is the fiscal year ended June 30, 2020.",
        ] {
            asked.extend(
                Some(left_open(&lease(line))).filter(|rule| !rule.is_empty()).map(|rule| (rule, line)),
            );
        }
        assert_eq!(asked, []);
        let text = lease("");
        for (from, to) in [
            (
                "LANDLORD: Elm",
                "By: Elm GP, LLC, a Delaware limited liability company, its general partner\nLANDLORD: Elm",
            ),
            ("SHOP LEASE", "OLD MILL PLAZA\nSHOP LEASE"),
            ("SHOP LEASE", "SHOP LEASE\nTERM\t3\nRENT\t4\nDEFINITIONS\t12"),
            ("Juniper Health, Inc.\n", "Juniper Health, Inc.\nPage 2 of 2, form revised 2019\n"),
        ] {
            assert_eq!(left_open(&text.replacen(from, to, 1)), "", "{to}");
        }
    }

    #[test]
    fn a_rent_that_is_told_otherwise_is_asked_about() {
        holds(&[
            ("4. Rent. Until the lift runs Tenant pays $3,400.00 per month.", "earlier_step"),
            ("4. Months. Months 1 through 12 are billed at $4,000.00.", "earlier_step"),
            ("4. Rent. Payments in year one: $4,100.00 monthly.", "earlier_step"),
            ("4. Rent. From May 2020 Tenant pays $4,100.00 a month.", "earlier_step"),
            ("4. Insurance. In year one Tenant carries liability insurance of $5,100.00.", ""),
            ("4. Rent. Landlord shall accept $4,000.00 from Tenant.", "other_amount"),
            ("4. Tax. The figure for rent is GST inclusive.", "tax_in_the_rent"),
            ("4. Tax. Sales tax of 7% is included in rent.", "tax_in_the_rent"),
            ("4. Tax. Sales tax is paid beside the rent.", ""),
            ("Currency: CAD", "other_currency"),
            ("4. Money. All sums shall be payable in euro.", "other_currency"),
            ("Currency: USD", ""),
            ("Months 1-12\t4,000", "bare_row"),
            ("1-12\t50%", "bare_row"),
            ("Months 13-24\t3%", ""),
            ("4. Deposit. Tenant is excused from the other half of it.", "changed_deposit"),
            ("4. Deposit. The deposit has been waived.", "changed_deposit"),
            ("4. Deposit. The deposit is returned within thirty days after the term.", ""),
        ]);
        for (from, to, expected) in [
            ("of $5,000.00 per", "of $5,000.00 $4,500.00 per", "lost_stroke"),
            ("of $5,000.00 per month", "of $5,000.00 4,600.00 on the first day of each month", "lost_stroke"),
            ("Tenant shall pay Base", "Through December 31, 2021 Tenant shall pay Base", "rent_ends_early"),
            ("Tenant shall pay Base", "Through April 30, 2025 Tenant shall pay Base", ""),
        ] {
            assert_eq!(left_open(&lease("").replacen(from, to, 1)), expected, "{to}");
        }
    }

    #[test]
    fn what_is_not_settled_and_what_no_lease_has_is_asked_about() {
        holds(&[
            ("4. Dates. The foregoing dates are targets.", "tentative"),
            ("4. Dates (dates to be confirmed).", "tentative"),
            ("4. Estimates. The amounts of operating expenses are estimates.", ""),
            ("4. Sunset. This Lease goes with the old mill.", "other_heading"),
            ("4. Governing Law. Texas law governs.", ""),
            ("4. Brewing. No steam leaves the vats before noon.", ""),
            ("4A. Real Owner. A trust stands behind it.", ""),
            ("4. Language. The French text prevails.", "prevailing_text"),
            ("4. Term. Tenant has a seven year term.", ""),
            ("4. Term. Tenant has the premises for its seven year term.", "other_length"),
            ("4. Term. Tenant has the premises for its five year term.", ""),
            ("Lease status: inactive", "stamp"),
            ("{{landlord_signature}}", "stamp"),
            ("DocuSign: waiting for Helen Marsh", "stamp"),
        ]);
        let text = lease("");
        let behind = |line: &str| left_open(&format!("{text}{line}\n"));
        assert_eq!(behind("Renewed one more year"), "remark_behind");
        assert_eq!(behind("Witnesses to both signatures"), "");
        assert_eq!(behind("This page is intentionally left blank."), "");
        assert_eq!(behind("The remainder of this page is left without words."), "");
        assert_eq!(behind("Reference: stays with the keys"), "");
        assert_eq!(behind("Rules and regulations\nNo bell is rung before noon"), "");
        let signed = text.replace(
            "LANDLORD: Elm Row Partners LLC\nTENANT: Juniper Health, Inc.\n",
            "LANDLORD: Elm Row Partners LLC\nBy: Ada Moss\nTENANT: Juniper Health, Inc.\nBy: Ben Fern\n",
        );
        assert_eq!(left_open(&signed), "");
        for (more, expected) in [
            ("PARK FAMILY DENTISTRY LLC, as Tenant\nBy: Ellen Park, Member\n", "other_signer"),
            ("and\nPARK FAMILY DENTISTRY LLC\nBy: Ellen Park, Member\n", "other_signer"),
            ("Ellen Park, individually\nBy: Ellen Park\n", "other_signer"),
            ("GUARANTOR:\nPARK FAMILY DENTISTRY LLC\nBy: Ellen Park, Member\n", ""),
        ] {
            assert_eq!(left_open(&format!("{signed}{more}")), expected, "{more}");
        }
    }
}
