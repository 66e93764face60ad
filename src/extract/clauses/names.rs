//! Names of parties: where one ends, and whether what was cut out is one.

use std::sync::LazyLock;

use regex::Regex;

use crate::extract::expression;

/// Longest name of a party, in characters.
const PARTY_MAX_CHARS: usize = 120;
/// Most words in a party's name.
const PARTY_MAX_WORDS: usize = 14;
/// Shortest line that may go on in the next one, in bytes.
const WRAPPED_MIN_BYTES: usize = 56;
/// Fewest and most words in the name of a person.
const PERSON_WORDS: std::ops::RangeInclusive<usize> = 2..=5;

/// What describes a party behind its name, and so ends the name.
static DESCRIPTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?ix)
        ,?\s+(?:an?|a\(n\)|the|both|each\s+an?)\s+(?:[\w.'&()-]+\s+){0,6}?(?:corporation|company|partnership|trust|proprietorship|individuals?|bank|association|entity|person|non-?profit|llc|l\.l\.c\.|agency|municipality|division|subsidiary|cooperative|university|foundation|society|authority|district|limited\s+liability|corp\.|inc\.|resident|citizen)\b
        |,\s*(?:organi[sz]ed|having|whose|with\s+(?:its|an?|offices?|principal|a\s+place|registered)|c/o|located|acting|successors?|as\s+successor|as\s+assignee|individually|by\s+its|by\s+and\s+through|through\s+its|duly|formerly|f/k/a|a/k/a|doing|d/b/a|dba|residing|existing|incorporated\s+(?:and|in|under|at)|formed|established|registered|under|represented|of\s+\d|an?\s|not\s+individually|on\s+behalf)
        |,\s*(?:aged\b|son\s+of|daughter\s+of|wife\s+of|husband\s+and\s+wife|(?:a\s+)?married\s+(?:couple|man|woman|person)|as\s+(?:joint\s+tenants|tenants\s+in\s+common|trustees?\s+(?:of|under))|jointly|both\s+of|(?:registered|company)\s+(?:number|no\.?)|trading\s+as|t/a\b)
        |\s+(?:d/b/a|dba|t/a|trading\s+as|obo\s|on\s+behalf\s+of|incorporated\s+(?:and|in|under)|registered\s+(?:in|at|under)|whose\s|of\s+\d|f/k/a|a/k/a|c/o|formerly\s+known|doing\s+business|having\s+(?:an?|its)|whose\s|with\s+(?:its|an\s+address|offices?)|located\s+at)
        |\s*\(|\s*;|\s*"
        "#,
    )
});

/// A legal form, with which a name may go on behind a comma.
static LEGAL_FORM: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^(?:inc|incorporated|llc|l\.?\s?l\.?\s?c|lp|l\.?\s?p|llp|l\.?\s?l\.?\s?p|lllp|ltd|limited|corp|corporation|co|company|n\.?\s?a|p\.?\s?c|p\.?\s?a|pllc|p\.?l\.?l\.?c|plc|n\.?\s?v|s\.?\s?a|b\.?\s?v|v\.?o\.?f|c\.?v|s\.?p\.?a|s\.?r\.?l|s\.?a\.?s|a/s|ab|oy|k\.?k|bhd|pvt|private|gp|partnership|gmbh|ag|pte|pty|pty\.?\s+ltd|dac|clg|pbc|s\.?a\.?r\.?l|m\.?d|d\.?d\.?s|d\.?m\.?d|d\.\s?p\.\s?m|d\.\s?v\.\s?m|o\.\s?d|s\.\s?c|p\.\s?s|l\.\s?c|jr|sr|ii|iii|trustees?)\.?$",
    )
});

/// A place or a division in the middle of a company's name: "Acme (Barrie) Inc.".
static INNER_PARENTHESES: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\((?P<inner>[0-9]{1,4}|[a-z][a-z0-9.& -]{1,24})\)(?P<behind>\s+(?:[a-z]+\s+)?(?:inc|incorporated|llc|l\.l\.c|lp|l\.p|llp|ltd|limited|corp|corporation|co|company|plc|b\.?v|n\.?v|gmbh|s\.?a|pte|pty|pvt|private)\b)",
    )
});

/// Last words of names that are no legal form and yet show that nothing is missing behind them.
static LAST_WORD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^(?:bank|trust|association|foundation|university|college|church|cooperative|partners|associates|properties|enterprises|holdings|group|society|council|authority|joint\s+venture|venture)\.?$",
    )
});

/// Legal forms behind which nothing of a name follows but another one.
static MIDDLE_FORM: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^(?:llc|l\.l\.c\.|inc\.?|ltd\.?|corp\.|l\.?p\.?|plc),?$"));

/// Legal forms that stand before a name.
static FORM_BEFORE: LazyLock<Regex> = LazyLock::new(|| expression(r"^(?:[Vv]\.?[Oo]\.?[Ff]\.?|PT|C\.V\.)\s"));

/// Honorifics, which are no part of a name.
static HONORIFIC: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^(?:shri|sri|smt|mrs?|ms|miss|messrs)\.?\s+"));

/// Words that a company may bear and that otherwise show that what was cut out is a clause.
static SELDOM_NAME: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)\b(?:title|day|date|year|month|notices?|signature|phone|rights|address)\b")
});

/// Words that no party's name holds: what was cut out is a clause.
static NO_NAME: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:landlord|tenant|lessor|lessee|sub-?landlord|sub-?tenant|sub-?lessor|sub-?lessee|lease|sublease|agreement|amendment|shall|hereby|dated|premises|whereas|between|exhibit|article|section|by|name|its|attention|telephone|email|witness|hereinafter|herein|parties|party|made|entered|this|attn|insert|tbd|none|obligations|initials)\b|[_\[\]{}<>:@$%*=]",
    )
});

/// A description that stands before the name, as in continental contracts: "1. The limited liability company
/// incorporated under the laws of Belgium NAME, having its registered office ...".
static DESCRIBED_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^(?:the\s+undersigned\s*:?\s*)?(?:\(?[0-9a-z][.)]\s*)?(?:the\s+)?(?:private\s+|public\s+)?(?:limited\s+)?(?:liability\s+)?company\s+(?:duly\s+)?(?:incorporated|organi[sz]ed|established|existing)\s+(?:and\s+existing\s+)?under\s+(?:the\s+laws?\s+of\s+(?:the\s+)?(?:Belgium|Netherlands|Luxembourg|France|Germany|Ireland|Spain|Italy|England\s+and\s+Wales|England|Scotland|Switzerland|Austria|Sweden|Denmark|Norway|Finland|Poland|Portugal)|(?:Belgian|Dutch|French|German|English|Irish|Swiss)\s+law)\s*,?\s*",
    )
});

/// Words that refer to a party or say what it is, before its name: "Said NAME", "The private company NAME".
static REFERRED_TO: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^(?i:the\s+)?(?:(?i:(?:afore)?said)\s+|(?:(?i:private|public|limited|liability|joint-stock)\s+)+(?i:company)\s+)",
    )
});

/// Words of a name that have no capital.
const CONNECTORS: &[&str] = &[
    "of", "the", "and", "for", "at", "de", "la", "le", "van", "von", "der", "den", "du", "del", "dos", "da",
    "in", "on", "to", "as", "&", "-", "\u{2013}", "\u{2014}",
];

/// Those of them with which a name begins where they have a capital.
const ARTICLES_OF_NAMES: &[&str] = &["de", "la", "le", "van", "von", "der", "den", "du", "del", "dos", "da"];

/// Words in capitals that lead up to a party.
const LEADS_UP: &[&str] = &[
    "AND",
    "OR",
    "BY",
    "FOR",
    "TO",
    "WITH",
    "BETWEEN",
    "AMONG",
    "FROM",
    "IS",
    "THE",
    "LANDLORD",
    "TENANT",
    "LESSOR",
    "LESSEE",
    "SUBLANDLORD",
    "SUBTENANT",
    "OWNER",
    "SIGNED",
];

/// A name without case, punctuation and the spacing of its legal form: two spellings of one name are equal.
pub fn folded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        if character.is_alphanumeric() {
            out.extend(character.to_lowercase());
        }
    }
    out
}

/// Whether a name is that of a trustee, without the trust.
pub fn is_trustee_alone(name: &str) -> bool {
    let folded = folded(name);
    folded.ends_with("trustee") || folded.ends_with("trustees")
}

/// Whether a name goes on with what stands behind its words: with a capital's word on the same line, or with a legal form
/// even behind a comma or a full stop.
fn goes_on_behind(behind: &str) -> bool {
    let bare = behind.trim_start_matches(['.', ',']);
    let is_parted = bare.len() < behind.len();
    let rest = bare.trim_start_matches([' ', '\u{a0}']);
    let word = rest.split(|character: char| character.is_whitespace()).next().unwrap_or_default();
    let is_name = word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphanumeric);
    let is_form = word.starts_with(char::is_uppercase) && LEGAL_FORM.is_match(word.trim_end_matches(','));
    is_form || (is_name && !is_parted)
}

/// Whether a company's whole name stands a second time outside a range, as words of their own and not as a part of a
/// longer name. A name without its legal form is a word or two that may well mean another.
pub fn stands_again(text: &str, name: &str, outside: &std::ops::Range<usize>) -> bool {
    let last = name.split_whitespace().next_back().unwrap_or_default();
    if !(LEGAL_FORM.is_match(last) || LAST_WORD.is_match(last)) {
        return false;
    }
    let words: Vec<String> = name
        .split(|character: char| character.is_whitespace() || matches!(character, ',' | '.'))
        .filter(|word| !word.is_empty())
        .map(regex::escape)
        .collect();
    // A name is bounded in its length, so that the expression is.
    let Ok(whole) = Regex::new(&format!(r"(?i)\b{}\b", words.join(r"[\s,.]+"))) else { return false };
    whole.find_iter(text).any(|found| {
        let before = text[..found.start()].trim_end_matches([' ', '\u{a0}']);
        // A name at the start of a cell, or of a line below a short one, begins there; below a long one prose may go on.
        let short_above = || {
            let above = before.trim_end_matches('\n');
            let from =
                crate::extract::text::floor_boundary(above, above.len().saturating_sub(WRAPPED_MIN_BYTES));
            from == 0 || above[from..].contains('\n')
        };
        let begins = before.ends_with('\t') || before.ends_with('\n') && short_above();
        let before = if begins { "" } else { before.trim_end() };
        let word = before.rsplit(|character: char| character.is_whitespace()).next().unwrap_or_default();
        // Of words in capitals those that lead up to a party are no part of its name.
        let leads_up = !word.contains(char::is_lowercase) && LEADS_UP.contains(&word);
        let goes_on_before = word.starts_with(char::is_uppercase)
            && word.ends_with(char::is_alphabetic)
            && word.chars().count() > 1
            && !leads_up
            || matches!(word, "&" | "of" | "d/b/a" | "f/k/a");
        let apart = found.end() <= outside.start || outside.end <= found.start();
        apart && !goes_on_before && !goes_on_behind(&text[found.end()..])
    })
}

/// Whether what stands before one role, or behind its label, names more than one that may be meant: two companies, a
/// company that acts for another, a part of a company. Which of them it is, a person must say.
pub fn names_several(raw: &str) -> bool {
    static FOR_ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:on\s+behalf\s+of|obo|for\s+the\s+account\s+of|(?:as\s+)?(?:an?\s+)?(?:agent|nominee)\s+(?:of|for)|(?:an?\s+)?(?:division|branch|department)\s+of)\s+(?:the\s+)?\S",
        )
    });
    const FORM: &str = r"(?:Inc|INC|Incorporated|INCORPORATED|LLC|L\.L\.C|Ltd|LTD|Limited|LIMITED|Corp|CORP|Corporation|CORPORATION|Company|COMPANY|Co|CO|LP|L\.P|LLP|L\.L\.P|PLLC|plc|PLC|GmbH|B\.?V|N\.?V|P\.?C)\b\.?";
    static TWO_COMPANIES: LazyLock<Regex> = LazyLock::new(|| {
        expression(&format!(
            r"\b{FORM}[^;]*?(?:,|;|&|\band\b|\bAND\b|\bor\b|\bOR\b)\s+(?:(?:and|AND|or|OR|&)\s+(?:[a-z]+\s+){{0,3}})?(?:[A-Z0-9][\w&'.-]*)(?:\s+(?:[A-Z0-9&][\w&'.-]*|of|and|the)){{0,6}}?,?\s+{FORM}"
        ))
    });
    static DESCRIBED_THEN_NAME: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^[^,]{2,80}(?:,\s*[A-Z][\w.]{1,11})?,\s+an?\s+[^,;]{3,80},\s+(?:and|or|&)\s+(?P<behind>.+)$",
        )
    });
    // "FERN INC., A TEXAS CORPORATION" describes one company.
    static DESCRIBED_IN_CAPITALS: LazyLock<Regex> = LazyLock::new(|| {
        expression(r",\s+AN?\s+(?:[A-Z]+\s+){0,5}?(?:CORPORATION|COMPANY|PARTNERSHIP|LLC|INC\.?)")
    });
    // "Fern, LP, acting by its general partner, Fern GP, LLC" is one party and who signs for it.
    static ACTING_BY: LazyLock<Regex> = LazyLock::new(|| {
        expression(&format!(
            r"(?i),?\s+(?:acting\s+)?(?:herein\s+represented\s+)?(?:by|by\s+and\s+through|through)\s+its\s+(?:sole\s+)?(?:general\s+partner|managing\s+member|manager|member)\s*,?\s+[^,;]{{2,60}}?,?\s+{FORM}"
        ))
    });
    let described = DESCRIBED_IN_CAPITALS.replace_all(raw, "");
    let two = TWO_COMPANIES.is_match(&ACTING_BY.replace_all(&described, ""));
    let another = DESCRIBED_THEN_NAME.captures(raw.trim()).is_some_and(|found| {
        found["behind"].starts_with(char::is_uppercase) && party_name(&found["behind"]).is_some()
    });
    FOR_ANOTHER.is_match(raw) || two || another
}

/// Whether a text begins with an honorific, which only the name of a person follows.
pub fn has_honorific(raw: &str) -> bool {
    HONORIFIC.is_match(raw.trim_start())
}

/// Whether the first of two names is the second with its given names cut to initials: "A. Fern" for "Ada Fern".
pub fn is_initialled_form(short: &str, long: &str) -> bool {
    let (short, long): (Vec<&str>, Vec<&str>) =
        (short.split_whitespace().collect(), long.split_whitespace().collect());
    let ([given @ .., surname], [long_given @ .., long_surname]) = (&short[..], &long[..]) else {
        return false;
    };
    let is_initial = |word: &str| word.trim_end_matches('.').chars().count() == 1;
    !given.is_empty()
        && given.len() <= long_given.len()
        && surname.eq_ignore_ascii_case(long_surname)
        && given.iter().zip(long_given).all(|(initial, name)| {
            is_initial(initial)
                && !is_initial(name)
                && initial.chars().next().map(|c| c.to_ascii_lowercase())
                    == name.chars().next().map(|c| c.to_ascii_lowercase())
        })
}

/// A party's name.
#[derive(Debug, PartialEq, Eq)]
pub struct Party {
    /// The name.
    pub name: String,
    /// Whether a legal form or a description vouches for its end.
    pub legal: bool,
}

impl Party {
    /// Whether it reads like the name of one person: a few words, each with a capital, none of them a connector.
    pub fn is_person(&self) -> bool {
        let words: Vec<&str> = self.name.split_whitespace().collect();
        PERSON_WORDS.contains(&words.len())
            && words.iter().all(|word| {
                let start = word.chars().next().unwrap_or_default();
                start.is_uppercase()
                    && word.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | '\'' | '-'))
            })
    }
}

/// Marks of a list before a name: "(1) ", "2. ".
static LIST_MARK: LazyLock<Regex> = LazyLock::new(|| expression(r"^(?:\([0-9a-zA-Z]{1,2}\)|\d{1,2}[.)])\s*"));

/// Cuts a company out of what begins with it and goes on with something else: it ends at its legal form.
pub fn company_at_start(raw: &str) -> Option<Party> {
    let raw = raw.trim_start();
    let mut end = None;
    let mut at = 0;
    for word in raw.split_inclusive(char::is_whitespace).take(PARTY_MAX_WORDS) {
        at += word.len();
        let bare = word.trim().trim_end_matches([',', ';', ':']);
        // "Fern Limited, incorporated in England" says where, and not what.
        if LEGAL_FORM.is_match(bare) && bare != "incorporated" {
            end = Some(at);
            if word.trim_end().ends_with([';', ':']) {
                break;
            }
        } else if end.is_some() {
            break;
        }
    }
    party_name(raw[..end?].trim_end_matches([',', ';', ':', ' ', '\n', '\t'])).filter(|party| party.legal)
}

/// A company that stands before its address, its number or where it was formed: it ends at its legal form, and what
/// goes on is plainly no part of its name.
pub fn company_before_address(raw: &str) -> Option<Party> {
    static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^(?:\s*[,;(#\d]|\s*$|\s+(?:of|at|whose|having|with|Suite|Unit|Level|P\.?O\.?)\s|\s+[A-Z]{2,4}\s+\d)",
        )
    });
    let raw = raw.trim_start();
    let party = company_at_start(raw)?;
    let behind = raw.find(&party.name).map(|at| &raw[at + party.name.len()..])?;
    ADDRESS.is_match(behind).then_some(party)
}

/// The company that ends where a text ends: its words are taken backwards for as long as they belong to a name.
pub fn company_at_end(text: &str) -> Option<(usize, Party)> {
    let text = text.trim_end().trim_end_matches([',', '(']).trim_end();
    let mut start = text.len();
    for (taken, word) in text.rsplit(' ').enumerate().take(PARTY_MAX_WORDS) {
        let bare = word.trim_matches([',', '(', ')']);
        let is_first = taken == 0;
        let belongs = !bare.is_empty()
            && !NO_NAME.is_match(bare)
            && (bare.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
                || CONNECTORS.contains(&bare));
        // A comma ends what stands before the name, unless it stands before a legal form.
        let ends_before = !is_first && word.ends_with([',', ';', ':']) && {
            let next = text[start..].split_whitespace().next().unwrap_or_default();
            !LEGAL_FORM.is_match(next.trim_end_matches(','))
        };
        // "(Owner) and Fern LLC" begins behind the role of another; "Fern (Ontario) Inc." does not.
        let is_role_of_another = !is_first
            && word.starts_with('(')
            && word.ends_with([')', ','])
            && INNER_PARENTHESES.find(&text[start - word.len() - 1..]).is_none_or(|inner| inner.start() != 0);
        if !belongs || ends_before || is_role_of_another {
            break;
        }
        start -= word.len() + usize::from(!is_first);
    }
    let mut name = text[start..].trim_start();
    // What leads up to a name is no part of it.
    while let Some((first, rest)) = name.split_once(' ') {
        if !CONNECTORS.contains(&first.to_lowercase().as_str()) || first.eq_ignore_ascii_case("the") {
            break;
        }
        name = rest.trim_start();
    }
    let at = text.len() - name.len();
    // "a Delaware corporation" describes a party and names none.
    let described =
        name.split_whitespace().next().is_some_and(|word| matches!(word.to_lowercase().as_str(), "a" | "an"));
    party_name(name).filter(|party| party.legal && !described).map(|party| (at, party))
}

/// Cuts a name out of what stands where a name should, or finds that it is none.
pub fn party_name(raw: &str) -> Option<Party> {
    let raw = raw.trim();
    let raw = LIST_MARK.find(raw).map_or(raw, |mark| &raw[mark.end()..]);
    let raw =
        raw.trim_start_matches([',', '(', '"', '.', ')', '-', '\u{2013}', '\u{2014}', ':']).trim_start();
    let raw = LIST_MARK.find(raw).map_or(raw, |mark| &raw[mark.end()..]);
    // An article in lower case leads up to a name and is no part of it.
    let raw = raw.strip_prefix("the ").unwrap_or(raw);
    // Parentheses within a name do not end it: they are masked until its end is found.
    let masked = INNER_PARENTHESES.replace_all(raw, format!("{MASKED_OPEN}$inner{MASKED_CLOSE}$behind"));
    // Initials may read like a legal form, and a form alone names nobody.
    let names_one = |party: &Party| party.name.split_whitespace().any(|word| !LEGAL_FORM.is_match(word));
    cut_name(&masked).filter(names_one).map(|party| Party {
        name: party.name.replace(MASKED_OPEN, "(").replace(MASKED_CLOSE, ")"),
        legal: party.legal,
    })
}

/// Stand for parentheses that belong to a name; no document holds them, since control characters are white space there.
const MASKED_OPEN: char = '\u{1}';
const MASKED_CLOSE: char = '\u{2}';

fn cut_name(raw: &str) -> Option<Party> {
    let raw = DESCRIBED_FIRST.find(raw).map_or(raw, |description| &raw[description.end()..]);
    let raw = REFERRED_TO.find(raw).map_or(raw, |reference| &raw[reference.end()..]);
    let described = DESCRIPTION.find(raw);
    let cut = described.as_ref().map_or(raw, |description| &raw[..description.start()]);
    let cut = cut.trim().trim_end_matches([',', '(', '"', '-', '\u{2013}', '\u{2014}']).trim_end();
    let mut pieces = cut.split(", ");
    let first = pieces.next()?.trim();
    let mut legal = described
        .as_ref()
        .and_then(|description| description.as_str().trim_start_matches([',', ' ']).split(' ').next())
        .is_some_and(|article| matches!(article.to_lowercase().as_str(), "a" | "an" | "a(n)" | "both"));
    let pieces: Vec<&str> = pieces.map(str::trim).collect();
    let is_form = |piece: &&str| LEGAL_FORM.is_match(piece);
    if pieces.iter().all(is_form) {
        legal |= !pieces.is_empty();
    } else {
        // "Alder, Birch & Cedar, LLC": commas within a name, between names of partners, with a legal form at the end.
        let joined = pieces.iter().any(|piece| piece.contains('&') || piece.to_lowercase().contains("and "));
        let ends_in_form = pieces
            .last()
            .and_then(|piece| piece.split_whitespace().last())
            .is_some_and(|word| LEGAL_FORM.is_match(word));
        if !joined || !ends_in_form {
            return None;
        }
        legal = true;
    }
    let words: Vec<&str> = if pieces.iter().all(is_form) { first } else { cut }.split_whitespace().collect();
    let ends_in_form = cut.rsplit([' ', ',']).next().is_some_and(|word| LEGAL_FORM.is_match(word));
    legal |= words.last().is_some_and(|word| {
        let word = word.trim_end_matches(',');
        LEGAL_FORM.is_match(word) || (words.len() > 1 && LAST_WORD.is_match(word))
    }) || FORM_BEFORE.is_match(cut);
    let looks_like_name = |word: &&str| {
        let lowered = word.to_lowercase();
        CONNECTORS.contains(&lowered.as_str())
            || LEGAL_FORM.is_match(&lowered)
            || word
                .chars()
                .find(|character| character.is_alphanumeric())
                .is_some_and(|start| start.is_uppercase() || start.is_ascii_digit())
    };
    // "Del Paso LLC" and "The Orchard Trust" begin so, and "of Orchard" does not.
    let starts_well = words.first().is_some_and(|word| {
        let lowered = word.to_lowercase();
        !CONNECTORS.contains(&lowered.as_str())
            || lowered == "the"
            || (ARTICLES_OF_NAMES.contains(&lowered.as_str()) && word.starts_with(char::is_uppercase))
    });
    let ends_well = words.last().is_some_and(|word| !CONNECTORS.contains(&word.to_lowercase().as_str()));
    let letters = cut.chars().filter(|character| character.is_alphabetic()).count();
    let named = words.len() <= PARTY_MAX_WORDS
        && letters >= 2
        && cut.chars().count() <= PARTY_MAX_CHARS
        && starts_well
        && ends_well
        && words.iter().all(looks_like_name)
        && !words.iter().any(|word| word.ends_with(';'))
        && !NO_NAME.is_match(cut)
        && (!SELDOM_NAME.is_match(cut) || ends_in_form);
    // Two companies in a row are two names.
    let last = words.len().saturating_sub(1);
    let two_names = words.windows(2).enumerate().any(|(at, pair)| {
        at + 1 < last && MIDDLE_FORM.is_match(pair[0]) && !LEGAL_FORM.is_match(pair[1].trim_end_matches(','))
    });
    if two_names {
        return None;
    }
    // A single word without a legal form is more often a heading than a name.
    if !named || (words.len() < 2 && !legal) {
        return None;
    }
    // A full stop that ends a sentence is not part of a name; that of an abbreviation is.
    let abbreviated = cut
        .rsplit([' ', ','])
        .next()
        .is_some_and(|word| LEGAL_FORM.is_match(word) || word.trim_end_matches('.').contains('.'));
    let name = if abbreviated { cut } else { cut.trim_end_matches('.') };
    // "MS Holdings LLC" is no lady.
    let is_company = ends_in_form || words.last().is_some_and(|word| LAST_WORD.is_match(word));
    let honorific = HONORIFIC.find(name).filter(|_| !is_company);
    let name = honorific.map_or(name, |honorific| &name[honorific.end()..]);
    Some(Party { name: name.to_owned(), legal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_mention_is_one_of_the_whole_name() {
        let first = "This Lease is made between Alder LLC and Birch Tools Inc. (\"Tenant\").";
        let outside = 0..first.len();
        let rows = [
            ("TENANT: BIRCH TOOLS, INC.", true),
            ("Notices go to Birch Tools Inc. at its premises.", true),
            ("Notices go to Birch\nTools Inc at its premises.", true),
            ("Notices go to Old Birch Tools Inc. at its premises.", false),
            ("Notices go to Silver Birch Tools Inc. at its premises.", false),
            ("Notices go to Birch Tools Inc. Limited at its premises.", false),
            ("Notices go to Birch Tools Inc Holdings at its premises.", false),
            ("Signed by Birch Tools Inc. By: Ada Fern", true),
            ("Notices go to Birch Tool Inc. at its premises.", false),
            ("OLD BIRCH TOOLS INC.", false),
            ("ALDER LLC AND BIRCH TOOLS INC.", true),
            ("Notices go to Birch Tools at its premises.", false),
            ("Notices go to Birch Tools Incorporated.", false),
            ("", false),
        ];
        for (behind, expected) in rows {
            let text = format!("{first} {behind}");
            assert_eq!(stands_again(&text, "Birch Tools Inc.", &outside), expected, "{behind}");
        }
        for (name, expected) in [("Ada Fern, Trustee", true), ("Ada Fern, as Trustee of Fern Trust", false)] {
            assert_eq!(is_trustee_alone(name), expected, "{name}");
        }
        assert!(!stands_again("Ada Fern and Ada Fern", "Ada Fern", &(0..8)), "a person has no legal form");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let rows = [
            ("Juniper Health Inc.", Some("Juniper Health Inc.")),
            ("Juniper Health", Some("Juniper Health")),
            ("The Orchard Trust", Some("The Orchard Trust")),
            ("Juniper Health, doing business as Jay", Some("Juniper Health")),
            ("Juniper Health, 12 Elm Street", None),
            ("Juniper (2009) Ltd., a body corporate", Some("Juniper (2009) Ltd.")),
            ("Juniper (Ontario) Inc., a corporation", Some("Juniper (Ontario) Inc.")),
            ("Juniper Health (the buyer)", Some("Juniper Health")),
            ("Juniper Health II (3) LLC, a company", Some("Juniper Health II (3) LLC")),
            ("Said Juniper Health Inc.", Some("Juniper Health Inc.")),
            ("The private company Juniper Health BV, with its registered office", Some("Juniper Health BV")),
            ("Public Storage Company LLC", Some("Public Storage Company LLC")),
            ("Juniper, Fern & Moss, LLC", Some("Juniper, Fern & Moss, LLC")),
            ("Juniper Health, Austin, Texas", None),
            ("(2) Juniper Health Limited", Some("Juniper Health Limited")),
            ("- Juniper Health Ltd.", Some("Juniper Health Ltd.")),
            ("Juniper Health Corp obo Fern", Some("Juniper Health Corp")),
            ("Ada Fern and Bo Fern, husband and wife", Some("Ada Fern and Bo Fern")),
            ("Juniper Health Limited incorporated and registered in England", Some("Juniper Health Limited")),
            ("Juniper Title Company, LLC d/b/a Fern", Some("Juniper Title Company, LLC")),
            ("the City of Juniper, a municipal corporation", Some("City of Juniper")),
            ("Title to the Land", None),
            ("Juniper LLC Fern Inc.", None),
            ("Del Juniper Investors, L.P.", Some("Del Juniper Investors, L.P.")),
            ("of Juniper Investors, L.P.", None),
            ("J56, Inc.", Some("J56, Inc.")),
            ("Miss Ada Fern", Some("Ada Fern")),
            ("Juniper Homes DAC", Some("Juniper Homes DAC")),
            ("SHRI ADA BO FERN, aged about 60 years", Some("ADA BO FERN")),
            ("MS Holdings LLC, a company", Some("MS Holdings LLC")),
            ("Mr. Ada Fern", Some("Ada Fern")),
            ("Vof Juniper Health, with registered offices", Some("Vof Juniper Health")),
            ("Juniper General Partnership", Some("Juniper General Partnership")),
            ("Juniper", None),
            ("the tenant", None),
            ("Juniper shall pay", None),
            ("Suite 210 and", None),
            ("[Name of Company]", None),
            ("", None),
        ];
        for (raw, expected) in rows {
            assert_eq!(party_name(raw).map(|party| party.name).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn two_that_may_be_meant_are_told_from_one() {
        let rows = [
            ("Fern Inc. and Moss LLC", true),
            ("Fern Inc., a Texas corporation, and Moss LLC, a Texas limited liability company", true),
            ("FERN INC., A TEXAS CORPORATION, AND MOSS LLC", true),
            ("Fern Inc. & Moss Limited", true),
            ("Fern Inc., a Texas corporation, and Ada Moss, an individual", true),
            ("Fern Inc., on behalf of Moss LLC", true),
            ("Fern, a division of Moss Inc.", true),
            ("Fern Inc. (agent of Moss LLC, the true tenant)", true),
            ("Fern Inc., a Texas corporation", false),
            ("FERN INC., A TEXAS CORPORATION", false),
            ("Fern & Moss, LLC", false),
            ("Fern Title Company, LLC d/b/a Moss Co.", false),
            ("Fern Co., Ltd.", false),
            ("Fern LLC, a Delaware Limited Liability Company", false),
            ("Fern LLC, successor by merger to Moss LLC", false),
            ("Fern Bank, a bank organized and existing under the laws of Trinidad and Tobago", false),
            ("Ada Fern and Bo Fern", false),
            (
                "Fern & Moss, LP, a Texas limited partnership acting by its general partner, Fern GP, LLC",
                false,
            ),
            ("Fern LP, by its general partner, Fern GP, LLC, and Moss Inc.", true),
        ];
        for (raw, expected) in rows {
            assert_eq!(names_several(raw), expected, "{raw}");
        }
    }

    #[test]
    fn a_company_ends_before_its_address() {
        let rows = [
            ("Juniper Health GmbH, Elm Row 5, 04229 Leipzig", Some("Juniper Health GmbH")),
            ("JUNIPER HEALTH LTD. 688 50th Avenue", Some("JUNIPER HEALTH LTD.")),
            (
                "Juniper Health Limited (Company No. 5) whose office is at 5 Elm Row",
                Some("Juniper Health Limited"),
            ),
            ("Juniper Health Pty Ltd ACN 610 443 902 as trustee", Some("Juniper Health Pty Ltd")),
            ("Juniper Health GmbH & Co. KG, Elm Row 5", None),
            ("Juniper Health Inc. shall pay", None),
            ("Juniper Health, 5 Elm Row", None),
        ];
        for (raw, expected) in rows {
            assert_eq!(company_before_address(raw).map(|party| party.name).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn a_name_cut_to_initials_is_known_by_the_whole_one() {
        let rows = [
            ("A. Fern", "Ada Fern", true),
            ("A. B. Fern", "Ada Bo Fern", true),
            ("A. Fern", "Ada Bo Fern", true),
            ("B. Fern", "Ada Fern", false),
            ("A. Moss", "Ada Fern", false),
            ("Ada Fern", "Ada Fern", false),
            ("Fern", "Ada Fern", false),
        ];
        for (short, long, expected) in rows {
            assert_eq!(is_initialled_form(short, long), expected, "{short} for {long}");
        }
    }

    #[test]
    fn a_company_is_cut_out_of_what_stands_around_it() {
        let starts = [
            ("JUNIPER HEALTH INC. 12 Elm Street, Austin", Some("JUNIPER HEALTH INC.")),
            ("Juniper Health, L.L.C. Attn: the manager", Some("Juniper Health, L.L.C.")),
            ("Juniper Health 12 Elm Street", None),
            (
                "Juniper Health Limited, incorporated and registered in England",
                Some("Juniper Health Limited"),
            ),
            ("shall pay Juniper Health Inc.", None),
        ];
        for (raw, expected) in starts {
            assert_eq!(company_at_start(raw).map(|party| party.name).as_deref(), expected, "{raw}");
        }
        let ends = [
            ("We write for Juniper Health Limited", Some("Juniper Health Limited")),
            ("lets it to your company, Juniper Health Limited (", Some("Juniper Health Limited")),
            ("THIS LEASE OF JUNIPER HEALTH, INC.", Some("JUNIPER HEALTH, INC.")),
            ("Fern LLC (Owner) and Juniper Health, Inc. (", Some("Juniper Health, Inc.")),
            ("we write for Juniper (Ontario) Inc.", Some("Juniper (Ontario) Inc.")),
            ("(Juniper)", None),
            ("the seat of the company", None),
            ("JUNIPER HEALTH, A TEXAS CORPORATION", None),
            ("we write for Juniper Health", None),
        ];
        for (raw, expected) in ends {
            assert_eq!(company_at_end(raw).map(|(_, party)| party.name).as_deref(), expected, "{raw}");
        }
    }
}
