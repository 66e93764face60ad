//! When the term starts and ends: stated ranges, defined dates, labelled dates, and lengths of terms.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use crate::extract::dates::{self, FoundDate};
use crate::extract::money;
use crate::extract::text::{SourceText, floor_boundary};
use crate::lease::DocumentKind;
use crate::posting::Confidence;

use super::{CANDIDATES_MAX_COUNT, Candidate, Reading, rules};

/// How far before a date its cue may stand, in bytes.
const CUE_REACH_BYTES: usize = 140;
/// How far a sentence is followed on either side of a date, in bytes.
const SENTENCE_REACH_BYTES: usize = 700;
/// How far before a definition without a date its condition may stand, in bytes.
const DEFINITION_REACH_BYTES: usize = 500;
/// Longest term that is read, in months: a ground lease of 150 years.
const TERM_MAX_MONTHS: u32 = 1_800;
/// The most that a rule may claim for a date whose sentence makes it depend on an event.
const CONDITIONAL_LIMIT: Confidence = Confidence::percent(40);
/// The most for a date whose sentence speaks of another period than the term.
const OTHER_PERIOD_LIMIT: Confidence = Confidence::percent(35);
/// The most for a numeric date that can be read two ways.
const AMBIGUOUS_LIMIT: Confidence = Confidence::percent(70);

/// The most for a length whose sentence may speak of another period.
const UNCLEAR_LENGTH_LIMIT: Confidence = Confidence::percent(45);

/// How much longer than its date a line may be that holds nothing else, in bytes.
const DATE_LINE_SLACK_BYTES: usize = 4;

/// What the document says of its term.
#[derive(Debug, Default)]
pub struct Term {
    /// Its first day.
    pub start: Vec<Candidate<Date>>,
    /// Its last day.
    pub end: Vec<Candidate<Date>>,
    /// The first day for which rent is due.
    pub rent_commencement: Vec<Candidate<Date>>,
    /// Its length in months.
    pub months: Vec<Candidate<u32>>,
    /// A passage that makes the start depend on an event.
    pub conditional_start: Option<Range<usize>>,
    /// A passage that makes the end depend on an event.
    pub conditional_end: Option<Range<usize>>,
}

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a rule of the term is a valid expression")
}

/// Words that make a date depend on an event, or give it as a plan.
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:earlier\s+(?:to\s+occur\s+)?of|later\s+(?:to\s+occur\s+)?of|earliest|latest|sooner\s+of|substantial(?:ly)?\s+complet\w*|upon\s+(?:the\s+)?(?:delivery|completion|closing|issuance|receipt|approval|opening)|date\s+(?:on|upon|that|when|landlord|lessor|tenant|lessee|sublandlord|sublessor)|target\w*|anticipated|estimated|scheduled|projected|approximately\s+(?:on\s+)?(?:the\s+\d|\d{1,2}/|January|February|March|April|May|June|July|August|September|October|November|December)|on\s+or\s+about|on\s+or\s+before|subject\s+to\s+(?:adjustment|extension|delay|section|paragraph|article|the\s+terms|landlord|completion|delivery)|adjusted|opens?\s+for\s+business|delivers?\s+(?:possession|the\s+premises)|delivery\s+of\s+(?:possession|the\s+premises)|possession\s+is\s+(?:tendered|delivered)|such\s+(?:other|earlier|later)\s+date|as\s+(?:may\s+be|the\s+same\s+may\s+be)\s+(?:adjusted|changed)|contingent|conditioned\s+(?:up)?on|condition\s+precedent|no\s+later\s+than|not\s+later\s+than|in\s+no\s+event|if\s+landlord|if\s+tenant|if\s+the\s+premises|unless\s+(?:landlord|possession|delayed)|from\s+the\s+closing|after\s+the\s+(?:effective|delivery|commencement|closing|execution)|days\s+(?:after|following)|months\s+(?:after|following)|by\s+way\s+of\s+(?:illustration|example)|for\s+example|were\s+to|would\s+(?:be|expire|end|begin|commence|start))\b",
    )
});

/// Words that make a whole sentence depend on an event.
static IF: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:if|provided\s+that|contingent|conditioned\s+(?:up)?on|condition\s+precedent|illustration|example|were\s+to|would)\b",
    )
});

/// Words that say the sentence speaks of another period than the term that is granted.
static OTHER_PERIOD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:base\s+year|fiscal\s+year|tax\s+year|calendar\s+year|abate\w*|option\s+(?:term|period|to)|options?\b|renewal|renew\b|early\s+(?:possession|occupancy|access|entry)|move[- ]?in\s+period|access\s+period|fit[- ]?(?:up|out)|(?:master|prime|superior|head)\s+lease|headlease|overlease|by\s+(?:a|an)\s+(?:lease|agreement)\s+dated|existing\s+lease|prior\s+lease|original\s+(?:lease|term)|current(?:ly)?\b|existing\s+term|set\s+to\s+expire|scheduled\s+to\s+expire|previously|heretofore|initially\s+expired|insurance|policy|parking|storage|surrender|temporary|holdover|holding\s+over|estoppel|certificate|warranty|construction|right\s+of\s+first|(?:may|right\s+to|elects?\s+to|entitled\s+to)\s+(?:extend|renew)|exercis\w*)\b",
    )
});

/// What a verb before a date speaks of: the last such word before it is its subject.
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?P<other>(?:lease|calendar|fiscal|each|every|first|second|third|fourth|fifth)\s+year(?:\s+of\s+(?:the|this|said|such)\s+(?:initial\s+|lease\s+)?term)?|(?:years?|months?|portion|part|balance|remainder)\s+of\s+(?:the|this|said|such)\s+(?:initial\s+|lease\s+)?term|rent(?:al)?s?|payments?|install?ments?|obligations?|construction|work|abatement|services?|tax(?:es)?|insurance|polic(?:y|ies)|notices?|deposits?|interest|access|use|occupancy|possession)\b|\b(?P<term>terms?|lease|(?:sub|under)-?lease|agreement|tenancy|letting|period\s+of\s+(?:\w+\s+)?\(?\d+\)?\s+(?:years?|months?)|(?:\w+\s+)?\(?\d+\)?\s+(?:years?|months?))\b",
    )
});

/// Whether the verb that ends `up_to_cue` speaks of the term or the lease itself.
fn is_about_the_term(up_to_cue: &str) -> bool {
    SUBJECT.captures_iter(up_to_cue).last().is_some_and(|subject| subject.name("term").is_some())
}

/// Headings of sections that do not speak of the term that is granted.
static OTHER_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:options?|renewal|holdover|holding over|parking|storage|right of first|rights? to (?:extend|renew)|expansion|early (?:access|occupancy|possession)|insurance|estoppel|taxes|recitals|termination|subordination|construction|work letter|abatement)\b",
    )
});
/// The same for a lease, where an extension is an option; an amendment grants one.
static EXTENSION_SECTION: LazyLock<Regex> = LazyLock::new(|| expression(r"\bextension\b"));

/// Headings that open with the term are of the term, whatever else they name: "Duration, extension and termination".
static TERM_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^(?:the\s+)?(?:initial\s+|lease\s+|base\s+)?(?:term\b|duration|period\b|commencement|revised\s+(?:lease\s+)?term)",
    )
});

fn is_other_section(heading: &str, kind: DocumentKind) -> bool {
    let other = OTHER_SECTION.is_match(heading)
        || (kind != DocumentKind::Amendment && EXTENSION_SECTION.is_match(heading));
    other && !TERM_SECTION.is_match(heading)
}

static TERM_WORD: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)\b(?:terms?|initial\s+period|lease\s+period|duration|tenancy|letting)\b")
});

/// A lease that starts is as good as a term that does.
static LETTING_STARTS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:this|the)\s+(?:lease|agreement|rental|contract)\s+(?:shall\s+|will\s+)?(?:starts?|begins?|commences?|runs?)\b",
    )
});

/// Cues that stand directly before the date of a start.
static START_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:commenc(?:e|es|ed|ing)|begin(?:s|ning)?|start(?:s|ing)?)\s*,?\s*(?:on|as\s+of|at|from|upon|effective)?\s*,?\s*(?:(?:and|but)\s+including,?\s+)?(?:12:0[01]\s*a\.?m\.?,?\s*(?:local\s+time\s*,?\s*)?(?:on\s+)?)?(?:the\s+)?$",
    )
});

/// The start as the name of a field or a definition: "Commencement Date: ...", ""Commencement Date" shall be ...".
static START_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)(?P<kind>(?:[a-z]+ ){0,3})\b(?:(?:commencement|start(?:ing)?|beginning)\s+date|(?:commencement|start|beginning)\s+of\s+(?:the\s+)?(?:lease|term|tenancy)|first\s+day\s+of\s+(?:the\s+)?term)(?:\s+of\s+(?:the\s+)?(?:initial\s+)?(?:lease\s+)?(?:term|lease))?\s*"?\s*\)?\s*(?::|-|\u{2013}|\u{2014})?\s*(?:(?:shall|will)\s+(?:be|mean)|means|mean|is|are|of(?:\s+the\s+term\s+is)?)?\s*(?:deemed\s+to\s+be\s+)?(?:on\s+)?(?:the\s+date\s+of\s+)?:?\s*(?:the\s+)?$"#,
    )
});

/// The start defined behind its date: "May 1, 2020 (the "Commencement Date")".
static START_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)^\s*,?\s*\(?\s*(?:(?:sometimes|hereinafter|herein|being|referred\s+to\s+as|called|collectively)\s+)*(?:the\s+)?"\s*(?P<kind>(?:[a-z]+\s+){0,3})(?:commencement|start)\s+date\s*[,.]?""#,
    )
});

/// Cues that stand directly before the date of an end.
static END_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:expir(?:e|es|ed|ing)|end(?:s|ing)?|terminat(?:e|es|ing)|continu(?:e|es|ing)(?:\s+(?:in\s+effect|thereafter))?|extend(?:ed|s|ing)?|run(?:s|ning)?|through|until|thereafter|to\s+and\s+including)\s*,?\s*(?:at\s+)?(?:(?:midnight|noon|12:00\s*(?:o'clock\s*)?(?:midnight|noon)|11:59\s*p\.?m\.?|12:00\s*(?:midnight|a\.?m\.?)|5:00\s*p\.?m\.?|6:00\s*p\.?m\.?)\s*,?\s*(?:local\s+time\s*,?\s*)?)?(?:up\s+to|to|on|as\s+of|through|until|upon)?\s*,?\s*(?:(?:and|but)\s+including,?\s+|and\s+through\s+)?(?:midnight\s+on\s+|11:59\s*p\.?m\.?,?\s*(?:on\s+)?)?(?:the\s+)?$",
    )
});

static END_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)(?P<kind>(?:[a-z]+ ){0,3})\b(?:(?:expiration|expiry|termination|ending|end)\s+date|(?:expiration|expiry|end)\s+of\s+(?:the\s+)?(?:lease|term|tenancy)|(?:lease|term)\s+expiration|last\s+day\s+of\s+(?:the\s+)?term)(?:\s+of\s+(?:the\s+)?(?:initial\s+)?(?:lease\s+)?(?:term|lease))?\s*"?\s*\)?\s*(?::|-|\u{2013}|\u{2014})?\s*(?:(?:shall|will)\s+(?:be|mean)|means|mean|is|of(?:\s+the\s+term\s+is)?)?\s*(?:deemed\s+to\s+be\s+)?(?:on\s+)?:?\s*(?:midnight\s+on\s+|11:59\s*p\.?m\.?,?\s*(?:on\s+)?)?(?:the\s+)?$"#,
    )
});

static END_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)^\s*,?\s*\(?\s*(?:(?:sometimes|hereinafter|herein|being|referred\s+to\s+as|called|collectively)\s+)*(?:the\s+)?"\s*(?P<kind>(?:[a-z]+\s+){0,3})(?:expiration|expiry|termination|end)\s+date\s*[,.]?""#,
    )
});

/// A definition of either date, wherever its date stands.
static DEFINED_START: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)"\s*(?:the\s+)?(?:lease\s+|term\s+|initial\s+)?commencement\s+date\s*[,.]?"|(?:^|\t|\n)\s*(?:[0-9a-z]{1,3}[.)]\s*)?(?:lease\s+|term\s+)?commencement\s+date\s*:"#,
    )
});
static DEFINED_END: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)"\s*(?:the\s+)?(?:lease\s+|term\s+|initial\s+)?(?:expiration|termination|expiry)\s+date\s*[,.]?"|(?:^|\t|\n)\s*(?:[0-9a-z]{1,3}[.)]\s*)?(?:lease\s+|term\s+)?(?:expiration|termination)\s+date\s*:"#,
    )
});

/// A start that may move after the date was printed: "If ..., the Commencement Date shall be the date of delivery".
static START_MAY_MOVE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bcommencement\s+date\b[^.;]{0,60}?\b(?:shall|will|may)\s+(?:\w+\s+)?be\s+(?:deemed\s+)?(?:to\s+be\s+)?(?:\w+\s+)?(?:postponed|delayed|extended|adjusted|changed|deferred|moved|revised|the\s+(?:date|day|later|earlier|first\s+day)|such\s+(?:date|later|earlier))",
    )
});

/// A start in the term clause that names no date: "shall commence on the date Landlord delivers ...".
static STARTS_WITHOUT_DATE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bterm\b[^.;]{0,120}?\b(?:commence|begin|start|run\s+from)\w*\s+(?:on|upon|as\s+of|from|with)?\s*(?:the\s+)?(?:earlier|later|earliest|latest|date\s+(?:on|upon|that|of|when|hereof|landlord|lessor|tenant|lessee|sublandlord|sublessor|possession)|closing|delivery|substantial|completion|day\s+(?:on|after|following)|first\s+(?:business\s+)?day\s+(?:after|following|of\s+the\s+(?:first\s+)?(?:full\s+)?(?:calendar\s+)?month))",
    )
});

static MONTHS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:term|period)\b[^.;$]{0,60}?\b(?:of|is|be|:|for)\s+(?:approximately\s+)?(?:(?P<words>[a-z]+(?:[\s-][a-z]+){0,3}?)\s+)?(?:\(\s*)?(?P<digits>\d{1,4})\s*\)?\s*(?:full\s+|consecutive\s+|calendar\s+)*(?P<unit>months?|years?)\b(?P<behind>[^.;]{0,50})",
    )
});

/// The months of "five (5) years and two (2) months".
static FURTHER_MONTHS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\s*,?\s*(?:and\s+)?(?:[a-z]+(?:-[a-z]+)?\s+)?\(?\s*(?P<digits>\d{1,2})\s*\)?\s*(?:full\s+|calendar\s+)*months?\b",
    )
});

/// Reads the term of a document.
pub fn propose(reading: &Reading<'_>, kind: DocumentKind) -> Term {
    let flow = reading.flow();
    let found = dates::find(flow, reading.date_order);
    let mut term = Term::default();
    for index in 0..found.len() {
        propose_for(reading, kind, &found, index, &mut term);
    }
    for list in [&mut term.start, &mut term.end, &mut term.rent_commencement] {
        list.truncate(CANDIDATES_MAX_COUNT);
    }
    confirm_pairs(&mut term);
    term.months = lengths(reading, kind);
    term.conditional_start = conditional_definition(reading, &DEFINED_START, &found).or_else(|| {
        STARTS_WITHOUT_DATE
            .find(flow)
            .map(|found| found.range())
            .filter(|range| is_of_the_term(reading, range))
    });
    if term.conditional_start.is_none() {
        term.conditional_start = START_MAY_MOVE.find_iter(flow).map(|found| found.range()).find(|range| {
            is_of_the_term(reading, range)
                // "ending on ..., as may be extended" speaks of an option.
                && !reading.text.slice(range).contains(" as may be ")
                && !names_other_commencement(reading.text.before(range.start, 24))
        });
    }
    term.conditional_end = conditional_definition(reading, &DEFINED_END, &found);
    term
}

/// Whether the words before "Commencement Date" make it that of something else.
fn names_other_commencement(before: &str) -> bool {
    let last = before.split_whitespace().last().unwrap_or_default().trim_matches(['"', '(']).to_lowercase();
    !matches!(
        last.as_str(),
        "" | "the" | "lease" | "term" | "and" | "then" | "such" | "initial" | "that" | "sublease"
    )
}

fn is_of_the_term(reading: &Reading<'_>, range: &Range<usize>) -> bool {
    let sentence = reading.text.slice(&reading.text.sentence_around(range, SENTENCE_REACH_BYTES));
    !OTHER_PERIOD.is_match(sentence)
}

/// The side of a range of dates on which a date stands, with where its passage starts.
enum RangePart {
    From(usize),
    To(usize),
}

/// Whether a date is one of two that bound the term: "Term: May 1, 2020 - April 30, 2025", "the letting runs from
/// 1 May 2020 to 30 April 2025".
fn part_of_range(reading: &Reading<'_>, found: &[FoundDate], index: usize) -> Option<RangePart> {
    static TO: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\s*,?\s*(?:-|\u{2013}|\u{2014}|to|through|thru|until|till|up\s+to|and\s+(?:ending|expiring)(?:\s+on)?)(?:\s+and\s+including|,?\s+(?:and\s+)?including)?(?:\s+midnight\s+on)?\s+(?:the\s+)?$|^\s*[-\u{2013}\u{2014}]\s*$",
        )
    });
    static BOUNDED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)(?:(?:^|[\t\n.;"])\s*(?:\(?[0-9a-z]{1,4}(?:\.[0-9]{1,2})?[.):]?\s*)?"?(?:initial\s+|lease\s+|contractual\s+|base\s+)?(?:terms?|lease\s+period|rental\s+period|duration)\b(?:\s+of\s+(?:the\s+)?(?:lease|tenancy|agreement))?"?[^.$\u{a3}\u{20ac};:]{0,40}:?[\s\t]*[^.$\u{a3}\u{20ac};]{0,60}|\b(?:(?:term|tenancy|letting)\b[^.$\u{a3}\u{20ac};]{0,90}?\b(?:from|runs?|begin\w*|commenc\w*)|(?:lease|agreement)\s+(?:shall\s+|will\s+)?(?:runs?|begins?|commences?|is\s+for\s+(?:the|a)\s+period))\s*(?:and\s+including)?)\s*(?:from\s+)?(?:and\s+including\s+)?(?:the\s+)?$"#,
        )
    });
    // A range of something else, or a date that is changed from one to another.
    static NOT_OF_TERM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:chang|extend|amend|expir|replac|modif|rent|pay|instal|tax|insur|option|renew|review|(?:lease|fiscal|tax|each|every|per)\s+year|abat|work|construct)",
        )
    });
    let text = reading.text;
    let between = |first: &FoundDate, second: &FoundDate| {
        second.date > first.date && TO.is_match(text.slice(&(first.range.end..second.range.start)))
    };
    let date = found.get(index)?;
    let (first, is_first) = match found.get(index + 1).filter(|next| between(date, next)) {
        Some(_) => (date, true),
        None => (
            index
                .checked_sub(1)
                .and_then(|before| found.get(before))
                .filter(|before| between(before, date))?,
            false,
        ),
    };
    let floor = floor_boundary(text.lined(), first.range.start.saturating_sub(CUE_REACH_BYTES));
    let before = text.lined().get(floor..first.range.start)?;
    let cue = BOUNDED.find(before)?;
    let sentence = text.sentence_around(&first.range, CUE_REACH_BYTES);
    // A label stands for itself; of running text the whole sentence up to the range counts.
    let is_labelled = floor + cue.start() == 0 || cue.as_str().starts_with(['\n', '\t']);
    let led_up = if is_labelled { cue.as_str() } else { text.slice(&(sentence.start..first.range.start)) };
    if NOT_OF_TERM.is_match(cue.as_str()) || NOT_OF_TERM.is_match(led_up) {
        return None;
    }
    // The nearest label or verb before the range is its own; a money figure or another date between would be another's.
    if found
        .iter()
        .any(|other| other.range.start >= floor + cue.start() && other.range.end <= first.range.start)
    {
        return None;
    }
    let start = floor + cue.start() + (cue.as_str().len() - cue.as_str().trim_start().len());
    Some(if is_first { RangePart::From(start) } else { RangePart::To(start) })
}

fn propose_for(
    reading: &Reading<'_>,
    kind: DocumentKind,
    found: &[FoundDate],
    index: usize,
    term: &mut Term,
) {
    let Some(date) = found.get(index) else { return };
    let previous_end =
        index.checked_sub(1).and_then(|before| found.get(before)).map_or(0, |before| before.range.end);
    let text = reading.text;
    let floor = date.range.start.saturating_sub(CUE_REACH_BYTES).max(previous_end);
    // Marks of emphasis are no words.
    let before = text.slice(&(floor..date.range.start)).trim_end_matches(['*', '_']);
    let label = label_before(reading, floor, date.range.start);
    let behind = text.after(date.range.end, CUE_REACH_BYTES);
    let sentence_range = text.sentence_around(&date.range, SENTENCE_REACH_BYTES);
    let sentence_range = within_cell(reading, &date.range, sentence_range);
    let sentence = text.slice(&sentence_range);
    let mut push = |list: fn(&mut Term) -> &mut Vec<Candidate<Date>>, rule: rules::Rule, start: usize| {
        let end = (date.range.end + 60).min(sentence_range.end).max(date.range.end);
        let mut candidate = rule.says(date.date, start..end);
        // What makes the start depend on an event stands before the words of the end: "starts on the later of ... and
        // ends on June 29, 2024".
        let of_end = [rules::TERM_ENDS_ON, rules::TERM_TO].contains(&rule);
        let conditional = if of_end {
            IF.is_match(sentence) || is_conditional(text.slice(&(start..sentence_range.end)))
        } else {
            is_conditional(sentence)
        };
        if conditional {
            candidate = candidate.capped(CONDITIONAL_LIMIT);
        }
        let heading = reading.heading_at(date.range.start);
        let elsewhere = is_other_section(heading, kind);
        let told = kind == DocumentKind::Amendment && reading.is_in_recitals(date.range.start);
        if told
            || elsewhere
            || speaks_of_another_period(text.slice(&(sentence_range.start..date.range.end)), kind)
        {
            candidate = candidate.capped(OTHER_PERIOD_LIMIT);
        }
        if date.ambiguous {
            candidate = candidate.capped(AMBIGUOUS_LIMIT);
        }
        list(term).push(candidate);
    };
    let start_at = |cue: &str| date.range.start - cue.len().min(date.range.start);

    // Named and defined dates need no further context; a verb needs the word "term" in its sentence, and no money.
    for (pattern, behind_date) in [(&START_NAMED, false), (&START_BEHIND, true)] {
        let Some(captures) = pattern.captures(if behind_date { behind } else { &label }) else { continue };
        let qualifier = captures.name("kind").map_or("", |kind| kind.as_str()).trim().to_lowercase();
        let start = if behind_date {
            date.range.start
        } else {
            start_at(captures.get(0).map_or("", |cue| cue.as_str()))
        };
        match commencement_of(&qualifier) {
            Commencement::Term => push(
                |term| &mut term.start,
                if behind_date { rules::DEFINED_START } else { rules::NAMED_START },
                start,
            ),
            Commencement::Rent => {
                push(|term| &mut term.rent_commencement, rules::NAMED_RENT_COMMENCEMENT, start);
            }
            Commencement::Other => {}
        }
    }
    for (pattern, behind_date) in [(&END_NAMED, false), (&END_BEHIND, true)] {
        let Some(captures) = pattern.captures(if behind_date { behind } else { &label }) else { continue };
        let qualifier = captures.name("kind").map_or("", |kind| kind.as_str()).trim().to_lowercase();
        if commencement_of(&qualifier) == Commencement::Term {
            let start = if behind_date {
                date.range.start
            } else {
                start_at(captures.get(0).map_or("", |cue| cue.as_str()))
            };
            push(
                |term| &mut term.end,
                if behind_date { rules::DEFINED_END } else { rules::NAMED_END },
                start,
            );
        }
    }
    match part_of_range(reading, found, index) {
        Some(RangePart::From(start)) => push(|term| &mut term.start, rules::TERM_FROM, start),
        Some(RangePart::To(start)) => push(|term| &mut term.end, rules::TERM_TO, start),
        None => {}
    }
    let of_the_term = (TERM_WORD.is_match(sentence) || LETTING_STARTS.is_match(sentence))
        && money::find(text.slice(&clause_around(text, &date.range, &sentence_range)), None).is_empty();
    let up_to = |cue: usize| text.slice(&(sentence_range.start..floor.max(previous_end) + cue));
    if let Some(cue) = START_BEFORE.find(before)
        && of_the_term
        && is_about_the_term(up_to(cue.start()))
    {
        push(|term| &mut term.start, rules::TERM_STARTS_ON, start_at(cue.as_str()));
    }
    if let Some(cue) = END_BEFORE.find(before)
        && of_the_term
        && is_about_the_term(up_to(cue.start()))
    {
        push(|term| &mut term.end, rules::TERM_ENDS_ON, start_at(&before[cue.start()..]));
    }
}

/// What stands before a date, in which only a tab parts cells. In a field on a line of its own nothing before
/// that line counts; in running text a line's end is a space.
fn label_before(reading: &Reading<'_>, floor: usize, end: usize) -> String {
    let lined = reading.text.lined();
    let line = reading.text.line_at(end);
    let content = lined.get(line.clone()).unwrap_or_default();
    let floor = if is_field(content) { floor.max(line.start) } else { floor };
    let floor = floor_boundary(lined, floor);
    lined.get(floor..end).unwrap_or_default().replace('\n', " ")
}

/// Whether a line is a labelled field or a row of a table.
fn is_field(line: &str) -> bool {
    line.contains('\t') || (line.len() < 100 && line.contains(':'))
}

/// The part of a sentence between semicolons in which a date stands.
fn clause_around(text: &SourceText, date: &Range<usize>, sentence: &Range<usize>) -> Range<usize> {
    let before = text.slice(&(sentence.start..date.start));
    let behind = text.slice(&(date.end..sentence.end));
    let start = before.rfind(';').map_or(sentence.start, |at| sentence.start + at + 1);
    let end = behind.find(';').map_or(sentence.end, |at| date.end + at);
    start..end
}

/// Cuts a sentence to the line of a labelled field or the row of a table: what the next field says is another matter.
fn within_cell(reading: &Reading<'_>, date: &Range<usize>, sentence: Range<usize>) -> Range<usize> {
    let line = reading.text.line_at(date.start);
    let text = reading.text.lined().get(line.clone()).unwrap_or_default();
    if is_field(text) {
        return sentence.start.max(line.start)..sentence.end.min(line.end);
    }
    // A date alone on its line is the value of the label on the line before; a remark in parentheses may follow.
    if text.len() <= date.len() + DATE_LINE_SLACK_BYTES {
        let label = reading.text.line_at(line.start.saturating_sub(1));
        let next = reading.text.line_at(line.end + 1);
        let remark =
            reading.text.lined().get(next.clone()).is_some_and(|next| next.trim_start().starts_with('('));
        let end = if remark { next.end } else { line.end };
        return sentence.start.max(label.start)..sentence.end.min(end);
    }
    sentence
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commencement {
    Term,
    Rent,
    Other,
}

/// Whose commencement it is, by the words before "Commencement Date".
fn commencement_of(qualifier: &str) -> Commencement {
    let words: Vec<&str> = qualifier.split_whitespace().collect();
    let last = words.last().copied().unwrap_or_default();
    match last {
        "rent" | "rental" => Commencement::Rent,
        "" | "lease" | "term" | "the" | "initial" | "sublease" | "and" | "as" | "its" | "a" | "be"
        | "called" => Commencement::Term,
        "extension" | "extended" if words.len() <= 3 => Commencement::Term,
        _ => Commencement::Other,
    }
}

/// Whether a sentence makes its date depend on an event. "Unless sooner terminated" and the like end a
/// term early for cause; they leave the dates as they are.
fn is_conditional(sentence: &str) -> bool {
    CONDITION.is_match(sentence)
}

/// Whether what leads up to a date speaks of another period than the term. What follows the date may well name
/// other papers ("unless terminated under the Master Lease").
fn speaks_of_another_period(up_to_date: &str, kind: DocumentKind) -> bool {
    static DEFINED_ORIGINAL: LazyLock<Regex> =
        LazyLock::new(|| expression(r#"(?i)\(\s*(?:the\s+)?"original\s+(?:lease\s+)?term"\s*\)"#));
    // An amendment that tells what the lease says: "the Lease expires on", "under the Lease".
    static TOLD: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bunder\s+the\s+(?:\w+\s+)?lease\b|\bthe\s+(?:\w+\s+)?lease\s+(?:expires|ends|commenced|began)\b|\bterm\s+of\s+the\s+(?:\w+\s+)?lease\s+(?:expires|ends|commenced|began)\b|\bwould\s+expire\b",
        )
    });
    if kind == DocumentKind::Amendment && TOLD.is_match(up_to_date) {
        return true;
    }
    // A definition of the term that is granted is no other term.
    let up_to_date = DEFINED_ORIGINAL.replace_all(up_to_date, "");
    let Some(found) = OTHER_PERIOD.find(&up_to_date) else { return false };
    // An amendment that extends "the current term" speaks of the term that it grants behind the word "extended".
    let extends = kind == DocumentKind::Amendment
        && up_to_date[found.end().min(up_to_date.len())..].to_lowercase().contains("extended");
    !extends
}

/// A start and an end in one breath support each other.
fn confirm_pairs(term: &mut Term) {
    for start in &mut term.start {
        for end in &mut term.end {
            let near = end.range.start >= start.range.start && end.range.start - start.range.start < 260;
            let both_plain =
                start.confidence > Confidence::percent(80) && end.confidence > Confidence::percent(80);
            if near && both_plain && end.value > start.value {
                start.confidence = start.confidence.max(rules::START_AND_END_TOGETHER.confidence());
                end.confidence = end.confidence.max(rules::START_AND_END_TOGETHER.confidence());
            }
        }
    }
}

/// Lengths of terms: "a term of ninety-one (91) months". Words and figures must agree.
fn lengths(reading: &Reading<'_>, kind: DocumentKind) -> Vec<Candidate<u32>> {
    MONTHS
        .captures_iter(reading.flow())
        .filter_map(|captures| {
            let range = captures.get(0)?.range();
            let number: u32 = captures.name("digits")?.as_str().parse().ok()?;
            if let Some(words) = captures.name("words") {
                let words = words.as_str().to_lowercase();
                let words: Vec<&str> = words.split([' ', '-']).filter(|word| *word != "and").collect();
                if money::words_number(&words).is_some_and(|spelled| spelled != u64::from(number)) {
                    return None;
                }
            }
            let behind = captures.name("behind").map_or("", |behind| behind.as_str()).to_lowercase();
            let in_years = captures.name("unit")?.as_str().to_lowercase().starts_with("year");
            let further = FURTHER_MONTHS
                .captures(&behind)
                .and_then(|further| further.name("digits")?.as_str().parse::<u32>().ok());
            let months = match (in_years, further) {
                (true, Some(further)) => number.checked_mul(12)?.checked_add(further)?,
                // "Five years and ten days" is not five years.
                _ if behind.trim_start().starts_with("and ") || behind.trim_start().starts_with(", plus") => {
                    return None;
                }
                (true, None) => number.checked_mul(12)?,
                (false, _) => number,
            };
            if months == 0 || months > TERM_MAX_MONTHS {
                return None;
            }
            let around = reading.text.sentence_around(&range, SENTENCE_REACH_BYTES);
            let sentence = reading.text.slice(&around);
            let heading = reading.heading_at(range.start);
            let elsewhere = is_other_section(heading, kind)
                || OTHER_PERIOD.is_match(reading.text.slice(&(around.start..range.end)));
            let plain = TERM_WORD.is_match(sentence) && !elsewhere && !behind.contains("each");
            let candidate = rules::LENGTH_OF_TERM.says(months, range);
            Some(if plain { candidate } else { candidate.capped(UNCLEAR_LENGTH_LIMIT) })
        })
        .collect()
}

/// A definition whose sentence, or the one before it, makes it depend on an event.
fn conditional_definition(
    reading: &Reading<'_>,
    defined: &Regex,
    found: &[FoundDate],
) -> Option<Range<usize>> {
    let text = reading.text;
    let lined = text.lined().get(..reading.scope.end)?;
    defined.find_iter(lined).find_map(|definition| {
        let range = definition.range();
        let sentence = text.sentence_around(&range, SENTENCE_REACH_BYTES);
        let sentence = within_cell(reading, &range, sentence);
        let first_behind = found.partition_point(|date| date.range.start < sentence.start);
        let has_date = found.get(first_behind).is_some_and(|date| date.range.end <= sentence.end);
        let start = if has_date {
            sentence.start
        } else {
            sentence.start.min(range.start.saturating_sub(DEFINITION_REACH_BYTES))
        };
        let whole = start..sentence.end;
        // Other uses of the words in quotation marks, such as a list of defined terms, have no condition.
        CONDITION.is_match(text.slice(&whole)).then_some(whole)
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::extract::tests::reading_of;

    fn sure(candidates: &[Candidate<Date>]) -> Option<Date> {
        candidates
            .iter()
            .filter(|candidate| candidate.confidence >= Confidence::percent(85))
            .max_by_key(|candidate| candidate.confidence)
            .map(|candidate| candidate.value)
    }

    #[test]
    fn starts_and_ends_are_read_where_they_are_certain() {
        let may = Some(date(2020, 5, 1));
        let april = Some(date(2025, 4, 30));
        let rows: &[(&str, Option<Date>, Option<Date>)] = &[
            (
                "The term of this Lease shall commence on May 1, 2020 and shall expire on April 30, 2025.",
                may,
                april,
            ),
            (
                "for a term commencing on May 1, 2020, and ending on April 30, 2025, unless sooner terminated.",
                may,
                april,
            ),
            (
                "The term begins on the 1st day of May, 2020 and ends at midnight on the 30th day of April, 2025.",
                may,
                april,
            ),
            ("Commencement Date: May 1, 2020\nExpiration Date: April 30, 2025", may, april),
            ("Lease Commencement Date\tMay 1, 2020\nLease Expiration Date\tApril 30, 2025", may, april),
            ("The \"Commencement Date\" shall be May 1, 2020.", may, None),
            (
                "May 1, 2020 (the \"Commencement Date\") and April 30, 2025 (the \"Expiration Date\")",
                may,
                april,
            ),
            ("The Term is extended through April 30, 2025.", None, april),
            (
                "Base Year for Taxes is the period commencing on May 1, 2020 and ending on April 30, 2025.",
                None,
                None,
            ),
            ("The term of the insurance policy commences on May 1, 2020.", None, None),
            ("The term of the Master Lease ends on April 30, 2025.", None, None),
            (
                "The term of this Sublease shall end on April 30, 2025, unless terminated under the Master Lease.",
                None,
                april,
            ),
            ("Tenant may renew for a term commencing on May 1, 2020.", None, None),
            ("Target Commencement Date: May 1, 2020", None, None),
            (
                "The lease shall start on 1 May 2020 (the \"Commencement Date\"), for an initial period of 5 years (to expire on 30 April 2025).",
                may,
                april,
            ),
            ("Rent Commencement Date: May 1, 2020", None, None),
            ("During the term, for the lease year commencing on May 1, 2020, tenant reports.", None, None),
            ("For the second year of the term commencing on May 1, 2020 there is a review.", None, None),
            ("In the term, payments begin on May 1, 2020 and end on April 30, 2025.", None, None),
            (
                "The term of the lease is for five years, commencing on May 1, 2020, and ending April 30, 2025.",
                may,
                april,
            ),
            ("Area: 5 square feet\nCommencement Date:\tMay 1, 2020", may, None),
            ("the date of May 1, 2020 is the Rent\nCommencement Date is May 1, 2020", None, None),
            (
                "9. Option. Tenant may extend. The extended term commences on May 1, 2020 and ends on April 30, 2025.",
                None,
                None,
            ),
            (
                "Tenant may extend the term for a period commencing on May 1, 2020 and ending on April 30, 2025.",
                None,
                None,
            ),
            (
                "The \"Commencement Date\" shall be the later of May 1, 2020 and delivery of possession.",
                None,
                None,
            ),
            ("The term shall commence on or about May 1, 2020.", None, None),
            ("The parties met on May 1, 2020.", None, None),
            ("Commencement Date:\nMay 1, 2020\nEstimated Charges:\n$900.00", may, None),
            ("Commencement Date:\nMay 1, 2020\n(subject to adjustment under Section 2)", None, None),
            (
                "The term shall be effective as of May 1, 2020 (the \"Commencement Date\") and shall terminate at 12:00 o'clock midnight, local time, on the 30th day of April 2025.",
                may,
                april,
            ),
            (
                "The term starts on the later of May 1, 2020 and the day of consent and ends on April 30, 2025.",
                None,
                april,
            ),
            (
                "If the Commencement Date were May 1, 2020, the term would expire on April 30, 2025.",
                None,
                None,
            ),
            (
                "for the term of five (5) years, commencing on the first day of May, 2020 (May 1, 2020) and ending at noon on the thirtieth day of April, 2025; PAYING a rent of $5,000.00",
                may,
                april,
            ),
            (
                "1.3 Term: five (5) years (\"Original Term\") commencing May 1, 2020 (\"Commencement Date\") and ending April 30, 2025 (\"Expiration Date\").",
                may,
                april,
            ),
            (
                "The Lease commencement date shall be May 1, 2020 and the Lease expiration shall be April 30, 2025.",
                may,
                april,
            ),
            ("5\tTerm\tFive (5) years from 1 May 2020 to 30 April 2025", may, april),
            ("Term: May 1, 2020 - April 30, 2025", may, april),
            ("Lease Term\tMay 1, 2020 through April 30, 2025", may, april),
            ("The letting runs from 1 May 2020 to 30 April 2025, both days included.", may, april),
            ("a term from and including 1 May 2020 to and including 30 April 2025", may, april),
            ("The agreement starts on May 1, 2020 and ends on April 30, 2025.", may, april),
            ("This tenancy begins on May 1, 2020 and ends on April 30, 2025.", may, april),
            (
                "a term of 5 years beginning on, and including, 1 May 2020 and ending on, and including, 30 April 2025",
                may,
                april,
            ),
            (
                "3. Duration, extension and termination\nThis agreement is entered into for a period of 5 years, commencing on 1 May 2020 and continuing up to and including 30 April 2025.",
                may,
                april,
            ),
            ("The term ends on April 30, 2025, as the same may be extended under Section 2.", None, april),
            ("(a) Commencement Date: May 1, 2020\n(b) Expiry of Term: April 30, 2025", may, april),
            ("The Lease Expiration Date is changed from May 1, 2020 to April 30, 2025.", None, None),
            (
                "The first rent is due on the date of this lease for the period from May 1, 2020 to April 30, 2025.",
                None,
                None,
            ),
            ("Taxes for the period from May 1, 2020 to April 30, 2025 are paid.", None, None),
            ("the lease is void. Rent from May 1, 2020 to April 30, 2025 is $5.", None, None),
        ];
        for (text, start, end) in rows {
            let term = reading_of(text, |reading| propose(reading, DocumentKind::Lease));
            assert_eq!(sure(&term.start), *start, "start of {text}");
            assert_eq!(sure(&term.end), *end, "end of {text}");
        }
    }

    #[test]
    fn an_amendment_tells_of_the_old_term() {
        let rows = [
            ("Under the Lease the term ends on April 30, 2020.", None),
            ("The parties know that the Lease expires on April 30, 2020.", None),
            (
                "The term of the Lease is extended and shall expire on April 30, 2020.",
                Some(date(2020, 4, 30)),
            ),
        ];
        for (text, expected) in rows {
            let term = reading_of(text, |reading| propose(reading, DocumentKind::Amendment));
            assert_eq!(sure(&term.end), expected, "{text}");
        }
    }

    #[test]
    fn a_condition_in_the_definition_is_noticed() {
        let rows = [
            ("\"Commencement Date\" means the earlier of (i) opening and (ii) June 1, 2020.", true),
            ("The term shall commence on the date Landlord delivers the Premises.", true),
            ("The term shall run from the closing. This is the \"Commencement Date.\"", true),
            ("The \"Commencement Date\" shall be May 1, 2020.", false),
            (
                "It commences May 1, 2020. If possession is late, the Commencement Date shall be the date of delivery.",
                true,
            ),
            ("It commences May 1, 2020. The Commencement Date may be postponed by Landlord.", true),
            (
                "commencing on May 1, 2020 (\"commencement date\") and ending on April 30, 2025, as may be extended",
                false,
            ),
            (
                "A building of approximately 5,000 square feet, let from May 1, 2020 (the \"Commencement Date\").",
                false,
            ),
            ("The \"Commencement Date\" shall be approximately May 1, 2020.", true),
            ("The Expansion Space Commencement Date shall be the date of delivery.", false),
            ("Defined terms: \"Commencement Date\" page 3", false),
            ("Commencement Date:\tSubstantial Completion of the Work", true),
            ("Commencement Date:\tMay 1, 2020\nTarget of the work:\tJune 1, 2020", false),
        ];
        for (text, expected) in rows {
            let term = reading_of(text, |reading| propose(reading, DocumentKind::Lease));
            assert_eq!(term.conditional_start.is_some(), expected, "{text}");
        }
    }

    #[test]
    fn lengths_are_read_where_words_and_figures_agree() {
        let rows = [
            ("for a term of ninety-one (91) months", Some(91)),
            ("a term of five (5) years", Some(60)),
            ("The Term shall be for a period of 36 months", Some(36)),
            ("a term of five (6) years", None),
            ("a term of five (5) years and two (2) months", Some(62)),
            ("Term: seven (7) years, seven (7) months", Some(91)),
            ("a term of five (5) years and ten (10) days", None),
            ("Lease Term: 60 months", Some(60)),
            ("a renewal term of five (5) years", None),
            ("a term of ten (10) days", None),
        ];
        for (text, expected) in rows {
            let months = reading_of(text, |reading| propose(reading, DocumentKind::Lease)).months;
            let best = months
                .iter()
                .filter(|candidate| candidate.confidence >= Confidence::percent(85))
                .map(|candidate| candidate.value)
                .next();
            assert_eq!(best, expected, "{text}");
        }
    }
}
