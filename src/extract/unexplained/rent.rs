//! Amounts, parts and rows beside the rent that the rent does not explain.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use rust_decimal::Decimal;

use super::{
    ELSEWHERE, IF, Known, OF_THE_MASTER, OTHER_CHARGE, STEPS, TABLE_LINE_MAX_BYTES, is_label, is_sentence,
    sentence, unit,
};
use crate::extract::around::line_of;
use crate::extract::clauses::Reading;
use crate::extract::clauses::rent::RENT_MIN_UNITS;
use crate::extract::text::floor_boundary;
use crate::extract::{dates, expression, money};
use crate::lease::{DocumentKind, RentPeriod};

/// Most lines before and behind that of a rent which are looked through as its table.
const TABLE_REACH_LINES: usize = 12;
/// How far behind a rent the words that change it may stand, in bytes.
const TAIL_REACH_BYTES: usize = 90;
/// How far behind a rent its steps are told, in bytes.
const STEPS_REACH_BYTES: usize = 2_000;
/// How many times as large as the other one of two figures may be, of which one was struck out.
const STRUCK_MAX_FACTOR: u32 = 4;
/// Most lines between two steps of one table.
const STEP_GAP_LINES: usize = 3;
/// Largest difference between a figure and a twelfth or twelvefold of another, in units of the currency.
const ROUNDING_UNITS: i64 = 12;

/// A part by which the rent is lowered, told beside words of the rent.
pub(super) fn share_of_rent(reading: &Reading<'_>) -> Option<Range<usize>> {
    static SHARE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:\d\s?%|\bper\s?cent\b|\b(?:half|third|quarter|tenth)\b)\)?\s+(?:[\w-]+\s+){0,3}?(?:discount|reduction|rebate|concession|off)\b|\b(?:discount|rebate|reduction)\s+(?:of|:)\s+(?:[\w-]+\s+){0,3}(?:\(?\d[\d.]*\s?%|per\s?cent|[$\u{20ac}\u{a3}]\s?\d)|\b(?:whole|entire)\s+building\b[^.;]{0,60}\bshare\b|\bat\s+the\s+same\s+rent|\bnet\s+effective\b|\bby\s+the\s+(?:bed|room|desk)\b|\bat\s+half\s+(?:the\s+)?(?:rate|rent)\b|\bper\s?cent\b[^.;]{0,60}\bas\s+payment\s+in\s+full\b|\bon\s+the\s+(?:footing|terms)\s+(?:set\s+out|stated)\s+in\s+(?:section|article|clause)\b|\bthe\s+(?:like|same)\s+(?:rent|rate)\b[^.;]{0,30}\b(?:in\s+respect|for)\b|\bcharged\s+separately\b|\b(?:half|third|quarter)\s+(?:only\s+)?of\s+(?:the\s+)?(?:[\w-]+\s+)?rent\b|\b(?:figures?|amounts?|rents?)\s+(?:above\s+)?(?:are|is)\s+(?:for|per)\s+(?:one|each|a\s+single)\b|\bother\s+months\b|\b(?:high|low|off|summer|winter)[\s-]season|\b(?:sum|figure|amount|rent)\b[^.;]{0,60}?\b(?:shall|is\s+to|will|are\s+to)\s+(?:[\w']+\s+){0,2}(?:replaced?|substituted?|superseded?|indexed|re-?set)\b|\bevery\s+(?:two|three|other|second|third|2|3)\s+(?:months|weeks)\b",
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
    // "None of the foregoing is waived" speaks of clauses.
    static OF_CLAUSES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:(?:none|each|any|all|limitation|generality)\s+of|limiting)\s+the\s+foregoing\b|\b(?:no|none|nor|not)\b[^.;]*\bwaive[dr]?\b|\bno\s+waiver\b",
        )
    });
    static OF_MONEY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:rent(?:al)?s?|sums?|amounts?|figures?|instal?lments?|payments?|rates?|pays?|paid)\b",
        )
    });
    static OF_A_LATER_TIME: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bperiods?\s+of\b|\blast\s+payable\b|\bincreas\w+|\banniversar\w+|\bthen\s+(?:current|payable|prevailing)\b",
        )
    });
    // Words that may take up anything take up the rent only beside a word of money, in their sentence or in the one before.
    let is_of_money = |found: &regex::Match<'_>| {
        let all = sentence(reading, &found.range());
        let before = sentence(reading, &(all.start.saturating_sub(2)..all.start.saturating_sub(1)));
        let is_of_it = found.as_str().eq_ignore_ascii_case("of it");
        !(is_of_it || found.as_str().eq_ignore_ascii_case("the foregoing"))
            || IN_ITS_PLACE.is_match(reading.text.slice(&all))
            || (is_of_it && !reading.amounts_in(&all).is_empty())
            || OF_MONEY.is_match(reading.text.slice(&all))
            || OF_MONEY.is_match(reading.text.slice(&before))
    };
    let references = REFERENCE.find_iter(reading.flow()).filter(is_of_money);
    references.map(|found| sentence(reading, &found.range())).find(|sentence| {
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
            && !OF_CLAUSES.is_match(words)
            && (!OTHER_CHARGE.is_match(words) || IN_ITS_PLACE.is_match(words))
            && !ELSEWHERE.is_match(words)
            && !OF_A_LATER_TIME.is_match(words)
            && !reading.is_in_recitals(sentence.start)
            && (MADE_ANOTHER.is_match(words) || IN_ITS_PLACE.is_match(words) || holds_another())
    })
}

/// A rent of the first part of the term that is told behind a later one: what was read as a step is the first.
pub(super) fn earlier_step(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static FIRST: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:first|initial|opening)\s+(?:[\w()-]+\s+){0,2}?(?:years?|months?|period|term|season)\b|\b(?:year|months?)\s+(?:1|one)\b|\buntil\b|\bup\s+to\b|\bintroductory\b|\binitially\b",
        )
    });
    static PARTS: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)[,;]\s|\band\s"));
    let [start, _] = known.term;
    let month = start.value.strftime("%B %Y").to_string();
    let section = known.rent.range.end
        ..floor_boundary(reading.flow(), known.rent.range.end.saturating_add(STEPS_REACH_BYTES));
    let amounts = reading.amounts_in(&section);
    let mut last_end = known.rent.range.end;
    amounts.iter().find_map(|amount| {
        let told = sentence(reading, &amount.range);
        // Behind another amount of its sentence only the last part speaks of this one.
        let from = if told.start < last_end { last_end } else { told.start };
        let words = reading.text.slice(&(from..amount.range.start.max(from)));
        let own = if told.start < last_end {
            PARTS.find_iter(words).last().map_or(words, |mark| &words[mark.end()..])
        } else {
            words
        };
        last_end = amount.range.end;
        let is_first = FIRST.is_match(own)
            || own.contains(&month)
            || dates::find(own, reading.date_order).iter().any(|day| day.date <= start.value);
        let is_left_open = || {
            let words = reading.text.slice(&told);
            leaves_open(amount.amount, known)
                && !amount.is_rate
                && !OTHER_CHARGE.is_match(words)
                && !ELSEWHERE.is_match(words)
                && !IF.is_match(words)
        };
        ((is_later_step(amount.amount, known) || is_left_open())
            && is_first
            && !is_label(reading.text.slice(&reading.text.line_at(amount.range.start))))
        .then_some(told)
    })
}

/// A rent that is told to hold until a day before the term ends, with nothing read that follows it.
pub(super) fn ends_early(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static BOUND: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:through|thru|until|up\s+to|till|ending|expiring)\s+(?:and\s+including\s+)?(?:on\s+)?$",
        )
    });
    let [start, end] = known.term;
    let told = sentence(reading, &known.rent.range);
    let words = reading.text.slice(&told);
    let is_bound = dates::find(words, reading.date_order).iter().any(|day| {
        start.value < day.date
            && day.date < end.value
            && BOUND.is_match(words.get(..day.range.start).unwrap_or_default())
    });
    (is_bound && known.rent.value.later_yearly.is_empty()).then_some(told)
}

/// Another currency that the document gives its amounts in by a label or a sentence of its own.
pub(super) fn other_currency(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"\b(?:(?i:currency)|(?i:(?:all|the)\s+(?:amounts?|figures?|sums?|prices?|rents?|payments?|dollars?|money)))\b(?:[\t :(-]|\b(?i:is|are|be|in|of|all|this|lease|shall|stated|quoted|given|shown|payable|expressed|reckoned|herein|hereunder|here|account)\b)*\b(?P<code>AED|AUD|BRL|CAD|CDN|CHF|CNY|DKK|EUR|GBP|HKD|INR|JPY|KES|KRW|MXN|MYR|NGN|NOK|NZD|PHP|PLN|SEK|SGD|THB|TWD|USD|ZAR|(?i:euros?|pesos|pounds|sterling|rupees|rand|dollars))\b",
        )
    });
    let own = known.rent.value.rent.currency.to_string();
    let is_own = |code: &str| match code.to_lowercase().as_str() {
        "cdn" => own == "CAD",
        "euro" | "euros" => own == "EUR",
        "pounds" | "sterling" => own == "GBP",
        "rupees" => own == "INR",
        "dollars" => !matches!(own.as_str(), "EUR" | "GBP" | "INR"),
        _ => own == code,
    };
    NAMED
        .captures_iter(reading.text.lined())
        .find(|found| !is_own(&found["code"]))
        .and_then(|found| Some(found.get(0)?.range()))
}

/// A row that gives a period of the term a figure without a sign, or a part of the rent, that no value explains.
pub(super) fn bare_row(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static ROW: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:(?:(?:lease\s+)?(?:months?|years?|yrs?\.?)\s+)?\d{1,3}(?:\s*(?:-|\u{2013}|to|through)\s*\d{1,3}|\+)?|(?:lease\s+)?(?:year|yr\.?|month)s?\s+\w+|(?:first|second|third|fourth|fifth)\s+(?:lease\s+)?year|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?:\d{4}\s*)?(?:-|\u{2013}|to|through)\s*[a-z]+\.?\s*(?:\d{4})?)[:\s]*(?:\t|:|\s{1,8})\s*(?P<figure>\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d{2,3}(?:\.\d+)?\s?%)(?:\W|\s[a-z ]{0,40})*$",
        )
    });
    const SHARE_MIN_PERCENT: u32 = 20;
    reading.lines().find_map(|(range, line)| {
        if line.len() > TABLE_LINE_MAX_BYTES {
            return None;
        }
        let row = ROW.captures(line)?;
        let figure = row.name("figure")?.as_str();
        let is_open = match figure.strip_suffix('%') {
            Some(share) => share
                .trim()
                .parse::<Decimal>()
                .is_ok_and(|share| share >= Decimal::from(SHARE_MIN_PERCENT) && share < Decimal::ONE_HUNDRED),
            None => money::figures(figure).is_some_and(|figure| leaves_open(figure, known)),
        };
        (is_open && !OTHER_CHARGE.is_match(line)).then_some(range)
    })
}

/// Two figures side by side where one is meant: a stroke through one of them was lost.
pub(super) fn lost_stroke(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    let line = |at: usize| reading.text.line_at(at);
    let is_apart = |one: Decimal, other: Decimal| {
        let twelve = Decimal::from(12);
        !is_near(one.saturating_mul(twelve), other) && !is_near(other.saturating_mul(twelve), one)
    };
    static BARE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"^ (?P<figure>\d{1,3}(?:,\d{3})+(?:\.\d\d)?)(?:\s[a-z]|$)"));
    // A rate stands beside its product, which is many times as large.
    let is_as_large = |one: Decimal, other: Decimal| {
        one.max(other) <= one.min(other).saturating_mul(Decimal::from(STRUCK_MAX_FACTOR))
    };
    let around = reading.text.sentence_around(&known.rent.range, TAIL_REACH_BYTES);
    let amounts = reading.amounts_in(&around);
    let is_followed = |amount: &&money::FoundAmount| {
        let behind = reading.text.lined().get(amount.range.end..).unwrap_or_default();
        let figure =
            BARE.captures(behind.get(..floor_boundary(behind, TAIL_REACH_BYTES)).unwrap_or_default());
        figure
            .and_then(|figure| money::figures(&figure["figure"]))
            .is_some_and(|other| is_apart(amount.amount, other))
    };
    if let Some(amount) =
        amounts.iter().filter(|amount| amount.amount == known.rent.value.rent.amount).find(is_followed)
    {
        return Some(reading.text.line_at(amount.range.start));
    }
    amounts
        .windows(2)
        .filter_map(|pair| if let [one, other] = pair { Some((one, other)) } else { None })
        .find(|(one, other)| {
            let between = reading.text.lined().get(one.range.end..other.range.start);
            between.is_some_and(|between| matches!(between, " " | "  "))
                && !one.is_rate
                && !other.is_rate
                && one.amount != other.amount
                && is_as_large(one.amount, other.amount)
                && is_apart(one.amount, other.amount)
                && reading.amounts_in(&line(one.range.start)).len() == 2
        })
        .map(|(one, other)| one.range.start..other.range.end)
}

/// A deposit that is told to be waived, given back, a part of what is stated, or another paper.
pub(super) fn changed_deposit(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static CHANGED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bdeposit\b[^.;\n]{0,80}\b(?:is|was|are|were|has\s+been|have\s+been|will\s+not\s+be|shall\s+not\s+be)\s+(?:\w+\s+)?(?:waived|returned|refunded|excused|collected|forgiven|reduced|released)\b|\bdeposit\b[^.;\n]{0,50}[(\u{2013}-]\s*(?:waived|returned|refunded|none)\b|\bof\s+(?:it|this\s+amount|this\s+sum|which)\b(?:[^.;]|\.\d){0,40}\b(?:last\s+month|waived|excused|for\s+the\s+last)\b|\bexcused\s+from\b|\bin\s+(?:place|lieu)\s+of\s+the\s+(?:cash\s+)?deposit\b|\bdeposit[\s-]waiver\b|\bdeposit\s+refund\b|\bdeposit\s+equals\b|\bcarried\s+over\b[^;]{0,60}\bbalance\b|\bdeposit\b[^.;\n]{0,60}[$\u{20ac}\u{a3}]\d[\d,.]*\d\s+[$\u{20ac}\u{a3}]\d",
        )
    });
    if known.amounts.is_empty() {
        return None;
    }
    CHANGED.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        let is_of_it = words.to_lowercase().contains("deposit")
            || reading.heading_at(sentence.start).contains("deposit");
        is_of_it && !IF.is_match(words) && !OF_AN_END.is_match(words)
    })
}

/// When a deposit is given back.
static OF_AN_END: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)\b(?:within|after|end\s+of|expir\w+|termination|upon|when|conditions?|interest|days)\b")
});

/// A tax that the rent is told to hold already, or another charge within it.
pub(super) fn holds_tax(reading: &Reading<'_>) -> Option<Range<usize>> {
    static HOLDS: LazyLock<Regex> = LazyLock::new(|| {
        const TAX: &str = r"(?:gst|vat|hst|(?:sales|value[\s-]added|goods\s+and\s+services|rental|rent|use|general\s+excise)\s+tax(?:es)?)";
        expression(&format!(
            r"(?i)\b{TAX}\b(?:[^.;]|\.\d){{0,30}}\b(?:inclusive|included|is\s+in\s+(?:the|that|this))\b|\b(?:inclusive\s+of|includ(?:es|ing))\s+(?:(?:the|all|any|applicable|\d[\d.]*\s?%)\s+)*{TAX}\b|\bof\s+(?:which|that|this|it)\b[^.;$\u{{20ac}}\u{{a3}}]{{0,30}}[$\u{{20ac}}\u{{a3}}]\s?\d[\d,.]*\d\s+(?:is|are|represents|pays|goes|covers)\b"
        ))
    });
    static OF_THE_RENT: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:rent(?:al)?s?|figures?|sums?|amounts?|prices?|it)\b"));
    HOLDS.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        OF_THE_RENT.is_match(words) && !IF.is_match(words) && !reading.is_in_recitals(sentence.start)
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
    // The area first, and what is paid for a foot of it; without a period it is that of a year.
    static AREA_FIRST: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?P<area>\d{1,3}(?:,\d{3})+|\d{3,6})\s+(?:rentable\s+|usable\s+)?(?:square\s+feet|sq\.?\s*ft\.?|rsf|sf),?\s+(?:at|@|times|x)\s+(?:a\s+rate\s+of\s+)?[$\u{20ac}\u{a3}]\s?(?P<rate>\d{1,3}(?:\.\d{1,4})?)\s+(?:per|a|/)\s*(?:rentable\s+|usable\s+)?(?:square\s+)?(?:foot|sq\.?\s*ft\.?|rsf|sf)(?:\s+per\s+(?P<period>annum|year|month)\b)?|[$\u{20ac}\u{a3}]\s?(?P<rate2>\d{1,3}(?:\.\d{1,4})?)\s+(?:a|per)\s+(?:square\s+)?foot\s+(?:on|for|times)\s+(?P<area2>\d{1,3}(?:,\d{3})+|\d{3,6})\b",
        )
    });
    PRODUCT
        .captures_iter(reading.flow())
        .chain(AREA_FIRST.captures_iter(reading.flow()))
        .filter(|found| {
            let number = |one: &str, other: &str| {
                money::figures(found.name(one).or_else(|| found.name(other))?.as_str())
            };
            let yearly = number("rate", "rate2").zip(number("area", "area2")).and_then(|(rate, area)| {
                let is_monthly =
                    found.name("period").is_some_and(|period| period.as_str().eq_ignore_ascii_case("month"));
                let parts = if is_monthly { 12 } else { 1 };
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

/// Whether two amounts are one, but for the rounding of twelfths.
fn is_near(one: Decimal, other: Decimal) -> bool {
    (one - other).abs() <= Decimal::from(ROUNDING_UNITS)
}

/// Whether an amount is a later step of the rent, by the year or by the month.
fn is_later_step(amount: Decimal, known: &Known<'_>) -> bool {
    let near = |other: Decimal| is_near(other, amount);
    let later = &known.rent.value.later_yearly;
    later.iter().any(|later| near(*later) || later.checked_div(Decimal::from(12)).is_some_and(near))
}

/// Whether an amount is the rent, for whichever period, a step of it or another field.
fn is_explained(amount: Decimal, known: &Known<'_>) -> bool {
    let near = |other: Decimal| is_near(other, amount);
    let rent = &known.rent.value;
    // Weeks divide a year into figures that lie close to others: these must be met to the unit.
    let is_exact = |other: Decimal| (other - amount).abs() < Decimal::ONE;
    let part = |parts: i64| rent.yearly.checked_div(Decimal::from(parts));
    [1, 2, 3, 4, 6, 12].into_iter().filter_map(part).any(near)
        || [13, 26, 52].into_iter().filter_map(part).any(is_exact)
        || is_later_step(amount, known)
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
    // What is paid, billed or charged, and as large as the rent.
    static OF_A_PAYMENT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:pay(?:s|able|ing|ments?)?|paid|bill(?:s|ed)?|remit(?:s|ted)?|accept(?:s|ed)?|charge[ds]?|owe[ds]?|rents?|rate|level|let\s+at|lawful)\b",
        )
    });
    let flow = reading.flow();
    let is_as_large = |amount: Decimal| {
        let rent = &known.rent.value;
        let (half, most) = (Decimal::new(4, 1), Decimal::new(14, 1));
        [Some(rent.yearly), rent.yearly.checked_div(Decimal::from(12))]
            .into_iter()
            .flatten()
            .any(|own| own.saturating_mul(half) <= amount && amount <= own.saturating_mul(most))
    };
    static PAID_TO_TENANT: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:pays?|paid|reimburses?|credits?)\s+(?:to\s+)?(?:the\s+)?(?:tenant|lessee)\b")
    });
    let is_of_the_master =
        |words: &str| known.kind == DocumentKind::Sublease && OF_THE_MASTER.is_match(words);
    let is_of_another_matter = |sentence: &Range<usize>, words: &str| {
        // Recitals tell what an amendment is going to change.
        reading.is_in_recitals(sentence.start)
            || IF.is_match(words)
            || ELSEWHERE.is_match(words)
            || OTHER_CHARGE.is_match(words)
            || is_of_the_master(words)
    };
    let is_of_a_payment = |sentence: &Range<usize>| {
        let words = reading.text.slice(sentence);
        OF_A_PAYMENT.is_match(words)
            && !STEPS.is_match(words)
            && !PAID_TO_TENANT.is_match(words)
            && !is_of_another_matter(sentence, words)
    };
    let is_of_rent = |sentence: &Range<usize>| {
        let words = reading.text.slice(sentence);
        OF_THE_RENT.is_match(words)
            && (!STEPS.is_match(words) || LOWERED.is_match(words))
            && !is_of_another_matter(sentence, words)
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
        .map(|amount| (amount, unit(reading, &amount.range)))
        .find(|(amount, unit)| is_of_rent(unit) || (is_as_large(amount.amount) && is_of_a_payment(unit)))
        .map(|(_, unit)| unit);
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
