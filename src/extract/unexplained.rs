//! What a document says of its rent, its term or its parties that the values read from it do not account for.
//!
//! The rules look for values and are silent on what they do not know. This room asks the other way round: a day beside
//! words of the term, an amount beside words of the rent, a company beside words of the letting, a column or a row of a
//! rent's table, a sentence that reports a change as a fact. Each has to be one that the values explain, or speak of a
//! case, an option or another charge as every lease does. What is left over is shown to a person; nothing is guessed
//! from it.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use rust_decimal::Decimal;

use super::clauses::names::{company_at_end, folded};
use super::clauses::rent::{Figures, RENT_MIN_UNITS};
use super::clauses::{Candidate, Reading};
use super::text::floor_boundary;
use super::{dates, money};
use crate::extract::expression;

/// How far a sentence reaches around its words, in bytes.
const SENTENCE_REACH_BYTES: usize = 400;
/// How far around a date the words that say what it is of may stand, in bytes.
const DATE_REACH_BYTES: usize = 90;
/// How far before a legal form its name may begin, in bytes.
const NAME_REACH_BYTES: usize = 120;
/// Most lines before and behind that of a rent which are looked through as its table.
const TABLE_REACH_LINES: usize = 12;
/// Longest line that is a table's, in bytes.
const TABLE_LINE_MAX_BYTES: usize = 160;
/// Largest difference between a figure and a twelfth or twelvefold of another, in units of the currency.
const ROUNDING_UNITS: i64 = 12;

/// The values that were settled on.
#[derive(Debug)]
pub struct Known<'a> {
    /// Days that the abstraction gives: of the term, of its steps, of the document.
    pub days: Vec<Date>,
    /// The rent.
    pub rent: &'a Candidate<Figures>,
    /// Amounts of other fields.
    pub amounts: Vec<Decimal>,
    /// The names of the parties.
    pub parties: Vec<&'a str>,
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
    const QUESTIONS: [(&str, Question); 12] = [
        ("reported_change", |reading, _| reported_change(reading)),
        ("conditional_effect", |reading, _| conditional_effect(reading)),
        ("share_of_the_rent", |reading, _| share_of_rent(reading)),
        ("other_date", other_date),
        ("other_amount", other_amount),
        ("other_row", other_row),
        ("other_company", other_company),
        ("other_step", other_step),
        ("other_tenant", other_tenant),
        ("footnote", |reading, _| footnote(reading)),
        ("second_grant", |reading, _| second_grant(reading)),
        ("no_fixed_term", |reading, _| no_fixed_term(reading)),
    ];
    QUESTIONS
        .into_iter()
        .find_map(|(rule, question)| Some(Unexplained { rule, range: question(reading, known)? }))
}

/// Words by which a sentence supposes and does not report.
static SUPPOSES: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:if|unless|until|event|when|where|whenever|should|case|upon|once|provided|shall|(?-i:may)|must|will|would|could|can|cannot|whether|or|extent|such|any|no|each|every|which|who|that|whose|as|than|without|except|option|nor)\b",
    )
});

fn sentence(reading: &Reading<'_>, range: &Range<usize>) -> Range<usize> {
    let sentence = reading.text.sentence_around(range, SENTENCE_REACH_BYTES);
    sentence.start..sentence.end.min(reading.scope.end.max(range.end))
}

/// A change of the lease that is told as a fact: "Tenant has exercised its option", "the rent was lowered". What a party
/// shall or may do, and what happens if something else does, is no change.
fn reported_change(reading: &Reading<'_>) -> Option<Range<usize>> {
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        const SUBJECT: &str = r"(?:tenant|lessee|landlord|lessor|parties|lease|sublease|tenancy|agreement|amendment|term|rent|dates?(?:\s+in\s+(?:this\s+)?section)?|figures?|sum|amount|option|name|expiration|commencement|premises|suite)";
        // What was changed, whichever tense tells it.
        const CHANGED: &str = r"(?:exercised|assigned|transferred|surrendered|vacated|terminated|cancell?ed|rescinded|revoked|withdrawn|extended|renewed|shortened|lengthened|reduced|lowered|raised|halved|doubled|amended|modified|revised|corrected|changed|varied|replaced|substituted|superseded|merged|renamed|moved|postponed|deferred|delayed|put\s+back|brought\s+forward|struck|deleted|reset|closed|taken\s+over|left|abandoned|joined|expired|ended|lapsed|since\s+\w+ed|since\s+agreed|given\s+(?:its\s+|a\s+|notice)|served\s+(?:its|a|notice))";
        // Of what is, only words of a change that are no step of a rent's schedule and no standing of a party.
        const IS_CHANGED: &str = r"(?:rescinded|revoked|shortened|lengthened|lowered|halved|doubled|replaced|substituted|superseded|renamed|moved|postponed|put\s+back|brought\s+forward|struck|deleted|corrected|cancell?ed|withdrawn|at\s+an\s+end)";
        const PAST: &str = r"(?:exercised|assigned|surrendered|vacated|cancell?ed|rescinded|revoked|withdrew|extended|renewed|shortened|lowered|changed|replaced|substituted|merged|became|moved|took\s+over|lapsed|ended|expired)";
        const NOW: &str = r"(?:rescinds?|cancels?|substitutes?|lowers?|shortens?|assigns\s+to|(?:moves?|shifts?)\s+by|now\s+(?:runs?|ends?|is|are|stands?|expires?|begins?|pays?))";
        expression(&format!(
            r"(?i)\b{SUBJECT}(?P<gap>(?:,?\s+[\w$'()-]+(?:\.\d+)?){{0,9}}?),?\s+(?:(?:has|have|had)\s+(?:\w+\s+){{0,2}}?{CHANGED}|(?:was|were)\s+(?:\w+\s+)?{CHANGED}|(?:is|are)\s+(?:\w+\s+)?{IS_CHANGED}|{PAST}|{NOW})\b"
        ))
    });
    // What is told without a subject of the lease.
    static EXPECTED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:now|currently)\s+(?:expected|estimated|scheduled|anticipated|planned|projected)\b|\bsee\s+(?:the\s+)?(?:attached\s+)?(?:rider|addendum|side\s+letter)\b",
        )
    });
    // A verb before the one that was found: the subject is that of another.
    static VERB: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:is|are|was|were|be|been|being|has|have|had|hereby|does|do|did)\b")
    });
    // "The parties agree that ..." reports what follows.
    static AGREED: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:agree|agreed|confirm|confirmed|acknowledge|certify)\s+that\b")
    });
    let flow = reading.flow();
    let supposes = |words: &str| SUPPOSES.is_match(&AGREED.replace_all(words, " "));
    let reported = REPORT
        .captures_iter(flow)
        .filter_map(|found| Some((found.get(0)?.range(), found.name("gap")?.range())))
        .filter(|(_, gap)| {
            let words = &flow[gap.clone()];
            !supposes(words) && !VERB.is_match(words) && !reading.is_in_recitals(gap.start)
        })
        .map(|(whole, gap)| (sentence(reading, &whole), gap))
        .find(|(sentence, gap)| !supposes(&flow[sentence.start.min(gap.start)..gap.start]))
        .map(|(sentence, _)| sentence);
    reported.or_else(|| EXPECTED.find(flow).map(|found| sentence(reading, &found.range())))
}

/// A lease that takes effect only with an event other than its signature and delivery.
fn conditional_effect(reading: &Reading<'_>) -> Option<Range<usize>> {
    static WAITS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)\b(?:this|the)\s+(?:back-?up\s+)?(?:lease|sublease|agreement|tenancy|letting)\b[^.;]{0,60}?
            (?:\b(?:binds?|binding|effective|operative)\s+(?:only|neither|nobody|no\s+(?:one|party))\b
            |\b(?:not|neither|only|never|no)\b[^.;]{0,50}?\b(?:effect(?:ive)?|binds?|binding|in\s+force|operative)\b
            |\b(?:contingent|conditional|conditioned)\s+(?:up)?on\b
            |\bsubject\s+to\s+(?:the\s+)?(?:[\w']+\s+){0,5}?(?:approval|consent|ratification|closing|acquisition|vacat\w+)\b)
            |\b(?:tak(?:es?|ing)|com(?:es?|ing)\s+into)\s+(?:effect|force)\s+(?:only|if)\b
            |\bmust\s+(?:first\s+)?(?:approve|ratify|consent\s+to)\s+this\s+(?:lease|sublease|agreement)\b
            |\b(?:held|signed|placed)\s+in\s+escrow\b[^.;]{0,40}\b(?:until|and|pending)\b",
        )
    });
    // Each lease binds when it is signed, and binds nobody against the rights of lenders and heirs.
    static ONCE_SIGNED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:execut\w*|sign(?:s|ed|ing|ature\w*)?|deliver\w*|initial\w*|written|writing|recorded|mortgagee|lender|successors?)\b",
        )
    });
    WAITS.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        !ONCE_SIGNED.is_match(words) || words.to_lowercase().contains("escrow")
    })
}

/// A part by which the rent is lowered, told beside words of the rent.
fn share_of_rent(reading: &Reading<'_>) -> Option<Range<usize>> {
    static SHARE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:\d\s?%|\bper\s?cent\b|\b(?:half|third|quarter|tenth)\b)\)?\s+(?:[\w-]+\s+){0,3}?(?:discount|reduction|rebate|concession|off)\b|\b(?:discount|rebate|reduction)\s+(?:of|:)\s+(?:[\w-]+\s+){0,3}(?:\(?\d[\d.]*\s?%|per\s?cent|[$\u{20ac}\u{a3}]\s?\d)|\b(?:whole|entire)\s+building\b[^.;]{0,60}\bshare\b|\bat\s+the\s+same\s+rent|\bthe\s+(?:like|same)\s+(?:rent|rate)\b[^.;]{0,30}\b(?:in\s+respect|for)\b|\bcharged\s+separately\b|\bother\s+months\b|\b(?:high|low|off|summer|winter)[\s-]season|\b(?:sum|figure|amount|rent)\b[^.;]{0,60}?\b(?:shall|is\s+to|will|are\s+to)\s+(?:[\w']+\s+){0,2}(?:replaced?|substituted?|superseded?|indexed|re-?set)\b|\bevery\s+(?:two|three|other|second|third|2|3)\s+(?:months|weeks)\b",
        )
    });
    static OF_THE_RENT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\brent(?:al)?s?\b|\b(?:figures?|sums?|amounts?)\s+(?:above|below)\b|\b(?:foregoing|above)\b",
        )
    });
    // What is indexed year by year begins with the rent.
    static YEARLY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:annual\w*|yearly|each|every\s+(?:year|anniversary)|anniversar\w+|thereafter|subsequent)\b",
        )
    });
    SHARE.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        OF_THE_RENT.is_match(words) && !IF.is_match(words) && !YEARLY.is_match(words)
    })
}

/// Words of a supposition, without those of duty: a discount is given by a duty.
static IF: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:if|unless|event|should|upon|whenever|provided|may|option|damage\w*|casualty|condemn\w*|untenantable|late)\b",
    )
});

/// Words of another paper, another time or another matter beside a date or an amount.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:options?|renew\w*|prior|previous\w*|former\w*|original\w*|existing|plans?|drawings?|built|constructed|insur\w*|tax(?:es)?|record(?:ed|ing)|mortgage|deed|permits?|zoning|invoice\w*|cpi|index|notices?\s+(?:of|by|before)|deliver\w*\s+by|holdover|holding\s+over|default|cure|interest|example|amended|guarant\w+|statut\w*|act|code|law|ordinance|licen[cs]e\s+no|born|birth|appraisal|survey|report|brochure|letter\s+of\s+intent|proposal|notary|commission|further\s+term|request\w*)\b",
    )
});

/// A day beside words of the term that is none of the lease's own.
fn other_date(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static OF_THE_TERM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:commenc\w*|term(?:s\s+ends?)?|expir\w*|beg[iau]n\w*|start(?:s|ed|ing)?|ends?|ended|ending|runs?|possession|occup(?:y|ied|ancy)|vacat\w*|surrender\w*|mov(?:e|ed|ing)(?:[\s-](?:in|out))?|month-to-month|terminat\w*)\b",
        )
    });
    let flow = reading.flow();
    let is_known = |day: Date| {
        known.days.iter().any(|known| {
            *known == day
                || known.tomorrow().is_ok_and(|next| next == day)
                || day.tomorrow().is_ok_and(|next| next == *known)
        })
    };
    let first = known.days.iter().min().copied();
    dates::find(flow, reading.date_order)
        .into_iter()
        .filter(|found| !found.ambiguous && !is_known(found.date))
        .filter(|found| {
            // What is dated is a paper.
            static DATED: LazyLock<Regex> = LazyLock::new(|| {
                expression(r"(?i)\b(?:dated|date|signed|executed|made|sworn|acknowledged)\b[^.;\d]{0,40}$")
            });
            !DATED.is_match(reading.text.before(found.range.start, DATE_REACH_BYTES))
        })
        .filter(|found| first.is_none_or(|first| (found.date - first).get_days().abs() < 36_525))
        .map(|found| {
            let sentence = sentence(reading, &found.range);
            let from =
                floor_boundary(flow, found.range.start.saturating_sub(DATE_REACH_BYTES)).max(sentence.start);
            let to = floor_boundary(flow, found.range.end + DATE_REACH_BYTES)
                .min(sentence.end)
                .max(found.range.end);
            (from..to, sentence)
        })
        .find(|(near, sentence)| {
            let words = reading.text.slice(sentence);
            OF_THE_TERM.is_match(reading.text.slice(near))
                && !IF.is_match(words)
                && !ELSEWHERE.is_match(words)
                && !STEPS.is_match(words)
        })
        .map(|(_, sentence)| sentence)
}

/// Words of the steps of a rent, whose days and amounts need not all be read.
static STEPS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:years?|months?)\s+(?:\d|one|two|three|four|five|six|seven|eight|nine|ten)|\b(?:increas\w*|escalat\w*|adjust\w*|step\w*|thereafter|through|abat\w*|prorat\w*|first\s+(?:install?ment|payment)|anniversary|review\w*|calendar\s+year|broken|partial|part|pro\s?rata|apportion\w*)\b",
    )
});

/// Whether an amount is the rent, for whichever period, a step of it or another field.
fn is_explained(amount: Decimal, known: &Known<'_>) -> bool {
    let near = |other: Decimal| (other - amount).abs() <= Decimal::from(ROUNDING_UNITS);
    let rent = &known.rent.value;
    [1, 2, 3, 4, 6, 12, 13, 26, 52]
        .into_iter()
        .any(|parts| rent.yearly.checked_div(Decimal::from(parts)).is_some_and(near))
        || rent
            .later_yearly
            .iter()
            .any(|later| near(*later) || later.checked_div(Decimal::from(12)).is_some_and(near))
        || known.amounts.iter().copied().any(near)
        || near(rent.rent.amount)
}

/// An amount beside words of the base rent that is neither the rent, nor a step of it, nor another charge.
fn other_amount(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static OF_THE_RENT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:base|basic|minimum|fixed|monthly|annual|yearly|initial|new|reduced|revised|agreed|actual|temporary|net)\s+(?:(?:base|monthly|annual|reduced)\s+)?rent(?:al)?\b|\brent(?:al)?\s*(?:\bis\b|\bof\b|\bat\b|\bto\b|:|=|\bshall\s+be\b|\bwill\s+be\b)",
        )
    });
    // A rent that is named as a lower one stands beside the full one.
    static LOWERED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:temporary|reduced|discounted|interim|introductory|promotional|deferred)\s+(?:\w+\s+)?rent",
        )
    });
    let flow = reading.flow();
    let is_of_rent = |sentence: &Range<usize>| {
        let words = reading.text.slice(sentence);
        OF_THE_RENT.is_match(words)
            && !IF.is_match(words)
            && (!STEPS.is_match(words) || LOWERED.is_match(words))
            && !ELSEWHERE.is_match(words)
            && !OTHER_CHARGE.is_match(words)
    };
    let in_figures = reading
        .amounts()
        .iter()
        .filter(|amount| !amount.is_rate && amount.amount >= Decimal::from(RENT_MIN_UNITS))
        .filter(|amount| !is_explained(amount.amount, known))
        .map(|amount| sentence(reading, &amount.range))
        .find(is_of_rent);
    // Amounts in words stand where their sentence speaks of the rent.
    in_figures.or_else(|| {
        OF_THE_RENT.find_iter(flow).map(|found| sentence(reading, &found.range())).find(|sentence| {
            is_of_rent(sentence)
                && money::spelled(reading.text.slice(sentence))
                    .into_iter()
                    .any(|amount| amount >= Decimal::from(RENT_MIN_UNITS) && !is_explained(amount, known))
        })
    })
}

/// Words of another charge than the base rent.
static OTHER_CHARGE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:additional|percentage|estimat\w+|operating|tax\w*|gst|hst|vat|insurance|premium|liability|coverage|deposit|bond|late|parking|storage|utilit\w+|cam\b|common|maintenance|service\s+charge|fees?|commission|broker\w*|allowance|improvement\w*|expenses?|cleaning|pets?|keys?|sign\w*|sales|breakpoint|turnover|square|sq|area|rsf|sf|promot\w+|marketing|guarant\w+|total|first\s+(?:month|and\s+last)|last\s+month|prepaid|advance|interest|penalt\w+|admin\w*|legal|cap\b|maximum|repairs?|electric\w*|water|garbage|internet|garage|lockers?|furniture|equipment|options?|renewal|holdover)\b",
    )
});

/// A row or a column of the rent's table with an amount that is neither a step of the rent nor another charge.
fn other_row(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static PERIOD: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:years?|yrs?|months?|mos?|periods?|terms?)\b|^\W*\d{1,3}\s*(?:[-\u{2013}]\s*\d{1,3})?\W|\b(?:19|20)\d{2}\b|\d{1,2}/\d{1,2}|\b(?:from|to|through|until|commenc\w+|begin\w+)\b",
        )
    });
    let lined = reading.text.lined();
    let in_passage = money::find(reading.text.slice(&known.rent.range), reading.dollar.currency());
    let figure = known.rent.value.rent.amount;
    let at = in_passage
        .iter()
        .find(|amount| amount.amount == figure)
        .map_or(known.rent.range.start, |amount| known.rent.range.start + amount.range.start);
    let own = reading.text.line_at(at);
    let own_line = lined.get(own.clone())?;
    if own_line.len() > TABLE_LINE_MAX_BYTES || is_sentence(own_line) {
        return None;
    }
    let is_open = |line: &str| {
        line.len() <= TABLE_LINE_MAX_BYTES
            && !is_sentence(line)
            && !OTHER_CHARGE.is_match(line)
            && money::find(line, reading.dollar.currency()).iter().any(|amount| {
                !amount.is_rate
                    && amount.amount >= Decimal::from(RENT_MIN_UNITS)
                    && !is_explained(amount.amount, known)
            })
    };
    // In the rent's own line another figure is another column's.
    if is_open(own_line) {
        return Some(own);
    }
    let behind = lined.get(own.end..).unwrap_or_default().split('\n').skip(1).take(TABLE_REACH_LINES);
    let before = lined.get(..own.start).unwrap_or_default().split('\n').rev().skip(1).take(TABLE_REACH_LINES);
    let is_table = |line: &&str| !line.is_empty() && line.len() <= TABLE_LINE_MAX_BYTES && !is_sentence(line);
    let holds = behind
        .take_while(is_table)
        .chain(before.take_while(is_table))
        .any(|line| is_open(line) && !PERIOD.is_match(line) && !line.contains(':'));
    holds.then_some(own)
}

/// Whether a line is running text and no row.
fn is_sentence(line: &str) -> bool {
    static VERB: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\b(?:shall|is|are|was|will|pays?|agrees?|has|have|be|the)\b"));
    let words = line.split_whitespace().filter(|word| word.starts_with(char::is_lowercase)).count();
    words > 7 || VERB.is_match(line) || (line.trim_end().ends_with('.') && words > 3)
}

/// A company beside words of the letting that is none of the parties.
fn other_company(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"\b(?:Inc|INC|Incorporated|LLC|L\.L\.C|Ltd|LTD|Limited|LIMITED|Corp|CORP|Corporation|CORPORATION|LLP|PLLC|PLC|plc|GmbH)\b\.?",
        )
    });
    static OF_THE_LETTING: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:tenants?|lessees?|co-?tenants?|assign(?:s|ed|ee)?|successor|merg\w+|renamed|replaced|occup(?:ies|ied|ants?)|leases?|lets?|rents?)\b",
        )
    });
    static OTHER_ROLE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:brokers?|agents?|guarant\w+|lenders?|mortgag\w+|banks?|insur\w+|contractors?|architects?|manag\w+|franchis\w+|prior|former\w*|previous\w*|predecessor|attention|attn|copy|copies|c/o|escrow|title|adjacent|adjoining|neighbou?r\w*|parent|affiliat\w+|subsidiar\w+|notices?|trade\s?marks?|software|form|published|owner|developer|supplier|vendor|utilit\w+|member|partner|by\s*:|payable\s+to|surety|bond)\b",
        )
    });
    let flow = reading.flow();
    let parties: Vec<String> = known.parties.iter().map(|name| folded(name)).collect();
    FORM.find_iter(flow)
        .filter_map(|form| {
            let from = floor_boundary(flow, form.start().saturating_sub(NAME_REACH_BYTES));
            let (at, party) = company_at_end(&flow[from..form.end()])?;
            let name = folded(&party.name);
            let is_known = parties.iter().any(|known| known.contains(&name) || name.contains(known.as_str()));
            (!is_known && party.legal).then_some(from + at..form.end())
        })
        .map(|found| {
            let sentence = sentence(reading, &found);
            let from = floor_boundary(flow, found.start.saturating_sub(NAME_REACH_BYTES)).max(sentence.start);
            let to = floor_boundary(flow, found.end + NAME_REACH_BYTES).min(sentence.end).max(found.end);
            from..to
        })
        .find(|near| {
            let words = reading.text.slice(near);
            OF_THE_LETTING.is_match(words) && !OTHER_ROLE.is_match(words) && !IF.is_match(words)
        })
}

/// A step of a rent's schedule that is none of those that were read: the rent stands elsewhere, and contradicts it.
fn other_step(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:(?:lease\s+)?(?:years?|yrs?\.?|months?|mos?\.?)\s*\d|\d{1,2}/(?:\d{1,2}/)?(?:19|20)?\d{2}\s*(?:-|\u{2013}|to)\s*\d{1,2}/)",
        )
    });
    // Figures of a schedule that has its sign in the heading.
    static BARE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?:^|\s)(?P<figure>\d{1,3}(?:,\d{3})+(?:\.\d{2})?)(?:\s|$)"));
    let mut at = 0;
    for line in reading.text.lined().get(..reading.scope.end).unwrap_or_default().split('\n') {
        let range = at..at + line.len();
        at = range.end + 1;
        if line.len() > TABLE_LINE_MAX_BYTES
            || !STEP.is_match(line)
            || is_sentence(line)
            || OTHER_CHARGE.is_match(line)
        {
            continue;
        }
        let figures: Vec<Decimal> = match &money::find(line, reading.dollar.currency())[..] {
            [] => BARE.captures_iter(line).filter_map(|found| money::figures(&found["figure"])).collect(),
            found => found.iter().filter(|amount| !amount.is_rate).map(|amount| amount.amount).collect(),
        };
        let is_other_time = OTHER_TIME.is_match(reading.heading_at(range.start));
        let is_open = figures.first().is_some_and(|_| {
            !figures
                .iter()
                .any(|figure| *figure < Decimal::from(RENT_MIN_UNITS) || is_explained(*figure, known))
        });
        if is_open && !is_other_time {
            return Some(range);
        }
    }
    None
}

/// Headings of sections that speak of another time, another charge or another space.
static OTHER_TIME: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:options?|renewal|extension|extend|holdover|operating|tax(?:es)?|parking|storage|deposit|insurance|terminat\w+|expansion|allowance|percentage|signs?)\b",
    )
});

/// A note to a value: the mark behind its figure stands again at the head of a line.
fn footnote(reading: &Reading<'_>) -> Option<Range<usize>> {
    static NOTE: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?m)^\s*(?P<mark>\*{1,3}|\u{2020}|\u{2021}|\((?:\d|[a-z])\)|\[\d\])\s*[A-Za-z]")
    });
    let lined = reading.text.lined().get(..reading.scope.end).unwrap_or_default();
    NOTE.captures_iter(lined)
        .filter_map(|found| found.name("mark"))
        .find(|mark| {
            let is_star = mark.as_str().starts_with(['*', '\u{2020}', '\u{2021}']);
            is_star
                && lined.match_indices(mark.as_str()).any(|(at, _)| {
                    at != mark.start()
                        && lined[..at]
                            .ends_with(|character: char| character.is_ascii_digit() || character == ')')
                        && !lined[at + mark.len()..].starts_with('*')
                })
        })
        .map(|mark| reading.text.line_at(mark.start()))
}

/// A second grant of premises in one paper.
fn second_grant(reading: &Reading<'_>) -> Option<Range<usize>> {
    static GRANT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:landlord|lessor)\s+(?:hereby\s+)?(?:leases?|lets|demises)\s+(?:and\s+\w+\s+)?(?:un)?to\s+(?:the\s+)?(?:tenant|lessee)\b",
        )
    });
    GRANT.find_iter(reading.flow()).nth(1).map(|found| sentence(reading, &found.range()))
}

/// A tenancy that runs from month to month although its last day is given.
fn no_fixed_term(reading: &Reading<'_>) -> Option<Range<usize>> {
    static MONTHLY: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:month[\s-]to[\s-]month|at\s+will|periodic\s+tenancy)\b"));
    static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:hold\w*|held|remain\w*|continu\w*|expir\w*|after|thereafter|end\s+of|upon|if|prior|existing|terminat\w*|possession|convert\w*|sufferance|parking|storage|become\w*|otherwise|not)\b",
        )
    });
    MONTHLY
        .find_iter(reading.flow())
        .map(|found| sentence(reading, &found.range()))
        .find(|sentence| !BEHIND.is_match(reading.text.slice(sentence)))
}

/// A name that stands under the tenant's label, or beside it, and is not the tenant's.
fn other_tenant(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:\d+[.)]\s*)?(?:tenant|lessee)(?:s|\(s\))?(?:'?s?\s+name)?\s*:\s*(?P<value>\S.*)$",
        )
    });
    static OF_AN_ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\d|[:@_]|\b(?:street|st|road|avenue|ave|suite|floor|box|attn|attention|care|state|county|by|its|d/b/a|dba|trading|premises|term|rent|lease|date|landlord|lessor|guarantor|witness\w*|title|name|president|director|manager|signature|agent|email|phone|tel)\b",
        )
    });
    let parties: Vec<String> = known.parties.iter().map(|name| folded(name)).collect();
    let names_another = |words: &str| {
        let words = words.trim().trim_start_matches("and ").trim_start_matches("& ");
        let words = words.split([',', ';', '(']).next().unwrap_or_default().trim();
        let folded = folded(words);
        let count = words.split_whitespace().count();
        (2..=6).contains(&count)
            && !OF_AN_ADDRESS.is_match(words)
            && words.split_whitespace().all(|word| {
                word.starts_with(|first: char| first.is_uppercase() || first == '&')
                    || matches!(word, "of" | "and")
            })
            && !parties.iter().any(|party| party.contains(&folded) || folded.contains(party.as_str()))
    };
    let mut lines = reading.text.lines().take_while(|(start, _)| *start < reading.scope.end).peekable();
    while let Some((start, line)) = lines.next() {
        let Some(found) = LABEL.captures(line) else { continue };
        let value = &found["value"];
        let is_party = |words: &str| {
            let words = folded(words);
            parties.iter().any(|party| words.contains(party.as_str()))
        };
        if !is_party(value) {
            continue;
        }
        let beside = value.split([',', ';']).skip(1).any(|part| names_another(part));
        let below =
            lines.peek().is_some_and(|(_, next)| names_another(next) && next.len() <= TABLE_LINE_MAX_BYTES);
        if beside || below {
            return Some(start..start + line.len());
        }
    }
    None
}
