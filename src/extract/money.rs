//! Amounts of money as documents write them: figures with their currency, and the same in words.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use rust_decimal::Decimal;

use crate::extract::expression;
use crate::lease::Currency;

/// Longest amount in words that is looked for before figures, in bytes.
const WORDS_REACH_BYTES: usize = 220;

/// How far before figures the words "in thousands" may stand, in bytes.
const SCALE_REACH_BYTES: usize = 160;

/// Decimals that an amount of money has at the most.
const DECIMALS_MAX_COUNT: u32 = 2;

/// Digits of a group of thousands.
const GROUP_DIGITS: usize = 3;

/// An amount and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAmount {
    /// How much, exact.
    pub amount: Decimal,
    /// Of what; `None` where a bare `$` may mean more than one dollar, and for spoiled figures.
    pub currency: Option<Currency>,
    /// Where.
    pub range: Range<usize>,
    /// Whether it is a rate for a unit of area and not an amount.
    pub is_rate: bool,
    /// What the words beside the figures say: they agree, they differ, or there are none.
    pub words: WordsBeside,
}

/// How words beside figures compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordsBeside {
    /// No amount in words.
    None,
    /// The words give the same amount.
    Agree,
    /// The words give another amount, or what stands around the figures spoils them: neither counts. Such an
    /// amount is returned all the same, so that no rule takes the next one in its place.
    Differ,
}

static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?x)
        (?P<symbol>US\$|U\.S\.\s?\$|CA\$|CAD\s?\$|CDN\s?\$|C\$|AU\$|A\$|NZ\$|HK\$|S\$|\$|€|£|₹|\bRs\.?)\s?(?P<n1>\d{1,3}(?:['\u{2019}]\d{3})+(?:[.,]\d{2})?\b|\d{1,3}(?:[\x20\u{a0}\u{2009}\u{202f}]\d{3})+(?:[.,]\d{2})?\b|\d(?:[\d.,]*\d)?)
        (?P<dash>,-{1,2}|,=|/[-=])?(?:\s?(?P<s1>USD|CAD|AUD|NZD)\b)?
        |\b(?P<c2>USD|EUR|GBP|CAD|AUD|NZD|HKD|SGD|CHF|INR|AED|SEK|NOK|DKK|ZAR|CNY|RMB)\s?(?P<n2>\d{1,3}(?:['\u{2019}]\d{3})+(?:[.,]\d{2})?\b|\d{1,3}(?:[\x20\u{a0}\u{2009}\u{202f}]\d{3})+(?:[.,]\d{2})?\b|\d(?:[\d.,]*\d)?)(?P<dash2>,-{1,2}|,=|/[-=])?
        |\b(?P<n3>\d{1,3}(?:['\u{2019}]\d{3})+(?:[.,]\d{2})?\b|\d{1,3}(?:[\x20\u{a0}\u{2009}\u{202f}]\d{3})+(?:[.,]\d{2})?\b|\d(?:[\d.,]*\d)?)\s?(?P<c3>USD|EUR|GBP|CAD|AUD|NZD|HKD|SGD|CHF|INR|€|(?i:euros?)\b)",
    )
});

static RATE_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?ix)^\s*\)?\s*(?:
        (?:per|/|a|for\s+each|multiplied\s+by|times|x)\s*(?:annum\s+per\s+|year\s+per\s+|month\s+per\s+)?
            (?:[a-z]+\s+){0,2}(?:square|sq\.?|rsf|sf|psf|acre|m2|m²|sqm)
        |psf|rsf|/\s?sf|/\s?m2|/\s?m²)",
    )
});

static RATE_LATER: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^[^$;]{0,30}\bper\s+(?:[a-z]+\s+){0,2}(?:square\s+(?:foot|met)|sq\.?\s*f|rsf\b|sf\b|psf\b|acre|m2|m²)",
    )
});

static THOUSANDS_IN_TWOS: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$"));

/// Finds every amount. `dollar` is what a bare `$` means in this document.
pub fn find(text: &str, dollar: Option<Currency>) -> Vec<FoundAmount> {
    AMOUNT
        .captures_iter(text)
        .filter_map(|captures| {
            let range = captures.get(0)?.range();
            let group = |name: &str| captures.name(name).map(|found| found.as_str());
            let (digits, currency) = if let (Some(symbol), Some(digits)) = (group("symbol"), group("n1")) {
                let currency = match group("s1").and_then(Currency::parse) {
                    Some(named) => Some(named),
                    None => symbol_currency(symbol, dollar),
                };
                (digits, currency)
            } else if let (Some(code), Some(digits)) = (group("c2"), group("n2")) {
                (digits, code_currency(code))
            } else {
                (group("n3")?, code_currency(group("c3")?))
            };
            let behind = &text[range.end..];
            let before = before_within(text, range.start);
            let mark = group("symbol").or(group("c2")).or(group("c3")).unwrap_or_default();
            let mut is_spoiled = is_spoiled_around(before, mark, digits, behind)
                || (group("n3").is_some() && is_cut_before(before, digits));
            let joined = match joined_groups(digits) {
                Some(joined) => {
                    is_spoiled |= !groups_are_certain(before, group("n3").is_some(), mark, digits, behind);
                    joined
                }
                None => digits.to_owned(),
            };
            let digits = joined.as_str();
            let next_word = behind.split_whitespace().next().unwrap_or_default();
            if next_word.to_ascii_lowercase().starts_with("million") {
                return None;
            }
            // "48.000,-" and "50,000/-": a dash for no cents proves that what parts the digits parts thousands.
            let is_whole = group("dash").or(group("dash2")).is_some();
            let amount = match if is_whole { whole_figures(digits) } else { figures(digits) } {
                Some(amount) => amount,
                // It stands for figures that nobody can read, and keeps the next amount from being taken for them.
                None if is_spoiled => Decimal::ZERO,
                None => return None,
            };
            // Thousands in twos are those of India; elsewhere a digit is lost.
            if THOUSANDS_IN_TWOS.is_match(digits) && currency != Some(Currency::INR) {
                return None;
            }
            let is_rate = RATE_BEHIND.is_match(behind) || RATE_LATER.is_match(behind);
            let in_words =
                amount_in_words_before(text, range.start).or_else(|| amount_in_words_behind(behind));
            let words = match in_words {
                None => WordsBeside::None,
                Some(in_words) if in_words == amount => WordsBeside::Agree,
                Some(_) => WordsBeside::Differ,
            };
            // A rate may well have parts of a cent; what somebody pays has none.
            is_spoiled |= !is_rate && amount.scale() > DECIMALS_MAX_COUNT;
            let (currency, words) = if is_spoiled { (None, WordsBeside::Differ) } else { (currency, words) };
            Some(FoundAmount { amount, currency, range, is_rate, words })
        })
        .collect()
}

/// The text before figures as far as it may speak of their scale.
fn before_within(text: &str, start: usize) -> &str {
    let floor = super::text::floor_boundary(text, start.saturating_sub(SCALE_REACH_BYTES));
    &text[floor..start]
}

/// The digits with a comma for each space or apostrophe between groups; `None` where nothing of the kind parts them.
fn joined_groups(digits: &str) -> Option<String> {
    let parts = |character: char| character.is_whitespace() || matches!(character, '\'' | '\u{2019}');
    digits.contains(parts).then(|| {
        let (whole, cents) = match digits.rsplit_once([',', '.']) {
            Some((whole, cents)) => (whole, Some(cents)),
            None => (digits, None),
        };
        let whole = whole.replace(parts, ",");
        cents.map_or(whole.clone(), |cents| format!("{whole}.{cents}"))
    })
}

/// Whether figures that a space parts are one number and not two that stand side by side, as in the cells of a
/// table. An apostrophe leaves no doubt. In English nobody parts thousands by a space.
fn groups_are_certain(before: &str, is_code_behind: bool, mark: &str, digits: &str, behind: &str) -> bool {
    static SPEAKS_OF_IT: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:of|is|be|pays?|at|equals?|amounts?\s+to)\s+$"));
    static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)^\s(?:per|a\s+month|a\s+year|monthly|each|in\s+advance|payable|plus|net)\b")
    });
    if !digits.contains(char::is_whitespace) {
        return true;
    }
    if matches!(mark, "$" | "£") || mark.ends_with('$') || mark.starts_with("Rs") {
        return false;
    }
    if is_code_behind {
        return SPEAKS_OF_IT.is_match(before);
    }
    digits.ends_with("000") || digits.contains(',') || GOES_ON.is_match(behind)
}

/// Whether what stands around figures says that they are cut, continued, negative, of another scale or of a
/// currency that is not known. A figure that was cut reads as another amount, which nobody wrote.
fn is_spoiled_around(before: &str, mark: &str, digits: &str, behind: &str) -> bool {
    static NEGATIVE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?:^|[\s(:])[-\u{2212}]$"));
    // "N$", "NT$", "R$" and "Mex$" are other money; a word that runs into the sign begins small or is longer.
    static OTHER_DOLLAR: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?:^|[^A-Za-z])[A-Z][A-Za-z]{0,2}\.?$"));
    static IN_THOUSANDS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bin\s+(?:thousands|millions|hundreds|lakhs|crores)\b|\b(?:thousands|millions)\s+of\s+(?:[a-z.]+\s+)?(?:dollars|euros|pounds|francs|rupees)|\(\s*(?:[$\u{20ac}\u{a3}]\s*|in\s+)?(?:000|1,?000)\s*'?s?\s*\)|\b000'?s\b",
        )
    });
    // The end of figures with cents cannot go on behind a space; that of whole figures can.
    static GROUP_BEHIND: LazyLock<Regex> =
        LazyLock::new(|| expression(r"^(?:\s?[.,'\u{2019}\u{b7}]\s?|\s)\d{3}\b"));
    // Cents after a space or on the next line, or the rest of the figure behind the foot of a page.
    static REST_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^(?:\s\d{1,3}[.,]\d{2}(?:[^%\d/.,-]|[.,](?:\s|$)|$)|[,.'\u{2019}]\s(?:[^\s$\u{20ac}\u{a3}]{1,12}\s){1,3}\d{3}[.,]\d{2}\b)",
        )
    });
    // The same rent in a money that is not known: the sign is that money's, or the figure is its equivalent.
    static BESIDE_OTHER_MONEY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"\b(?:MXN|ARS|BRL|CLP|COP|DOP|UYU|TWD|NAD|JMD|TTD|BBD|PHP|JPY|KRW|THB)\s?\d[\d.,]*[^.;\n]{0,40}$|\b(?:MXN|ARS|BRL|CLP|COP|DOP|UYU|TWD|NAD|JMD|TTD|BBD|BSD|BZD|FJD|XCD|AUD|NZD|HKD|SGD)\s?$",
        )
    });
    static IN_PESOS: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)^[^.;$]{0,40}\b(?:mexican|philippine|chilean|colombian|argentine)\s+pesos\b")
    });
    static CONTINUES_BEHIND: LazyLock<Regex> =
        LazyLock::new(|| expression(r"^(?:['\u{2019}][0-9]|[-/+]\s?[0-9]|__|\s[.,]\s?\d{3}\b)"));
    static SCALED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\s?(?:(?:thousands?|hundred|dozen|billions?|lakhs?|lacs?|crores?|k|mio|mn|mm|bn)\b|[x\u{d7}]\s?\d|\(?\s*(?:in\s+)?thousands\b|'?000'?s\b)",
        )
    });
    static OTHER_MONEY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^\s?(?:(?:MXN|MXP|ARS|BRL|CLP|COP|DOP|UYU|TWD|NTD|NAD|JMD|TTD|BBD|BSD|BZD|BMD|FJD|GYD|KYD|LRD|XCD|HKD|SGD|BND|ZWL|PHP|JPY|CNY|EUR|GBP|CHF)\b|(?i:(?:(?:mexican|philippine|chilean|colombian)\s+)?pesos\b|reais\b))",
        )
    });
    let is_dollar = mark == "$";
    let has_cents = digits.rfind(['.', ',']).is_some_and(|at| digits.len() - at - 1 != GROUP_DIGITS);
    NEGATIVE.is_match(before)
        || (is_dollar && (OTHER_DOLLAR.is_match(before) || OTHER_MONEY.is_match(behind)))
        || IN_THOUSANDS.is_match(before)
        || (is_dollar && (BESIDE_OTHER_MONEY.is_match(before) || IN_PESOS.is_match(behind)))
        || (!has_cents && (GROUP_BEHIND.is_match(behind) || REST_BEHIND.is_match(behind)))
        || CONTINUES_BEHIND.is_match(behind)
        || SCALED.is_match(behind)
        || behind.chars().next().is_some_and(|next| is_foreign_behind(next, behind, has_cents))
}

/// Whether figures whose currency stands behind them may be the rest of longer ones: a space before a group of three
/// may part thousands, and a point or an apostrophe may before any figures.
fn is_cut_before(before: &str, digits: &str) -> bool {
    static CONTINUES_BEFORE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"[0-9A-Za-z][.,'\u{2019}\u{b7}]$"));
    static GROUP_BEFORE: LazyLock<Regex> = LazyLock::new(|| expression(r"\d[.,'\u{2019}\u{b7}]?\s$"));
    let first_run = digits.find(|character: char| !character.is_ascii_digit()).unwrap_or(digits.len());
    static FIGURE_BEFORE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:of|is|be|pays?|at|equals?)\s+\d{1,3}[.,]?\s$"));
    CONTINUES_BEFORE.is_match(before)
        || FIGURE_BEFORE.is_match(before)
        || (first_run == GROUP_DIGITS && GROUP_BEFORE.is_match(before))
}

/// Whether the character directly behind figures is none that may stand behind a whole number.
fn is_foreign_behind(next: char, behind: &str, has_cents: bool) -> bool {
    // Words that run into the figures where a space was lost.
    static RUN_IN: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)^(?:per|psf|rsf|sf|payable|monthly|annually|and|plus|for|due|each|in|on|is)\b")
    });
    match next {
        '.' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '?' | '!' | '/' | '-'
        | '*' | '_' | '%' | '+' | '&' | '=' | '|' | '<' | '>' | '~' | '#' => false,
        // The next cell of a table whose cells nothing parts.
        '$' | '\u{20ac}' | '\u{a3}' => false,
        '\u{2013}' | '\u{2014}' | '\u{2018}'..='\u{201d}' | '\u{2020}' | '\u{2021}' | '\u{2026}' => false,
        // A mark of a footnote may stand behind cents; behind other figures it may be one of them.
        '\u{b9}' | '\u{b2}' | '\u{b3}' | '\u{2070}'..='\u{2079}' => {
            !has_cents || behind.chars().nth(1).is_some_and(|second| !second.is_whitespace() && second != ',')
        }
        letter if letter.is_alphabetic() => !RUN_IN.is_match(behind),
        other => !other.is_whitespace(),
    }
}

fn symbol_currency(symbol: &str, dollar: Option<Currency>) -> Option<Currency> {
    match symbol {
        "€" => Some(Currency::EUR),
        "£" => Some(Currency::GBP),
        "$" => dollar,
        "₹" => Some(Currency::INR),
        _ if symbol.starts_with("Rs") => Some(Currency::INR),
        _ if symbol.starts_with('U') => Some(Currency::USD),
        _ if symbol.starts_with('C') => Some(Currency::CAD),
        _ if symbol.starts_with('A') => Some(Currency::AUD),
        _ if symbol.starts_with('N') => Some(Currency::NZD),
        _ if symbol.starts_with('H') => Some(Currency::HKD),
        _ => Some(Currency::SGD),
    }
}

fn code_currency(code: &str) -> Option<Currency> {
    if code == "€" || code.to_ascii_lowercase().starts_with("euro") {
        return Some(Currency::EUR);
    }
    // The yuan goes by the name of the money that it is.
    Currency::parse(if code == "RMB" { "CNY" } else { code })
}

/// Reads figures with separators. Digits that are not grouped as one of the two customs demands are
/// no number: a lost digit must not become another amount.
pub fn figures(digits: &str) -> Option<Decimal> {
    static ENGLISH: LazyLock<Regex> =
        LazyLock::new(|| expression(r"^(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d+)(?:\.\d{1,6})?$"));
    static CONTINENTAL: LazyLock<Regex> =
        LazyLock::new(|| expression(r"^(?:\d{1,3}(?:\.\d{3})+,\d{2}|\d{1,3}(?:\.\d{3}){2,}|\d+,\d{2})$"));
    // "1.234" is a thousand to one reader and little more than one to another.
    if digits.len() > 4 && digits.matches('.').count() == 1 && !digits.contains(',') {
        let (whole, fraction) = digits.split_once('.')?;
        if fraction.len() == 3 && whole.len() <= 3 {
            return None;
        }
    }
    if ENGLISH.is_match(digits) {
        Decimal::from_str_exact(&digits.replace(',', "")).ok()
    } else if CONTINENTAL.is_match(digits) {
        Decimal::from_str_exact(&digits.replace('.', "").replace(',', ".")).ok()
    } else {
        None
    }
}

/// Two raised digits directly behind figures, as characters of their own: they may be cents, and may be the mark of a
/// footnote. `None` for any other text.
pub fn raised_digits(text: &str) -> Option<String> {
    const RAISED: [char; 10] = [
        '\u{2070}', '\u{b9}', '\u{b2}', '\u{b3}', '\u{2074}', '\u{2075}', '\u{2076}', '\u{2077}', '\u{2078}',
        '\u{2079}',
    ];
    let digits = text.trim();
    let raised = digits.chars().map(|digit| RAISED.get(usize::try_from(digit.to_digit(10)?).ok()?).copied());
    if digits.len() == 2 { raised.collect() } else { None }
}

/// Figures that stand for whole units, whatever parts their thousands.
fn whole_figures(digits: &str) -> Option<Decimal> {
    static GROUPED: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"^(?:\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})*,\d{3}|\d+)$")
    });
    GROUPED.is_match(digits).then(|| Decimal::from_str_exact(&digits.replace(['.', ','], "")).ok()).flatten()
}

/// The amount in words in parentheses behind figures: "$5,000.00 (five thousand dollars)".
fn amount_in_words_behind(behind: &str) -> Option<Decimal> {
    static IN_PARENTHESES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^[,\s-]*\(\s*(?:in\s+words\s*:?\s*)?(?:(?:say|the\s+sum\s+of)\s+)?(?:(?:rupees|euros?|u\.?s\.?\s+dollars|(?:[a-z]+\s+)?dollars)\s+)?(?P<words>[a-z][a-z\s,-]{3,160}?)(?P<named>\s+(?:(?:u\.?s\.?|canadian|australian|singapore)\s+)?(?:dollars|euros?|pounds(?:\s+sterling)?|rupees|only))*\s*\)",
        )
    });
    let lowered = IN_PARENTHESES.captures(behind)?.name("words")?.as_str().to_lowercase();
    let words: Vec<&str> = lowered
        .split(|character: char| character.is_whitespace() || matches!(character, '-' | ',' | '\u{2013}'))
        .filter(|word| !word.is_empty())
        .collect();
    let spelled = without_and(&words);
    spelled.iter().all(|word| is_number_word(word)).then(|| words_number(&spelled).map(Decimal::from))?
}

/// The amount in words that ends just before figures in parentheses; `None` where there are no such words.
fn amount_in_words_before(text: &str, figures_start: usize) -> Option<Decimal> {
    let before = text[..figures_start].trim_end();
    let before = before.strip_suffix('(')?.trim_end();
    let floor = super::text::floor_boundary(before, before.len().saturating_sub(WORDS_REACH_BYTES));
    let lowered = before[floor..].to_lowercase().replace("united states", " ").replace("u.s.", " ");
    let mut words: Vec<&str> = lowered
        .split(|character: char| character.is_whitespace() || matches!(character, '-' | ',' | '\u{2013}'))
        .filter(|word| !word.is_empty())
        .collect();
    let mut fraction = Decimal::ZERO;
    if matches!(words.last(), Some(&("cents" | "cent"))) {
        words.pop();
        let cents_start = words.iter().rposition(|word| matches!(*word, "dollars" | "dollar"))?;
        let cents = words_number(&without_and(&words[cents_start + 1..]))?;
        fraction = Decimal::from(cents).checked_div(Decimal::from(100))?;
        words.truncate(cents_start + 1);
    }
    let mut named = false;
    while let Some(last) = words.last() {
        match *last {
            "dollars" | "dollar" | "euros" | "euro" | "pounds" | "us" | "rupees" | "canadian"
            | "sterling" => named = true,
            "exactly" | "only" => {}
            _ => break,
        }
        words.pop();
    }
    if let Some((hundredths, "100")) = words.last().and_then(|word| word.split_once('/')) {
        fraction = match hundredths {
            "no" | "xx" | "00" | "0" => Decimal::ZERO,
            digits => Decimal::new(digits.parse().ok().filter(|cents| (0..100).contains(cents))?, 2),
        };
        named = true;
        words.pop();
    }
    let start = words.iter().rposition(|word| !is_number_word(word)).map_or(0, |at| at + 1);
    let spelled = without_and(&words[start..]);
    if spelled.is_empty() || !named {
        return None;
    }
    Some(Decimal::from(words_number(&spelled)?) + fraction)
}

/// Amounts that are written in words with their currency, or with figures in parentheses, behind them.
pub fn spelled(text: &str) -> Vec<Decimal> {
    static SPELLED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?P<words>\b(?:[a-z]+[\s,-]+){1,14}?)(?:and\s+(?:no|xx|\d{1,2})/100\s*)?(?:(?:(?:u\.?s\.?|canadian|australian)\s+)?(?:dollars|euros?|pounds|rupees)\b|\((?:[A-Z]{1,3})?\s?[$\u{20ac}\u{a3}])",
        )
    });
    SPELLED
        .captures_iter(text)
        .filter_map(|captures| {
            let lowered = captures.name("words")?.as_str().to_lowercase();
            let words: Vec<&str> = lowered
                .split(|character: char| !character.is_alphabetic())
                .filter(|word| !word.is_empty())
                .collect();
            let start = words.iter().rposition(|word| !is_number_word(word)).map_or(0, |at| at + 1);
            let spelled = without_and(&words[start..]);
            if spelled.is_empty() { None } else { words_number(&spelled).map(Decimal::from) }
        })
        .collect()
}

fn without_and<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().filter(|word| *word != "and").collect()
}

fn is_number_word(word: &str) -> bool {
    word == "and" || small_number(word).is_some() || scale(word).is_some()
}

fn small_number(word: &str) -> Option<u64> {
    const UNITS: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let at = |list: &[&str]| {
        list.iter().position(|known| *known == word).and_then(|index| u64::try_from(index).ok())
    };
    at(&UNITS).or_else(|| at(&TENS).map(|index| (index + 2) * 10))
}

fn scale(word: &str) -> Option<u64> {
    match word {
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        "lakh" | "lakhs" | "lac" | "lacs" => Some(100_000),
        "million" => Some(1_000_000),
        "crore" | "crores" => Some(10_000_000),
        _ => None,
    }
}

/// The whole number that words spell, such as `ninety one`; `None` when they spell none.
pub fn words_number(words: &[&str]) -> Option<u64> {
    let (mut total, mut group, mut any) = (0u64, 0u64, false);
    for word in words {
        any = true;
        if let Some(number) = small_number(word) {
            group = group.checked_add(number)?;
        } else {
            match scale(word)? {
                100 => group = group.max(1).checked_mul(100)?,
                thousands => {
                    total = total.checked_add(group.max(1).checked_mul(thousands)?)?;
                    group = 0;
                }
            }
        }
    }
    any.then_some(total.checked_add(group)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_exactly_with_their_currency() {
        let rows = [
            ("$1,234.56", Some(("1234.56", "USD"))),
            ("$ 12,500", Some(("12500", "USD"))),
            ("US$5,000.00", Some(("5000.00", "USD"))),
            ("C$5,000.00", Some(("5000.00", "CAD"))),
            ("1,500.00 USD / month", Some(("1500.00", "USD"))),
            ("EUR 1.234,56", Some(("1234.56", "EUR"))),
            ("€ 17.214,21", Some(("17214.21", "EUR"))),
            ("12.000,00 euro", Some(("12000.00", "EUR"))),
            ("£950", Some(("950", "GBP"))),
            ("CHF 2500", Some(("2500", "CHF"))),
            ("€ 48.000,-", Some(("48000", "EUR"))),
            ("€ 210.000,--", Some(("210000", "EUR"))),
            ("Rs. 50,000/-", Some(("50000", "INR"))),
            ("Rs.1,50,000/- per month", Some(("150000", "INR"))),
            ("₹ 1,50,000.00", Some(("150000.00", "INR"))),
            ("INR 85,000", Some(("85000", "INR"))),
            ("RMB17,000 per month", Some(("17000", "CNY"))),
            ("€ 1.234", None),
            ("$1,23.45", None),
            ("$1,23,456.00", None),
            ("$12,3456", None),
            ("$____", None),
            ("$2 million", None),
            ("1,500", None),
        ];
        for (text, expected) in rows {
            let found = find(text, Some(Currency::USD));
            let found = found.first().map(|found| {
                (
                    found.amount.to_string(),
                    found.currency.map(|currency| currency.to_string()).unwrap_or_default(),
                )
            });
            let expected = expected.map(|(amount, currency)| (amount.to_owned(), currency.to_owned()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn cut_continued_and_scaled_figures_are_no_amount_that_a_rule_may_take() {
        let rows = [
            ("rent of 12 500 EUR per month", Some("12500")),
            ("rent of 12 500,00 \u{20ac} per month", Some("12500.00")),
            ("EUR 125 000 in advance", Some("125000")),
            ("CHF 125'000.00", Some("125000.00")),
            ("CHF 1\u{2019}125\u{2019}000", Some("1125000")),
            ("rent of 125'000 CHF", Some("125000")),
            ("EUR 12 500 per month", Some("12500")),
            ("Year 1 1.500,00 EUR", Some("1500.00")),
            ("$5,250.00\u{b9} per month", Some("5250.00")),
            ("$5,250.00per month", Some("5250.00")),
            ("$5,250.00* per month", Some("5250.00")),
            ("$5,250.00 365 days", Some("5250.00")),
            ("02/28/2030 $168,000.00", Some("168000.00")),
            ("Base Rent--$5,250.00", Some("5250.00")),
            ("BASE RENT$5,250.00", Some("5250.00")),
            ("a rent of US $5,250.00", Some("5250.00")),
            ("a rent of USD $5,250.00", Some("5250.00")),
            ("Pay $5,250.00", Some("5250.00")),
            ("$5,250.-", Some("5250")),
            ("HKD $5,250.00", None),
            ("MXN $5,250.00", None),
            ("$5,250\u{bd}", None),
            ("$ 5 250.00", None),
            ("$1,2S0.00 a month", None),
            ("a rent of 1 2,500.00 EUR", None),
            ("'$5,250'", Some("5250")),
            ("$5,250, 2020", Some("5250")),
            ("Suite 12 500 EUR", None),
            ("Month 1 500,00 EUR", None),
            ("EUR 125 350 of floor", None),
            ("$125 000", None),
            ("$125 350.00", None),
            ("$525O.00", None),
            ("$1,250, 000.00", None),
            ("$1,250, 000.00 USD", None),
            ("$125 ,000.00", None),
            ("$12, 500.00", None),
            ("$525 0.00 per month", None),
            ("$525 0.00.", None),
            ("$5,250\u{2077}\u{2075} per month", None),
            ("$125, Page 000.00", None),
            ("$5,250 3.00%", Some("5250")),
            ("JPY 525,000, about $5,250.00", None),
            ("$52,500.00 per month in Philippine pesos", None),
            ("$125\u{b7}000", None),
            ("$525\u{2044}0", None),
            ("$525\u{2070}.00", None),
            ("$5250\u{b9}", None),
            ("$5\u{2063},250.00", None),
            ("$525- 0.00", None),
            ("$525\u{301}", None),
            ("$5,250__", None),
            ("$1,260 thousand", None),
            ("Rs. 150 thousand", None),
            ("$50K", None),
            ("Rent (in thousands): $1,260", None),
            ("$5,250.00 x 2", None),
            ("$5,250.001", None),
            ("a rent of -$5,250.00", None),
            ("-5,250.00 EUR", None),
            ("N$5,250.00", None),
            ("NT$52,500.00", None),
            ("R$52,500.00", None),
            ("J$52,500.00", None),
            ("MX$52,500.00", None),
            ("Mex$52,500.00", None),
            ("$52,500.00 MXN", None),
            ("$52,500.00 pesos", None),
            ("$1O,500 USD", None),
        ];
        for (text, expected) in rows {
            let found = find(text, Some(Currency::USD));
            assert!(!found.is_empty(), "the figures of {text:?} are seen");
            let taken: Vec<String> = found
                .iter()
                .filter(|found| found.words != WordsBeside::Differ && found.currency.is_some())
                .map(|found| found.amount.to_string())
                .collect();
            let expected: Vec<String> = expected.map(str::to_owned).into_iter().collect();
            assert_eq!(taken, expected, "{text}");
        }
    }

    #[test]
    fn rates_are_told_from_amounts() {
        let rows = [
            ("$12.00 per rentable square foot", true),
            ("$12.00 per square foot per year", true),
            ("$24.50/RSF", true),
            ("$24.50 psf", true),
            ("$2.10 per month per square foot", true),
            ("€ 45,00 per m2", true),
            ("$9,000 per acre", true),
            ("$5,000.00 per month", false),
            ("$5,000.00 per annum, being $2.00 per square foot", false),
            ("$60,000.00 per year", false),
        ];
        for (text, expected) in rows {
            assert_eq!(
                find(text, Some(Currency::USD)).first().map(|found| found.is_rate),
                Some(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn words_beside_figures_must_agree() {
        use WordsBeside::{Agree, Differ, None};
        let rows = [
            ("Twelve Thousand Five Hundred and No/100 Dollars ($12,500.00)", Agree),
            ("in the amount of Nine Thousand Six Hundred Forty-Two and 35/100 Dollars ($9,642.35)", Agree),
            ("One Million Two Hundred Thousand Dollars ($1,200,000)", Agree),
            ("One Thousand Dollars and Fifty Cents ($1,000.50)", Agree),
            ("a rent of Twelve Thousand Dollars ($12,500.00)", Differ),
            ("Nine Hundred and 10/100 Dollars ($900.01)", Differ),
            ("€ 210.000,-- (in words: two hundred and ten thousand euros)", Agree),
            ("Rs. 1,50,000/- (Rupees One Lakh Fifty Thousand only)", Agree),
            ("$5,000.00 (four thousand dollars)", Differ),
            ("$5,000.00 (the Base Rent)", None),
            ("the Base Rent ($900.00)", None),
            ("$900.00", None),
            ("building two ($900.00)", None),
        ];
        for (text, expected) in rows {
            let found = find(text, Some(Currency::USD));
            assert_eq!(found.first().map(|found| found.words), Some(expected), "{text}");
        }
    }

    #[test]
    fn numbers_are_read_from_words() {
        let rows = [
            ("ninety one", Some(91)),
            ("one hundred twenty", Some(120)),
            ("five", Some(5)),
            ("term", None),
            ("", None),
        ];
        for (text, expected) in rows {
            let words: Vec<&str> = text.split_whitespace().collect();
            assert_eq!(words_number(&words), expected, "{text}");
        }
    }
}
