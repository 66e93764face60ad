//! Which dollar a bare `$` is. It is read from what the document says and where it plays, and never assumed against
//! either; where it is silent, an assumption is shown and never posted.

use std::sync::LazyLock;

use regex::Regex;

use super::expression;
use crate::lease::Currency;

/// How many times as often one country's places must be named as all others' before `$` is that country's.
const PREVAILS_FACTOR: usize = 4;

/// A currency's names, or a country's places; `None` stands for all the other money that `$` is written for.
type Row = (Regex, Option<Currency>);

fn expressions(rows: &[(&str, Option<Currency>)]) -> Vec<Row> {
    rows.iter().map(|(pattern, currency)| (expression(pattern), *currency)).collect()
}

/// Names of currencies.
static NAMED: LazyLock<Vec<Row>> = LazyLock::new(|| {
    expressions(&[
        (
            r"\bC\$|CA\$|(?i:canadian\s+(?:dollars|funds|currency|money)|(?:money|currency)\s+of\s+canada|currency\s*:\s*canadian)",
            Some(Currency::CAD),
        ),
        (r"AU\$|(?i:australian\s+(?:dollars|currency))", Some(Currency::AUD)),
        (r"NZ\$|(?i:new\s+zealand\s+(?:dollars|currency))", Some(Currency::NZD)),
        (r"HK\$|(?i:hong\s+kong\s+(?:dollars|currency))", Some(Currency::HKD)),
        (r"\bS\$|(?i:singapore\s+(?:dollars|currency))", Some(Currency::SGD)),
        (
            r"\bUS\$|\bU\.S\.\s?\$|(?i:\b(?:u\.s\.|us|united\s+states)\s+(?:dollars|currency|funds)|money\s+of\s+the\s+united\s+states)",
            Some(Currency::USD),
        ),
        (
            r"\b(?i:(?:mexican|philippine|chilean|colombian|argentine|uruguayan|dominican)\s+pesos|(?:namibian?|jamaican?|bahamian|barbados|barbadian|bermuda|bermudian|belize|fijian?|guyanese|liberian|cayman(?:ian)?|taiwan(?:ese)?|brunei|trinidad(?:ian)?|zimbabwean?|east\s+caribbean)\s+dollars|brazilian\s+reais)\b",
            None,
        ),
    ])
});

/// A code of a currency where it stands as one, and not as a word of another trade ("CAD drawings"): beside a figure or
/// a sign, in parentheses, or before the word for money.
static CODES: LazyLock<Vec<Row>> = LazyLock::new(|| {
    [
        ("(?:CAD|CDN|Cdn)", Currency::CAD),
        ("AUD", Currency::AUD),
        ("NZD", Currency::NZD),
        ("HKD", Currency::HKD),
        ("SGD", Currency::SGD),
        ("USD", Currency::USD),
    ]
    .into_iter()
    .map(|(code, currency)| {
        let stands = format!(
            r"\b{code}\.?\s?\$?\s?\d|\d\s?{code}\b|\(\s*{code}\.?\s*\)|\b{code}\s*\$|\b{code}\s+(?i:dollars|funds|currency|per)\b|\b(?i:in|of)\s+{code}\b(?:[.,;)]|\s*$)"
        );
        (expression(&stands), Some(currency))
    })
    .collect()
});

/// Places, and words that are used in one country only.
static PLACES: LazyLock<Vec<Row>> = LazyLock::new(|| {
    expressions(&[
        (
            r"\b(?i:canada|ontario|quebec|qu\x{e9}bec|british\s+columbia|alberta|manitoba|saskatchewan|nova\s+scotia|new\s+brunswick|newfoundland|toronto|montr(?:e|\x{e9})al|calgary|edmonton|ottawa|winnipeg|mississauga)\b|\b[A-Z][a-z]+,?\s(?:ON|BC|QC|AB|MB|SK|NS|NB|NL|PEI|YT|NU)\b|\bHST\b|\b[A-Z]\d[A-Z]\s?\d[A-Z]\d\b",
            Some(Currency::CAD),
        ),
        (
            r"\b(?i:australia|new\s+south\s+wales|queensland|tasmania|brisbane|melbourne|sydney|adelaide|canberra|hobart)\b|\b(?i:western\s+australia|perth\s+wa)\b|\b(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT)\s+\d{4}\b|\b[A-Z][a-z]+,?\s(?:NSW|VIC|Vic|QLD|Qld|TAS)\b|\bA(?:BN|CN)\s*:?\s*\d",
            Some(Currency::AUD),
        ),
        (r"\b(?i:new\s+zealand|auckland|wellington\s+\d{4}|christchurch|aotearoa)\b", Some(Currency::NZD)),
        (r"\b(?i:hong\s+kong|kowloon)\b", Some(Currency::HKD)),
        (r"\b(?i:singapore)\b", Some(Currency::SGD)),
        (
            r"\b(?i:mexico|namibia|jamaica|bahamas|barbados|bermuda|belize|fiji|guyana|liberia|cayman\s+islands|taiwan|brunei|trinidad|zimbabwe|chile|colombia|argentina|uruguay|philippines|brazil|puerto\s+vallarta)\b",
            None,
        ),
    ])
});

/// Places of the United States, each with the town before its state: "Ontario, CA" is none of Canada.
static IN_THE_STATES: LazyLock<Regex> = LazyLock::new(|| {
    const STATES: &str = "AL|AK|AZ|AR|CA|CO|CT|DC|DE|FL|GA|HI|IA|ID|IL|IN|KS|KY|LA|MA|MD|ME|MI|MN|MO|MS|MT|NC|ND|NE|NH|NJ|NM|NV|NY|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VA|VT|WA|WI|WV|WY";
    // Without a comma before it "ID 40001" may be the number of a property.
    let without_id = STATES.replace("|ID|", "|");
    expression(&format!(
        r"(?:\b[A-Z][A-Za-z.]+,\s+)?\b(?i:Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New\s+Hampshire|New\s+Jersey|New\s+Mexico|New\s+York|North\s+Carolina|North\s+Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode\s+Island|South\s+Carolina|South\s+Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|Wisconsin|Wyoming|District\s+of\s+Columbia|United\s+States)\b|\b[A-Z][A-Za-z.]+\s+(?:{without_id})\s+\d{{5}}\b|\b[A-Z][A-Za-z]+,\s(?:{STATES})\b|\b(?:New\s+York\s+City|Chicago|Los\s+Angeles|San\s+(?:Francisco|Diego|Jose|Antonio)|Houston|Dallas|Seattle|Atlanta|Denver|Philadelphia|Las\s+Vegas)\b"
    ))
});

/// A state under whose law a company stands, which says nothing of where the premises are.
static COMPANY_OF_A_STATE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?i:an?)\s+(?:[A-Z][A-Za-z]+\s+){1,2}(?i:corporation|limited|general|company|non-?profit|professional|business|banking|municipal|public|statutory|trust|llc|partnership|domestic|foreign)\b|\b(?i:laws\s+of)\s+(?i:the\s+)?(?i:(?:state|commonwealth|province)\s+of\s+)?(?:[A-Z][A-Za-z]+\s?){1,2}",
    )
});

/// Where a party is written to or has its seat, which says nothing of where the premises are.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?m)\b(?i:notices?\.?\s+(?:address|to\b)|head\s+office|principal\s+(?:office|place\s+of\s+business)|subsidiary\s+of|parent|remit\w*|mail(?:ing|ed)?\s+(?:address|to)|payable\s+(?:to|at)|with\s+a\s+copy\s+to)\b[^;\n]{0,200}?(?:\.\s+[A-Z\d]|\n|;|$)",
    )
});

/// What a bare `$` means in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dollar {
    /// The one dollar that the document names, or else that of the country whose places it names.
    Of(Currency),
    /// The document names neither: that of the United States is shown to a person, and never posted.
    Assumed,
    /// Names or places contradict each other, or the sign is of money that is not known.
    Unclear,
}

impl Dollar {
    /// The currency in which amounts are read.
    pub fn currency(self) -> Option<Currency> {
        match self {
            Self::Of(currency) => Some(currency),
            Self::Assumed => Some(Currency::USD),
            Self::Unclear => None,
        }
    }

    /// Whether an amount of a currency is so for want of any other sign.
    pub fn assumes(self, currency: Currency) -> bool {
        self == Self::Assumed && currency == Currency::USD
    }
}

/// Whether a sign that is read as a currency is another country's as well, and the document plays there: the rupee of
/// Pakistan, the pound of Egypt.
pub fn is_of_another_country(text: &str, currency: Currency) -> bool {
    static RUPEES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:pakistan|sri\s+lanka|nepal|mauritius|seychelles|maldives|karachi|lahore|colombo|kathmandu|port\s+louis)\b",
        )
    });
    static POUNDS: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:egypt|lebanon|syria|sudan|cairo|beirut)\b"));
    (currency == Currency::INR && RUPEES.is_match(text))
        || (currency == Currency::GBP && POUNDS.is_match(text))
}

/// What a bare `$` means: a currency is read, from its name first and from places else. A name that the places
/// contradict may be said of another sum.
pub fn dollar_of(text: &str) -> Dollar {
    let mut named = NAMED
        .iter()
        .chain(CODES.iter())
        .filter(|(pattern, _)| pattern.is_match(text))
        .map(|(_, currency)| *currency);
    let places = places_of(text);
    let Some(first) = named.next() else { return dollar_of_places(places) };
    let count_of = |currency: Option<Currency>| {
        places.iter().find(|(_, other)| *other == currency).map_or(0, |(count, _)| *count)
    };
    // Places of another country, as often named as those of the currency's own, say that it is of another sum.
    let contradicted =
        places.iter().any(|(count, other)| *other != first && *count > 0 && *count >= count_of(first));
    // Beside an amount with its country's sign, one with the bare sign may be of the other.
    let signed_apart =
        SIGNED.is_match(text) && BARE.is_match(&SIGNED.replace_all(text, " ")) && count_of(first) == 0;
    match first {
        Some(only) if named.all(|other| other == first) && !contradicted && !signed_apart => Dollar::Of(only),
        _ => Dollar::Unclear,
    }
}

/// An amount whose sign names the country.
static SIGNED: LazyLock<Regex> =
    LazyLock::new(|| expression(r"\b(?:C|CA|AU|A|NZ|HK|S|US)\$\s?\d|\bU\.S\.\s?\$\s?\d"));

/// An amount whose sign names none.
static BARE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?:^|[^A-Za-z.])\$\s?\d"));

/// How often the places of each currency's country are named.
fn places_of(text: &str) -> Vec<(usize, Option<Currency>)> {
    let places = ELSEWHERE.replace_all(text, " ");
    let places = COMPANY_OF_A_STATE.replace_all(&places, " ");
    let in_the_states = (IN_THE_STATES.find_iter(&places).count(), Some(Currency::USD));
    let elsewhere = IN_THE_STATES.replace_all(&places, " ");
    PLACES
        .iter()
        .map(|(pattern, currency)| (pattern.find_iter(&elsewhere).count(), *currency))
        .chain([in_the_states])
        .collect()
}

/// What the places of a document say.
fn dollar_of_places(counts: Vec<(usize, Option<Currency>)>) -> Dollar {
    let all: usize = counts.iter().map(|(count, _)| count).sum();
    match counts.into_iter().max_by_key(|(count, _)| *count) {
        Some((most, currency)) if most > 0 && most >= PREVAILS_FACTOR * (all - most) => {
            currency.map_or(Dollar::Unclear, Dollar::Of)
        }
        _ if all == 0 => Dollar::Assumed,
        _ => Dollar::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rupee_or_a_pound_may_be_of_another_country() {
        let rows = [
            ("a shop in Karachi", Currency::INR, true),
            ("a shop in Pune", Currency::INR, false),
            ("a shop in Cairo, Egypt", Currency::GBP, true),
            ("a shop in Leeds", Currency::GBP, false),
            ("a shop in Cairo, Egypt", Currency::EUR, false),
        ];
        for (text, currency, expected) in rows {
            assert_eq!(is_of_another_country(text, currency), expected, "{text}");
        }
    }

    #[test]
    fn a_bare_dollar_is_the_one_the_document_names() {
        let rows = [
            ("pay $5", Dollar::Assumed),
            ("pay $5 in Mexican pesos", Dollar::Unclear),
            (
                "9 Elm Row, Moncton; rent $5. Notices to Landlord: 9 Post Row, Boston, MA 02109.",
                Dollar::Assumed,
            ),
            (
                "9 Elm Row, Austin, TX; rent $5. Notices. To Landlord: 9 King Row, Toronto, Ontario.",
                Dollar::Of(Currency::USD),
            ),
            ("9 Elm Row; rent $5. Tenant's head office: 9 Park Row, New York, NY 10022.", Dollar::Assumed),
            ("9 Elm Row, Austin, TX; rent $5, deposit C$9 from an account in Toronto", Dollar::Unclear),
            ("9 Elm Row; rent $5, deposit C$9", Dollar::Unclear),
            ("pay U.S. $5", Dollar::Of(Currency::USD)),
            (
                "Notice Address: 9 Post Row, Boston, MA\nPremises: 5 Elm Row, Toronto; rent $5",
                Dollar::Of(Currency::CAD),
            ),
            ("9 Elm Row, Toronto; rent $5, deposit C$9", Dollar::Of(Currency::CAD)),
            ("9 Elm Row, Austin, TX; rent $5; sales in Canada in Canadian dollars", Dollar::Unclear),
            ("a shop in Windhoek, Namibia, let by a Delaware corporation; rent $5", Dollar::Unclear),
            (
                "9 Elm Row, Toronto ON, let by a Delaware limited liability company; rent $5",
                Dollar::Of(Currency::CAD),
            ),
            ("9 King Street, Perth WA 6000; rent $5", Dollar::Of(Currency::AUD)),
            ("Monthly Base Rent: 5,250.00 (in Canadian money); $5", Dollar::Of(Currency::CAD)),
            ("let by a Delaware corporation under the laws of Delaware; rent $5", Dollar::Assumed),
            ("9 Elm Row, Austin, TX; rent $5", Dollar::Of(Currency::USD)),
            ("As-built CAD drawings of 9 Elm Row, Austin, Texas; rent $5", Dollar::Of(Currency::USD)),
            ("CAD drawings; rent $5", Dollar::Assumed),
            ("9 Elm Row, Austin, Texas; rent $5 CAD", Dollar::Unclear),
            ("9 Elm Row, Seattle, WA 98101; rent $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Seattle, WA; rent $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Albuquerque, New Mexico; rent $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Melbourne, FL; rent $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Ontario, CA 91761; rent $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Ontario, California; rent $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Vancouver, Washington; rent $5", Dollar::Of(Currency::USD)),
            ("Property ID 40001; pay $5", Dollar::Assumed),
            ("9 Elm Row, Boise, ID 83702; pay $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Austin TX 78701; pay $5", Dollar::Of(Currency::USD)),
            ("THE COUNTY OF VENTURA, STATE OF CALIFORNIA; rent $5", Dollar::Of(Currency::USD)),
            ("9 Elm Row, Chicago; rent $5", Dollar::Of(Currency::USD)),
            ("pay $5 in lawful money of Canada", Dollar::Of(Currency::CAD)),
            ("pay $5, in Australian dollars", Dollar::Of(Currency::AUD)),
            ("pay $5 in lawful money of the United States", Dollar::Of(Currency::USD)),
            ("pay US$5 or CAD 6", Dollar::Unclear),
            ("a house in Toronto, Ontario, rent $5", Dollar::Of(Currency::CAD)),
            ("5 Elm Row, Brisbane, Queensland; rent $5", Dollar::Of(Currency::AUD)),
            ("an office in Singapore, rent $5", Dollar::Of(Currency::SGD)),
            ("5 Elm Row, Austin, Texas; rent $5", Dollar::Of(Currency::USD)),
            ("5 Elm Row, Austin, TX 78701; a company of Ontario", Dollar::Unclear),
            (
                "an Ontario company, at 5 Elm Row, Austin, Texas, TX 78701, under the laws of Texas and Delaware",
                Dollar::Of(Currency::USD),
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(dollar_of(text), expected, "{text}");
        }
    }
}
