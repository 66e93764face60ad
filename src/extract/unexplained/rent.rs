//! Amounts, parts and rows beside the rent that the rent does not explain.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use rust_decimal::Decimal;

use super::{ELSEWHERE, IF, Known, OTHER_CHARGE, STEPS, TABLE_LINE_MAX_BYTES, is_sentence, sentence, unit};
use crate::extract::around::line_of;
use crate::extract::clauses::Reading;
use crate::extract::clauses::rent::RENT_MIN_UNITS;
use crate::extract::{expression, money};
use crate::lease::RentPeriod;

/// Most lines before and behind that of a rent which are looked through as its table.
const TABLE_REACH_LINES: usize = 12;
/// How far behind a rent the words that change it may stand, in bytes.
const TAIL_REACH_BYTES: usize = 90;
/// Most lines between two steps of one table.
const STEP_GAP_LINES: usize = 3;
/// Largest difference between a figure and a twelfth or twelvefold of another, in units of the currency.
const ROUNDING_UNITS: i64 = 12;

/// A part by which the rent is lowered, told beside words of the rent.
pub(super) fn share_of_rent(reading: &Reading<'_>) -> Option<Range<usize>> {
    static SHARE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:\d\s?%|\bper\s?cent\b|\b(?:half|third|quarter|tenth)\b)\)?\s+(?:[\w-]+\s+){0,3}?(?:discount|reduction|rebate|concession|off)\b|\b(?:discount|rebate|reduction)\s+(?:of|:)\s+(?:[\w-]+\s+){0,3}(?:\(?\d[\d.]*\s?%|per\s?cent|[$\u{20ac}\u{a3}]\s?\d)|\b(?:whole|entire)\s+building\b[^.;]{0,60}\bshare\b|\bat\s+the\s+same\s+rent|\bnet\s+effective\b|\bby\s+the\s+(?:bed|room|desk|person)\b|\bper\s?cent\b[^.;]{0,60}\bas\s+payment\s+in\s+full\b|\bon\s+the\s+(?:footing|terms)\s+(?:set\s+out|stated)\s+in\s+(?:section|article|clause)\b|\bthe\s+(?:like|same)\s+(?:rent|rate)\b[^.;]{0,30}\b(?:in\s+respect|for)\b|\bcharged\s+separately\b|\b(?:half|third|quarter)\s+(?:only\s+)?of\s+(?:the\s+)?(?:[\w-]+\s+)?rent\b|\b(?:figures?|amounts?|rents?)\s+(?:above\s+)?(?:are|is)\s+(?:for|per)\s+(?:one|each|a\s+single)\b|\bother\s+months\b|\b(?:high|low|off|summer|winter)[\s-]season|\b(?:sum|figure|amount|rent)\b[^.;]{0,60}?\b(?:shall|is\s+to|will|are\s+to)\s+(?:[\w']+\s+){0,2}(?:replaced?|substituted?|superseded?|indexed|re-?set)\b|\bevery\s+(?:two|three|other|second|third|2|3)\s+(?:months|weeks)\b",
        )
    });
    static OF_THE_RENT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:rent(?:al)?s?|prices?|rates?)\b|\b(?:figures?|sums?|amounts?)\s+(?:above|below)\b|\bin\s+(?:section|article|clause)\s+\d|\b(?:foregoing|above)\b",
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

/// A sentence that takes up the rent by a word for it ("the sum in Article 3", "the foregoing", "that") and makes it
/// another: a part of it, an amount in its place or from it, a sum for each of several.
pub(super) fn referred_to(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
        const PLACE: &str = r"(?:above|in\s+(?:article|section|paragraph|clause)\s+\d+[\w.]*)";
        expression(&format!(
            r"(?i)\bthe\s+(?:sum|amount|figure|rate|install?ment|rent)s?\s+(?:(?:stated|set\s+(?:out|forth)|named|given|shown)\s+)?{PLACE}|\bthe\s+foregoing\b|\bin\s+(?:lieu|place)\s+of\s+the\s+(?:amount|sum|figure)\b|\bnot\s+enforce\s+(?:article|section|paragraph|clause)\b|\ba\s+like\s+(?:sum|amount)\b|\bthe\s+same\s+(?:sum|amount)\b|\b(?:of|off|from)\s+(?:it\b|that\s*[.,;]|that\s+(?:sum|amount|for|while|until)\b)|\b(?:billed|pays?|charged|owes?)\b(?:[^.;]|\.\d){{0,40}}\binstead\b|\boff\s+(?:until|while|as\s+long)\b"
        ))
    });
    static MADE_ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:one[\s-])?(?:half|third|quarter|fourth|fifth|tenth)s?\b|\bper\s?cent\b|\d\s?%|\b(?:each|for\s+each|per)\s+(?:of|one|resident|person|tenant|suite|room|unit|bed)\w*\b|\bshare\b|\bmultiplied\b|\bforgiven\b|\bwaived\b|\bwritten\s+off\b|\balready\s+(?:contains|includes|holds)\b|\bplaceholder\b|\bagain\b|\bis\s+due\s+on\b|\btracks?\b|\b(?:keeps?|kept|takes?)\s+(?:back|off)\b",
        )
    });
    static IN_ITS_PLACE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bin\s+(?:lieu|place)\s+of\s+the\s+(?:foregoing|amount|sum|figure)\b|\bnot\s+enforce\s+(?:article|section|paragraph|clause)\b",
        )
    });
    static OF_A_LATER_TIME: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\bperiods?\s+of\b|\blast\s+payable\b|\bthen\s+(?:current|payable|prevailing)\b")
    });
    REFERENCE.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        let holds_another = || {
            let amounts = reading.amounts_in(sentence);
            amounts.iter().any(|amount| {
                !amount.is_rate
                    && amount.amount >= Decimal::ONE_HUNDRED
                    && !is_explained(amount.amount, known)
            })
        };
        !IF.is_match(words)
            && (!OTHER_CHARGE.is_match(words) || IN_ITS_PLACE.is_match(words))
            && !ELSEWHERE.is_match(words)
            && !OF_A_LATER_TIME.is_match(words)
            && !reading.is_in_recitals(sentence.start)
            && (MADE_ANOTHER.is_match(words) || IN_ITS_PLACE.is_match(words) || holds_another())
    })
}

/// Words behind the rent in its own sentence that take something from it or put another sum in its place.
pub(super) fn tail_of_rent(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static TAIL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^[^.;:\d]{0,40}?[,(\s]\s*(?:less|minus|or\s+such\s+(?:other|lower|higher|lesser|greater)\s+(?:sum|amount|rent|figure)|net\s+of\s+(?:the|an?)\s+(?:allowance|credit|discount|rebate)|before\s+(?:the|an?)\s+(?:allowance|credit|discount|rebate|reduction))\b",
        )
    });
    let rent = &known.rent.value.rent;
    let own = reading.amounts_in(&sentence(reading, &known.rent.range));
    own.iter()
        .filter(|amount| amount.amount == rent.amount)
        .find(|amount| TAIL.is_match(reading.text.after(amount.range.end, TAIL_REACH_BYTES)))
        .map(|amount| sentence(reading, &amount.range))
}

/// A rate for an area, and the area, whose product is neither the rent nor a step of it.
pub(super) fn other_product(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static PRODUCT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)[$\u{20ac}\u{a3}]\s?(?P<rate>\d{1,3}(?:\.\d{1,4})?)\s+per\s+(?:rentable\s+|usable\s+)?(?:square\s+foot|sq\.?\s*ft\.?|rsf|sf)\s+per\s+(?P<period>annum|year|month)\b[^.;]{0,20}?\b(?:on|times|x|for|multiplied\s+by)\s+(?:the\s+)?(?P<area>\d{1,3}(?:,\d{3})+|\d{3,6})\s+(?:rentable\s+|usable\s+)?(?:square|sq|rsf|sf)",
        )
    });
    PRODUCT
        .captures_iter(reading.flow())
        .filter(|found| {
            let number = |name: &str| money::figures(&found[name]);
            let yearly = number("rate").zip(number("area")).and_then(|(rate, area)| {
                let parts = if found["period"].eq_ignore_ascii_case("month") { 12 } else { 1 };
                rate.checked_mul(area)?.checked_mul(Decimal::from(parts))
            });
            yearly.is_none_or(|yearly| leaves_open(yearly, known))
        })
        .filter_map(|found| Some(sentence(reading, &found.get(0)?.range())))
        .find(|sentence| {
            let words = reading.text.slice(sentence);
            !IF.is_match(words)
                && !STEPS.is_match(words)
                && !ELSEWHERE.is_match(words)
                && !OTHER_TIME.is_match(reading.heading_at(sentence.start))
                && !reading.is_in_recitals(sentence.start)
        })
}

/// A rent of the month that is paid for another period.
pub(super) fn other_period(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static PAID: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:rent(?:al)?s?\b(?:[^.;]|\.\d){0,60}?\b(?:due|paid|payable|billed|invoiced)\b|frequency\s*:|billing\b)[^.;]{0,30}?\b(?:quarterly|weekly|fortnightly|(?:semi|bi)-?\s?(?:monthly|weekly|annual\w*)|half-?yearly|(?:each|every)\s+(?:two|three|four|six|other|2|3|4|6)\s+(?:weeks|months)|two\s+months|(?:each|every)\s+(?:second\s+|other\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\bfour-week(?:ly)?\s+billing\b|\bmonth\s+(?:is|means)\s+(?:a\s+period\s+of\s+)?(?:four|4|28|twenty-eight)\b|\b(?:thirteen|13)\s+(?:\(13\)\s+)?periods\b|\b(?:due|payable)\b[^.;]{0,40}\bjanuary,?\s+april,?\s+july,?\s+(?:and\s+)?october\b",
        )
    });
    if known.rent.value.rent.period != RentPeriod::Monthly {
        return None;
    }
    PAID.find_iter(reading.flow())
        .map(|found| unit(reading, &found.range()))
        .find(|unit| !IF.is_match(reading.text.slice(unit)))
}

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

/// Whether an amount is as large as a rent, and no value explains it.
pub(super) fn leaves_open(amount: Decimal, known: &Known<'_>) -> bool {
    amount >= Decimal::from(RENT_MIN_UNITS) && !is_explained(amount, known)
}

/// An amount beside words of the base rent that is neither the rent, nor a step of it, nor another charge.
pub(super) fn other_amount(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
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
            // Recitals tell what an amendment is going to change.
            && !reading.is_in_recitals(sentence.start)
            && !IF.is_match(words)
            && (!STEPS.is_match(words) || LOWERED.is_match(words))
            && !ELSEWHERE.is_match(words)
            && !OTHER_CHARGE.is_match(words)
    };
    let heading_of_rent = |heading: &str| {
        heading.len() <= TABLE_LINE_MAX_BYTES
            && !is_sentence(heading)
            && OF_THE_RENT.is_match(heading)
            && !OTHER_CHARGE.is_match(heading)
            && !ELSEWHERE.is_match(heading)
    };
    let is_open = |amount: Decimal| leaves_open(amount, known);
    let in_figures = reading
        .amounts()
        .iter()
        .filter(|amount| !amount.is_rate && is_open(amount.amount))
        .map(|amount| unit(reading, &amount.range))
        .find(is_of_rent);
    // In a table the words of the rent stand over the figure.
    let under_heading = || {
        let mut above: Option<&str> = None;
        reading.lines().find_map(|(range, line)| {
            let heading = std::mem::replace(&mut above, (!line.is_empty()).then_some(line));
            let amounts = reading.amounts_in(&range);
            let is_row = line.len() <= TABLE_LINE_MAX_BYTES && !is_sentence(line) && !amounts.is_empty();
            let holds = is_row
                && heading.is_some_and(heading_of_rent)
                && amounts.iter().all(|amount| !amount.is_rate && is_open(amount.amount))
                && !STEPS.is_match(line)
                && !OTHER_CHARGE.is_match(line);
            holds.then_some(range)
        })
    };
    // Amounts without a sign stand where their sentence speaks of the rent.
    static IN_WORDS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:^|[^\w/.,])(?P<figure>\d{1,3}(?:,\d{3})*(?:\.\d{2})?|\d+)\s+(?:dollars|euros|pounds|rupees)\b",
        )
    });
    in_figures.or_else(under_heading).or_else(|| {
        OF_THE_RENT.find_iter(flow).map(|found| unit(reading, &found.range())).find(|unit| {
            let words = reading.text.slice(unit);
            is_of_rent(unit)
                && (money::spelled(words).into_iter().any(is_open)
                    || IN_WORDS
                        .captures_iter(words)
                        .filter_map(|found| money::figures(&found["figure"]))
                        .any(is_open))
        })
    })
}

/// A row or a column of the rent's table with an amount that is neither a step of the rent nor another charge.
pub(super) fn other_row(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static PERIOD: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:years?|yrs?|months?|mos?|periods?|terms?)\b|^[^\w$\u{20ac}\u{a3}]*\d{1,3}\s*(?:[-\u{2013}]\s*\d{1,3})?[^\w,.]|\b(?:19|20)\d{2}\b|\d{1,2}/\d{1,2}|\b(?:from|to|through|until|commenc\w+|begin\w+)\b",
        )
    });
    let lined = reading.text.lined();
    let line = |range: &Range<usize>| lined.get(range.clone()).unwrap_or_default();
    let is_row = |range: &Range<usize>| {
        let line = line(range);
        !line.is_empty() && line.len() <= TABLE_LINE_MAX_BYTES && !is_sentence(line)
    };
    let is_open = |range: &Range<usize>| {
        !OTHER_CHARGE.is_match(line(range))
            && reading
                .amounts_in(range)
                .iter()
                .any(|amount| !amount.is_rate && leaves_open(amount.amount, known))
    };
    let own = line_of(reading, known.rent);
    if !is_row(&own) {
        return None;
    }
    // In the rent's own line another figure is another column's.
    if is_open(&own) {
        return Some(own);
    }
    let next = |range: &Range<usize>| (range.end < lined.len()).then(|| reading.text.line_at(range.end + 1));
    let last = |range: &Range<usize>| range.start.checked_sub(1).map(|at| reading.text.line_at(at));
    let behind = std::iter::successors(next(&own), next).take(TABLE_REACH_LINES).take_while(is_row);
    let before = std::iter::successors(last(&own), last).take(TABLE_REACH_LINES).take_while(is_row);
    let is_no_step = |range: &Range<usize>| !PERIOD.is_match(line(range)) && !line(range).contains(':');
    behind.chain(before).any(|row| is_open(&row) && is_no_step(&row)).then_some(own)
}

/// A step of a rent's schedule that is none of those that were read: the rent stands elsewhere, and contradicts it.
pub(super) fn other_step(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:(?:lease\s+)?(?:years?|yrs?\.?|months?|mos?\.?)\s*\d|\d{1,2}/(?:\d{1,2}/)?(?:19|20)?\d{2}\s*(?:-|\u{2013}|to)\s*\d{1,2}/)",
        )
    });
    // Figures of a schedule that has its sign in the heading.
    static BARE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?:^|\s)(?P<figure>\d{1,3}(?:,\d{3})+(?:\.\d{2})?)(?:\s|$)"));
    // The first step of a table decides: it is the rent, or the rent stands elsewhere and contradicts it.
    let mut last_step: Option<usize> = None;
    for (number, (range, line)) in reading.lines().enumerate() {
        let is_step = line.len() <= TABLE_LINE_MAX_BYTES
            && STEP.is_match(line)
            && !is_sentence(line)
            && !OTHER_CHARGE.is_match(line)
            && !OTHER_TIME.is_match(reading.heading_at(range.start));
        if !is_step {
            continue;
        }
        let figures: Vec<Decimal> = match reading.amounts_in(&range) {
            [] => BARE.captures_iter(line).filter_map(|found| money::figures(&found["figure"])).collect(),
            found => found.iter().filter(|amount| !amount.is_rate).map(|amount| amount.amount).collect(),
        };
        if figures.is_empty() || figures.iter().any(|figure| *figure < Decimal::from(RENT_MIN_UNITS)) {
            continue;
        }
        let is_first = last_step.is_none_or(|last| number - last > STEP_GAP_LINES);
        if is_first && !figures.iter().any(|figure| is_explained(*figure, known)) {
            return Some(range);
        }
        last_step = Some(number);
    }
    None
}

/// Headings of sections that speak of another time, another charge or another space.
static OTHER_TIME: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:options?|renewal|extension|extend|holdover|operating|tax(?:es)?|parking|storage|deposit|insurance|terminat\w+|expansion|allowance|percentage|signs?)\b",
    )
});
