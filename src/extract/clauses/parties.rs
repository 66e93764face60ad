//! Landlord and tenant: who stands where a role is defined or labelled.
//!
//! A name counts only when both of its ends are certain: it begins behind "between", "and" or a label, and
//! ends at a legal form, a description ("a Delaware corporation"), a role or the end of a cell. What
//! remains must look like a name in every word.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::lease::DocumentKind;
use crate::posting::Confidence;

use super::{Candidate, Reading};

/// How far from the start the parties are introduced, in bytes.
const HEAD_MAX_BYTES: usize = 25_000;
/// Longest text from "between" to the second role, in bytes.
const PREAMBLE_MAX_BYTES: usize = 1_600;
/// Longest name of a party, in characters.
const PARTY_MAX_CHARS: usize = 120;
/// Most candidates for one party: each is searched for in the whole document.
const PARTIES_MAX_COUNT: usize = 24;
/// Most words in a party's name.
const PARTY_MAX_WORDS: usize = 14;

/// The parties as found.
#[derive(Debug, Default)]
pub struct Parties {
    /// Who rents.
    pub tenant: Vec<Candidate<String>>,
    /// Who lets.
    pub landlord: Vec<Candidate<String>>,
}

const LETS: &str = "landlord|lessor|sub-?landlord|sub-?lessor";
const RENTS: &str = "tenant|lessee|sub-?tenant|sub-?lessee";

static BETWEEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:between|among|parties:)\s+").expect("words before parties"));

/// A role given to the party before it: `("Landlord")`, `, hereinafter called "Tenant"`, `, as Tenant`.
static ROLE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r#"(?ix)
        (?P<lead>[\s,(]*(?:(?:hereinafter|hereinbelow|herein|hereafter|collectively|sometimes|individually|jointly|severally|together|also|being|is|are|and|or|referred|to|called|known|designated|defined|as|the|each|its|permitted|successors|assigns|in\s+this\s+(?:lease|sublease|agreement|amendment))[\s,]+)*)
        "\s*(?:the\s+)?(?P<quoted>{LETS}|{RENTS})[,.;]?\s*"[\s)]*
        |[,\s(]+as\s+(?:the\s+)?(?P<as>{LETS}|{RENTS})\b[\s)]*
        |[,(]\s+\(?(?P<bare>{LETS}|{RENTS})\b[\s)]*(?:$|,|\.|\band\b|AND\b|\s)"#
    );
    Regex::new(&pattern).expect("words of a role")
});

/// A line or a cell that names a party behind its role: "Tenant: Acme, Inc.".
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?im)(?:^|\t)\s*(?:\(?[a-z0-9]{{1,3}}[.)]\s*(?:[0-9.]+\s*)?)?(?:name\s+of\s+)?(?:the\s+)?(?P<role>{LETS}|{RENTS})(?:'s)?(?:\s+name|\s+legal\s+name)?\s*(?::\s*[\t\n]?|\t)\s*(?P<name>[^\t\n]{{2,200}})"
    );
    Regex::new(&pattern).expect("labels of parties")
});

/// What describes a party behind its name, and so ends the name.
static DESCRIPTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?ix)
        ,?\s+(?:an?|a\(n\)|the|both|each\s+an?)\s+(?:[\w.'&()-]+\s+){0,6}?(?:corporation|company|partnership|trust|proprietorship|individuals?|bank|association|entity|person|non-?profit|llc|l\.l\.c\.|agency|municipality|division|subsidiary|cooperative|university|foundation|society|authority|district|limited\s+liability|corp\.|inc\.|resident|citizen)\b
        |,\s*(?:organi[sz]ed|having|whose|with\s+(?:its|an?|offices?|principal|a\s+place|registered)|c/o|located|acting|successors?|as\s+successor|as\s+assignee|individually|by\s+its|by\s+and\s+through|through\s+its|duly|formerly|f/k/a|a/k/a|doing|d/b/a|dba|residing|existing|incorporated|formed|established|registered|under|represented|of\s+\d|an?\s|not\s+individually|on\s+behalf)
        |\s+(?:d/b/a|dba|f/k/a|a/k/a|c/o|formerly\s+known|doing\s+business|having\s+(?:an?|its)|whose\s|with\s+(?:its|an\s+address|offices?)|located\s+at)
        |\s*\(|\s*;|\s*"
        "#,
    )
    .expect("descriptions of parties")
});

/// A legal form, with which a name may go on behind a comma.
static LEGAL_FORM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:inc|incorporated|llc|l\.?\s?l\.?\s?c|lp|l\.?\s?p|llp|l\.?\s?l\.?\s?p|lllp|ltd|limited|corp|corporation|co|company|n\.?\s?a|p\.?\s?c|p\.?\s?a|pllc|p\.?l\.?l\.?c|plc|n\.?\s?v|s\.?\s?a|b\.?\s?v|gmbh|ag|pte|pty|pty\.?\s+ltd|s\.?a\.?r\.?l|m\.?d|d\.?d\.?s|d\.?m\.?d|jr|sr|ii|iii|trustees?)\.?$",
    )
    .expect("legal forms")
});

/// Words that no party's name holds: what was cut out is a clause.
static NO_NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:landlord|tenant|lessor|lessee|sub-?landlord|sub-?tenant|sub-?lessor|sub-?lessee|lease|sublease|agreement|amendment|shall|hereby|dated|premises|whereas|date|between|exhibit|article|section|by|title|name|its|address|attention|telephone|phone|email|signature|witness|hereinafter|herein|day|month|year|parties|party|made|entered|this|attn|insert|tbd|none|notice|notices|obligations|rights|initials)\b|[_\[\]{}<>:@$%*=]",
    )
    .expect("words that are no name")
});

/// A description that stands before the name, as in continental contracts: "1. The limited liability company
/// incorporated under the laws of Belgium NAME, having its registered office ...".
static DESCRIBED_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:the\s+undersigned\s*:?\s*)?(?:\(?[0-9a-z][.)]\s*)?(?:the\s+)?(?:private\s+|public\s+)?(?:limited\s+)?(?:liability\s+)?company\s+(?:duly\s+)?(?:incorporated|organi[sz]ed|established|existing)\s+(?:and\s+existing\s+)?under\s+(?:the\s+laws?\s+of\s+(?:the\s+)?(?:Belgium|Netherlands|Luxembourg|France|Germany|Ireland|Spain|Italy|England\s+and\s+Wales|England|Scotland|Switzerland|Austria|Sweden|Denmark|Norway|Finland|Poland|Portugal)|(?:Belgian|Dutch|French|German|English|Irish|Swiss)\s+law)\s*,?\s*",
    )
    .expect("descriptions before a name")
});

const CONNECTORS: &[&str] = &[
    "of", "the", "and", "for", "at", "de", "la", "le", "van", "von", "der", "den", "du", "del", "dos", "da",
    "in", "on", "to", "as", "&", "-", "\u{2013}", "\u{2014}",
];

/// Proposes both parties of a document of this kind.
pub fn propose(reading: &Reading<'_>, kind: DocumentKind) -> Parties {
    let head_end = reading.scope.end.min(HEAD_MAX_BYTES);
    let flow = reading.text.slice(&(0..head_end));
    let mut parties = Parties::default();
    from_preamble(flow, kind, &mut parties);
    from_labels(reading, kind, &mut parties);
    for list in [&mut parties.tenant, &mut parties.landlord] {
        list.truncate(PARTIES_MAX_COUNT);
        weigh_recurrence(reading, list);
    }
    parties
}

/// Which side a role is on, if it is a role of this kind of document: behind a sublease stands a lease
/// with a landlord and a tenant of its own.
fn side(role: &str, kind: DocumentKind) -> Option<Side> {
    let role = role.to_lowercase();
    let is_sub = role.starts_with("sub");
    if is_sub != (kind == DocumentKind::Sublease) {
        return None;
    }
    let rents = ["tenant", "lessee"].iter().any(|word| role.ends_with(word));
    Some(if rents { Side::Rents } else { Side::Lets })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lets,
    Rents,
}

struct Role {
    side: Side,
    range: Range<usize>,
    quoted: bool,
    joint: bool,
}

fn roles(text: &str, kind: DocumentKind) -> Vec<Role> {
    ROLE.captures_iter(text)
        .filter_map(|captures| {
            let quoted = captures.name("quoted");
            let word = quoted.or_else(|| captures.name("as")).or_else(|| captures.name("bare"))?;
            let lead = captures.name("lead").map_or("", |lead| lead.as_str()).to_lowercase();
            let side = side(word.as_str(), kind)?;
            let range = captures.get(0)?.start()..captures.get(0)?.end();
            let joint =
                ["collectively", "jointly", "individually", "each"].iter().any(|word| lead.contains(word));
            Some(Role { side, range, quoted: quoted.is_some(), joint })
        })
        .collect()
}

/// "between NAME, description ("Landlord") and NAME, description ("Tenant")".
fn from_preamble(flow: &str, kind: DocumentKind, parties: &mut Parties) {
    for between in BETWEEN.find_iter(flow) {
        let start = between.end();
        let end = crate::extract::text::floor_boundary(flow, start + PREAMBLE_MAX_BYTES);
        let window = &flow[start..end];
        let found = roles(window, kind);
        let [first, rest @ ..] = &found[..] else { continue };
        // The nearest "between" before the roles is theirs; an earlier one stands in a heading or a recital.
        if BETWEEN.is_match(&window[..first.range.start]) {
            continue;
        }
        let Some(second) = rest.iter().find(|role| role.side != first.side) else { continue };
        // Between the two roles there is one party, and before the first there is one.
        let mut cuts = vec![(first, window[..first.range.start].to_owned(), 0)];
        let middle = &window[first.range.end..second.range.start];
        if let Some((offset, name)) = behind_and(middle) {
            cuts.push((second, name.to_owned(), first.range.end + offset));
        }
        let sentence_broken = window[..first.range.start].contains("WHEREAS");
        for (role, raw, offset) in cuts {
            let Some(party) = party_name(&raw) else { continue };
            if sentence_broken {
                continue;
            }
            let confidence = match (role.quoted, party.legal, role.joint) {
                (_, _, true) => Confidence::percent(70),
                (true, true, _) => Confidence::percent(91),
                (true, false, _) => Confidence::percent(84),
                (false, true, _) => Confidence::percent(88),
                (false, false, _) => Confidence::percent(80),
            };
            let range = start + offset..start + role.range.end;
            let candidate = Candidate { value: party.name, confidence, range, rule: "preamble" };
            match role.side {
                Side::Rents => parties.tenant.push(candidate),
                Side::Lets => parties.landlord.push(candidate),
            }
        }
        // The first preamble that names the tenant is the document's own; later ones recite other papers.
        if !parties.tenant.is_empty() {
            return;
        }
    }
}

/// The party behind "and" in what stands between two roles; the first "and" behind which a name follows.
fn behind_and(middle: &str) -> Option<(usize, &str)> {
    static AND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)(?:^|[\s,)])and\s+").expect("a word"));
    // "OPUS, AS LANDLORD, AND ..." leaves the word at the very start.
    AND.find_iter(middle)
        .map(|and| (and.end(), &middle[and.end()..]))
        .find(|(_, raw)| party_name(raw).is_some())
}

fn from_labels(reading: &Reading<'_>, kind: DocumentKind, parties: &mut Parties) {
    let lined = &reading.text.lined()
        [..crate::extract::text::floor_boundary(reading.text.lined(), reading.scope.end)];
    for captures in LABEL.captures_iter(lined) {
        let (Some(role), Some(name), Some(whole)) =
            (captures.name("role"), captures.name("name"), captures.get(0))
        else {
            continue;
        };
        let Some(side) = side(role.as_str(), kind) else { continue };
        let Some(party) = party_name(name.as_str()) else { continue };
        // Without a colon a role in a cell is a label only if its value is plainly a company.
        let colon = whole.as_str()[..name.start() - whole.start()].contains(':');
        if !colon && !party.legal {
            continue;
        }
        let in_head = whole.start() < HEAD_MAX_BYTES;
        let (confidence, rule) = match (in_head, party.legal) {
            (true, true) => (Confidence::percent(88), "labelled_party"),
            (true, false) => (Confidence::percent(80), "labelled_party"),
            (false, true) => (Confidence::percent(80), "signature_block"),
            (false, false) => (Confidence::percent(60), "signature_block"),
        };
        let start = whole.start() + whole.as_str().len() - whole.as_str().trim_start().len();
        let candidate = Candidate { value: party.name, confidence, range: start..whole.end(), rule };
        match side {
            Side::Rents => parties.tenant.push(candidate),
            Side::Lets => parties.landlord.push(candidate),
        }
    }
}

/// A name whose ends were cut wrongly hardly occurs again; a party's name stands in the signature block too.
fn weigh_recurrence(reading: &Reading<'_>, candidates: &mut [Candidate<String>]) {
    let mut all: Option<String> = None;
    for candidate in candidates {
        let document = all.get_or_insert_with(|| folded(reading.flow()));
        let name = folded(&candidate.value);
        let times = document.matches(&name).take(3).count();
        if times >= 2 {
            candidate.confidence = Confidence::permille(candidate.confidence.as_permille() + 25);
        } else {
            candidate.confidence = candidate.confidence.min(Confidence::percent(86));
        }
    }
}

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

/// A party's name.
#[derive(Debug, PartialEq, Eq)]
struct Party {
    name: String,
    /// Whether a legal form or a description vouches for its end.
    legal: bool,
}

/// Cuts a name out of what stands where a name should, or finds that it is none.
fn party_name(raw: &str) -> Option<Party> {
    let raw = raw.trim().trim_start_matches([',', '(', '"', '.', ')']).trim_start();
    let raw = DESCRIBED_FIRST.find(raw).map_or(raw, |description| &raw[description.end()..]);
    let described = DESCRIPTION.find(raw);
    let cut = described.as_ref().map_or(raw, |description| &raw[..description.start()]);
    let cut = cut.trim().trim_end_matches([',', '(', '"', '-', '\u{2013}', '\u{2014}']).trim_end();
    let mut pieces = cut.split(", ");
    let first = pieces.next()?.trim();
    let mut legal = described
        .as_ref()
        .and_then(|description| description.as_str().trim_start_matches([',', ' ']).split(' ').next())
        .is_some_and(|article| matches!(article.to_lowercase().as_str(), "a" | "an" | "a(n)" | "both"));
    for piece in pieces {
        if !LEGAL_FORM.is_match(piece.trim()) {
            return None;
        }
        legal = true;
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    legal |= words.last().is_some_and(|word| LEGAL_FORM.is_match(word.trim_end_matches(',')));
    let looks_like_name = |word: &&str| {
        let lowered = word.to_lowercase();
        CONNECTORS.contains(&lowered.as_str())
            || word
                .chars()
                .find(|character| character.is_alphanumeric())
                .is_some_and(|start| start.is_uppercase() || start.is_ascii_digit())
    };
    let starts_well = words.first().is_some_and(|word| {
        word.eq_ignore_ascii_case("the") || !CONNECTORS.contains(&word.to_lowercase().as_str())
    });
    let ends_well = words.last().is_some_and(|word| !CONNECTORS.contains(&word.to_lowercase().as_str()));
    let letters = first.chars().filter(|character| character.is_alphabetic()).count();
    let named = words.len() <= PARTY_MAX_WORDS
        && letters >= 2
        && cut.chars().count() <= PARTY_MAX_CHARS
        && starts_well
        && ends_well
        && words.iter().all(looks_like_name)
        && !NO_NAME.is_match(cut);
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
    Some(Party { name: name.to_owned(), legal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::reading_of;

    fn best(candidates: &[Candidate<String>]) -> Option<String> {
        candidates
            .iter()
            .max_by_key(|candidate| candidate.confidence)
            .map(|candidate| candidate.value.clone())
    }

    #[test]
    fn parties_are_read_from_preambles_and_labels() {
        let rows: &[(&str, Option<&str>, Option<&str>)] = &[
            (
                "made by and between Harbor Point Holdings LLC, a Delaware limited liability company (\"Landlord\"), and Tidewater Robotics, Inc., a Delaware corporation (\"Tenant\").",
                Some("Harbor Point Holdings LLC"),
                Some("Tidewater Robotics, Inc."),
            ),
            (
                "between ELM ROW PARTNERS, L.P. (\"Landlord\"), a Texas limited partnership, and JUNIPER HEALTH INC. (\"Tenant\"), a Texas corporation",
                Some("ELM ROW PARTNERS, L.P."),
                Some("JUNIPER HEALTH INC."),
            ),
            (
                "between Elm Row Partners, L.P., a limited partnership, having its office at 5 Elm Row (hereinafter called \"Lessor\") and Mary Ann Okafor, an individual, hereinafter referred to as \"Lessee\"",
                Some("Elm Row Partners, L.P."),
                Some("Mary Ann Okafor"),
            ),
            (
                "LEASE BETWEEN NORTH QUAY #4, L.P., AS LANDLORD, AND BRIGHT AND SONS, LTD., AS TENANT",
                Some("NORTH QUAY #4, L.P."),
                Some("BRIGHT AND SONS, LTD."),
            ),
            (
                "Landlord: Elm Row Partners LLC\nTenant: Juniper Health Inc.\nPremises: Suite 5",
                Some("Elm Row Partners LLC"),
                Some("Juniper Health Inc."),
            ),
            ("TENANT:\nJUNIPER HEALTH INC.\nBy: ______", None, Some("JUNIPER HEALTH INC.")),
            ("Lessee\tJuniper Health Inc.\nRent\t$5", None, Some("Juniper Health Inc.")),
            ("between ______ (\"Landlord\") and ______ (\"Tenant\")", None, None),
            ("Tenant: the party named below", None, None),
            ("Tenant: By: John", None, None),
            (
                "between Alder Trust Company, a bank organized under the laws of Trinidad and Tobago (\"Landlord\"), and Fern LLC (\"Tenant\")",
                Some("Alder Trust Company"),
                Some("Fern LLC"),
            ),
            ("between Elm LLC (\"Owner\") and Fern LLC (\"Operator\")", None, None),
            (
                "LEASE BETWEEN FERN LLC AND ELM LLC made by and between Elm LLC, a(n) Texas limited liability company (the \"Landlord\") and Fern LLC, d/b/a Frond, a Texas limited liability company (\"Tenant\")",
                Some("Elm LLC"),
                Some("Fern LLC"),
            ),
            (
                "BETWEEN THE UNDERSIGNED:\n1.The limited liability company incorporated under the laws of Belgium Olmenhof NV, having its registered office at 2 Laan,\nhereinafter referred to as \"the Landlord\",\nAND\n2.The limited liability company incorporated under the laws of Belgium Varenblad SA, having its registered office at 5 Rue,\nhereinafter referred to as \"the Tenant\",",
                Some("Olmenhof NV"),
                Some("Varenblad SA"),
            ),
        ];
        for (text, landlord, tenant) in rows {
            let (found_landlord, found_tenant) = reading_of(text, |reading| {
                let parties = propose(reading, DocumentKind::Lease);
                (best(&parties.landlord), best(&parties.tenant))
            });
            assert_eq!(found_landlord.as_deref(), *landlord, "landlord of {text}");
            assert_eq!(found_tenant.as_deref(), *tenant, "tenant of {text}");
        }
    }

    #[test]
    fn a_sublease_has_its_own_roles() {
        let text = "between Fern LLC, a Texas company (\"Sublandlord\") and Moss Inc., a Texas corporation (\"Subtenant\"). The lease between Elm LLC (\"Landlord\") and Fern LLC (\"Tenant\")";
        let tenant = reading_of(text, |reading| best(&propose(reading, DocumentKind::Sublease).tenant));
        assert_eq!(tenant.as_deref(), Some("Moss Inc."));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let rows = [
            ("Juniper Health Inc.", Some("Juniper Health Inc.")),
            ("Juniper Health", Some("Juniper Health")),
            ("The Orchard Trust", Some("The Orchard Trust")),
            ("Juniper Health, doing business as Jay", Some("Juniper Health")),
            ("Juniper Health, 12 Elm Street", None),
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
}
