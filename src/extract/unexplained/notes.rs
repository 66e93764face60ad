//! What stands on a paper and is not of its text: stamps, remarks in brackets, days jotted down, names of files, and
//! what the lines for the signatures say.

use std::cell::OnceCell;
use std::collections::HashMap;
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
/// Most lines that can stand over a document's title and on its cover.
const OVER_THE_TITLE_LINES: usize = 12;
/// Most words of a stamp.
const STAMP_MAX_WORDS: usize = 7;
/// How far from its start a paper says on which day it was made, in bytes.
const OPENING_REACH_BYTES: usize = 1_500;
/// Most lines between the name of a party and the line on which it signs.
const SIGNER_REACH_LINES: usize = 5;

/// Whether a line ends what it says, and does not go on in the next one.
fn ends_there(line: &str) -> bool {
    line.len() < WRAPPED_MIN_BYTES || line.ends_with(['.', ':', ')'])
}

/// A stamp, a status or the head of another paper on a line of its own.
pub(super) fn stamp(reading: &Reading<'_>) -> Option<Range<usize>> {
    // Words of a whole line, which in a sentence may be of anything.
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)^\W*(?:stamp(?:ed)?\W+)?(?:archived?|inactive|rejected|declined|historical|history|obsolete|(?-i:OLD)|closed(?:\s+file)?|file\s+closed|dead(?:\s+file)?
            |lapsed|rescinded|revoked|annulled|moved\s+out|evicted|abandoned|not\s+renewed|do\s+not\s+(?:use|pay|abstract)|errata|corrigend(?:um|a)|concept|nul
            |heads\s+of\s+terms|offer\s+to\s+lease)\b(?:\W+(?:by|on|for|per|see|file|copy|lease|and|to|moved|consent|archive)\b|\W+\d|\W*\(|\W*$)
            |^\W*(?:note\s+to\s+file|file\s+note|old\s+lease|alleged\s+lease|sticky\s+note|post-?it)\b|^\W*exhibit\s+\w+\s+to\s+(?:the\s+)?(?:purchase|offer|option|letter\s+of)|(?:^|\W)(?:for\s+(?:TT|LL|our|your|tenant's|landlord's|client)\s+review|terms\s+not\s+agreed|\(?as\s+offered|authenticity\s+disputed|alleged\s+lease)\b",
        )
    });
    // Words that are of no lease, wherever on a note they stand.
    static ANYWHERE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)\bnot\s+in\s+force\b|\bhomework\b|\bhypothetical\b|\bimaginary\b|\bfictitious\b|\bfictional\b|^\W*(?:tenant's\s+)?commencement\s+(?:date\s+)?certificate\s*$|\bdollar\s+figures\b.{0,40}\bthousands\b|\(\s*\$?\s?000s?\s*\)
            |:\s*(?:not\s+yet|see\s+(?:the\s+)?(?:\w+\s+)?amendment|offered)\b|\b(?:rent|term|dates?|deposit|tenant|lessee|landlord|lessor|amount)\s*:\s*see\s+(?:the\s+)?(?:\w+\s+)?(?:addendum|rider)\b|\((?:historical|superseded|inactive|LL|TT)\)|\t(?:landlord|tenant|owner|LL|TT)(?:'s)?\s+(?:offer|counter|proposal|ask)\b
            |\b(?:rent|term|commencement(?:\s+date)?|expiration(?:\s+date)?)\s*:\s*see\s+(?:the\s+)?attached\b|\bawaiting\s+(?:counter-?)?signature\b|\bsigned\s+\d\s+of\s+\d\b|\((?:was|former|prior|last|previous)\b[^)]*\)\s*:|\bsent\s+from\s+my\b|^\s*>\s+\w|\bcopied\s+from\s+the\b|\b(?:parties'\s+)?earlier\s+bargain\b|\bfrom\s+another\s+deal\b|\b(?:rejected|terminated|expired)\s+leases\b|\bMTM\s+since\b|\(\s*see\s+(?:19|20)\d\d\b|\bsee\s+(?:the\s+)?rent\s+roll\b|\bsee\s+(?:19|20)\d\d\s+(?:paper|lease)\b|\bpresent\s+deal\b|\brestatement\)|\bhandwriting\s+examiner\b|\{\{\s*\w+\s*\}\}|\b(?:declined|refused|waiting|yet)\s+(?:to\s+sign|for\s+(?:others|signature|[A-Z]\w+))\b|\bsigned\W+no\b|\bsignature\s*:?\s*(?:awaited|pending|missing|none)\b|\bdead\s+deal\b|\blease\s+comps?\b|\bcomparable\s+lease\b|\bmoved\s+out\b|\bexpired\s+lease\b|\bntc\b|\bper\s+[A-Z]{2}\s+(?:call|email)\b|->|=>|\bsee\s+(?:the\s+)?(?:back|reverse|overleaf)\b|\bcrossed\s+(?:out|through)\b|\b(?:lease|tenancy|file|record)\s+(?:status|state)\s*[:\t]|\b(?:vacate|move-?out|vacated|eviction)\s+(?:date|notice)?\s*[:\t]\s*\S|\btenancy\s+type\s*[:\t]\s*(?:rolling|periodic|monthly|at\s+will)\b|\bagreed\s+in\s+principle\b|\b(?:to\s+sign|countersigns?)\s+(?:once|when|after|on\s+receipt)\b|\bunder\s+negotiation\b",
        )
    });
    // What other languages stamp on a paper that does not count.
    static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:storniert|aufgehoben|gek(?:u|ue|\u{fc})ndigt|ung(?:u|ue|\u{fc})ltig|entwurf|r[e\u{e9}]sili(?:e|\u{e9})e?|annul(?:e|\u{e9})e?|brouillon|anulad[oa]|cancelad[oa]|rescindid[oa]|borrador|annullat[oa]|bozza|disdett[oa]|vervallen|opgezegd|be(?:e|\u{eb})indigd|ongeldig|geannuleerd|makulerad|ogiltig|ugyldig)(?:\W|$)",
        )
    });
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:supersed\w*|old|expired|drafts?|archive\w*|terminated|cancell?ed|unsigned|inactive)\b[^\n]{0,60}\.(?:docx?|pdf|rtf|odt|wpd|tiff?)\b",
        )
    });
    let mut above_ends = true;
    reading.text.lines().find_map(|(start, line)| {
        let goes_on = !std::mem::replace(&mut above_ends, ends_there(line));
        if line.len() > NOTE_MAX_BYTES {
            return None;
        }
        let words = line.split_whitespace();
        let letters = words.clone().take_while(|word| word.chars().count() == 1).count();
        let spaced: String = words.clone().take(letters).collect();
        let is_short = words.count() <= STAMP_MAX_WORDS;
        let is_stamp = (is_short && FOREIGN.is_match(line))
            || mark_of(&spaced).is_some()
            || FILE.is_match(line)
            || ANYWHERE.is_match(line)
            || (WHOLE.is_match(line) && !goes_on && !is_sentence(line) && !line.contains(": "));
        is_stamp.then(|| start..start + line.len())
    })
}

/// A line over the title, or in a header, a footer or a watermark, that is of nothing that stands there: no title, no
/// name of a party or a place, no number of a page or a form. What it says may be anything, and is asked about.
pub(super) fn line_over_the_title(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static BODY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:\d{1,2}(?:\.\d+)*[.)]?|article\b|section\b|clause\b|part\b|[A-Z][.)])\s|\b(?:by\s+and\s+between|is\s+made|made\s+(?:this|as|on|and)|entered\s+into|witness\w*|recitals|whereas|parties)\b",
        )
    });
    let names = Capitalised::of(reading.text.lined());
    let mut lines = reading.text.lines().filter(|(_, line)| !line.trim().is_empty());
    let over = lines
        .by_ref()
        .take(OVER_THE_TITLE_LINES)
        .take_while(|(_, line)| {
            !is_sentence(line) && !is_label(line) && !BODY.is_match(line) && line.len() <= NOTE_MAX_BYTES
        })
        .find(|(_, line)| is_of_nothing(line, &names, known))
        .map(|(start, line)| start..start + line.len());
    over.or_else(|| {
        let margins = reading.text.margins();
        let foreign =
            margins.lines().any(|line| line.len() <= NOTE_MAX_BYTES && is_of_nothing(line, &names, known));
        // A margin has no place in the text: the document's first line stands for it.
        foreign.then(|| reading.text.line_at(0))
    })
}

/// How often each word with a capital stands in a text, counted once and only where a line asks.
struct Capitalised<'t> {
    lined: &'t str,
    counts: OnceCell<HashMap<&'t str, usize>>,
}

impl<'t> Capitalised<'t> {
    fn of(lined: &'t str) -> Self {
        Self { lined, counts: OnceCell::new() }
    }

    fn get(&self) -> &HashMap<&'t str, usize> {
        self.counts.get_or_init(|| {
            let mut counts = HashMap::new();
            for word in words_of(self.lined).filter(|word| word.starts_with(char::is_uppercase)) {
                *counts.entry(word).or_default() += 1;
            }
            counts
        })
    }
}

/// The words of a line, without what is no letter around them.
fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphabetic() && letter != '-' && letter != '\'')
        .map(|word| word.trim_matches('-'))
}

/// Whether a line holds no word of a title, of a party, of a place or of a page.
fn is_of_nothing(line: &str, names: &Capitalised<'_>, known: &Known<'_>) -> bool {
    static OF_A_COVER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)^(?:(?:sub|under)?-?leases?|agreements?|contracts?|deeds?|indentures?|tenanc(?:y|ies)|rentals?|licen[cs]es?|offices?|retail|commercial|industrial|warehouse|residential|apartments?|shopping|cent(?:er|re)s?|stores?|shops?|ground|land|buildings?|space|premises|units?|suites?|floors?|towers?|plaza|park|mall|house|properties|property|estates?|realty|auctioneers|valuers|surveyors|agents?|agency|managers?|management|letting|services|group|holdings|partners|trust|foundation|church|company|association|society|bank|university|county|city|state|town|village|province|commonwealth|district|street|st|avenue|ave|road|rd|drive|boulevard|blvd|lane|way|court|square|highway
            |landlords?|tenants?|lessors?|lessees?|amendments?|addend(?:um|a)|riders?|exhibits?|schedules?|appendix|annex|attachments?|contents|index|summary|provisions|particulars|information|sheet|cover|data|definitions|conditions|standard|form|terms?|years?|initials?|initialed|original|copy|copies|counterpart|duplicate|triplicate|executed|execution|received|filed|recorded|recording|registered|registry|registration|page|pages|confidential|copyright|reserved|rights|version|printed|edition|revised|rev|loan|parcel|file|number|no|nos|id|ref|book|volume|instrument|document|docusign|envelope|title
            |january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec
            |inc|llc|ltd|limited|plc|corp|corporation|llp|lp|pllc|gmbh|co|attorneys?|solicitors?|lawyers|broker\w*|www|com|htm|html|gif|jpg|txt|edgar|ex|dex\w*|graphic|logo|seal|usa|canada|ireland|england|scotland|wales|australia|singapore|india)$",
        )
    });
    static NEGATES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:not|never|don't|pending|awaiting|prior|previous|former|wrong|duplicate\s+of|proposed|expired|inactive|vacated|evicted|comparable|comp\s+no|moved\s+out|for\s+(?:training|negotiation|review|discussion)\w*|under\s+(?:review|negotiation|appeal|dispute|offer)|see\s+(?:also|file|the|lease|amendment|note|rider|new|attached|other|addendum)|old\s+(?:lease|version|copy|form|tenant|file|deal|draft|paper|agreement))\b|\b(?:do|does)\s+not\b|^\W*(?:hold|stop|test|on\s+hold)\b|\b(?:hold|stop|test)\W*$",
        )
    });
    static OF_NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:nos?|numbers?)\.?\s*:?\s*\d|\bdo\s+not\s+(?:record|use\s+this\s+form)\b|\bnot\s+(?:to\s+(?:be\s+recorded|exceed)|legal\s+advice|responsible)\b",
        )
    });
    let bare = OF_NUMBERS.replace_all(line, " ");
    let words: Vec<&str> = words_of(&bare)
        .filter(|word| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1)
        .collect();
    static CONNECTS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^(?:between|and|of|for|the|by|to|as|in|at|on|an|with|from|made|dated?|this|day|undersigned)$",
        )
    });
    if words.iter().all(|word| CONNECTS.is_match(word)) || line.contains("...") {
        return false;
    }
    // A name stands in the text too, beside the line that was read here.
    let is_a_name = |word: &str| {
        let mut titled = word.to_lowercase();
        if let Some(first) = titled.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let times = |word: &str| names.get().get(word).copied().unwrap_or_default();
        word.starts_with(char::is_uppercase) && (times(word) > 1 || (titled != *word && times(&titled) > 0))
    };
    let is_party = known.is_named_in(line) || (words.len() > 1 && known.is_party(line));
    let is_known = |word: &&str| OF_A_COVER.is_match(word) || is_a_name(word);
    !is_party && (!words.iter().any(is_known) || NEGATES.is_match(&bare))
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
        let stands_alone = std::mem::replace(&mut above_ends, ends_there(line));
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
            r"(?i)\b(?:hand(?:written)?|ink(?:ed)?|pencil\w*|struck|crossed|stamp\w*|sticky|post-?it|illegible|redact\w*|pen|overwritten|not\s+signed|unsigned|sic|margin)\b|\b(?:pages?|pp?\.?)\s+[\d\s,-]+\b[^\]]*\b(?:missing|omitted|lost|torn|blank|not)\b|\b(?:missing|omitted|lost|torn)\s+(?:pages?|pp)\b|\b(?:to\s+)?countersign\w*\b|\?\s*$|\bsignatures?\b[^\]]*\b(?:to\s+follow|not|provided|released?|escrow|exchanged|pending|counsel|missing)\b",
        )
    });
    // Where the signatures stand is said in brackets on every second lease.
    static SIGNATURE_PAGE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bsignature\s+(?:pages?|blocks?)\b(?:\s+to\s+follow)?|\bsignatures?\s+(?:appear|follow|continue|begin|to\s+follow)s?\s+on\b|\bremainder\b[^\]]*",
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
        let is_remark = OF_A_HAND.is_match(&SIGNATURE_PAGE.replace_all(words.as_str(), " "))
            || PLACEHOLDER.is_match(words.as_str())
            || FIGURE.captures_iter(words.as_str()).any(is_other);
        is_remark.then(|| found.get(0).map_or(0..0, |whole| whole.range()))
    })
}

/// A last line that breaks off within a sentence: pages are missing.
pub(super) fn breaks_off(reading: &Reading<'_>) -> Option<Range<usize>> {
    static OF_A_SIGNATURE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:sign(?:s|ed|ature)?|director|secretary|president|manager|witness\w*|presence|seal|notary|by)\b",
        )
    });
    let (start, line) = reading.text.lines().filter(|(_, line)| !line.trim().is_empty()).last()?;
    static HANGS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:,|\b(?:the|an?|of|and|or|to|in|for|by|with|from|shall|will|may|that|which|its|any))$",
        )
    });
    let is_open = HANGS.is_match(line.trim_end());
    (is_open && is_sentence(line) && !OF_A_SIGNATURE.is_match(line) && line.len() >= WRAPPED_MIN_BYTES)
        .then(|| start..start + line.len())
}

/// A blank for the day on which the paper is made.
pub(super) fn blank_day(reading: &Reading<'_>) -> Option<Range<usize>> {
    static BLANK: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:made|dated|entered\s+into|executed)\b(?:\s+[a-z]+){0,6}\s+_{2,}")
    });
    let opening = reading.text.after(0, OPENING_REACH_BYTES);
    BLANK.find(opening).map(|found| found.range())
}

/// The head of a mail without addresses, and so of a paper in front; or the marks of what was taken out and put in.
pub(super) fn other_paper(reading: &Reading<'_>) -> Option<Range<usize>> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?im)^-[ \t]+\S.*\n+\+[ \t]+\S|^[ \t]*From:[^\d\n]{2,60}\n+[ \t]*To:[^\d\n]{2,60}$")
    });
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
    // Words beside the name of who signs.
    static OF_A_SIGNER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^(?:and|the|its|for|per|van|von|der|den|del|dos|behalf|name|title|date|dated|signature|member|manager|managing|general|limited|partners?|president|vice|executive|chief|officer|operating|financial|director|secretary|treasurer|trustees?|sole|proprietor|owner|agent|attorney-in-fact|attorney|fact|authori[sz]ed|signatory|representative|chair\w*|landlord|tenant|lessor|lessee|property|real|estate|broker|principal|duly|acting|under|power|limited|liability|company|corporation|partnership|association|organi[sz]ed|existing|laws|state|appointed|hereunto|thereunto|lawful|both|all|each|with|this|his|her|their|individually|jointly|husband|wife|administrator|executor|warden|clerk|mayor|pastor|witness\w*|presence|day|only|corporate|seal)$",
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
        let is_remark = signed.split_whitespace().any(|word| {
            let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
            word.len() > 2 && word.starts_with(char::is_lowercase) && !OF_A_SIGNER.is_match(word)
        });
        if REFUSED.is_match(signed) || is_remark {
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
