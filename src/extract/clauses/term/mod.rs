//! When the term starts and ends: stated ranges, defined dates, labelled dates, and lengths of terms.

use crate::extract::clauses::{CANDIDATES_MAX_COUNT, Candidate, Reading, rules};
use crate::extract::dates::{self, FoundDate};
use crate::extract::money;
use crate::extract::text::{SourceText, floor_boundary};
use crate::lease::DocumentKind;
use crate::posting::Confidence;
use jiff::civil::Date;
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

mod cues;
mod range;

use cues::{
    ADDED_PAPER, BARE_END_BELOW, BARE_START_ABOVE, BEFORE_FIGURES, CONDITION, DATE_WHEN_TERM, DEFINED_END,
    DEFINED_START, END_BEFORE, END_BEHIND, END_NAMED, EXTENSION_SECTION, FIELD_END, FIELD_START,
    FURTHER_MONTHS, FURTHER_TERM, IF, IT_RUNS, LETS_FOR, LETTING_STARTS, MONTHS, NOT_OF_LETTING, OR_ELSE,
    OTHER_PERIOD, OTHER_SECTION, PERIOD_FIELD, PLAINLY_ENDS, PLAINLY_STARTS, RUN_IN_TERM, SECOND_OF_TWO,
    SHIFTED, SHIFTED_BEHIND, START_BEFORE, START_BEHIND, START_MAY_MOVE, START_NAMED, STARTS_WITHOUT_DATE,
    SUBJECT, TERM_DIRECTLY, TERM_FIELD, TERM_MAY_MOVE, TERM_SECTION, TERM_WORD, UNTIL, WORDED_MONTHS,
    expression,
};
use range::{RangePart, part_of_range};

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

/// How far before a length the word that makes its term a further one stands, in bytes.
const FURTHER_REACH_BYTES: usize = 16;

/// How many lines below the label of the term its first and last day may stand.
const FIELDS_BELOW_TERM_MAX_COUNT: usize = 3;

/// How far behind a heading its first sentence begins at the most, in bytes: a full stop, a space, a dash.
const HEADING_SLACK_BYTES: usize = 4;

/// How far before the start of a sentence the one before it surely is, in bytes: its full stop and a space.
const BREAK_BETWEEN_SENTENCES_BYTES: usize = 2;

/// Longest line that can be the heading of the fields below it, in bytes.
const HEADING_MAX_BYTES: usize = 60;

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

/// Whether the verb that ends `up_to_cue` speaks of the term or the lease itself.
fn is_about_the_term(up_to_cue: &str) -> bool {
    SUBJECT.captures_iter(up_to_cue).last().is_some_and(|subject| subject.name("term").is_some())
}

fn is_other_section(heading: &str, kind: DocumentKind) -> bool {
    let other = OTHER_SECTION.is_match(heading)
        || (kind != DocumentKind::Amendment && EXTENSION_SECTION.is_match(heading));
    other && !TERM_SECTION.is_match(heading)
}

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
    weigh_added_paper(reading, kind, &found, &mut term);
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
    if term.conditional_start.is_none() {
        term.conditional_start = TERM_MAY_MOVE.find_iter(flow).map(|found| found.range()).find(|range| {
            let speaks_of_commencement = reading
                .text
                .slice(range)
                .get(..12)
                .is_some_and(|word| word.eq_ignore_ascii_case("commencement"));
            is_of_the_term(reading, range)
                && !(speaks_of_commencement && names_other_commencement(reading.text.before(range.start, 24)))
        });
    }
    term.conditional_end = conditional_definition(reading, &DEFINED_END, &found);
    term
}

/// A paper behind the lease that says of another day that it starts or ends makes the lease's own one doubtful.
fn weigh_added_paper(reading: &Reading<'_>, kind: DocumentKind, found: &[FoundDate], term: &mut Term) {
    let Some(paper) = reading.text.lined().get(..reading.scope.end).and_then(|text| ADDED_PAPER.find(text))
    else {
        return;
    };
    let behind = found.partition_point(|date| date.range.start < paper.end());
    for date in found.iter().skip(behind) {
        let sentence = reading.text.sentence_around(&date.range, SENTENCE_REACH_BYTES);
        let before = reading.text.slice(&(sentence.start..date.range.start));
        if speaks_of_another_period(before, kind) {
            continue;
        }
        for (list, verb) in [(&mut term.start, &PLAINLY_STARTS), (&mut term.end, &PLAINLY_ENDS)] {
            if !verb.is_match(before) || list.iter().any(|own| own.value == date.date) {
                continue;
            }
            for own in list.iter_mut().filter(|own| own.range.end <= paper.start()) {
                own.confidence = own.confidence.min(AMBIGUOUS_LIMIT);
            }
        }
    }
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
    let before = BEFORE_FIGURES.find(before).map_or(before, |found| &before[..found.start()]);
    let mut label = label_before(reading, floor, date.range.start);
    label.truncate(BEFORE_FIGURES.find(&label).map_or(label.len(), |found| found.start()));
    let behind = text.after(date.range.end, CUE_REACH_BYTES);
    let sentence_range = text.sentence_around(&date.range, SENTENCE_REACH_BYTES);
    let sentence_range = within_cell(reading, &date.range, sentence_range);
    let sentence_range = with_subject(text, sentence_range);
    let sentence = text.slice(&sentence_range);
    let follows_a_date = previous_end > 0 && floor == previous_end;
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
        let is_start = [rules::TERM_STARTS_ON, rules::TERM_FROM, rules::DEFINED_START, rules::NAMED_START]
            .contains(&rule);
        // "From May 1, 2020 until May 1, 2025": whether the last day counts may be told in two ways.
        let may_be_left_out = !is_start && date.date.day() == 1 && UNTIL.is_match(before);
        if conditional
            || may_be_left_out
            || is_shifted(before)
            || (follows_a_date && SECOND_OF_TWO.is_match(before))
            || SHIFTED_BEHIND.is_match(behind)
            || (is_start && OR_ELSE.is_match(behind))
        {
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
    match field_of_the_term(reading, &date.range, previous_end) {
        Some((FieldOfTerm::Start, start)) => push(|term| &mut term.start, rules::FIELD_START, start),
        Some((FieldOfTerm::End, start)) => push(|term| &mut term.end, rules::FIELD_END, start),
        None => {}
    }
    let no_money =
        money::find(text.slice(&clause_around(text, &date.range, &sentence_range)), None).is_empty();
    let line = text.line_at(date.range.start);
    let is_period_field = text.lined().get(line).is_some_and(|line| PERIOD_FIELD.is_match(line));
    let names_the_term = TERM_WORD.is_match(sentence)
        || LETTING_STARTS.is_match(sentence)
        || is_period_field
        || LETS_FOR.is_match(sentence) && !NOT_OF_LETTING.is_match(sentence);
    let opens_term_section = opens_section_of_the_term(reading, sentence_range.start);
    let of_the_term = |cue: usize| {
        let up_to = text.slice(&(sentence_range.start..floor.max(previous_end) + cue));
        let is_its_verb = names_the_term && (is_about_the_term(up_to) || is_period_field)
            || opens_term_section && (SUBJECT.find(up_to).is_none() || is_about_the_term(up_to));
        is_its_verb && (no_money || TERM_DIRECTLY.is_match(up_to))
    };
    if let Some(cue) = START_BEFORE.find(before)
        && of_the_term(cue.start())
    {
        push(|term| &mut term.start, rules::TERM_STARTS_ON, floor + cue.start());
    }
    if let Some(cue) = END_BEFORE.find(before)
        && of_the_term(cue.start())
    {
        push(|term| &mut term.end, rules::TERM_ENDS_ON, floor + cue.start());
    }
}

/// Which end of the term a field gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldOfTerm {
    Start,
    End,
}

/// Whether a date is the value of a field of the term, with where the field starts. A label that says of what it is the
/// beginning counts by itself, and any other only below the label of the term.
fn field_of_the_term(
    reading: &Reading<'_>,
    date: &Range<usize>,
    previous_end: usize,
) -> Option<(FieldOfTerm, usize)> {
    let lined = reading.text.lined();
    let line = reading.text.line_at(date.start);
    let is_alone = lined.get(line.start..date.start)?.trim().is_empty();
    let start = if is_alone { reading.text.line_at(line.start.saturating_sub(1)).start } else { line.start };
    if start < previous_end {
        return None;
    }
    let label = lined.get(start..date.start)?;
    // What goes on behind the date may make it another: "November 30, 2024, or, if the option is taken up, ...".
    let behind = lined.get(date.end..line.end)?.trim_start();
    if !(behind.is_empty() || behind.starts_with(['(', '\t', '.', ';'])) {
        return None;
    }
    let (found, part) = FIELD_START
        .captures(label)
        .map(|found| (found, FieldOfTerm::Start))
        .or_else(|| FIELD_END.captures(label).map(|found| (found, FieldOfTerm::End)))?;
    let mut above = start;
    let below_term = (0..FIELDS_BELOW_TERM_MAX_COUNT).any(|_| {
        let upper = reading.text.line_at(above.saturating_sub(1));
        above = upper.start;
        lined.get(upper).is_some_and(|upper| TERM_FIELD.is_match(upper))
    });
    let says_of_what = found.name("term").is_some() || found.name("from").is_some();
    let counts = says_of_what || below_term || is_of_a_bare_pair(reading, part, start, date, previous_end);
    counts.then_some((part, start))
}

/// Whether a bare label stands next to its counterpart, so that the two bound the agreement: "Begins" with its date over
/// "Ends" with its own. Words of another period in the line above make the pair that of another matter.
fn is_of_a_bare_pair(
    reading: &Reading<'_>,
    part: FieldOfTerm,
    label_start: usize,
    date: &Range<usize>,
    previous_end: usize,
) -> bool {
    let lined = reading.text.lined();
    let first = match part {
        FieldOfTerm::Start => {
            let below = lined.get(date.end..reading.scope.end.min(lined.len())).unwrap_or_default();
            if !BARE_END_BELOW.is_match(below) {
                return false;
            }
            label_start
        }
        FieldOfTerm::End => {
            let between = lined.get(previous_end..label_start);
            let Some(between) = between else { return false };
            if previous_end == 0 || between.chars().any(char::is_alphanumeric) {
                return false;
            }
            let line = reading.text.line_at(previous_end.saturating_sub(1));
            let above = reading.text.line_at(line.start.saturating_sub(1));
            // The label stands on the line of its date, or on a line of its own above it.
            let starts = [line.start, above.start];
            let Some(start) = starts.into_iter().find(|start| {
                lined.get(*start..previous_end).is_some_and(|field| BARE_START_ABOVE.is_match(field))
            }) else {
                return false;
            };
            start
        }
    };
    let above = reading.text.line_at(first.saturating_sub(1));
    let above = lined.get(above.start..first).unwrap_or_default().trim();
    // A short line without a full stop or a value is the heading of what begins and ends below it.
    let is_heading = !above.is_empty()
        && above.len() < HEADING_MAX_BYTES
        && !above.ends_with('.')
        && !above.contains(['\t', ':'])
        && !above.contains(|c: char| c.is_ascii_digit());
    if is_heading || !above.ends_with('.') && NOT_OF_LETTING.is_match(above) {
        return false;
    }
    !OTHER_PERIOD.is_match(above)
        && !OTHER_SECTION.is_match(&above.to_lowercase())
        && !PAID_FOR.is_match(above)
}

/// Words of what has days of its own beside the term.
static PAID_FOR: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:rent\s+free|free|works?|build|opening|hours|season|guarant\w*|extension|discount)\b",
    )
});

/// Whether a sentence is the first behind the heading of the term: "2. Term. Twenty years, commencing ...".
fn opens_section_of_the_term(reading: &Reading<'_>, sentence_start: usize) -> bool {
    let heading = reading.heading_at(sentence_start);
    let section = reading.section_at(sentence_start);
    let line = reading.text.line_at(sentence_start);
    let up_to = reading.text.lined().get(line.start..sentence_start).unwrap_or_default();
    if RUN_IN_TERM.is_match(up_to) {
        return true;
    }
    TERM_SECTION.is_match(heading) && sentence_start <= section.start + heading.len() + HEADING_SLACK_BYTES
}

/// A sentence that begins with "It begins" together with the one before, which says what begins.
fn with_subject(text: &SourceText, sentence: Range<usize>) -> Range<usize> {
    let before_it = sentence.start.saturating_sub(BREAK_BETWEEN_SENTENCES_BYTES);
    if before_it == 0 || !IT_RUNS.is_match(text.slice(&sentence)) {
        return sentence;
    }
    let before = text.sentence_around(&(before_it..before_it), SENTENCE_REACH_BYTES);
    before.start.min(sentence.start)..sentence.end
}

/// Whether the words directly before a date shift it; "from and after" it does not.
fn is_shifted(before: &str) -> bool {
    static FROM_IT_ON: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:from|on)\s+and\s+after\s+(?:the\s+)?$"));
    SHIFTED.is_match(before) && !FROM_IT_ON.is_match(before)
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
    // A colon before a digit is that of a time of day.
    let mut colons = line.match_indices(':').map(|(at, _)| &line[at + 1..]);
    line.contains('\t')
        || (line.len() < 100 && colons.any(|behind| !behind.starts_with(|c: char| c.is_ascii_digit())))
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
        let end = if has_remark(reading, line.end) { next_line(reading, line.end).end } else { line.end };
        return sentence.start.max(line.start)..sentence.end.min(end);
    }
    // A date alone on its line is the value of the label on the line before; a remark in parentheses may follow.
    if text.len() <= date.len() + DATE_LINE_SLACK_BYTES {
        let label = reading.text.line_at(line.start.saturating_sub(1));
        let next = next_line(reading, line.end);
        let remark =
            reading.text.lined().get(next.clone()).is_some_and(|next| next.trim_start().starts_with('('));
        let end = if remark { next.end } else { line.end };
        return sentence.start.max(label.start)..sentence.end.min(end);
    }
    sentence
}

fn next_line(reading: &Reading<'_>, line_end: usize) -> Range<usize> {
    reading.text.line_at(line_end + 1)
}

/// Whether the line below a field is a remark on it in parentheses, and not the next field under its letter: "(b)".
fn has_remark(reading: &Reading<'_>, line_end: usize) -> bool {
    static LETTER: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)^\s*\([0-9a-z]{1,4}\)"));
    let next = next_line(reading, line_end);
    let next = if next.start > line_end { reading.text.lined().get(next) } else { None };
    next.is_some_and(|next| next.trim_start().starts_with('(') && !LETTER.is_match(next))
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
    CONDITION.is_match(&DATE_WHEN_TERM.replace_all(sentence, ""))
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

/// Lengths of terms: "a term of ninety-one (91) months". Words and figures must agree. Words alone count where no
/// figures say the length.
fn lengths(reading: &Reading<'_>, kind: DocumentKind) -> Vec<Candidate<u32>> {
    let stated: Vec<_> = MONTHS
        .captures_iter(reading.flow())
        .filter_map(|captures| {
            let number: u32 = captures.name("digits")?.as_str().parse().ok()?;
            if let Some(words) = captures.name("words")
                && spelled(words.as_str()).is_some_and(|spelled| spelled != u64::from(number))
            {
                return None;
            }
            length(reading, kind, &captures, number)
        })
        .collect();
    if !stated.is_empty() {
        return stated;
    }
    WORDED_MONTHS
        .captures_iter(reading.flow())
        .filter_map(|captures| {
            let number = u32::try_from(spelled(captures.name("words")?.as_str())?).ok()?;
            length(reading, kind, &captures, number)
        })
        .collect()
}

fn spelled(words: &str) -> Option<u64> {
    let words = words.to_lowercase();
    let words: Vec<&str> =
        words.split(|c: char| c.is_whitespace() || c == '-').filter(|word| *word != "and").collect();
    money::words_number(&words)
}

/// The length that captured words give, with its number read.
fn length(
    reading: &Reading<'_>,
    kind: DocumentKind,
    captures: &Captures<'_>,
    number: u32,
) -> Option<Candidate<u32>> {
    let range = captures.get(0)?.range();
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
    let is_further = FURTHER_TERM.is_match(reading.text.before(range.start, FURTHER_REACH_BYTES));
    let plain = TERM_WORD.is_match(sentence) && !elsewhere && !is_further && !behind.contains("each");
    let candidate = rules::LENGTH_OF_TERM.says(months, range);
    Some(if plain { candidate } else { candidate.capped(UNCLEAR_LENGTH_LIMIT) })
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
mod tests;
