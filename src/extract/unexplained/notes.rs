//! What stands on a paper and is not of its text: stamps, remarks in brackets, days jotted down, names of files, and
//! what the lines for the signatures say.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Known, is_label, is_sentence};
use crate::extract::clauses::Reading;
use crate::extract::clauses::kind::mark_of;
use crate::extract::{dates, expression, money};

/// Longest line that is a note or a stamp, in bytes.
const NOTE_MAX_BYTES: usize = 110;
/// Shortest line that may go on in the next one, in bytes.
const WRAPPED_MIN_BYTES: usize = 50;
/// Most words of a stamp.
const STAMP_MAX_WORDS: usize = 7;
/// How far from its start a paper says on which day it was made, in bytes.
const OPENING_REACH_BYTES: usize = 1_500;
/// Most lines between the name of a party and the line on which it signs.
const SIGNER_REACH_LINES: usize = 5;

/// A stamp, a status or the head of another paper on a line of its own.
pub(super) fn stamp(reading: &Reading<'_>) -> Option<Range<usize>> {
    // Words of a whole line, which in a sentence may be of anything.
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)^\W*(?:stamp(?:ed)?\W+)?(?:archived?|inactive|rejected|declined|historical|history|obsolete|OLD|closed(?:\s+file)?|file\s+closed|dead(?:\s+file)?
            |lapsed|rescinded|revoked|annulled|moved\s+out|evicted|abandoned|not\s+renewed|do\s+not\s+(?:use|pay|abstract)|errata|corrigend(?:um|a)|concept|nul
            |heads\s+of\s+terms|offer\s+to\s+lease)\b(?:\W+(?:by|on|for|per|see|file|copy|lease|and|to|moved|consent|archive)\b|\W+\d|\W*\(|\W*$)
            |^\W*(?:note\s+to\s+file|file\s+note|old\s+lease|alleged\s+lease|sticky\s+note|post-?it)\b|^\W*exhibit\s+\w+\s+to\s+(?:the\s+)?(?:purchase|offer|option|letter\s+of)|(?:^|\W)(?:for\s+(?:TT|LL|our|your|tenant's|landlord's|client)\s+review|terms\s+not\s+agreed|\(?as\s+offered|authenticity\s+disputed|alleged\s+lease)\b",
        )
    });
    // Words that are of no lease, wherever on a note they stand.
    static ANYWHERE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)\bnot\s+in\s+force\b|\bhomework\b|\bhypothetical\b|\bimaginary\b|\bfictitious\b|\bfictional\b|\bcommencement\s+(?:date\s+)?certificate\s*$|\bdollar\s+figures\b.{0,40}\bthousands\b|\(\s*\$?\s?000s?\s*\)
            |:\s*(?:not\s+yet|see\s+(?:the\s+)?(?:\w+\s+)?(?:amendment|addendum|rider)|offered)\b|\((?:historical|superseded|inactive|LL|TT)\)|\t(?:landlord|tenant|owner|LL|TT)(?:'s)?\s+(?:offer|counter|proposal|ask)\b
            |\bsent\s+from\s+my\b|^\s*>\s+\w|\bcopied\s+from\s+the\b|\b(?:parties'\s+)?earlier\s+bargain\b|\bfrom\s+another\s+deal\b|\b(?:rejected|terminated|expired)\s+leases\b|\bMTM\s+since\b|\(\s*see\s+(?:19|20)\d\d\b|\bsee\s+(?:the\s+)?rent\s+roll\b|\bsee\s+(?:19|20)\d\d\s+(?:paper|lease)\b|\bpresent\s+deal\b|\brestatement\)|\bhandwriting\s+examiner\b",
        )
    });
    // What other languages stamp on a paper that does not count.
    static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:storniert|aufgehoben|gek(?:u|ue|\u{fc})ndigt|ung(?:u|ue|\u{fc})ltig|entwurf|r[e\u{e9}]sili(?:e|\u{e9})e?|annul(?:e|\u{e9})e?|brouillon|anulad[oa]|cancelad[oa]|rescindid[oa]|borrador|annullat[oa]|bozza|disdett[oa]|vervallen|opgezegd|be(?:e|\u{eb})indigd|ongeldig|geannuleerd|makulerad|ogiltig|ugyldig)\b",
        )
    });
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:supersed\w*|old|expired|drafts?|archive\w*|terminated|cancell?ed|unsigned|inactive)\b[^\n]{0,60}\.(?:docx?|pdf|rtf|odt|wpd|tiff?)\b",
        )
    });
    reading.text.lines().filter(|(_, line)| line.len() <= NOTE_MAX_BYTES).find_map(|(start, line)| {
        let words = line.split_whitespace();
        let letters = words.clone().take_while(|word| word.chars().count() == 1).count();
        let spaced: String = words.clone().take(letters).collect();
        let is_short = words.count() <= STAMP_MAX_WORDS;
        let is_stamp = (is_short && FOREIGN.is_match(line))
            || mark_of(&spaced).is_some()
            || FILE.is_match(line)
            || ANYWHERE.is_match(line)
            || (WHOLE.is_match(line) && !line.contains(" shall ") && !line.contains(": "));
        is_stamp.then(|| start..start + line.len())
    })
}

/// A day that is jotted down beside the text, as managers do in a file: "keys in 9/14/26", "renewed to 2/28/34".
pub(super) fn jotted_day(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static DAY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?:^|[^\w/.,$])(?:\d{1,2}/(?:\d{1,2}/)?(?:19|20)\d{2}|\d{1,2}/\d{1,2}/\d{2})(?:[^\w/]|$)",
        )
    });
    static PERIOD: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\d\s*(?:-|\u{2013}|to|through|thru)\s*\d{1,2}/"));
    // Days of the paper itself, of its signatures and of its form.
    static OF_THE_PAPER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:date[ds]?|signed|executed|made|form|rev\w*|printed|page|version|ed(?:ition)?\.?|copyright|recorded|filed|sworn|acknowledged|commission|by|name|title|witness\w*|notary|exhibit)\b",
        )
    });
    static DUTY: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\b(?:shall|will|may|must|is|are|be|agrees?|pays?)\b"));
    let mut above_ends = true;
    reading.text.lines().find_map(|(start, line)| {
        let stands_alone = std::mem::replace(
            &mut above_ends,
            line.len() < WRAPPED_MIN_BYTES || line.ends_with(['.', ':', ')']),
        );
        if line.len() > NOTE_MAX_BYTES || !stands_alone || !DAY.is_match(line) {
            return None;
        }
        let is_said = line.split_whitespace().any(|word| {
            word.chars().filter(|letter| letter.is_lowercase()).count() > 2
                || (word.len() > 2 && word.chars().all(char::is_uppercase))
        });
        let days = dates::find(line, reading.date_order);
        let are_known = !days.is_empty() && days.iter().all(|day| known.days.contains(&day.date));
        let range = start..start + line.len();
        let is_note = is_said
            && !are_known
            && (!is_sentence(line) || !DUTY.is_match(line))
            && !is_label(line)
            && !PERIOD.is_match(line)
            && !OF_THE_PAPER.is_match(line)
            && !known.is_named_in(line)
            && reading.amounts_in(&range).is_empty();
        is_note.then_some(range)
    })
}

/// A remark in brackets of what stands, or stood, on the paper: another figure, a hand, a stroke, a missing page.
pub(super) fn bracketed_remark(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static REMARK: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\[(?P<square>[^\[\]\n]{3,160})\]|\{(?P<curly>[^{}\n]{3,160})\}"));
    static OF_A_HAND: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:hand(?:written)?|ink(?:ed)?|pencil\w*|struck|crossed|stamp\w*|sticky|post-?it|illegible|overwritten|not\s+signed|unsigned|sic|margin)\b|\bsignatures?\b[^\]]*\b(?:to\s+follow|not|provided|released?|escrow|exchanged|pending|counsel|missing)\b",
        )
    });
    static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?:^|[^\w.,])(?P<figure>\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d+\.\d\d)(?:[^\w.,]|$)")
    });
    static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:insert\b.*|(?:(?:tenant|landlord|lessee|lessor|property|street|company)(?:'s)?\s+)?(?:name|address|date|amount|city|state|rent))\W*$",
        )
    });
    REMARK.captures_iter(reading.text.lined()).find_map(|found| {
        let words = found.name("square").or_else(|| found.name("curly"))?;
        let is_other = |figure: regex::Captures<'_>| {
            money::figures(&figure["figure"]).is_some_and(|figure| super::rent::leaves_open(figure, known))
        };
        let is_remark = OF_A_HAND.is_match(words.as_str())
            || PLACEHOLDER.is_match(words.as_str())
            || FIGURE.captures_iter(words.as_str()).any(is_other);
        is_remark.then(|| found.get(0).map_or(0..0, |whole| whole.range()))
    })
}

/// A blank for the day on which the paper is made.
pub(super) fn blank_day(reading: &Reading<'_>) -> Option<Range<usize>> {
    static BLANK: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:made|dated|entered\s+into|executed)\b(?:\s+[a-z]+){0,6}\s+_{2,}")
    });
    let opening = reading.text.after(0, OPENING_REACH_BYTES);
    BLANK.find(opening).map(|found| found.range())
}

/// The head of a mail without addresses, and so of a paper in front.
pub(super) fn mail(reading: &Reading<'_>) -> Option<Range<usize>> {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?im)^[ \t]*From:[^\d\n]{2,60}\n+[ \t]*To:[^\d\n]{2,60}$"));
    HEAD.find(reading.text.lined()).map(|found| found.range())
}

/// A line to sign on that says that somebody did not, or that is empty where the other party's is signed.
pub(super) fn missing_signature(reading: &Reading<'_>) -> Option<Range<usize>> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)^\W*(?:by|signed|signature|sign)\s*:(?P<signed>.*)$"));
    static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:declin\w+|refus\w+|unsigned|not\s+(?:yet\s+)?(?:signed|received|executed)|reserv(?:ation|ing)|protest|with(?:e|o)ld|pending|awaiting|to\s+follow)\b",
        )
    });
    static PARTY: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:sub-?)?(?:landlord|tenant|lessor|lessee)\b"));
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:guarantor|witness\w*|attest|notary|agent|broker|consent\w*|lender|acknowledg\w+)\b",
        )
    });
    let lines: Vec<(usize, &str)> = reading
        .text
        .lines()
        .take_while(|(start, _)| *start < reading.scope.end)
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let is_signed = lines.iter().any(|(_, line)| line.contains("/s/"));
    lines.iter().enumerate().find_map(|(number, (start, line))| {
        let signed = LINE.captures(line)?.name("signed")?.as_str();
        let range = *start..start + line.len();
        if REFUSED.is_match(signed) {
            return Some(range);
        }
        let is_empty = signed.chars().all(|character| character.is_whitespace() || character == '_');
        let goes_on = lines.get(number + 1).is_some_and(|(_, next)| next.contains("/s/"));
        let above = &lines[number.saturating_sub(SIGNER_REACH_LINES)..number];
        let label = above.iter().rev().find(|(_, line)| PARTY.is_match(line) || OTHER.is_match(line));
        let is_of_a_party = label.is_some_and(|(_, label)| PARTY.is_match(label) && !OTHER.is_match(label));
        (is_signed && is_empty && !goes_on && is_of_a_party).then_some(range)
    })
}
