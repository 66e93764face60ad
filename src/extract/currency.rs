//! Which dollar a bare `$` is. It is read from what the document says and where it plays, and never assumed against
//! either.

use std::sync::LazyLock;

use regex::Regex;

use crate::lease::Currency;

/// How many times as often one country's places must be named as all others' before `$` is that country's.
const PREVAILS_FACTOR: usize = 4;

fn expressions(rows: &[(&str, Currency)]) -> Vec<(Regex, Currency)> {
    rows.iter()
        .map(|(pattern, currency)| (Regex::new(pattern).expect("a name of a currency or a place"), *currency))
        .collect()
}

/// Names of currencies.
static NAMED: LazyLock<Vec<(Regex, Currency)>> = LazyLock::new(|| {
    expressions(&[
        (
            r"\bCAD\b|\bCDN\b|\bC\$|(?i:canadian\s+(?:dollars|funds|currency)|(?:money|currency)\s+of\s+canada)",
            Currency::CAD,
        ),
        (r"\bAUD\b|AU\$|(?i:australian\s+(?:dollars|currency))", Currency::AUD),
        (r"\bNZD\b|NZ\$|(?i:new\s+zealand\s+(?:dollars|currency))", Currency::NZD),
        (r"\bHKD\b|HK\$|(?i:hong\s+kong\s+(?:dollars|currency))", Currency::HKD),
        (r"\bSGD\b|\bS\$|(?i:singapore\s+(?:dollars|currency))", Currency::SGD),
        (
            r"\bUSD\b|\bUS\$|(?i:\b(?:u\.s\.|us|united\s+states)\s+(?:dollars|currency|funds)|money\s+of\s+the\s+united\s+states)",
            Currency::USD,
        ),
    ])
});

/// Places, and words that are used in one country only.
static PLACES: LazyLock<Vec<(Regex, Currency)>> = LazyLock::new(|| {
    expressions(&[
        (
            r"\b(?i:canada|ontario|quebec|qu\x{e9}bec|british\s+columbia|alberta|manitoba|saskatchewan|nova\s+scotia|new\s+brunswick|newfoundland)\b|\bHST\b|\b[A-Z]\d[A-Z]\s?\d[A-Z]\d\b",
            Currency::CAD,
        ),
        (
            r"\b(?i:australia|new\s+south\s+wales|queensland|tasmania|brisbane|melbourne|sydney)\b|\bA(?:BN|CN)\s*:?\s*\d",
            Currency::AUD,
        ),
        (r"\b(?i:new\s+zealand|auckland|wellington\s+\d{4}|aotearoa)\b", Currency::NZD),
        (r"\b(?i:hong\s+kong|kowloon)\b", Currency::HKD),
        (r"\b(?i:singapore)\b", Currency::SGD),
        (
            r"\b(?:Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New\s+Hampshire|New\s+Jersey|New\s+Mexico|New\s+York|North\s+Carolina|North\s+Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode\s+Island|South\s+Carolina|South\s+Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|Wisconsin|Wyoming|United\s+States)\b|\b[A-Z]{2}\s+\d{5}\b",
            Currency::USD,
        ),
    ])
});

/// What a bare `$` means: the one dollar that the document names. Where it names none, the dollar of the country
/// whose places it names, or that of the United States where it names no place. `None` where names or places
/// contradict each other.
pub fn dollar_of(text: &str) -> Option<Currency> {
    let mut named = NAMED.iter().filter(|(pattern, _)| pattern.is_match(text)).map(|(_, currency)| *currency);
    match (named.next(), named.next()) {
        (Some(only), None) => return Some(only),
        (Some(_), Some(_)) => return None,
        (None, _) => {}
    }
    let counts: Vec<(usize, Currency)> =
        PLACES.iter().map(|(pattern, currency)| (pattern.find_iter(text).count(), *currency)).collect();
    let all: usize = counts.iter().map(|(count, _)| count).sum();
    match counts.iter().max_by_key(|(count, _)| *count) {
        Some((0, _)) | None => Some(Currency::USD),
        Some((most, currency)) => (*most >= PREVAILS_FACTOR * (all - most)).then_some(*currency),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_dollar_is_the_one_the_document_names() {
        let rows = [
            ("pay $5", Some(Currency::USD)),
            ("pay $5 in lawful money of Canada", Some(Currency::CAD)),
            ("pay $5, in Australian dollars", Some(Currency::AUD)),
            ("pay $5 in lawful money of the United States", Some(Currency::USD)),
            ("pay US$5 or CAD 6", None),
            ("a house in Toronto, Ontario, rent $5", Some(Currency::CAD)),
            ("5 Elm Row, Brisbane, Queensland; rent $5", Some(Currency::AUD)),
            ("an office in Singapore, rent $5", Some(Currency::SGD)),
            ("5 Elm Row, Austin, Texas; rent $5", Some(Currency::USD)),
            ("5 Elm Row, Austin, TX 78701; a company of Ontario", None),
            (
                "an Ontario company, at 5 Elm Row, Austin, Texas, TX 78701, under the laws of Texas and Delaware",
                Some(Currency::USD),
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(dollar_of(text), expected, "{text}");
        }
    }
}
