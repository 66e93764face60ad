//! Landlord and tenant: who stands where a role is defined or labelled.
//!
//! A name counts only when both of its ends are certain: it begins behind "between", "and" or a label, and
//! ends at a legal form, a description ("a Delaware corporation"), a role or the end of a cell. What
//! remains must look like a name in every word.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::extract::expression;
use crate::lease::DocumentKind;
use crate::posting::Confidence;

use super::names::{
    company_at_end, company_at_start, company_before_address, folded, has_honorific, is_initialled_form,
    names_several, party_name, stands_again,
};
use super::{Candidate, Reading, rules};

/// How far from the start the parties are introduced, in bytes.
const HEAD_MAX_BYTES: usize = 25_000;
/// Longest text from "between" to the second role, in bytes.
const PREAMBLE_MAX_BYTES: usize = 1_600;
/// How far from the start a cover names the parties by number, in bytes.
const COVER_MAX_BYTES: usize = 2_500;
/// Longest passage in which a name before its role is looked for, in bytes.
const NAME_REACH_BYTES: usize = 140;
/// Most candidates for one party: each is searched for in the whole document.
const PARTIES_MAX_COUNT: usize = 24;
/// What a name gains that occurs again: in thousandths.
const RECURRENCE_PERMILLE: u16 = 25;
/// How sure a company's name is that a second passage gives whole.
const SECONDED: Confidence = Confidence::percent(86);
/// How sure a rule must be of itself for a second passage to count.
const SECONDED_FROM: Confidence = Confidence::percent(80);
/// The most for a name that occurs once.
const ONCE_LIMIT: Confidence = Confidence::percent(86);

/// The parties as found.
#[derive(Debug, Default)]
pub struct Parties {
    /// Who rents.
    pub tenant: Vec<Candidate<String>>,
    /// Who lets.
    pub landlord: Vec<Candidate<String>>,
    /// Whether one role of who rents is given to several, of whom the first alone would be wrong.
    several_rent: bool,
}

const LETS: &str = "landlords?|lessors?|sub-?landlord|sub-?lessor|underlandlord|underlessor|owners?";
const RENTS: &str = "tenants?|lessees?|sub-?tenant|sub-?lessee|undertenant|underlessee|renters?|residents?";

static BETWEEN: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:between|among|undersigned|parties\s*:)\s*:?\s+"));

/// The same in documents that are made "by" their parties.
static BY: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\bby\s+"));

/// A role given to the party before it: `("Landlord")`, `, hereinafter called "Tenant"`, `, as Tenant`.
static ROLE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r#"(?ix)
        (?P<lead>[\s,(]*(?:(?:hereinafter|hereinbelow|herein|hereafter|collectively|sometimes|individually|jointly|severally|together|also|being|is|are|and|or|referred|to|called|known|designated|defined|as|the|each|its|permitted|successors|assigns|in\s+this\s+(?:lease|sublease|agreement|amendment))[\s,]+)*)
        ["']\s*(?:the\s+)?(?P<quoted>{LETS}|{RENTS})(?:\s+or\s+[\w-]+|["']\s+or\s+(?:the\s+)?["'][\w-]+)?[,.;]?\s*["'][\s)]*
        |\(\s*(?:the\s+)?(?P<parens>{LETS}|{RENTS})\s*\)\s*
        |(?P<hereinafter>[\s,(]+(?:hereinafter|hereafter|herein)\b[^()"']{{0,60}}?\b(?:called|termed|to\s+as)\s+(?:the\s+)?)(?P<called>{LETS}|{RENTS})\b[\s)]*
        |[,\s(]+as\s+(?:the\s+)?(?P<as>{LETS}|{RENTS})\b[\s)]*
        |[,(]\s+\(?(?P<bare>{LETS}|{RENTS})\b[\s)]*(?:$|,|\.|\band\b|AND\b|\s)"#
    );
    expression(&pattern)
});

/// A line or a cell that names a party behind its role: "Tenant: Acme, Inc.".
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?im)(?:^|\t)\s*\(?(?:item\s+\d{{1,2}}[\s\x{{2013}}\x{{2014}}:.-]+|(?:section\s+)?\(?[a-z0-9]{{1,3}}[.)]\s*(?:[0-9.]+\s*)?)?(?:name\s+of\s+)?(?:the\s+)?(?:(?:occupier|occupant|owner|proprietor|resident)\s*[(/]\s*)?(?P<role>{LETS}|{RENTS})\)?(?:'s|\(s\))?(?:\s+legal)?(?:\s+name(?:\s+and\s+address)?)?(?:\s*\([^()\n\t]{{2,40}}\))?\s*(?::\s*[\t\n]?|\t|\n|\s*\.{{3,}}\s*|\s[\x{{2013}}\x{{2014}}-]\s)\s*(?P<name>[^\t\n]{{2,200}})"
    );
    expression(&pattern)
});

/// A role in running text with its party behind it: "Landlord - Acme Limited, whose registered office ...",
/// "TENANT NAME AND ADDRESS ACME INC. 5 Elm Row".
static ROLE_THEN_NAME: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"\b(?P<role>(?i:{LETS}|{RENTS}))(?:\s+[\x{{2013}}\x{{2014}}-]|(?i:'s)?\s+(?i:name\s+and\s+address)\s*:?|\s*:)\s+"
    );
    expression(&pattern)
});

/// "The Landlord is Acme LLC."
static ROLE_IS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        format!(r"(?:^|[\s.;(])(?i:the\s+)?(?P<role>(?i:{LETS}|{RENTS}))\s+(?:is|are|means)\s*:?\s+");
    expression(&pattern)
});

/// A role that opens a line, with its party behind it: "Tenant FERN LIMITED (Company No. 5)".
static OPENS_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?m)^\s*(?i:item\s+\d{{1,2}}\s+)?(?P<role>(?i:{LETS}|{RENTS}))[ ](?P<name>[A-Z0-9][^\n\t]{{2,200}})$"
    );
    expression(&pattern)
});

/// A role before its party in a preamble: "between Landlord, NAME ("Landlord")".
static ROLE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(r"^(?i:the\s+)?(?i:{LETS}|{RENTS})\s*[,:]\s*");
    expression(&pattern)
});

/// A name of its own that a preamble gives to a party: `(the "City")`.
static OTHER_ROLE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"\(\s*(?:hereinafter\s+)?(?i:the\s+)?"(?i:the\s+)?(?P<word>[A-Z][\w-]{2,20})[.,]?"\s*\)\s*,?\s*"#,
    )
});

/// Words in quotation marks that no party who lets bears.
static NO_PARTY: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^(?:guarantors?|indemnifiers?|brokers?|agents?|lease|sublease|agreement|premises|property|building|effective|date|parties|party|assign\w*|buyer|seller|lender|borrower)$",
    )
});

/// Sentences that say who lets to whom by words of the document's own: "Owner rents to Operator", "Grower shall pay
/// Landowner rent".
static WHO_LETS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    const WORD: &str = r"[A-Z][a-z]{2,20}|[A-Z]{3,20}";
    [
        format!(
            r"\b(?P<lets>{WORD})\)?,?\s+(?:hereby\s+)?(?:leases|lets|rents|demises)\s+to\s+(?:[Tt]he\s+)?(?P<rents>{WORD})\b"
        ),
        format!(
            r"\b(?P<rents>{WORD})\s+(?:shall|will|agrees\s+to)\s+pay\s+(?:to\s+)?(?:the\s+)?(?P<lets>{WORD})\s+(?:\w+\s+){{0,4}}?rent\b"
        ),
    ]
    .map(|pattern| expression(&pattern))
});

/// Parties by number on a cover: "(1) ACME LIMITED (2) FERN LIMITED".
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?m)^\s*\(1\)\s*(?P<first>[^\n]{3,120})\n(?:\s*(?:and|-\s*and\s*-)\s*\n)?\s*\(2\)\s*(?P<second>[^\n]{3,120})$",
    )
});

/// The roles of a sublease.
static SUB_ROLE: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:sub-?|under)(?:landlord|lessor|tenant|lessee)\b"));

/// Proposes both parties of a document of this kind.
pub fn propose(reading: &Reading<'_>, kind: DocumentKind) -> Parties {
    let head_end = reading.scope.end.min(HEAD_MAX_BYTES);
    let flow = reading.text.slice(&(0..head_end));
    let mut parties = Parties::default();
    // Some underleases call their parties landlord and tenant.
    let kind = if SUB_ROLE.is_match(flow) { kind } else { DocumentKind::Lease };
    from_preamble(flow, kind, &BETWEEN, &mut parties);
    if parties.tenant.is_empty() {
        parties.landlord.clear();
        from_preamble(flow, kind, &BY, &mut parties);
    }
    if parties.tenant.is_empty() {
        from_one_role(flow, kind, &mut parties);
    }
    from_labels(reading, kind, &mut parties);
    from_lines(reading, kind, &mut parties);
    from_columns(reading, kind, &mut parties);
    from_statements(reading, flow, kind, &mut parties);
    from_cover(reading, &mut parties);
    if parties.tenant.is_empty() {
        from_other_words(reading, flow, &mut parties);
    }
    if parties.several_rent || FURTHER_TENANT.is_match(lined_head(reading, head_end)) {
        parties.tenant.clear();
    }
    for list in [&mut parties.tenant, &mut parties.landlord] {
        list.truncate(PARTIES_MAX_COUNT);
        join_persons(reading, list);
        weigh_recurrence(reading, list);
    }
    parties
}

/// The text up to an offset, with its lines.
fn lined_head<'a>(reading: &Reading<'a>, end: usize) -> &'a str {
    let lined = reading.text.lined();
    &lined[..crate::extract::text::floor_boundary(lined, end)]
}

/// A label of a second tenant, and further names under the label of the tenants, a line each.
static FURTHER_TENANT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?im)^\s*(?:co-?(?:tenant|lessee)|(?:tenant|lessee)\s+(?:no\.?\s*|#\s*)?[2-9b]|(?:second|additional|further|joint)\s+(?:tenant|lessee))\s*:[\s\t]*[a-z0-9]|(?-i:^\s*(?:Tenants|TENANTS|Lessees|LESSEES)\s*:[ \t]*[A-Z0-9][^\n\t]{2,80}\n\s*[A-Z0-9][^\n\t:]{2,60}?,?\s(?:Inc|INC|LLC|L\.L\.C|Ltd|LTD|Limited|Corp|CORP|Co|LP|L\.P)\.?\s*$)",
    )
});

/// Which side a role is on, if it is a role of this kind of document: behind a sublease stands a lease
/// with a landlord and a tenant of its own.
fn side(role: &str, kind: DocumentKind) -> Option<Side> {
    let role = role.to_lowercase();
    let role = role.trim_end_matches('s');
    let is_sub = role.starts_with("sub") || role.starts_with("under");
    if is_sub != (kind == DocumentKind::Sublease) {
        return None;
    }
    let rents = ["tenant", "lessee", "renter", "resident"].iter().any(|word| role.ends_with(word));
    Some(if rents { Side::Rents } else { Side::Lets })
}

impl Parties {
    fn push(&mut self, side: Side, candidate: Candidate<String>) {
        match side {
            Side::Rents => self.tenant.push(candidate),
            Side::Lets => self.landlord.push(candidate),
        }
    }
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
    /// Neither in quotation marks nor behind "as".
    bare: bool,
    joint: bool,
}

fn roles(text: &str, kind: DocumentKind) -> Vec<Role> {
    ROLE.captures_iter(text)
        .filter_map(|captures| {
            let quoted = captures
                .name("quoted")
                .or_else(|| captures.name("parens"))
                .or_else(|| captures.name("called"));
            let word = quoted.or_else(|| captures.name("as")).or_else(|| captures.name("bare"))?;
            let lead = captures.name("lead").map_or("", |lead| lead.as_str()).to_lowercase();
            let side = side(word.as_str(), kind)?;
            let range = captures.get(0)?.start()..captures.get(0)?.end();
            let joint =
                ["collectively", "jointly", "individually", "each"].iter().any(|word| lead.contains(word));
            let bare = captures.name("bare").is_some();
            Some(Role { side, range, quoted: quoted.is_some(), bare, joint })
        })
        .collect()
}

/// "between NAME, description ("Landlord") and NAME, description ("Tenant")".
fn from_preamble(flow: &str, kind: DocumentKind, opener: &Regex, parties: &mut Parties) {
    for between in opener.find_iter(flow) {
        let start = between.end();
        let end = crate::extract::text::floor_boundary(flow, start + PREAMBLE_MAX_BYTES);
        let window = &flow[start..end];
        let found = roles(window, kind);
        let [first, rest @ ..] = &found[..] else { continue };
        // The nearest "between" before the roles is theirs; an earlier one stands in a heading or a recital.
        if opener.is_match(&window[..first.range.start]) {
            continue;
        }
        let Some(second) = rest.iter().find(|role| role.side != first.side) else { continue };
        // Between the two roles there is one party, and before the first there is one.
        let mut cuts = vec![(first, window[..first.range.start].to_owned(), 0)];
        let middle = &window[first.range.end..second.range.start];
        if let Some((offset, name)) = behind_and(middle) {
            cuts.push((second, name.to_owned(), first.range.end + offset));
        }
        let of_second = AND.find(middle).map_or("", |and| &middle[and.end()..]);
        let of_tenant = if first.side == Side::Rents { &window[..first.range.start] } else { of_second };
        let sentence_broken = window[..first.range.start].contains("WHEREAS");
        for (role, raw, offset) in cuts {
            let raw = ROLE_BEFORE.replace(raw.trim_start(), "");
            let whole = party_name(&raw);
            let before_address = whole.is_none();
            let Some(party) = whole.or_else(|| company_before_address(&raw)) else { continue };
            if sentence_broken {
                continue;
            }
            let rule = match (role.quoted, party.legal, role.joint) {
                (_, _, true) => rules::PREAMBLE_JOINT,
                _ if before_address => rules::PREAMBLE_BEFORE_ADDRESS,
                (true, true, _) => rules::PREAMBLE_COMPANY,
                (true, false, _) => rules::PREAMBLE_PERSON,
                (false, true, _) => rules::PREAMBLE_AS_COMPANY,
                (false, false, _) => rules::PREAMBLE_AS_PERSON,
            };
            parties.push(role.side, rule.says(party.name, start + offset..start + role.range.end));
        }
        // "IN WITNESS WHEREOF, Landlord and Tenant have signed" gives no roles; names of both sides follow it.
        let gives_roles = !(first.bare && second.bare);
        parties.several_rent |= gives_roles && !sentence_broken && names_several(of_tenant);
        // The first preamble that names the tenant is the document's own; later ones recite other papers.
        if !parties.tenant.is_empty() {
            return;
        }
    }
}

/// What stands between two parties.
static AND: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)(?:^|[\s,)])(?:and\s*:?\s+|\(2\)\s*)"));

/// The party behind "and" in what stands between two roles; the first "and" behind which a name follows.
fn behind_and(middle: &str) -> Option<(usize, &str)> {
    // "OPUS, AS LANDLORD, AND ..." leaves the word at the very start.
    AND.find_iter(middle).map(|and| (and.end(), &middle[and.end()..])).find(|(_, raw)| {
        let raw = ROLE_BEFORE.replace(raw, "");
        party_name(&raw).is_some() || company_before_address(&raw).is_some()
    })
}

/// "by NAME (the "City") and NAME (the "Lessee")": one party bears a role, and the other a name of its own.
fn from_one_role(flow: &str, kind: DocumentKind, parties: &mut Parties) {
    for opener in [&*BETWEEN, &*BY] {
        for found in opener.find_iter(flow) {
            let start = found.end();
            let end = crate::extract::text::floor_boundary(flow, start + PREAMBLE_MAX_BYTES);
            let window = &flow[start..end];
            let found = roles(window, kind);
            let Some(role) = found.first().filter(|role| role.quoted && role.side == Side::Rents) else {
                continue;
            };
            let before = &window[..role.range.start];
            let mut others = OTHER_ROLE.captures_iter(before);
            let (Some(other), None) = (others.next(), others.next()) else { continue };
            let Some(whole) = other.get(0).filter(|_| !NO_PARTY.is_match(&other["word"])) else { continue };
            let behind = &before[whole.end()..];
            let Some(raw) = AND.find(behind).filter(|and| and.start() == 0).map(|and| &behind[and.end()..])
            else {
                continue;
            };
            let named = |raw: &str| {
                party_name(raw).or_else(|| company_before_address(raw)).filter(|party| party.legal)
            };
            let (Some(lets), Some(rents)) = (named(&before[..whole.start()]), named(raw)) else { continue };
            parties.several_rent |= names_several(raw);
            let end = start + role.range.end;
            parties.landlord.push(rules::PREAMBLE_ONE_ROLE.says(lets.name, start..start + whole.end()));
            parties.tenant.push(rules::PREAMBLE_ONE_ROLE.says(rents.name, start + whole.end()..end));
            return;
        }
    }
}

/// Companies behind a role that opens a line.
fn from_lines(reading: &Reading<'_>, kind: DocumentKind, parties: &mut Parties) {
    let head = lined_head(reading, reading.scope.end.min(HEAD_MAX_BYTES));
    for captures in OPENS_LINE.captures_iter(head) {
        let (Some(role), Some(name)) = (captures.name("role"), captures.name("name")) else { continue };
        let Some(side) = side(role.as_str(), kind) else { continue };
        let Some(party) = company_before_address(name.as_str()) else { continue };
        if is_no_label(reading, role.start()) {
            continue;
        }
        parties.several_rent |= side == Side::Rents && names_several(name.as_str());
        parties.push(side, rules::ROLE_OPENS_LINE.says(party.name, role.start()..name.end()));
    }
}

/// Parties under the words that the document has for who lets and who rents.
fn from_other_words(reading: &Reading<'_>, flow: &str, parties: &mut Parties) {
    let Some(found) = WHO_LETS.iter().find_map(|pattern| pattern.captures(flow)) else { return };
    let head = lined_head(reading, reading.scope.end.min(HEAD_MAX_BYTES));
    let lets_known = !parties.landlord.is_empty();
    for (side, word) in [(Side::Lets, &found["lets"]), (Side::Rents, &found["rents"])] {
        if NO_PARTY.is_match(word) || (side == Side::Lets && lets_known) {
            continue;
        }
        // A word is one of letters, so that the expression is valid.
        let Ok(label) = Regex::new(&format!(r"(?m)^\s*(?i:{word})\s*(?::\s*|\t)(?P<name>[^\t\n]{{2,200}})"))
        else {
            continue;
        };
        // The word as the name that a definition gives: "NAME, a Texas company ("Church")".
        if let Some(found) =
            OTHER_ROLE.captures_iter(flow).find(|found| found["word"].eq_ignore_ascii_case(word))
            && let Some(whole) = found.get(0)
        {
            let floor =
                crate::extract::text::floor_boundary(flow, whole.start().saturating_sub(NAME_REACH_BYTES));
            if let Some((at, name)) = defined_party(&flow[floor..whole.start()]) {
                parties.push(side, rules::OTHER_WORD_FOR_SIDE.says(name, floor + at..whole.end()));
                continue;
            }
        }
        for captures in label.captures_iter(head) {
            let (Some(whole), Some(name)) = (captures.get(0), captures.name("name")) else { continue };
            let party = party_name(name.as_str()).or_else(|| company_before_address(name.as_str()));
            let Some(party) = party.filter(|party| party.legal) else { continue };
            parties.several_rent |= side == Side::Rents && names_several(name.as_str());
            parties.push(side, rules::OTHER_WORD_FOR_SIDE.says(party.name, whole.range()));
        }
    }
}

/// The party that ends a text with its description, at the start of the document or behind a word before parties.
fn defined_party(before: &str) -> Option<(usize, String)> {
    static DESCRIBED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?:^|\)\s*,?\s+and\s+|\bbetween\s+)(?P<name>[A-Z0-9][^()\n\x22]{2,90}?,\s+an?\s+[^()\n\x22,]{3,60})\s*$",
        )
    });
    let found = DESCRIBED.captures(before)?.name("name")?;
    if names_several(found.as_str()) {
        return None;
    }
    let party = party_name(found.as_str()).filter(|party| party.legal)?;
    Some((found.start(), party.name))
}

/// Persons who sign one by one are those who are named together: "Ada Fern and Bo Fern" with "Ada Fern" and "Bo Fern"
/// is one tenant, and two who sign are a second witness of both. A name cut to initials is that of the whole name, and
/// its second witness.
fn join_persons(reading: &Reading<'_>, candidates: &mut Vec<Candidate<String>>) {
    let labels: Vec<Candidate<String>> = candidates
        .iter()
        .filter(|candidate| candidate.rule == rules::LABELLED_PERSON.name)
        .cloned()
        .collect();
    for first in &labels {
        for second in labels.iter().filter(|second| folded(&second.value) != folded(&first.value)) {
            let together = format!("{} and {}", first.value, second.value);
            if let Some(at) = reading.flow().find(&together) {
                let range = at..at + together.len();
                candidates.push(rules::LABELLED_PERSON.says(together, range));
            }
        }
    }
    let names: Vec<String> = candidates.iter().map(|candidate| candidate.value.clone()).collect();
    let is_named = |name: &str| names.iter().any(|other| folded(other) == folded(name));
    let is_short = |name: &str| names.iter().any(|long| is_initialled_form(name, long));
    let has_short = |name: &str| names.iter().any(|short| is_initialled_form(short, name));
    let joint = |name: &str| name.contains(" and ") && name.split(" and ").all(is_named);
    let is_part = |name: &str| {
        let mut joined = names.iter().filter(|other| joint(other));
        joined.any(|other| other.split(" and ").any(|part| folded(part) == folded(name)))
    };
    candidates.retain(|candidate| !is_short(&candidate.value) && !is_part(&candidate.value));
    for candidate in candidates.iter_mut().filter(|candidate| candidate.confidence >= SECONDED_FROM) {
        let name = &candidate.value;
        let signs = candidate.rule == rules::LABELLED_PERSON.name
            && signs_as_party(reading, name, candidate.range.end);
        if joint(name) || has_short(name) || signs || each_signs(reading, name, candidate.range.end) {
            candidate.confidence = candidate.confidence.max(SECONDED);
        }
    }
}

/// Whether each of two persons who are named together stands by name at the end of a later line, where one signs.
fn each_signs(reading: &Reading<'_>, name: &str, behind: usize) -> bool {
    let persons: Vec<&str> = name.split(" and ").collect();
    let are_persons = persons.len() == 2
        && persons.iter().all(|person| party_name(person).is_some_and(|party| party.is_person()));
    are_persons
        && persons.iter().all(|person| {
            reading.text.lines().any(|(start, line)| {
                start > behind && SIGNED_ON.replace(line, "").trim_end().ends_with(person)
            })
        })
}

/// Whether a person who is named as a party signs as one on a later line: "Ada Fern (tenant)".
fn signs_as_party(reading: &Reading<'_>, name: &str, behind: usize) -> bool {
    if !party_name(name).is_some_and(|party| party.is_person()) {
        return false;
    }
    // A name is bounded in its length, so that the expression is.
    let pattern = format!(
        r"(?:^|[\t\n]|/s/|\s{{2}}|\))\s*{}\s*\(\s*(?i:the\s+)?(?i:{LETS}|{RENTS})\s*\)",
        regex::escape(name)
    );
    let Ok(signed) = Regex::new(&pattern) else { return false };
    let lined = lined_head(reading, reading.scope.end);
    lined.get(behind..).is_some_and(|rest| signed.is_match(rest))
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
        if is_no_label(reading, role.start()) {
            continue;
        }
        let (spelled, end) = joined_with_next_line(lined, &name.range());
        let Some(party) = party_name(&spelled).or_else(|| company_at_start(name.as_str())) else {
            continue;
        };
        // Without a colon a role in a cell is a label only if its value is plainly a company or a person.
        let colon = whole.as_str()[..name.start() - whole.start()].contains(':');
        if !colon && !party.legal && !has_honorific(name.as_str()) {
            continue;
        }
        let in_head = whole.start() < HEAD_MAX_BYTES;
        parties.several_rent |= side == Side::Rents && in_head && names_several(name.as_str());
        let rule = match (in_head, party.legal) {
            (true, true) => rules::LABELLED_COMPANY,
            (true, false) => rules::LABELLED_PERSON,
            (false, true) => rules::SIGNATURE_COMPANY,
            (false, false) => rules::SIGNATURE_PERSON,
        };
        let start = whole.start() + whole.as_str().len() - whole.as_str().trim_start().len();
        parties.push(side, rule.says(party.name, start..end));
    }
}

/// A name whose last word leads on to the next line, with that line, and where it ends: "Ada Fern and" over "Bo Fern".
fn joined_with_next_line<'a>(lined: &'a str, name: &Range<usize>) -> (Cow<'a, str>, usize) {
    let line = &lined[name.clone()];
    let closed = if line.contains('(') { line } else { line.trim_end_matches(')') };
    let own = SIGNED_ON.replace(closed, "");
    let leads_on = own.trim_end().ends_with(" and");
    match lined[name.end..].strip_prefix('\n').and_then(|behind| behind.lines().next()) {
        Some(next) if leads_on => {
            (Cow::Owned(format!("{} {next}", own.trim_end())), name.end + 1 + next.len())
        }
        _ => (own, name.end),
    }
}

/// The day of a signature behind a name: "Ada Fern 5/1/2020".
static SIGNED_ON: LazyLock<Regex> = LazyLock::new(|| expression(r"\s+\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\s*$"));

/// How far before a label the words that make it that of a broker may stand, in bytes.
const BROKER_REACH_BYTES: usize = 90;
static OF_A_BROKER: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:brokers?|real\s+estate\s+agents?)\b"));

/// Whether a line holds the labels of both sides with no name between them.
fn is_in_columns(line: &str) -> bool {
    static COLUMNS: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = format!(r"(?i)^\s*(?:{LETS}|{RENTS})\s*:?[\s\t]+(?:{LETS}|{RENTS})\s*:?\s*$");
        expression(&pattern)
    });
    COLUMNS.is_match(line)
}

/// Whether a role names no party here: two labels side by side head columns, and a broker has its own landlord and
/// tenant.
fn is_no_label(reading: &Reading<'_>, role_at: usize) -> bool {
    let line = reading.text.lined().get(reading.text.line_at(role_at)).unwrap_or_default();
    is_in_columns(line) || OF_A_BROKER.is_match(reading.text.before(role_at, BROKER_REACH_BYTES))
}

/// Names under labels that stand side by side: each in the column of its label.
fn from_columns(reading: &Reading<'_>, kind: DocumentKind, parties: &mut Parties) {
    let mut lines = reading.text.lines().take_while(|(start, _)| *start < reading.scope.end).peekable();
    while let Some((_, line)) = lines.next() {
        let Some((start, below)) = lines.peek() else { return };
        if !is_in_columns(line) {
            continue;
        }
        let (labels, names): (Vec<&str>, Vec<&str>) =
            (line.split('\t').collect(), below.split('\t').collect());
        if labels.len() != names.len() {
            continue;
        }
        let mut at = *start;
        for (label, name) in labels.iter().zip(names) {
            let side = side(label.trim().trim_end_matches(':').trim(), kind);
            if let (Some(side), Some(party)) = (side, party_name(name).filter(|party| party.legal)) {
                parties.push(side, rules::SIGNATURE_COMPANY.says(party.name, at..at + name.len()));
            }
            at += name.len() + 1;
        }
    }
}

/// Parties named in running text near a role, outside a preamble.
fn from_statements(reading: &Reading<'_>, flow: &str, kind: DocumentKind, parties: &mut Parties) {
    for (role, side, behind) in named_roles(&ROLE_IS, flow, kind) {
        let sentence = first_sentence(&flow[behind.clone()]);
        let whole = party_name(sentence);
        let Some(party) = whole.or_else(|| company_that_ends_its_sentence(&flow[behind.clone()])) else {
            continue;
        };
        parties.push(side, rules::ROLE_IS.says(party.name, role..behind.start + sentence.len()));
    }
    for (role, side, behind) in named_roles(&ROLE_THEN_NAME, flow, kind) {
        if is_no_label(reading, role) {
            continue;
        }
        let Some(party) = company_at_start(&flow[behind.clone()]) else { continue };
        let end = behind.start + party.name.len();
        parties.push(side, rules::LABELLED_COMPANY.says(party.name, role..end));
    }
    from_verbs_of_letting(reading, flow, kind, parties);
    let defined = roles(flow, kind);
    // An owner counts as one who lets only where somebody rents.
    if !defined.iter().any(|role| role.side == Side::Rents) {
        return;
    }
    // A preamble, where there is one, is read with more care.
    let is_known = |side: Side| {
        let list = if side == Side::Rents { &parties.tenant } else { &parties.landlord };
        !list.is_empty()
    };
    let (lets_known, rents_known) = (is_known(Side::Lets), is_known(Side::Rents));
    let unknown = |role: &Role| if role.side == Side::Rents { !rents_known } else { !lets_known };
    for role in defined.into_iter().filter(|role| role.quoted && !role.joint && unknown(role)) {
        let floor =
            crate::extract::text::floor_boundary(flow, role.range.start.saturating_sub(NAME_REACH_BYTES));
        let before = &flow[floor..role.range.start];
        let Some((at, party)) = company_at_end(before) else { continue };
        parties.push(role.side, rules::NAME_BEFORE_ROLE.says(party.name, floor + at..role.range.end));
    }
}

/// A company with whose legal form its sentence ends, whatever sentence follows: "The Landlord is Elm Inc. TENANT is ...".
fn company_that_ends_its_sentence(raw: &str) -> Option<super::names::Party> {
    static ENDS: LazyLock<Regex> = LazyLock::new(|| {
        let pattern =
            format!(r"^\s*(?:$|[.;]|(?i:the\s+)?(?i:{LETS}|{RENTS})\s+(?:is|are|means)\b|\d{{1,2}}[.)]\s)");
        expression(&pattern)
    });
    let party = company_at_start(raw)?;
    let behind = raw.find(&party.name).map(|at| &raw[at + party.name.len()..])?;
    // A form that is no abbreviation has the full stop of the sentence behind it.
    let bare = party.name.strip_suffix('.').filter(|name| {
        ["LLC", "LP", "LLP", "Limited", "Company", "Corporation", "plc"]
            .iter()
            .any(|form| name.rsplit(' ').next().is_some_and(|word| word.eq_ignore_ascii_case(form)))
    });
    let name = bare.unwrap_or(&party.name).to_owned();
    ENDS.is_match(behind).then_some(super::names::Party { name, legal: party.legal })
}

/// "NAME, of PLACE, is the LANDLORD", and "NAME leases the shop to NAME for ...", where both names are whole companies
/// and the sentence speaks of this letting and of no other paper.
fn from_verbs_of_letting(reading: &Reading<'_>, flow: &str, kind: DocumentKind, parties: &mut Parties) {
    static IS_THE_ROLE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = format!(
            r"(?:,\s+of\s+[A-Z][^.;:,]{{2,40}}(?:,\s+[A-Z][a-z A-Z]{{1,24}})?)?,?\s+is\s+(?:the\s+)?(?P<role>(?i:{LETS}|{RENTS}))\s*[.;]"
        );
        expression(&pattern)
    });
    static LETS_TO: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"\s+(?:hereby\s+)?(?:leases|lets|rents|demises)\s+(?P<what>[^.;$]{0,140}?)\bto\s+")
    });
    static OTHER_PAPER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:whereas|under|pursuant|dated|currently|formerly|previous\w*|prior|master|prime|head\s*lease|ground|if|guarant\w*|brokers?|agents?|on\s+behalf|sub-?\w*|equipment|assign\w*|also)\b",
        )
    });
    let lined = reading.text.lined();
    let sentence_start = |at: usize| {
        let floor = crate::extract::text::floor_boundary(flow, at.saturating_sub(NAME_REACH_BYTES));
        (floor, &flow[floor..at])
    };
    // Whether a line's end within a name parts a heading from it or wraps it, nothing tells.
    let spans_lines = |name: Range<usize>| lined.get(name).is_none_or(|name| name.trim().contains('\n'));
    for captures in IS_THE_ROLE.captures_iter(flow) {
        let (Some(whole), Some(role)) = (captures.get(0), captures.name("role")) else { continue };
        let Some(side) = side(role.as_str(), kind) else { continue };
        let known = if side == Side::Rents { &parties.tenant } else { &parties.landlord };
        let (floor, before) = sentence_start(whole.start());
        let Some((at, party)) = company_at_end(before).filter(|_| known.is_empty()) else { continue };
        // What stands before the name belongs to it, unless a sentence or a heading ends there.
        if !before[..at].trim_end().is_empty() && !before[..at].trim_end().ends_with(['.', ':', ';']) {
            continue;
        }
        if spans_lines(floor + at..whole.start()) {
            continue;
        }
        parties.push(side, rules::ROLE_IS.says(party.name, floor + at..whole.end()));
    }
    if !parties.tenant.is_empty() {
        return;
    }
    for captures in LETS_TO.captures_iter(flow) {
        let (Some(whole), Some(what)) = (captures.get(0), captures.name("what")) else { continue };
        let (floor, before) = sentence_start(whole.start());
        let Some((at, lets)) = company_at_end(before) else { continue };
        let led_up = before[..at].trim_end();
        if !(led_up.is_empty() || led_up.ends_with(['.', ':', ';'])) || OTHER_PAPER.is_match(what.as_str()) {
            continue;
        }
        if spans_lines(floor + at..whole.start()) {
            continue;
        }
        let end = crate::extract::text::floor_boundary(flow, whole.end() + NAME_REACH_BYTES);
        let raw = &flow[whole.end()..end.max(whole.end())];
        let Some(rents) = company_at_start(raw) else { continue };
        let sentence = first_sentence(raw);
        if names_several(sentence) || OTHER_PAPER.is_match(sentence) {
            continue;
        }
        let named_end = whole.end() + raw.find(&rents.name).map_or(0, |at| at + rents.name.len());
        let behind = flow[named_end..].trim_start_matches([',', ' ']);
        if behind.starts_with("and ") || behind.starts_with('&') || behind.starts_with("or ") {
            continue;
        }
        if parties.landlord.is_empty() {
            parties.landlord.push(rules::OTHER_WORD_FOR_SIDE.says(lets.name, floor + at..whole.end()));
        }
        parties.tenant.push(rules::OTHER_WORD_FOR_SIDE.says(rents.name, whole.start()..named_end));
        return;
    }
}

/// Roles that a pattern finds: where each stands, its side, and what stands behind it where a name may begin.
fn named_roles<'a>(
    pattern: &'a Regex,
    flow: &'a str,
    kind: DocumentKind,
) -> impl Iterator<Item = (usize, Side, Range<usize>)> + 'a {
    pattern.captures_iter(flow).filter_map(move |captures| {
        let role = captures.name("role")?;
        let start = captures.get(0)?.end();
        let end = crate::extract::text::floor_boundary(flow, start + NAME_REACH_BYTES).max(start);
        let behind = &flow[start..end];
        let begins = behind.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        Some((role.start(), side(role.as_str(), kind)?, start..end)).filter(|_| begins)
    })
}

/// A text up to the full stop that ends its first sentence.
fn first_sentence(text: &str) -> &str {
    let end = text.match_indices(". ").find(|(at, _)| {
        let word = text[..*at].rsplit(' ').next().unwrap_or_default();
        // An initial and a legal form keep their full stops.
        word.chars().count() > 1 && company_at_start(&text[..*at]).is_none()
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// By custom the first party on the cover of a lease lets, and the second rents.
fn from_cover(reading: &Reading<'_>, parties: &mut Parties) {
    let lined = reading.text.lined();
    let end = reading.scope.end.min(COVER_MAX_BYTES);
    let cover = &lined[..crate::extract::text::floor_boundary(lined, end)];
    let Some(captures) = NUMBERED.captures(cover) else { return };
    for (name, side) in [("first", Side::Lets), ("second", Side::Rents)] {
        let Some(found) = captures.name(name) else { continue };
        let Some(party) = party_name(found.as_str()).filter(|party| party.legal) else { continue };
        parties.push(side, rules::NUMBERED_PARTIES.says(party.name, found.range()));
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
            candidate.confidence =
                Confidence::permille(candidate.confidence.as_permille() + RECURRENCE_PERMILLE);
        } else {
            candidate.confidence = candidate.confidence.min(ONCE_LIMIT);
        }
        if candidate.confidence >= SECONDED_FROM
            && candidate.confidence < SECONDED
            && stands_again(lined_head(reading, reading.scope.end), &candidate.value, &candidate.range)
        {
            candidate.confidence = SECONDED;
        }
    }
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
            ("between Elm LLC (\"Owner\") and Ada Fern (\"Tenant\")", Some("Elm LLC"), Some("Ada Fern")),
            (
                "BETWEEN:\nELM INC. (the \"Landlord\")\nOF THE FIRST PART\n- and -\nFERN LTD. (the \"Tenant\")",
                Some("ELM INC."),
                Some("FERN LTD."),
            ),
            ("(1) ELM LIMITED\n(2) FERN LIMITED\nLEASE of a shop", Some("ELM LIMITED"), Some("FERN LIMITED")),
            (
                "Parties: Landlord - Elm plc, of 5 Elm Row. Tenant - Fern Limited, of 6 Elm Row.",
                Some("Elm plc"),
                Some("Fern Limited"),
            ),
            (
                "The Owner is Ada Elm. We call her \"I\". The Tenants are Bo Fern and Cy Fern. They sign below.",
                Some("Ada Elm"),
                Some("Bo Fern and Cy Fern"),
            ),
            (
                "We act for Elm Estates Limited (\"the Landlord\"), which lets it to Fern Limited (\"the Tenant\").",
                Some("Elm Estates Limited"),
                Some("Fern Limited"),
            ),
            (
                "The undersigned: Elm B.V., having its office in Breda, hereinafter referred to as 'the Lessor', and Fern B.V., having its office in Ede, hereinafter referred to as 'the Lessee'",
                Some("Elm B.V."),
                Some("Fern B.V."),
            ),
            (
                "by and between Ada Elm and Bo Elm (hereinafter, with their heirs, called the LESSOR), and Fern & Moss, Incorporated, a corporation (hereinafter called the LESSEE)",
                Some("Ada Elm and Bo Elm"),
                Some("Fern & Moss, Incorporated"),
            ),
            (
                "is entered into as of May 1, 2020, by ELM LLC, a Texas company (\"Landlord\"), as successor to Oak LLC (\"Original Landlord\"), and FERN INC., a Texas corporation (\"Tenant\").\nLANDLORD:\tTENANT:\nELM LLC\tFERN INC.",
                Some("ELM LLC"),
                Some("FERN INC."),
            ),
            ("LANDLORD: TENANT:\nELM LLC FERN INC.", None, None),
            (
                "Section 1.02. LANDLORD (INCLUDE LEGAL ENTITY): Elm LLC, a Texas company\nSection 1.03. TENANT (INCLUDE LEGAL ENTITY): Fern Inc., a Texas corporation",
                Some("Elm LLC"),
                Some("Fern Inc."),
            ),
            ("REAL ESTATE BROKER:\nLANDLORD:\tOak Realty, Inc.\nTENANT:\tAsh Realty", None, None),
            (
                "2\tLandlord\tELM PTE. LTD. (UEN 1), 5 Elm Row\n3\tTenant\tFERN PTE. LTD. (UEN 2), 6 Elm Row",
                Some("ELM PTE. LTD."),
                Some("FERN PTE. LTD."),
            ),
            (
                "LANDLORD NAME AND ADDRESS ELM (BARRIE) INC. 5 Elm Row (the \"LANDLORD\") - and - TENANT NAME AND ADDRESS FERN INC. 6 Elm Row (the \"TENANT\")",
                Some("ELM (BARRIE) INC."),
                Some("FERN INC."),
            ),
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
            (
                "between\nElm GmbH, Elm Row 5, 04229 Leipzig, HRB 90017\n\u{2013} hereinafter \"Landlord\" \u{2013}\nand\nFern Robotik GmbH, Fern Row 4, 04229 Leipzig\n\u{2013} hereinafter \"Tenant\" \u{2013}",
                Some("Elm GmbH"),
                Some("Fern Robotik GmbH"),
            ),
            (
                "BETWEEN:\nELM INVESTMENTS LTD.\n688 50th Avenue SW\n(the \"Landlord\")\nAND:\nFERN CLUB LTD.\n#1205 - 8400 West Road\n(the \"Tenant\")",
                Some("ELM INVESTMENTS LTD."),
                Some("FERN CLUB LTD."),
            ),
            (
                "by and between Landlord, Elm Plc (\"Landlord\"), and Tenant, Fern Solutions Ltd. (\"Tenant\").",
                Some("Elm Plc"),
                Some("Fern Solutions Ltd."),
            ),
            (
                "is entered into by the CITY OF ELM FALLS, a municipal corporation of the State of Idaho (the \"City\"), and FERN FLYERS, LLC, an Idaho limited liability company (the \"Lessee\").",
                Some("CITY OF ELM FALLS"),
                Some("FERN FLYERS, LLC"),
            ),
            (
                "between Elm Inc., a Texas corporation (\"Guarantor\"), and Fern LLC, a Texas limited liability company (\"Tenant\").",
                None,
                None,
            ),
            (
                "Landlord ELM LIMITED (Company No. 5)\nwhose registered office is at 2 Elm Row\nTenant FERN LIMITED (Company No. 6)",
                Some("ELM LIMITED"),
                Some("FERN LIMITED"),
            ),
            ("In a storm the\nTenant FERN LIMITED shall close the windows", None, None),
            (
                "Lessor ....... Elm Limited\nLessee ....... Fern Limited\nPremises ..... Yard 5",
                Some("Elm Limited"),
                Some("Fern Limited"),
            ),
            (
                "Item 1 \u{2013} LANDLORD\tElm Nominees Pty. Ltd. ACN 005 910 221 of 6 Elm Row\nItem 2 \u{2013} TENANT\tFern Optical Pty. Ltd. ACN 631 447 809",
                Some("Elm Nominees Pty. Ltd."),
                Some("Fern Optical Pty. Ltd."),
            ),
            (
                "the Landlord means ELM STUDIOS LIMITED (company number 5) of Elm Row;\nthe Tenant means FERN LIMITED (company number 6)",
                Some("ELM STUDIOS LIMITED"),
                Some("FERN LIMITED"),
            ),
            (
                "Owner: Elm Farms, LLC\nOperator: Fern Brothers Grain, a partnership of\nAda Fern\n1. LAND. Owner rents to Operator the east half.",
                Some("Elm Farms, LLC"),
                Some("Fern Brothers Grain"),
            ),
            (
                "Landowner\tElm Family Limited Partnership\nGrower\tFern Plants, LLC, 40 Elm Row\nGrower shall pay Landowner rent of $5.00.",
                Some("Elm Family Limited Partnership"),
                Some("Fern Plants, LLC"),
            ),
            (
                "Owner: Elm Farms, LLC\nOperator: Fern Brothers, Inc.\nOperator keeps the land.",
                Some("Elm Farms, LLC"),
                None,
            ),
            (
                "2. Landlord: Elm's Hill DAC\n3. Tenant(s): Adalbert Fern and\nBo Moss\n4. Dwelling: Apartment 14, Elm's Hill, Cork",
                Some("Elm's Hill DAC"),
                Some("Adalbert Fern and Bo Moss"),
            ),
            ("Tenant\tMiss Ada Fern\nTenant: A. Fern", None, Some("Ada Fern")),
            (
                "the following persons are responsible: Ada Fern and Bo B. Moss.\nResident: Ada Fern 5/1/2020\nResident: Bo B. Moss 5/1/2020",
                None,
                Some("Ada Fern and Bo B. Moss"),
            ),
            (
                "(tenants: Ada Fern and Bo Moss)\nTenant: Ada Fern 5/1/2020\nTenant: Bo Moss 5/1/2020",
                None,
                Some("Ada Fern and Bo Moss"),
            ),
            (
                "LANDLORD: ELM CORP.\nAddress for notices: 5 Elm Row\nTENANT: FERN & MOSS MILLINERY INC.\nAddress for notices: the premises",
                Some("ELM CORP."),
                Some("FERN & MOSS MILLINERY INC."),
            ),
            (
                "Between Elm Court LLC, as landlord, and Ada B. Fern, D.P.M., P.A., as tenant, made on May 1, 2020.",
                Some("Elm Court LLC"),
                Some("Ada B. Fern, D.P.M., P.A."),
            ),
            ("Landlord: Elm Court LLC\nInitials of Landlord: L.C.", Some("Elm Court LLC"), None),
            (
                "Owner/Landlord: Elm Court Partners LP\nResident/Tenant: Ada Moss",
                Some("Elm Court Partners LP"),
                Some("Ada Moss"),
            ),
            (
                "Item 1 Lessor Elm Row Pty Ltd ACN 611 204 557\nItem 2 Lessee Fern Spares Pty Ltd ACN 604 881 332",
                Some("Elm Row Pty Ltd"),
                Some("Fern Spares Pty Ltd"),
            ),
            (
                "A. Landlord ........ Elm Wharf Joint Venture\nOccupier (Tenant) ........ Fern Glen Society",
                Some("Elm Wharf Joint Venture"),
                Some("Fern Glen Society"),
            ),
            (
                "1. LANDLORD is Elm Road, Inc. TENANT is Fern Bait & Tackle, LLC.\n2. The store is at 5 Elm Road.",
                Some("Elm Road, Inc."),
                Some("Fern Bait & Tackle, LLC"),
            ),
            ("TENANT is Fern, LLC and Moss, Inc. It pays.", None, None),
            (
                "Parties. Elm & Sons Mills, Inc., of Camden, Maine, is the LANDLORD. It owns the mill.",
                Some("Elm & Sons Mills, Inc."),
                None,
            ),
            (
                "STORE RENTAL\nElm Center, LLC leases Space 3 of the center to Fern Optical, P.C. for a shop.",
                None,
                None,
            ),
            ("Whoever buys the mill from Elm Mills, Inc. is the landlord then.", None, None),
            (
                "Parties. Elm Center, LLC leases Space 3 of the center to Fern Optical, P.C. for a shop.",
                Some("Elm Center, LLC"),
                Some("Fern Optical, P.C."),
            ),
            (
                "Earlier, under a lease dated May 1, 2010, Elm Center, LLC leases Space 3 to Fern Optical, P.C.",
                None,
                None,
            ),
            ("Elm Center, LLC leases Space 3 to Fern Optical, P.C. and Moss, LLC for a shop.", None, None),
            (
                "Elm Center, LLC leases Space 3 through its broker to Fern Optical, P.C. for a shop.",
                None,
                None,
            ),
            (
                "Elm Center, LLC leases Space 3 under the prime lease to Fern Optical, P.C. for a shop.",
                None,
                None,
            ),
            (
                "Elm Hall, Inc., a Texas corporation (\"Church\"), and Fern School, Inc., a Texas corporation (\"School\"), agree:\nChurch leases to School two rooms.",
                Some("Elm Hall, Inc."),
                Some("Fern School, Inc."),
            ),
            (
                "Elm Hall, Inc., a Texas corporation (\"Church\"), and Fern School, Inc., a Texas corporation (\"School\"), agree:\nChurch sings with School.",
                None,
                None,
            ),
            (
                "LANDLORD: ELM CORP.\nTENANT: FERN INC.\nNotices are served by mail.\nIN WITNESS WHEREOF, Landlord and Tenant have signed.\nWitness for Landlord, ELM CORP.\nWitness for Tenant, FERN INC., Tenant",
                Some("ELM CORP."),
                Some("FERN INC."),
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
    fn a_name_is_sure_enough_where_a_second_passage_gives_it() {
        let rows = [
            (
                "The Tenants are Ada Fern and Bo Moss. They pay.\nSigned Ada Fern\nSigned Bo Moss 5/1/2020",
                true,
            ),
            ("The Tenants are Ada Fern and Bo Moss. They pay.\nSigned Ada Fern", false),
            ("Tenant\tMiss Ada Fern\nTenant: A. Fern", true),
            ("Tenant: Ada Fern\nRent: $90.00\nBo Elm (landlord)  Ada Fern (tenant)", true),
            ("Tenant: Ada Fern\nRent: $90.00\nBo Elm (landlord)  Ada Fern (guarantor)", false),
            ("Tenant: Ada Fern\nRent: $90.00\nBo Elm (landlord)  Ida Ada Fern (tenant)", false),
            ("Tenant FERN LIMITED (Company No. 6)\nElm Inc. - Bo Elm, VP\nFERN LIMITED - Ada Fern", true),
            (
                "Tenant FERN LIMITED (Company No. 6)\nThis deed is made at the yard in the presence of a witness by GREAT\nFERN LIMITED - Ada Fern",
                false,
            ),
            ("Tenant\tMiss Ada Fern\nTenant: B. Fern", false),
            ("Tenant FERN LIMITED (Company No. 6)\nSigned for FERN LIMITED by its director", true),
            ("Tenant FERN LIMITED (Company No. 6)\nSigned by a director", false),
            ("Tenant FERN LIMITED (Company No. 6)\nSigned for OLD FERN LIMITED by its director", false),
        ];
        for (text, expected) in rows {
            let sure = reading_of(text, |reading| {
                propose(reading, DocumentKind::Lease)
                    .tenant
                    .iter()
                    .any(|candidate| candidate.confidence >= Confidence::percent(85))
            });
            assert_eq!(sure, expected, "{text}");
        }
    }

    #[test]
    fn of_two_tenants_neither_is_the_first_alone() {
        let between = |tenant: &str| {
            format!(
                "between Elm LLC, a Texas limited liability company (\"Landlord\"), and {tenant} (\"Tenant\").\nTENANT: Fern Inc."
            )
        };
        let rows = [
            (between("Fern Inc., a Texas corporation"), Some("Fern Inc.")),
            (between("Fern Inc. and Moss LLC"), None),
            (
                between("Fern Inc., a Texas corporation, and Moss LLC, a Texas limited liability company"),
                None,
            ),
            (between("Fern Inc., on behalf of Moss LLC"), None),
            (between("Fern, a division of Moss Inc."), None),
            ("Landlord: Elm LLC\nTenant: Fern Inc. (agent of Moss LLC, the true Tenant)".to_owned(), None),
            ("Landlord: Elm LLC\nTenant: Fern Inc. and Moss LLC\nPremises".to_owned(), None),
            ("Landlord: Elm LLC\nTenant: Fern Inc.\nTenant 2: Moss LLC".to_owned(), None),
            ("Landlord: Elm LLC\nTenants: Fern Inc.\nMoss LLC\nAlder Co.".to_owned(), None),
            ("Landlord: Elm LLC\nTenant: Fern Inc.\nMoss Tower, 5 Elm Row".to_owned(), Some("Fern Inc.")),
        ];
        for (text, expected) in rows {
            let tenant = reading_of(&text, |reading| best(&propose(reading, DocumentKind::Lease).tenant));
            assert_eq!(tenant.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_sublease_has_its_own_roles() {
        let text = "between Fern LLC, a Texas company (\"Sublandlord\") and Moss Inc., a Texas corporation (\"Subtenant\"). The lease between Elm LLC (\"Landlord\") and Fern LLC (\"Tenant\")";
        let tenant = reading_of(text, |reading| best(&propose(reading, DocumentKind::Sublease).tenant));
        assert_eq!(tenant.as_deref(), Some("Moss Inc."));
    }
}
