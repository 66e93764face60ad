//! What a document tells of itself as a fact: a change that has come to pass, an effect that waits for an event.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Known, sentence, unit};
use crate::extract::clauses::Reading;
use crate::extract::expression;
use crate::lease::DocumentKind;

/// Words by which a sentence supposes and does not report.
static SUPPOSES: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:if|unless|until|event|when|where|whenever|should|case|upon|once|provided|shall|(?-i:may)|must|will|would|could|can|cannot|whether|or|extent|such|any|no|each|every|which|who|that|whose|as|than|without|except|option|nor)\b",
    )
});

/// A change of the lease that is told as a fact: "Tenant has exercised its option", "the rent was lowered". What a party
/// shall or may do, and what happens if something else does, is no change.
pub(super) fn reported_change(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        const SUBJECT: &str = r"(?:tenant|lessee|landlord|lessor|parties|lease|sublease|tenancy|agreement|amendment|term|rent|dates?(?:\s+in\s+(?:this\s+)?section)?|figures?|sum|amount|option|name|expiration|commencement|premises|suite)";
        // What was changed, whichever tense tells it.
        const CHANGED: &str = r"(?:exercised|assigned|transferred|surrendered|vacated|terminated|cancell?ed|rescinded|revoked|withdrawn|extended|renewed|shortened|lengthened|reduced|lowered|raised|halved|doubled|amended|modified|revised|corrected|changed|varied|replaced|substituted|superseded|merged|renamed|moved|postponed|deferred|delayed|put\s+back|brought\s+forward|struck|deleted|reset|closed|taken\s+over|left|abandoned|joined|expired|ended|lapsed|since\s+\w+ed|since\s+agreed|given\s+(?:its\s+|a\s+|notice)|served\s+(?:its|a|notice))";
        // Of what is, only words of a change that are no step of a rent's schedule and no standing of a party.
        const IS_CHANGED: &str = r"(?:rescinded|revoked|shortened|lengthened|lowered|halved|doubled|replaced|substituted|superseded|renamed|moved|postponed|put\s+back|brought\s+forward|struck|deleted|corrected|cancell?ed|withdrawn|at\s+an\s+end)";
        const PAST: &str = r"(?:exercised|assigned|surrendered|vacated|cancell?ed|rescinded|revoked|withdrew|extended|renewed|shortened|lowered|changed|replaced|substituted|merged|became|moved|took\s+over|lapsed|ended|expired)";
        const NOW: &str = r"(?:rescinds?|cancels?|substitutes?|lowers?|shortens?|assigns\s+to|(?:moves?|shifts?)\s+by|now\s+(?:runs?|ends?|is|are|stands?|expires?|begins?|pays?))";
        expression(&format!(
            r"(?i)\b{SUBJECT}(?P<gap>(?:,?\s+[\w$'()-]+(?:\.\d+)?){{0,9}}?),?\s+(?-i:(?:has|have|had)\s+(?:\w+\s+){{0,2}}?{CHANGED}|(?:was|were)\s+(?:\w+\s+)?{CHANGED}|(?:is|are)\s+(?:\w+\s+)?{IS_CHANGED}|{PAST}|{NOW})\b"
        ))
    });
    // What is told without a subject of the lease.
    static EXPECTED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:now|currently)\s+(?:expected|estimated|scheduled|anticipated|planned|projected)\b|\bsee\s+(?:the\s+)?(?:attached\s+)?(?:rider|addendum|side\s+letter)\b",
        )
    });
    // A verb before the one that was found: the subject is that of another.
    static VERB: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:is|are|was|were|be|been|being|has|have|had|hereby|does|do|did)\b")
    });
    // "The parties agree that ..." reports what follows.
    static AGREED: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:agree|agreed|confirm|confirmed|acknowledge|certify)\s+that\b")
    });
    static OF_A_SECTION: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:section|article|paragraph|clause|exhibit|schedule)s?\s+\w"));
    let flow = reading.flow();
    let supposes = |words: &str| SUPPOSES.is_match(&AGREED.replace_all(words, " "));
    let reported = REPORT
        .captures_iter(flow)
        .filter_map(|found| Some((found.get(0)?.range(), found.name("gap")?.range())))
        .filter(|(_, gap)| {
            let words = &flow[gap.clone()];
            !supposes(words) && !VERB.is_match(words) && !reading.is_in_recitals(gap.start)
        })
        .map(|(whole, gap)| (unit(reading, &whole), gap))
        .filter(|(unit, gap)| !supposes(&flow[unit.start.min(gap.start)..gap.start]))
        .map(|(unit, _)| unit)
        // An amendment replaces sections of its lease; what it says of rent and term in their place is read.
        .find(|unit| {
            known.kind != DocumentKind::Amendment || !OF_A_SECTION.is_match(reading.text.slice(unit))
        });
    let expected = || EXPECTED.find_iter(flow).find(|found| !reading.is_in_recitals(found.start()));
    reported.or_else(|| expected().map(|found| sentence(reading, &found.range())))
}

/// A lease that takes effect only with an event other than its signature and delivery.
pub(super) fn conditional_effect(reading: &Reading<'_>) -> Option<Range<usize>> {
    static WAITS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)\b(?:this|the)\s+(?:back-?up\s+)?(?:lease|sublease|agreement|tenancy|letting)\b[^.;]{0,60}?
            (?:\b(?:binds?|binding|effective|operative)\s+(?:only|neither|nobody|no\s+(?:one|party))\b
            |\b(?:not|neither|only|never|no)\b[^.;]{0,50}?\b(?:effect(?:ive)?|binds?|binding|in\s+force|operative)\b
            |\b(?:contingent|conditional|conditioned)\s+(?:up)?on\b
            |\bsubject\s+to\s+(?:the\s+)?(?:[\w']+\s+){0,5}?(?:approval|consent|ratification|closing|acquisition|vacat\w+)\b)
            |\b(?:tak(?:es?|ing)|com(?:es?|ing)\s+into)\s+(?:effect|force)\s+(?:only|if)\b
            |\bmust\s+(?:first\s+)?(?:approve|ratify|consent\s+to)\s+this\s+(?:lease|sublease|agreement)\b
            |\b(?:held|signed|placed)\s+in\s+escrow\b[^.;]{0,40}\b(?:until|and|pending)\b",
        )
    });
    // Each lease binds when it is signed, and binds nobody against the rights of lenders and heirs.
    static ONCE_SIGNED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:execut\w*|sign(?:s|ed|ing|ature\w*)?|deliver\w*|initial\w*|written|writing|recorded|mortgagee|lender|successors?)\b",
        )
    });
    WAITS.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        !ONCE_SIGNED.is_match(words) || words.to_lowercase().contains("escrow")
    })
}

/// How far behind the signatures a note may stand that changes what was signed, in bytes.
const NOTE_REACH_BYTES: usize = 600;
/// Most lines between two lines of one block of signatures.
const SIGNATURE_GAP_LINES: usize = 4;

/// A note, a letter or a mail directly behind the signatures that speaks of the lease with a figure. Exhibits and
/// acknowledgments stand there in every lease.
pub(super) fn behind_signatures(reading: &Reading<'_>) -> Option<Range<usize>> {
    static SIGNED: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)/s/|^\W*(?:by|signed|signature)\s*:|^\W*(?:signed|executed)\b.{0,40}$|^\s*_{5,}")
    });
    static OF_A_BLOCK: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:name|title|its|dated?|date\s+signed|print(?:ed)?(?:\s+name)?|witness\w*|landlord|lessor|tenant|lessee|owner|attest|address|president|manager|director|secretary)\b",
        )
    });
    static ATTACHED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:exhibit|schedule|attachment|appendix|annex|acknowledge?ments?|notar\w*|state\s+of|county\s+of|province\s+of|guarant\w+|subscribed|sworn|legal\s+description|floor\s+plan|rules\s+and\s+regulations)\b",
        )
    });
    static OF_THE_LEASE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:rent(?:al)?|lease|term|tenan(?:t|cy)|commence\w*|expir\w*|terminat\w*|monthly|per\s+month)\b",
        )
    });
    let mut signed_at: Option<usize> = None;
    let mut end = None;
    for (number, (start, line)) in reading.text.lines().enumerate() {
        if start >= reading.scope.end {
            break;
        }
        let goes_on = signed_at.is_some_and(|last| number - last <= SIGNATURE_GAP_LINES);
        if SIGNED.is_match(line) || (goes_on && OF_A_BLOCK.is_match(line)) {
            signed_at = Some(number);
            end = Some(start + line.len());
        }
    }
    let end = end?;
    let behind = reading.text.after(end, NOTE_REACH_BYTES);
    let note = ATTACHED.find(behind).map_or(behind, |attached| &behind[..attached.start()]);
    let holds = note.contains(|character: char| character.is_ascii_digit()) && OF_THE_LEASE.is_match(note);
    holds.then(|| end..end + note.len())
}
