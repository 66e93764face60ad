//! The headings of a lease's sections: each lease has much the same ones.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Known;
use crate::extract::clauses::Reading;
use crate::extract::expression;
use crate::extract::text::floor_boundary;
use crate::lease::DocumentKind;

/// How far from its heading a section is read, in bytes.
const SECTION_REACH_BYTES: usize = 1_500;
/// Most words of a heading.
const HEADING_MAX_WORDS: usize = 6;

/// A numbered section whose heading is that of no section that leases have.
pub(super) fn other_heading(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^[\s*#_]*(?:(?i:article|section|clause|paragraph)\s+)?(?:\d{1,3}[A-Za-z]?[.):]|[A-Z][.)]|[IVX]{1,5}[.):])[\s*_]+(?P<name>[A-Z][A-Za-z'\u{2019}&/, -]{2,60}?)[\s*_]*(?:\.(?:\s|$)|:|$)",
        )
    });
    static COMPANY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:inc|llc|l\.l\.c|ltd|limited|plc|corp|corporation|lp|llp|company|co|trust|street|st|avenue|ave|road|rd|drive|lane|boulevard|blvd|way|place|row|terrace|court|square|quay)\.?$",
        )
    });
    static SPEAKS_OF_VALUES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:rent(?:al|s)?|terms?|sub-?leases?|leases?|tenanc(?:y|ies)|letting|lessees?|dates?|(?:19|20)\d\d|years?|months?|days?|half|sign(?:s|ed|ing)?|owner|agreement|document|paper|parties|figures?|amounts?|sums?|premises\s+(?:shall|will|must|at)|give\s+up|quit|vacate|vote|board|approv\w+|consent\w*|money|pay(?:s|ing)?)\b|[$\u{20ac}\u{a3}]\s?\d",
        )
    });
    // An amendment has sections for what it changes.
    if known.kind == DocumentKind::Amendment {
        return None;
    }
    reading.lines().find_map(|(range, line)| {
        let name = NUMBERED.captures(line)?.name("name")?.as_str();
        // A section of the tenant's trade or of the house speaks of no value.
        let speaks = || {
            let section = reading.section_at(range.end.saturating_sub(1));
            let until = floor_boundary(reading.flow(), section.end.min(range.start + SECTION_REACH_BYTES));
            SPEAKS_OF_VALUES.is_match(reading.text.slice(&(range.start..until.max(range.end))))
        };
        // A number may be that of a house, before the name of a company or of a street.
        let is_other = is_titled(name)
            && !is_ordinary(name)
            && !COMPANY.is_match(name)
            && !known.is_named_in(name)
            && speaks();
        is_other.then_some(range)
    })
}

/// Whether words are written as a heading: few, each that carries meaning with a capital.
fn is_titled(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.len() <= HEADING_MAX_WORDS
        && words.iter().all(|word| word.len() <= 3 || !word.starts_with(char::is_lowercase))
}

/// Whether a heading holds a word of a section that leases have. Words that could head anything count for nothing.
fn is_ordinary(name: &str) -> bool {
    static TOPIC: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)\b(?:abandon|abate|access|accord|address|adjust|administrat|agen(?:t|cy)|advertis|aerial|alienat|alterat|amenit|amend|animal|antenna|appliance|appurtenan|approval|arbitrat|area|asbestos|assign|attorn|authorit|auth|back[gu]|balcon|bankrupt|basic\b|benefit|binding|break|broker|building|capacity|caption|cam\b|care\b|cash|casualt|charge|child|clause|clean|commence|common|communicat|complian|condemn|condition|confident|conflict|consent|consideration|construct|consum|contract|cooperat|corporate|cost|certificat|counterpart|covenant|creditor|crime|crop|cumulat|cure|damage|data|decorat|default|defin|demis|deposit|describ|descript|destruct|dilapidat|disclaim|disclos|discriminat|disput|distress|disturb|draft|drain|drug|due\b|duration|duties|duty|earthquake|easement|electric|elevator|effect|eminent|end\b|ending|emergenc|energy|enforce|enjoy|entire|entr(?:y|ance)|environment|equipment|escalat|estimat|estoppel|evict|examinat|execut|exclusiv|exculpat|exhibit|exit|expans|expens|exten|expir|exterior|fee\b|fees|fence|fertil|financ|fire|fit-?out|fixture|flood|floor|force|forfeit|format|furni|garage|garbage|garden|gas\b|gender|glass|governing|grant|grazing|gross|ground|grounds|guarant|guest|harvest|hazard|heading|heat|heir|hereditament|hold|hour|house|hunting|hvac|identi|illegal|improvement|increas|inability|indemn|individual|inflation|ingress|inspect|install?ment|insur|interest|interfer|interior|interpret|interrupt|inventor|irrigat|janitor|joint|jurisdict|jury|key\b|keys|laundry|late\b|law\b|laws\b|lawn|lead\b|lender|letters|legal|letting|liabilit|liable|licen|lien|light|limit|liquidat|litigat|livestock|load|lock|lockout|maint|market|manage|material|measure|mechanic|memorandum|merchandis|meter|military|mineral|miscellan|mitigat|modif|mold|mortgag|movement|move|negotiat|negligen|net\b|noise|non-?|nonwaiver|notice|nuisance|oblig|occup|offset|oil\b|open|operat|option|order\b|ordinance|organi|outgoing|owner|painting|parking|part(?:y|ies)\b|partner|partition|pass|patio|pay(?:ing)?\b|payment|payable|percentage|perform|period|permit|person|pest|pet|pets|plan\b|plans|plat|plumb|polic|police|people|pool|possess|power|premises|prevail|price|priority|privacy|professional|prohibit|promot|property|pro-?rat|provision|public|purchase|purpose|quiet|radius|radon|rate\b|receipt|recital|reciproc|recover|record|recycl|redeliver|refus|refuse|registr|regulat|reimburse|re-?entr|relation|re-?let|remed|remov|render|renew|rent|rental|repair|replac|report|represent|reserv|residen|restor|restrict|retail|return|review|right|roof|rule|safe|safety|sales|sanit|satellite|schedul|security|seed|septic|service|set-?off|several|severab|sewer|sharing|shopping|sidewalk|sign|signs|signage|signature|site|smok|snow|soil|solicit|sprinkler|stamp|statement|statut|storage|sub-?leas|sub-?let|sub-?ordinat|sub-?rogat|subten|success|suitab|summary|supervis|surrender|surviv|tax|telecom|telephone|term\b|terms|terminat|timber|time|title|tower|trade|transfer|trash|trustee|uninhabit|untenant|upkeep|use|user|using|utilit|vacat|value|vat\b|vehicle|vendor|venue|vermin|visitor|waiver|waiving|warrant|waste|water|wear|weed|wiring|window|witness|work|yard|yield|zoning|governing|generator|loading|master|prime|over-?lease|head\s?lease|fuel|dispos|dealing|hall\b|land\b|farm\b|shop\b|store\b|suite|unit|apartment|flat\b|home\b|office|delivery|dates?\b|definit|remeasure|stairs|terrace|trespass|interim|holidays?|curfew|gst|hst|business|rates|counsel|cap\b|tenanc)",
        )
    });
    TOPIC.is_match(name)
}
