//! Days, lengths and notes beside the term that the term does not explain.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::{ELSEWHERE, IF, Known, OF_THE_MASTER, STEPS, is_label, sentence, unit};
use crate::extract::around::line_of;
use crate::extract::clauses::Reading;
use crate::extract::text::floor_boundary;
use crate::extract::{dates, expression, money};
use crate::lease::DocumentKind;

/// How far around a date the words that say what it is of may stand, in bytes.
const DATE_REACH_BYTES: usize = 90;
/// How far before a length the words that make it another's may stand, in bytes.
const NOTE_REACH_BYTES: usize = 40;
/// How far from the lease's first day a day of its own can be, in days.
const FAR_DAYS: i32 = 36_525;
/// Shortest length of a term that a sentence may state beside its dates, in months.
const LENGTH_MIN_MONTHS: u32 = 6;

/// A day beside words of the term that is none of the lease's own.
pub(super) fn other_date(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static OF_THE_TERM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:commenc\w*|term(?:s\s+ends?)?|expir\w*|beg[iau]n\w*|start(?:s|ed|ing)?|ends?|ended|ending|runs?|possession|occup(?:y|ied|ancy)|vacat\w*|surrender\w*|mov(?:e|ed|ing)(?:[\s-](?:in|out))?|month-to-month|terminat\w*)\b",
        )
    });
    static OF_ACCOUNTS: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:fiscal|tax|base|accounting|financial)\s+year\b"));
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
        .filter(|found| {
            !found.ambiguous && !is_known(found.date) && !reading.is_in_recitals(found.range.start)
        })
        .filter(|found| {
            // What is dated is a paper.
            static DATED: LazyLock<Regex> = LazyLock::new(|| {
                expression(r"(?i)\b(?:dated|date|signed|executed|made|sworn|acknowledged)\b[^.;\d]{0,40}$")
            });
            !DATED.is_match(reading.text.before(found.range.start, DATE_REACH_BYTES))
        })
        .filter(|found| first.is_none_or(|first| (found.date - first).get_days().abs() < FAR_DAYS))
        .map(|found| {
            let sentence = unit(reading, &found.range);
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
                && !OF_ACCOUNTS.is_match(words)
                && (known.kind != DocumentKind::Sublease || !OF_THE_MASTER.is_match(words))
                // The day from which the rent is paid in full is that of the rent, and not of the term.
                && !reading.amounts_in(sentence).iter().any(|amount| amount.amount == known.rent.value.rent.amount)
        })
        .map(|(_, sentence)| sentence)
}

/// A length of the term, told in the sentence of its dates, that is not the one between them.
pub(super) fn other_length(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static LENGTH: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?P<count>\d{1,3}|(?:[a-z]+-)??[a-z]+)[\s-]+(?:\(\d{1,3}\)\s+)?(?:(?:full|calendar|consecutive|lease)\s+)?(?P<unit>months?|years?)\b(?:(?:\s*,)?\s*(?:and|&)?\s*(?P<more>\d{1,2}|[a-z]+)\s+(?:\(\d{1,2}\)\s+)?(?:full\s+|calendar\s+)?months?\b)?[^.;]{0,30}",
        )
    });
    static OF_ANOTHER_TIME: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:options?|renew\w*|extend\w*|extension|further|additional|successive|notice|prior|before|after|first|last|remaining|following|next|final|balance|abat\w*|free|each|every|per|of\s+age|thereafter|lease\s+year|rent\b[^.;]{0,12}\bmonths?)\b",
        )
    });
    fn number(words: &str) -> Option<u32> {
        let words = words.to_lowercase();
        let spelled = || u32::try_from(money::words_number(&words.split('-').collect::<Vec<_>>())?).ok();
        words.parse().ok().or_else(spelled)
    }
    let [start, end] = known.term;
    let behind = end.value.tomorrow().ok()?;
    let between = behind.since((jiff::Unit::Month, start.value)).ok()?.get_months().unsigned_abs();
    static SAID_OF_IT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:this|the|its|said|whole|entire|full)\s+(?P<count>\d{1,2}|[a-z]+)(?:\s+\(\d{1,2}\))?[\s-]+(?P<unit>year|month)s?\s+(?:lease\s+)?(?:term|lease|tenancy)\b|\ball\s+(?P<all>\d{1,2}|[a-z]+)\s+years\b",
        )
    });
    let flow = reading.flow();
    let said = SAID_OF_IT.captures_iter(flow).find(|found| {
        let count =
            found.name("count").or_else(|| found.name("all")).and_then(|count| number(count.as_str()));
        let is_months = found.name("unit").is_some_and(|unit| unit.as_str().eq_ignore_ascii_case("month"));
        let months = count.and_then(|count| count.checked_mul(if is_months { 1 } else { 12 }));
        let whole = found.get(0).map_or(0..0, |whole| whole.range());
        let around = reading.text.slice(&self::sentence(reading, &whole));
        months.is_some_and(|months| months >= LENGTH_MIN_MONTHS && months.abs_diff(between) > 1)
            && !OF_ANOTHER_TIME.is_match(around)
    });
    if let Some(said) = said.and_then(|said| Some(said.get(0)?.range())) {
        return Some(self::sentence(reading, &said));
    }
    let sentence = sentence(reading, &end.range);
    if !(sentence.start <= start.range.start && start.range.end <= sentence.end) {
        return None;
    }
    let words = reading.text.slice(&sentence);
    LENGTH
        .captures_iter(words)
        .filter(|found| {
            let whole = found.get(0).map_or(0..0, |whole| whole.range());
            let from = floor_boundary(words, whole.start.saturating_sub(NOTE_REACH_BYTES));
            !OF_ANOTHER_TIME.is_match(&words[from..whole.end])
        })
        .filter_map(|found| {
            let more = found.name("more").and_then(|more| number(more.as_str())).unwrap_or(0);
            let count = number(&found["count"])?;
            count
                .checked_mul(if found["unit"].to_lowercase().starts_with('y') { 12 } else { 1 })?
                .checked_add(more)
        })
        .any(|months| months >= LENGTH_MIN_MONTHS && months.abs_diff(between) > 1)
        .then_some(sentence)
}

/// Days or figures that the paper itself calls targets, estimates or provisional, or that move with an event.
pub(super) fn tentative(reading: &Reading<'_>) -> Option<Range<usize>> {
    static TENTATIVE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)\b(?:dates?|days?|figures?|amounts?|terms?|rents?|numbers?)\b(?:\s+(?:above|below|stated|given|herein|here|in\s+this\s+\w+|of\s+this\s+\w+)){0,3}\s+(?:are|is|were|being)\s+(?:(?:only|merely|still|all|an?|the|as\s+yet)\s+){0,2}(?:targets?|tentative|estimates?|estimated|provisional|indicative|approximate|approximations?|placeholders?|projected|projections?|illustrative|to\s+be\s+(?:confirmed|settled|agreed|fixed)|not\s+final)\b
            |\b(?:dates?|figures?|rent|terms)\s+(?:yet\s+)?to\s+be\s+(?:confirmed|settled|agreed|finali[sz]ed)\b|\b(?:dates?|figures?)\s+(?:all\s+)?(?:tbc|tbd)\b
            |\b(?:move|shift|slide|slip)s?\s+(?:\w+\s+){0,3}(?:day\s+for\s+day|with\s+(?:the|any)\s+(?:delivery|completion|opening|works?))\b|\bor,?\s+(?:where|if)\s+later\b|\byields?\s+to\b
            |^\W*(?:\*+|\(\d\)|\d\))\s*(?:estimated|dates?\s+assume|assum(?:es|ing)|subject\s+to|provisional)\b",
        )
    });
    static CHARGES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:operating|expenses?|cam|common\s+area|tax(?:es)?|insurance|utilit\w+|additional\s+rent|square\s+feet|area|(?-i:may)|if|budget\w*|cost\w*)\b",
        )
    });
    reading
        .text
        .lines()
        .filter(|(_, line)| TENTATIVE.is_match(line))
        .flat_map(|(start, line)| {
            TENTATIVE.find_iter(line).map(move |found| start + found.start()..start + found.end())
        })
        .map(|found| sentence(reading, &found))
        .find(|sentence| !CHARGES.is_match(reading.text.slice(sentence)))
}

/// Words by which the first or the last day is reckoned otherwise than it is printed.
pub(super) fn other_reckoning(reading: &Reading<'_>) -> Option<Range<usize>> {
    static RECKONED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:ends?|ending|expir\w+|until|through|terminat\w+)\b[^.;]{0,60}\b12:0[01]\s*a\.?\s?m\b|\bat\s+the\s+stroke\s+of\s+midnight\b|\bmidnight\s+with\s+which\b|\b(?:lease|term|tenancy)\s+(?:counts|runs)\s+from\s+(?:then|that)\b|\b(?:term|lease)\b[^.;]{0,80}\b(?:instead|always)\s+(?:runs?|ends?|expires?)\b|\bterm\s+(?:shall|does|will)\s+not\s+(?:start|begin|commence)\s+before\b|\bneither\s+the\s+(?:lease\s+)?term\b[^.;]{0,80}\b(?:begin|commence|start)s?\s+until\b|\bterm\b[^.;]{0,40}\b(?:begins?|starts?|commences?)\s+(?:an?|one|two|three|\w+ty|\d+)\s+(?:days?|weeks?|months?)\s+after\b|\bterm\b[^.;]{0,80}\bonce\s+the\s+(?:present|current|existing|former)\s+\w+\s+(?:has|have)\s+(?:left|gone)\b|\b(?:19|20)\d\d[ ](?:19|20)\d\d\b|\bfor\s+[\x22\x27\u{2018}\u{201c}][^\x22\x27]{1,24}[\x22\x27\u{2019}\u{201d}]\s+read\b",
        )
    });
    static EXPIRES: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:expir\w*|ends?|ending|terminat\w*|until|term|read)\b"));
    RECKONED
        .find_iter(reading.flow())
        .map(|found| sentence(reading, &found.range()))
        .find(|sentence| EXPIRES.is_match(reading.text.slice(sentence)))
}

/// A tenancy that runs from month to month although its last day is given.
pub(super) fn no_fixed_term(reading: &Reading<'_>) -> Option<Range<usize>> {
    static MONTHLY: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:month[\s-]to[\s-]month|at\s+will|periodic\s+tenancy)\b"));
    static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:hold\w*|held|remain\w*|continu\w*|expir\w*|after|thereafter|end\s+of|upon|if|prior|existing|terminat\w*|possession|convert\w*|sufferance|parking|storage|become\w*|otherwise|not|last\s+(?:payable|paid))\b",
        )
    });
    MONTHLY
        .find_iter(reading.flow())
        .map(|found| sentence(reading, &found.range()))
        .find(|sentence| !BEHIND.is_match(reading.text.slice(sentence)))
}

/// A note to a value: the mark behind its figure stands again at the head of a line.
pub(super) fn footnote(reading: &Reading<'_>) -> Option<Range<usize>> {
    static NOTE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?m)^[ \t]*(?P<mark>\*{1,3}|\u{2020}|\u{2021})[ \t]*[A-Za-z]"));
    let lined = reading.text.lined().get(..reading.scope.end).unwrap_or_default();
    let stands_behind_a_figure = |mark: &str, own: usize| {
        lined.match_indices(mark).any(|(at, _)| {
            at != own
                && lined[..at]
                    .trim_end_matches(' ')
                    .ends_with(|character: char| character.is_alphanumeric() || character == ')')
                && !lined[at + mark.len()..].starts_with('*')
        })
    };
    let mut seen: Vec<&str> = Vec::new();
    for mark in NOTE.captures_iter(lined).filter_map(|found| found.name("mark")) {
        // There are few marks, whatever number of notes begins with them.
        if seen.contains(&mark.as_str()) {
            continue;
        }
        if stands_behind_a_figure(mark.as_str(), mark.start()) {
            return Some(reading.text.line_at(mark.start()));
        }
        seen.push(mark.as_str());
    }
    None
}

/// Words behind a value on its label's line that make it another, or that nobody can read: "(est.)", "less 1 day", "for
/// the first year". What names its period, its payment or the tax on it is passed over.
pub(super) fn words_behind(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static USUAL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)^[\s.,;:)*\]-]*(?:\(?(?:
            (?:(?:is\s+)?(?:due|paid|payable)\b.*|in\s+(?:advance|equal|lawful|monthly).*|plus\s.*|exclusive\s.*|excluding\s.*|excl\.?.*|net|nnn|triple\s+net|gross|modified\s+gross|full\s+service)
            |(?:usd|cad|aud|gbp|eur|inr|sgd|nzd|hkd|dollars|pounds|euros?|rupees|only)\b.*
            |(?:\d+|\w+)(?:\s*\(\d+\))?\s+(?:full\s+)?(?:months?|years?)(?:\s+and\s+\w+\s+months?)?|inclusive|both\s+(?:dates|days)\s+inclusive|at\s+(?:noon|midnight|\d.*)|noon|midnight
            |(?:through|to|until|and|-|\u{2013}|ending|expir\w+|expiration|end)\b.*\d{4}(?:\s*\([^()]*\))?|\(?(?:the\s+)?[\x22'].*|[$\u{20ac}\u{a3}].*|\d[\d,.]{3,}.*|\d{1,2}[/-].*
            )\)?)?[\s.;)]*$",
        )
    });
    // The period of a rent, behind which its payment may be told, and nothing else.
    static PERIOD: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^[\s.,;:)*\]-]*\(?(?:(?:per|a|each|every|/)\s*(?:calendar\s+)?(?:month|mo\.?|year|annum|yr\.?)\b|p\.?\s?c\.?\s?m\b|p\.?\s?a\b|(?:payable\s+)?monthly\b|annually\b)\.?",
        )
    });
    let rent_line = line_of(reading, known.rent);
    let rent = reading
        .amounts_in(&rent_line)
        .iter()
        .find(|amount| amount.amount == known.rent.value.rent.amount)
        .map(|amount| amount.range.end);
    let days = known.term.into_iter().map(|day| {
        let line = reading.text.line_at(day.range.end.saturating_sub(1));
        let words = reading.text.lined().get(line.clone()).unwrap_or_default();
        let found = dates::find(words, reading.date_order).into_iter().find(|found| found.date == day.value);
        let value_end = found.map(|found| line.start + found.range.end);
        (line, value_end)
    });
    [(rent_line, rent)].into_iter().chain(days).find_map(|(line, value_end)| {
        let words = reading.text.lined().get(line.clone()).unwrap_or_default();
        if !is_label(words) || words.contains('\t') {
            return None;
        }
        let behind = reading.text.lined().get(value_end?..line.end).unwrap_or_default();
        let behind = PERIOD.find(behind).map_or(behind, |period| &behind[period.end()..]);
        (!behind.contains(": ") && !USUAL.is_match(behind)).then_some(line)
    })
}
