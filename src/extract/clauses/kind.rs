//! What kind of document it is, by its title, and where a second agreement begins in the same file.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::extract::dates::{self, DateOrder};
use crate::extract::expression;
use crate::extract::money;
use crate::extract::text::SourceText;
use crate::lease::DocumentKind;

use super::{Candidate, rules, signs};

/// How far from its start a document's title may stand, in bytes: covers and filing headers come first.
const TITLE_WITHIN_BYTES: usize = 6_000;
/// Longest line that can be a title, in characters.
const TITLE_MAX_CHARS: usize = 130;
/// Nearest that a second agreement can begin behind the first one's opening words, in bytes.
const SECOND_AGREEMENT_MIN_BYTES: usize = 3_000;
/// How far behind its opening words a second agreement gives its parties their roles, in bytes.
const SECOND_AGREEMENT_PREAMBLE_BYTES: usize = 800;
/// Shortest text in front of an agreement that can be a paper of its own, in bytes.
const FRONT_PAPER_MIN_BYTES: usize = 300;
/// Most lines over which the head of a mail is looked for at once, in lines: some write one name a line.
const MAIL_HEAD_MAX_LINES: usize = 6;
/// How far a sentence about a change reaches from its verb, in bytes.
const SENTENCE_REACH_BYTES: usize = 500;
/// How far behind its heading a rider is looked through, in bytes.
const RIDER_MAX_BYTES: usize = 1_200;
/// How far before a title the words "form of" make it a specimen, in bytes.
const SPECIMEN_REACH_BYTES: usize = 200;

/// Words in a title, the first match first: an assignment of a lease is no lease.
static TITLES: LazyLock<Vec<(Regex, DocumentKind)>> = LazyLock::new(|| {
    [
        (
            r"\b(?:assignment|assumption|guarant(?:y|ee)|memorandum|termination|surrender|estoppel|letter of intent|expression of interest|heads of (?:agreement|terms)|not a lease|(?:offer|agreement|application) to lease|term sheet|proposal|equipment|machinery|vehicles?|(?:lift\s+)?trucks?|aircraft|personal\s+property|quote|quotation|application|checklist|comparable|example|pro\s?-?\s?forma|buy-?out|purchase|consent|subordination|abstract|notice|option (?:to lease|agreement)|side letter|licen[cs]e|commencement date (?:certificate|agreement))\b",
            DocumentKind::Other,
        ),
        (r"\b(?:amendment|addendum|supplement|modification|extension agreement|lease extension|renewal agreement)\b", DocumentKind::Amendment),
        (r"\b(?:sub|under)-?lease\b", DocumentKind::Sublease),
        (r"\blease\b|\b(?:tenancy|rental|letting) (?:agreement|contract)\b", DocumentKind::Lease),
    ]
    .into_iter()
    .map(|(pattern, kind)| (expression(&format!("(?i){pattern}")), kind))
    .collect()
});

static LEASE_WORD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:sub|under)-?lease|lease|amendment|(?:tenancy|rental|letting) (?:agreement|contract))\b",
    )
});

/// Opening words of an agreement at the start of a sentence: "This Lease Agreement (this "Lease") is made as of ...".
static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"\b(?:This|THIS)\s+(?P<title>(?:[\w&/'-]+\s+){0,7}?(?i:(?:sub|under)-?lease|lease|tenancy\s+agreement|rental\s+agreement|amendment|assignment(?:\s+and\s+assumption)?|addendum)(?i:\s+(?:agreement|(?:amendment|modification|extension|termination|assignment|surrender)(?:\s+agreement)?|to\s+(?:[\w&/'-]+\s+){0,5}?(?:sub-?lease|lease)(?:\s+agreement)?))?)\b[^.;]{0,160}?\b(?i:is\s+(?:hereby\s+)?(?:made|entered|dated|executed|effective)|made\s+(?:and|as|this|on|effective|by|the)|entered\s+into|dated\s+(?:as\s+of|this|for|the)|executed\s+(?:as|this|on)|effective\s+as)\b"#,
    )
});

/// A role given to a party, as an agreement does and a mention of an agreement does not.
static ROLE_GIVEN: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)"(?:the\s+)?(?P<quoted>sub-?landlord|landlord|sub-?lessor|lessor|sub-?tenant|tenant|sub-?lessee|lessee|assignor|assignee)[,.]?"|\bas\s+(?P<as>sub-?landlord|landlord|sub-?lessor|lessor|sub-?tenant|tenant|sub-?lessee|lessee)\b"#,
    )
});

/// The kind of document, from the first line that is a title and from the opening words.
pub fn propose(text: &SourceText) -> Vec<Candidate<DocumentKind>> {
    if let Some(range) = lets_goods(text) {
        return vec![rules::TITLE.says(DocumentKind::Other, range)];
    }
    let mut candidates = Vec::new();
    if let Some((range, kind)) = text
        .lines()
        .take_while(|(start, _)| *start < TITLE_WITHIN_BYTES)
        .find_map(|(start, line)| title_kind(line).map(|kind| (start..start + line.len(), kind)))
    {
        candidates.push(rules::TITLE.says(kind, range));
    }
    if let Some((range, kind)) = openings(text.slice(&(0..TITLE_WITHIN_BYTES * 2))).into_iter().next() {
        candidates.push(rules::OPENING_WORDS.says(kind, range));
    }
    if candidates.is_empty() {
        let found = LETS_TO.find(text.slice(&(0..TITLE_WITHIN_BYTES * 2)));
        candidates
            .extend(found.map(|found| rules::WORDS_OF_LETTING.says(DocumentKind::Lease, found.range())));
    }
    candidates
}

/// Words by which one party lets to the other, in a letter or a deed without a title.
static LETS_TO: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:landlords?|lessors?|owners?)\b[^.]{0,80}?\b(?:lets?|leases?|demises?|agrees?\s+to\s+let)\b[^.]{0,120}?\b(?:tenants?|lessees?)\b",
    )
});

/// Where a document lets goods and no premises: its rent belongs to no property.
pub fn lets_goods(text: &SourceText) -> Option<Range<usize>> {
    static GOODS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)\bleases?\s+to\s+(?:the\s+)?(?:lessee|tenant|customer)\b[^.]{0,100}?\b(?:the\s+following\s+)?(?:personal\s+property|equipment|machinery|machines?|vehicles?|trucks?|trailers?|copiers?|forklifts?)\b|\(\s*the\s+"equipment"\s*\)"#,
        )
    });
    static PREMISES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:premises|square\s+(?:feet|foot|met(?:re|er)s?)|suite|apartment|building|acres?|land|floor|office|store|shop|warehouse)\b[^.]{0,120}\b(?:leases?|lets?|demises?|rents?)\b|\b(?:leases?|lets?|demises?|rents?)\b[^.]{0,160}\b(?:premises|square\s+(?:feet|foot|met(?:re|er)s?)|suite|apartment|building|acres?|land|floor|office|store|shop|warehouse)\b",
        )
    });
    let head = text.slice(&(0..TITLE_WITHIN_BYTES));
    let found = GOODS.find(head)?;
    (!PREMISES.is_match(&head[..found.end()])).then(|| found.range())
}

/// A letter or a certificate about a lease in front of it, by which its party, its term or its rent may have become
/// another: an assignment, an option that was taken up, an estoppel.
pub fn front_paper(text: &SourceText) -> Option<Range<usize>> {
    static FRONT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bdear\s+(?:mr|ms|mrs|dr|sirs?|madam|ladies|gentlemen)\b|\b(?:very\s+truly\s+yours|yours\s+(?:truly|sincerely|faithfully))\b|\bhereby\s+certif(?:y|ies)\b|\bexercis(?:es|ing|ed)\s+(?:its|the|our|their)\s+option\b|\b(?:was|has\s+been|is\s+hereby)\s+assigned\s+to\b|\bnotice\s+of\s+(?:assignment|exercise|termination)\b",
        )
    });
    if let Some(head) = mail_head(text) {
        return Some(head);
    }
    let (opening, _) = openings(text.flow()).into_iter().next()?;
    let found = FRONT.find(text.slice(&(0..opening.start)))?;
    (opening.start > FRONT_PAPER_MIN_BYTES).then(|| found.range())
}

/// The head of a mail at the beginning of the file, or the line by which a mail names another that it hands on. What
/// follows was sent as a letter's content: whether it is what was agreed, the letter says in words of its own.
fn mail_head(text: &SourceText) -> Option<Range<usize>> {
    // Who sends and who receives it also stand on memoranda, and "from" and "to" are the ends of a term; a subject, a
    // copy or an address of mail is none of these.
    static FROM_OR_TO: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)^\W{0,4}(?:from|to|sender|recipients?|von|an|de|van|aan)\s*:"));
    static OF_MAIL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W{0,4}(?:subject|betreff|objet|asunto|onderwerp|oggetto|sent|gesendet|b?cc|reply-to|return-path|delivered-to|received|message-id|mime-version|content-(?:type|transfer-encoding)|x-[a-z-]+|attachments?|importance)\s*:|^\W{0,4}(?:from|to|sender|recipients?)\s*:.*\S@\S",
        )
    });
    static HANDED_ON: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^[\s>*_-]*(?:original|forwarded)\s+message[\s*_-]*$|^\W*begin\s+forwarded\s+message\b|^[\s>]*on\s.{4,60}\S@\S.{0,40}\bwrote:|^[\s>]*on\s.{4,90}\bwrote:\s*$",
        )
    });
    // Between two people of one house: a memorandum, or a sheet before what was sent by telephone.
    static OF_MEMORANDUM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W{0,4}(?:(?:inter-?office\s+)?memo(?:randum)?|fax(?:\s+(?:cover\s+sheet|transmission))?|facsimile)\W*$|^\W{0,4}(?:pages|no\.\s+of\s+pages|fax(?:\s+no\.?)?|memo(?:randum)?)\s*:",
        )
    });
    static GREETING: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^\W{0,4}(?:Hi|Hello|Hey|Good\s+(?:[Mm]orning|[Aa]fternoon|[Dd]ay))(?:\s+(?:[A-Z][a-z]+|all|both|there|team|everyone|and)){0,3}\s*[,!\x{2013}\x{2014}-]\s*$",
        )
    });
    let near: Vec<(usize, &str)> = text
        .lines()
        .take_while(|(start, _)| *start < TITLE_WITHIN_BYTES)
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let is_head = |lines: &&[(usize, &str)]| {
        let has = |words: &Regex| lines.iter().any(|(_, line)| words.is_match(line));
        let of_mail = lines.iter().filter(|(_, line)| FROM_OR_TO.is_match(line) || OF_MAIL.is_match(line));
        let is_of_memorandum = has(&OF_MEMORANDUM) && of_mail.clone().count() > 1;
        has(&FROM_OR_TO) && (has(&OF_MAIL) && of_mail.count() > 1 || is_of_memorandum)
    };
    let head = near.windows(MAIL_HEAD_MAX_LINES.min(near.len()).max(1)).find(is_head);
    let handed_on = near.iter().find(|(_, line)| HANDED_ON.is_match(line) || GREETING.is_match(line));
    let (start, line) = head.map(|lines| lines[0]).or_else(|| handed_on.copied())?;
    Some(start..start + line.len())
}

/// What a line says as a title; `None` for one that is none.
fn title_kind(line: &str) -> Option<DocumentKind> {
    // The preamble may go on behind the title, on its line: "OFFICE LEASE between Elm Row Partners and ...".
    static PREAMBLE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^\s*(?P<title>[A-Z][A-Z' -]{3,50}[A-Z])[,:]?\s+(?:(?:made|dated|entered)\s[^\n]{0,80}?)?\b(?i:by\s+and\s+between|between)\s",
        )
    });
    let line =
        PREAMBLE.captures(line).and_then(|found| found.name("title")).map_or(line, |title| title.as_str());
    let line = line.trim();
    let begins_low = line.chars().find(|character| character.is_alphabetic()).is_some_and(char::is_lowercase);
    static PART_OF_LEASE: LazyLock<Regex> = LazyLock::new(|| {
        // The heading of a part, a column or a field is no title.
        expression(
            r"(?i)^\W*(?:the\s+)?(?:sub-?)?lease\s+(?:years?|terms?|months?|commencement|expiration|dates?|rates?|payments?|options?|provisions?|period)\b",
        )
    });
    static ABOUT_A_LEASE: LazyLock<Regex> = LazyLock::new(|| {
        // Papers about a lease need not name it in their title.
        expression(
            r"(?i)^\W*(?:(?:deed|parent|company|corporate|personal|continuing|absolute|unconditional|and|of)\s+){0,5}(?:guarant(?:y|ee)|surrender)\s*$|^\W*licen[cs]e\s+to\s+(?:assign|under-?let|alter)\b",
        )
    });
    if PART_OF_LEASE.is_match(line)
        || begins_low
        || line.chars().count() > TITLE_MAX_CHARS
        || !(LEASE_WORD.is_match(line) || ABOUT_A_LEASE.is_match(line))
        || line.ends_with(';')
    {
        return None;
    }
    // In a title every longer word is a capital's; in prose most are not.
    let long_words = line
        .split_whitespace()
        .filter(|word| word.chars().filter(|character| character.is_alphabetic()).count() > 4);
    static SENTENCE_CASE: LazyLock<Regex> = LazyLock::new(|| {
        // The words of a title alone, with a number or what kind of letting it is.
        expression(
            r"^(?:[A-Z][a-z-]+\s+(?:[a-z-]+\s+)?)?(?:[Rr]ental|[Tt]enancy|[Ll]etting|[Ll]ease)\s+[Aa]greement(?:\s+(?:[Nn]o\.?\s*)?[A-Z]?-?\d{1,6}|\s+[\u{2013}\u{2014}-]\s+[A-Za-z, -]{4,40})?$",
        )
    });
    let in_title_case = long_words
        .clone()
        .all(|word| word.chars().find(|character| character.is_alphabetic()).is_some_and(char::is_uppercase));
    if !(in_title_case || SENTENCE_CASE.is_match(line)) || long_words.count() == 0 {
        return None;
    }
    kind_of_words(line)
}

fn kind_of_words(words: &str) -> Option<DocumentKind> {
    // "Amended and restated" is a lease of its own, and no amendment.
    TITLES.iter().find(|(pattern, _)| pattern.is_match(words)).map(|(_, kind)| *kind)
}

fn openings(flow: &str) -> Vec<(Range<usize>, DocumentKind)> {
    OPENING
        .captures_iter(flow)
        .filter_map(|captures| {
            let title = captures.name("title")?;
            let range = captures.get(0)?.range();
            let floor =
                crate::extract::text::floor_boundary(flow, range.start.saturating_sub(SPECIMEN_REACH_BYTES));
            if flow[floor..range.start].to_lowercase().contains("form of") {
                return None;
            }
            // An opening says what is made, and when or with whom; a clause about the agreement has a verb of duty.
            let whole = flow[range.clone()].to_lowercase();
            if [" shall ", " may ", " will ", " if ", " does ", " has ", " been "]
                .iter()
                .any(|verb| whole.contains(verb))
            {
                return None;
            }
            // A guaranty names the parties of its lease and changes nothing of it.
            if title.as_str().to_lowercase().contains("guarant") {
                return None;
            }
            kind_of_words(title.as_str()).map(|kind| (range, kind))
        })
        .collect()
}

/// Words that a stamp or a watermark says of a paper that does not count, in lower case and without spaces.
const MARKS: [&str; 13] = [
    "draft",
    "superseded",
    "cancelled",
    "canceled",
    "void",
    "specimen",
    "sample",
    "unsigned",
    "unexecuted",
    "notexecuted",
    "notapproved",
    "withdrawn",
    "fordiscussion",
];

/// The mark that letters of a stamp or a watermark spell, whatever spaces stand between them.
pub fn mark_of(letters: &str) -> Option<&'static str> {
    let folded: String =
        letters.chars().filter(|character| !character.is_whitespace()).flat_map(char::to_lowercase).collect();
    MARKS.into_iter().find(|mark| *mark == folded)
}

/// A passage that calls the document a draft, a specimen, or a paper that is no longer or not yet in force.
pub fn draft_mark(text: &SourceText) -> Option<Range<usize>> {
    static DRAFT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:(?:preliminary|working|confidential|landlord's|tenant's|\w+\s+comments)\s+)?draft\b(?:\s+(?:of|dated|no|not|only|lease|agreement|copy|version|form|#|for|v?\.?\d)|\W*$)|^\W*(?-i:D(?:raft|RAFT))\s*[-\x{2013}\x{2014}(:/|;*]|\bfor\s+discussion\s+purposes\s+only\b|^\W*for\s+discussion(?:\s+only)?\W*$",
        )
    });
    // A line that is broken within a sentence begins in lower case or ends in a full stop, and is no mark.
    static MARKED: LazyLock<Regex> = LazyLock::new(|| {
        const MARK: &str = r"(?:SUPERSEDED|Superseded|CANCELL?ED|Cancell?ed|VOID|Void|SPECIMEN|Specimen|SAMPLE|Sample|UNSIGNED|Unsigned|UNEXECUTED|Unexecuted|NOT\s+EXECUTED|Not\s+[Ee]xecuted|NOT\s+SIGNED|Not\s+[Ss]igned|NOT\s+BINDING|Not\s+[Bb]inding|NOT\s+APPROVED|Not\s+[Aa]pproved|WITHDRAWN|Withdrawn|EXAMPLE|Example|TEMPLATE|Template|NOT\s+FOR\s+(?:SIGNATURE|EXECUTION)|Not\s+[Ff]or\s+(?:[Ss]ignature|[Ee]xecution)|NEGOTIATION\s+(?:COPY|DRAFT|VERSION)|Negotiation\s+(?:[Cc]opy|[Dd]raft|[Vv]ersion))";
        const PAPER: &str = r"(?i:copy|only|(?:\w+\s+){0,3}(?:lease|sublease|tenancy|agreement)\b|and\s+replaced|by\s+(?:the|a)\s+(?:lease|agreement|amendment)|for\s+training)";
        expression(&format!(
            r"^[^\w.,;]*{MARK}[^\w.,;]*$|^[^\w.,;]*{MARK}\s+(?:[-\x{{2013}}\x{{2014}}(/]\s*)?{PAPER}|^[^\w.,;]*(?:SUPERSEDED|CANCELL?ED|VOID|UNSIGNED|WITHDRAWN|TEMPLATE|NOT\s+FOR\s+SIGNATURE|NOT\s+FOR\s+EXECUTION)\s+(?:[-\x{{2013}}\x{{2014}}(/]|ON\s|AS\s+OF\s|BY\s)|(?i:^\W*(?:(?:the\s+)?(?:landlord|tenant|lessor|lessee|owner|broker)(?:'|\x{{2019}})?s?(?:'|\x{{2019}})?\s+)?proposed\s+(?:(?:lease|sublease|agreement)\s+)?(?:form|lease|sublease|draft|terms|agreement|version|copy|changes|revisions?)\W*$)|(?i:\blease|\bagreement)[^.;]*[-\x{{2013}}\x{{2014}}(\[/]\s*{MARK}[)\]\s]*$"
        ))
    });
    // "This Lease is void": said of the paper itself, as a fact and not of a case.
    static SAID: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"\b(?:This|this)\s+(?:Lease|Sublease|Agreement|Document|document|Offer|offer|Proposal|proposal|copy)\s+(?:is|was|has\s+been)\s+(?:hereby\s+)?(?:void|null\s+and\s+void|cancell?ed|superseded|withdrawn|rescinded|not\s+(?:yet\s+)?(?:signed|executed|binding|in\s+force))\b",
        )
    });
    // What is put into brackets for those who still write the document.
    static NOTE_TO_DRAFT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)
            \bN\.?T\.?D\.?\s*[:\x{2013}\x{2014}-]|\[\s*\**\s*NTDs?\s*[^\s\d]|[({<]\s*\**\s*NTDs?\s*[a-z]
            |\b(?:note|notes|query|comment)\s+to\s+(?:the\s+)?(?:draft(?:er|ers|ing)?|form)\b
            |\bdraft(?:ing|er(?:'|\x{2019})?s?)\s+(?:note|comment|query)s?\b(?:\s*:|\s*[-\x{2013}\x{2014}\])])
            |\[[^\[\]]{0,160}?\b(?:
                confirm|comments?|drafter|query|under\s+(?:review|discussion|negotiation)|pending|sign-?off
                |to\s+be\s+(?:agreed|confirmed|discussed|negotiated|verified|finali[sz]ed)
                |(?:point|issue|item|term)s?\s+(?:still\s+)?open|still\s+open|open\s+(?:business\s+)?(?:point|issue|item|term)s?
            )\b[^\[\]]{0,160}\]
            |[\[{]\s*\**\s*(?:open|to\s+come
                |subject\s+to\s+(?:client|business|legal|lender|landlord|tenant)(?:(?:'|\x{2019})s)?\s+(?:review|comment|approval|confirmation)s?
                |(?:confirm|discuss|verify|check)\b[^\]}]{0,80}
                |tb[cda]|[$\x{20ac}\x{a3}]?\s*[\x{25cf}\x{2022}\x{2b24}\x{26ab}\x{25a0}]+
            )\s*\**\s*[.?!]*\s*[\]}]",
        )
    });
    let marked = text
        .lines()
        .find(|(_, line)| line.len() < TITLE_MAX_CHARS && (DRAFT.is_match(line) || MARKED.is_match(line)))
        .map(|(start, line)| start..start + line.len());
    let marked = marked.or_else(|| NOTE_TO_DRAFT.find(text.flow()).map(|found| found.range()));
    marked.or_else(|| signs::not_in_force(text)).or_else(|| {
        SAID.find_iter(text.flow())
            .map(|found| text.sentence_around(&found.range(), SENTENCE_REACH_BYTES))
            .find(|sentence| !OF_A_CASE.is_match(text.slice(sentence)))
    })
}

/// The words beside the text, in a header, a footer or a watermark, that call the document a draft or a form. There
/// each word counts wherever it stands on its line: a margin has no sentences about drafts of a bank.
pub fn margin_mark(margins: &SourceText) -> Option<Range<usize>> {
    static MARGIN: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)
            (?:^|[^a-z])drafts?(?:[^a-z]|$)|\btemplate\b|\bproposed\b|\bproposal\b|\bspecimen\b|\bredlined?\b|\bblack-?line\b
            |\b(?:not\s+)?for\s+(?:signature|execution|discussion|negotiation|review|comments?|approval|information)\b
            |\bnegotiat(?:ion|ing)\s+(?:copy|draft|version|form)\b|\b(?:working|review|marked)\s+(?:copy|version)\b|\bmarked\s+to\s+show\b
            |\b(?:in|under)\s+negotiation\b|\bwork\s+in\s+progress\b|\bform\s+only\b|\bnon-?binding\b|\bpre-?(?:execution|signing|signature)\b
            |\bnot\s+(?:yet\s+)?(?:signed|executed|binding|approved|final|in\s+(?:force|effect))\b|\bunsigned\b|\bunexecuted\b
            |\bsubject\s+to\s+(?:contract|change|review|revision)\b|\bsample\s+(?:lease|form|only|document|agreement)\b
            |\b(?:superseded|cancell?ed|withdrawn|void)\b|\bfor\s+training\b",
        )
    });
    let marked = margins.lines().find(|(_, line)| MARGIN.is_match(line));
    marked.map(|(start, line)| start..start + line.len()).or_else(|| draft_mark(margins))
}

/// Where a second agreement begins behind the first, and what it is. A rider behind the signatures and a sentence that
/// overrules another count as amendments.
pub fn second_agreement(text: &SourceText) -> Option<(usize, DocumentKind)> {
    opened_behind_first(text)
        .or_else(|| rider(text).map(|at| (at, DocumentKind::Amendment)))
        .or_else(|| overruling(text).map(|at| (at, DocumentKind::Amendment)))
        .or_else(|| signs::changed_since(text).map(|found| (found.start, DocumentKind::Amendment)))
}

/// Whether a passage holds an amount or a date.
fn holds_a_value(passage: &str) -> bool {
    !money::find(passage, None).is_empty() || !dates::find(passage, DateOrder::Unproven).is_empty()
}

/// A rider, an addendum or a letter that stands behind the signatures and holds an amount or a date.
fn rider(text: &SourceText) -> Option<usize> {
    static SIGNED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bin\s+witness\s+(?:whereof|hereof)\b|\bhave\s+(?:duly\s+)?(?:signed|executed|set\s+their\s+hands)\b|\bsigned\s+(?:and\s+(?:sealed|delivered)|by\s+the\s+parties)\b|\bexecuted\s+as\s+(?:a\s+deed|of\s+the\s+(?:day|date))\b|(?m:^\W*(?:signatures?|by\s*:\s*(?:_{3,}|/s/).*)\W*$)",
        )
    });
    static RIDER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:(?:first|second|third|lease|special|further)\s+){0,3}(?:rider|addendum|errat(?:a|um)|corrigend(?:a|um)|schedule\s+of\s+changes|list\s+of\s+changes|changes|corrections?|side\s+letter|postscript)(?:\s+(?:no\.?\s*|#\s*)?[\da-z]{1,3})?(?:\s+to\s+(?:the\s+)?(?:\w+\s+){0,3}(?:lease|agreement)(?:\s+agreement)?)?\W*$",
        )
    });
    static LETTER: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)^\W*dear\s+[a-z]"));
    let signed = SIGNED.find(text.lined())?.end();
    text.lines()
        .filter(|(start, line)| {
            let begins_low = line.trim_start().starts_with(char::is_lowercase);
            *start > signed && !begins_low && (RIDER.is_match(line) || LETTER.is_match(line))
        })
        .map(|(start, line)| (start, text.after(start, RIDER_MAX_BYTES), line))
        // A form that is yet to be filled in changes nothing.
        .find(|(_, passage, line)| {
            let of_rent_or_term = OF_RENT_OR_TERM.is_match(passage) || !LETTER.is_match(line);
            of_rent_or_term && holds_a_value(passage) && !passage.contains("___")
        })
        .map(|(start, ..)| start)
}

/// Words by which a sentence speaks of a case that may never be.
pub(super) static OF_A_CASE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:if|unless|until|event|when|where|whenever|should|case|upon|after|before|once|provided|option|shall|(?-i:may)|would|whether|or|because|since|extent|such|that\s+any|any)\b",
    )
});

static OF_RENT_OR_TERM: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\brent(?:al)?s?\b|\bper\s+(?:month|annum|year)\b|\b(?:each|a|every)\s+(?:month|year)\b|\bmonthly\b|\bannual(?:ly)?\b|\bterm\b|\b(?:commencement|expiration)\b|\btenants?\s+pays?\b|\btenant\s+shall\s+pay\b",
    )
});

/// A sentence of a lease that overrules another and holds an amount or a date of its own.
fn overruling(text: &SourceText) -> Option<usize> {
    // What ends in "over this lease" or "by this lease" speaks of other papers, and not of clauses of this one.
    static OVERRULES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:is|are|was|were)\s+(?:hereby\s+)?(?:replaced|corrected|superseded|deleted)\b(?:\s+(?P<by>by\s+(?:this|the\s+present)\s+(?:lease|sublease|agreement)))?|\b(?:stated|shown|given|written|printed|typed|entered|is|was|were|are)\s+in\s+error\b|\b(?:shall\s+|will\s+)?(?:prevails?|controls?|governs?)\s+over\s+(?:section|article|clause|paragraph)\b|,\s+which\s+(?:shall\s+)?(?:prevails?|controls?)\b|\bnotwithstanding\s+(?:anything\s+(?:to\s+the\s+contrary\s+)?in\s+)?(?:section|article|clause|paragraph)\s+\d|\b(?:takes?|took)\s+the\s+place\s+of\b|\(\s*(?:corrected|amended|changed)\b",
        )
    });
    // A figure of the lease that is to be read as another one: any figure, since years alone are so corrected too.
    static CORRECTS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:slip\s+of\s+the\s+pen|mis-?print(?:ed)?|(?:typing|typographical)\s+error)\b|\b(?:is|are|shall|must|should|ought\s+to)\s+(?:to\s+)?(?:say|read|be\s+read\s+as|be\s+understood\s+as)\s*:?\s*[\x22$\u{20ac}\u{a3}\d]|\bcorrected\s+(?:by\s+hand|to\s+read|in\s+ink)\b|\b(?:section|article|clause|paragraph)\s+\d[\d.]*\s+(?:is|was)\s+(?:hereby\s+)?(?:corrected|wrong|mistaken|in\s+error)\b",
        )
    });
    // The same said in words that other clauses have for statements of costs, and for a case that may never be.
    static CALLS_WRONG: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:figure|amount|sum|date|year)s?\b[^.;]{0,40}\b(?:is|was|are|were)\s+(?:wrong|mistaken|incorrect|in\s+error)\b|\b(?:clerical|scrivener's)\s+error\b",
        )
    });
    // Words of the rent itself, since late charges and other sums are set apart from it in every lease.
    static BARE_NOTWITHSTANDING: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bnotwithstanding\s+the\s+(?:foregoing|above)\b[^.;]{0,120}\b(?:base|basic|minimum|fixed|monthly|annual)\s+rent\s+(?:shall\s+be|is|will\s+be)\b",
        )
    });
    let first_kind = propose(text).last().map(|candidate| candidate.value);
    if !matches!(first_kind, Some(DocumentKind::Lease | DocumentKind::Sublease)) {
        return None;
    }
    let flow = text.flow();
    let overruled = OVERRULES.captures_iter(flow).filter(|captures| captures.name("by").is_none());
    let overruled = overruled.filter_map(|captures| Some(captures.get(0)?.range()));
    let bare = BARE_NOTWITHSTANDING.find_iter(flow).map(|found| found.range());
    let calls_wrong = CALLS_WRONG.find_iter(flow).filter(|found| {
        let words = text.slice(&text.sentence_around(&found.range(), SENTENCE_REACH_BYTES));
        OF_RENT_OR_TERM.is_match(words) && !OF_A_CASE.is_match(words)
    });
    let corrects = CORRECTS.find_iter(flow).chain(calls_wrong).find_map(|found| {
        let sentence = text.sentence_around(&found.range(), SENTENCE_REACH_BYTES);
        let words = text.slice(&sentence);
        let holds =
            words.contains(|character: char| character.is_ascii_digit()) || !money::spelled(words).is_empty();
        holds.then_some(sentence.start)
    });
    corrects.or_else(|| {
        overruled.chain(bare).find_map(|found| {
            let sentence = text.sentence_around(&found, SENTENCE_REACH_BYTES);
            let words = text.slice(&sentence);
            let replaces_a_party = words.contains("place of")
                && [" tenant", " lessee", " rents"].iter().any(|role| words.to_lowercase().contains(role));
            let holds = OF_RENT_OR_TERM.is_match(words) && holds_a_value(words);
            (holds || replaces_a_party).then_some(sentence.start)
        })
    })
}

fn opened_behind_first(text: &SourceText) -> Option<(usize, DocumentKind)> {
    let found = openings(text.flow());
    let (first_range, first_kind) = found.first()?;
    let (first, first_kind) = (first_range.start, *first_kind);
    found
        .into_iter()
        // A cover page and the first page may both open the same agreement; an amendment never opens a lease.
        .filter(|(range, kind)| {
            range.start > first + SECOND_AGREEMENT_MIN_BYTES || (*kind != first_kind && range.start > first)
        })
        .find(|(range, _)| {
            let behind = text.after(range.start, SECOND_AGREEMENT_PREAMBLE_BYTES);
            let (mut lets, mut rents) = (false, false);
            for captures in ROLE_GIVEN.captures_iter(behind) {
                let role =
                    captures.name("quoted").or_else(|| captures.name("as")).map_or("", |role| role.as_str());
                let role = role.to_lowercase();
                let is_tenant = ["tenant", "lessee", "assignee"].iter().any(|word| role.ends_with(word));
                rents |= is_tenant;
                lets |= !is_tenant;
            }
            // A memorandum or a certificate among the exhibits has blanks where an agreement has names.
            lets && rents && !behind.contains("___")
        })
        .map(|(range, kind)| (range.start, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_tells_the_kind() {
        use DocumentKind::{Amendment, Lease, Other, Sublease};
        let rows = [
            ("LEASE AGREEMENT", Some(Lease)),
            ("Rental agreement C-118", Some(Lease)),
            ("OFFICE LEASE between Elm Row Partners and Fern Inc.", Some(Lease)),
            ("LEASE made May 1, 2020 between Elm Row Partners and Fern Inc.", Some(Lease)),
            ("TERMINATION OF LEASE between Elm Row Partners and Fern Inc.", Some(Other)),
            ("Owner pays for repairs under the lease between Elm Row Partners and Fern Inc.", None),
            ("Rental Agreement \u{2013} Commercial, fixed term", Some(Lease)),
            ("Residential tenancy agreement", Some(Lease)),
            ("Rental agreement of the kind that", None),
            ("Termination of lease agreement", Some(Other)),
            ("Commercial Lease", Some(Lease)),
            ("AMENDED AND RESTATED COMMERCIAL LEASE", Some(Lease)),
            ("FIRST AMENDMENT TO LEASE", Some(Amendment)),
            ("Lease Modification Agreement", Some(Amendment)),
            ("SUBLEASE AGREEMENT", Some(Sublease)),
            ("UNDERLEASE", Some(Sublease)),
            ("Residential Tenancy Agreement", Some(Lease)),
            ("FIRST AMENDMENT TO SUBLEASE", Some(Amendment)),
            ("ASSIGNMENT AND ASSUMPTION OF LEASE", Some(Other)),
            ("CONSENT TO SUBLEASE", Some(Other)),
            ("LEASE TERMINATION AGREEMENT", Some(Other)),
            ("the lease of the premises", None),
            ("Please sign here", None),
            ("AMENDMENT TO LEASE", Some(Amendment)),
            ("GENERAL PROVISIONS", None),
            ("the Lease.", None),
            ("Lease Year", None),
            ("Lease Term: Five Years", None),
            ("Second Supplement to Ground Lease No. 5", Some(Amendment)),
            ("HEADS OF AGREEMENT - NOT A LEASE", Some(Other)),
            ("Offer to Lease", Some(Other)),
            ("PARENT COMPANY GUARANTEE", Some(Other)),
            ("Licence to Assign", Some(Other)),
            ("Lease Agreement - Lift Trucks", Some(Other)),
            ("EQUIPMENT LEASE", Some(Other)),
            ("LEASE QUOTE", Some(Other)),
            ("PRO FORMA LEASE", Some(Other)),
            ("DEED OF SURRENDER", Some(Other)),
            ("Guaranty of payment by the parent", None),
        ];
        for (line, expected) in rows {
            assert_eq!(title_kind(line), expected, "{line}");
        }
    }

    #[test]
    fn the_opening_words_tell_the_kind() {
        use DocumentKind::{Amendment, Lease, Other, Sublease};
        let rows = [
            ("This Lease Agreement is made as of May 1, 2020", Some(Lease)),
            ("THIS TWELFTH LEASE AMENDMENT is entered into by", Some(Amendment)),
            ("This Amendment to Lease is dated as of May 1, 2020", Some(Amendment)),
            ("This Lease Termination Agreement is made as of May 1, 2020", Some(Other)),
            ("This Sublease is made as of May 1, 2020", Some(Sublease)),
            ("This Lease may be entered into", None),
        ];
        for (text, expected) in rows {
            assert_eq!(openings(text).first().map(|(_, kind)| *kind), expected, "{text}");
        }
    }

    #[test]
    fn a_letter_in_front_of_a_lease_is_noticed() {
        let lease = "LEASE AGREEMENT\nTHIS LEASE AGREEMENT is made May 1, 2020 between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\").";
        let letter = "Dear Mr. Oak: Birch is exercising its option to extend the term of the lease. ";
        let rows = [
            (format!("{}{lease}", letter.repeat(5)), true),
            (format!("{}{lease}", "COVER PAGE OF THE FILE. ".repeat(20)), false),
            (format!("{lease} {}", letter.repeat(5)), false),
            (letter.repeat(5), false),
        ];
        for (text, expected) in rows {
            assert_eq!(front_paper(&SourceText::from_lined(&text)).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn a_lease_of_goods_is_none_of_premises() {
        let rows = [
            ("1. Lessor leases to Lessee the following personal property: three trucks.", true),
            ("1. Equipment. Lessor leases to Lessee one copier. (the \"Equipment\")", true),
            ("1. Landlord leases to Tenant the warehouse and its equipment.", false),
            (
                "1. Premises. Landlord leases the premises. 5. Landlord leases to Tenant the equipment in it.",
                false,
            ),
            ("1. Landlord leases to Tenant Suite 4.", false),
        ];
        for (text, expected) in rows {
            assert_eq!(lets_goods(&SourceText::from_lined(text)).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn a_lease_without_a_title_is_one_by_its_words() {
        let rows = [
            (
                "We set out the terms on which the Landlord lets the shop to Fern Limited (\"the Tenant\").",
                true,
            ),
            ("The tenant asked the landlord about the rent.", false),
        ];
        for (text, expected) in rows {
            let found = propose(&SourceText::from_lined(text));
            assert_eq!(
                found.first().map(|found| found.rule),
                expected.then_some("words_of_letting"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_draft_says_so() {
        let rows = [
            ("DRAFT\nLEASE", true),
            ("Draft of 3/4/2021", true),
            ("Draft No. 3", true),
            ("For Discussion Purposes Only", true),
            ("FOR DISCUSSION", true),
            ("SUPERSEDED - see lease of July 2020\nOFFICE LEASE", true),
            ("Superseded by the lease of July 1, 2020", true),
            ("OFFICE LEASE\n* CANCELLED *\nTerm", true),
            ("Canceled", true),
            ("VOID", true),
            ("OFFICE LEASE - VOID", true),
            ("Office Lease (superseded)", false),
            ("Office Lease (Superseded)", true),
            ("SPECIMEN OFFICE LEASE", true),
            ("SAMPLE", true),
            ("Sample form of a letter of credit", false),
            ("UNSIGNED COPY - NOT BINDING", true),
            ("NOT EXECUTED", true),
            ("Not signed", true),
            ("WITHDRAWN ON MAY 1, 2020", true),
            ("Example for training purposes - all values fictitious", true),
            ("Example: where the index is 105, the rent is $5,250.00.", false),
            ("This offer was withdrawn.", true),
            ("10. Void. The parties agree that this Lease is void and was never performed.", true),
            ("If this Lease is cancelled, the keys are returned.", false),
            ("Whoever holds over does so although this Lease is void or at an end.", false),
            ("an assignment without consent is\nvoid.", false),
            ("AN ASSIGNMENT WITHOUT CONSENT IS NULL AND\nVOID.", false),
            ("the sample of the paint\nvoid and of no effect", false),
            ("Void where the law forbids it", false),
            ("Drafting. No rule against the drafter applies.", false),
            ("a bank draft of $5", false),
            ("DRAFT - not for signature", true),
            ("Draft (3)", true),
            ("DRAFT: May 3, 2021", true),
            ("draft - or a bond - of $5 is delivered", false),
            ("DRAFT v.2", true),
            ("Draft not for signature", true),
            ("Not for Signature", true),
            ("NOT FOR EXECUTION - comments welcome", true),
            ("TEMPLATE - replace what is in brackets", true),
            ("Negotiation copy", true),
            ("Tenant's proposed form", true),
            ("Landlord\u{2019}s proposed lease form", true),
            ("Tenant's proposed use is that of a shop", false),
            ("3. Rent. $5.00 a month [NTD: open]", true),
            ("3. Rent. $5.00 a month [Note to Draft: the sum is open]", true),
            ("3. Rent. $5.00 a month (Drafting note - see file)", true),
            ("3. Rent. $5.00 a month [Drafter's Note: see file]", true),
            ("3. Rent. $5.00 a month [OPEN]", true),
            ("3. Rent. $5.00 a month [open point]", true),
            ("3. Rent. $[\u{25cf}] a month", true),
            ("3. Rent. $[ TBD ] a month", true),
            ("3. Rent. [$\u{25cf}] a month", true),
            ("3. Rent. $5.00 a month NTD - see file", true),
            ("3. Rent. $5.00 a month [LL to confirm sum]", true),
            ("3. Rent. $5.00 a month [Note: rent to be agreed]", true),
            ("3. Rent. $5.00 a month [Acorn comment: too low]", true),
            ("3. Rent. $5.00 a month [sum in brackets pending sign-off]", true),
            ("3. Rent. NTD 5,000 a month, in Taiwan dollars (NTD), (NTD 60,000 a year)", false),
            ("Exhibit A [to be attached] [Intentionally omitted] [***]", false),
            ("[Signatures on the next page]", false),
            ("3. Rent. $5.00 a month [to be confirmed by broker]", true),
            ("3. Rent. $5.00 a month [Tenant to confirm]", true),
            ("3. Rent. $5.00 a month [subject to client review]", true),
            ("The parties open the doors [of the shop] at 9.", false),
            ("Landlord shall note to the Tenant that the draft is due.", false),
            ("The site plan [Exhibit B] is to be confirmed.", false),
        ];
        for (text, expected) in rows {
            assert_eq!(draft_mark(&SourceText::from_lined(text)).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn a_margin_that_calls_it_a_draft_or_a_form_says_so() {
        let rows = [
            ("TEMPLATE - replace names", true),
            ("Tenant's proposed form", true),
            ("For signature", true),
            ("Not for signature", true),
            ("Acorn/Birch lease draft 3", true),
            ("acorn_lease_draft2.docx", true),
            ("Negotiation Copy", true),
            ("Version for review by counsel", true),
            ("Subject to contract", true),
            ("REDLINE of May 1", true),
            ("Marked to show changes", true),
            ("Non-binding - in negotiation", true),
            ("Execution Version", false),
            ("Execution Copy", false),
            ("Lease - Acorn LLC and Birch Inc.", false),
            ("Standard Form 4 (rev. 2019)", false),
            ("Initials: AB CD", false),
            ("Page 3 of 40", false),
            ("Draftsman's Yard, 3rd floor", false),
        ];
        for (line, expected) in rows {
            let margins = SourceText::from_lined(&format!("1 Main Street\n{line}\nPage 2"));
            assert_eq!(margin_mark(&margins).is_some(), expected, "{line}");
        }
    }

    #[test]
    fn the_head_of_a_mail_is_a_paper_in_front() {
        let lease = "COMMERCIAL LEASE\nThis Lease is made as of May 1, 2020 between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\").\n1. Rent. See below.\n";
        let rows = [
            ("", false),
            ("From: a@acorn.example\nTo: b@birch.example\nSubject: Lease\n\nSee below.\n", true),
            ("Subject: Lease\nFrom: Ann\nTo: Ben\n", true),
            ("Return-Path: <a@b.example>\nMIME-Version: 1.0\nDate: today\nFrom: Ann\n", true),
            ("From:\tAnn\nSent:\tMonday\nTo:\tBen\n", true),
            ("*From:* Ann\n*Sent:* Monday\n", true),
            ("> From: Ann\n> Cc: Ben\n", true),
            ("----- Original Message -----\nsee the lease\n", true),
            ("---------- Forwarded message ---------\n", true),
            ("Begin forwarded message:\n", true),
            ("On Mon, May 4, 2020 at 9:00 AM Ann Acorn <a@acorn.example> wrote:\n", true),
            ("Term\nFrom: May 1, 2020\nTo: April 30, 2025\n", false),
            ("From: May 1, 2020\nTo: April 30, 2025\nDate: April 2, 2020\n", false),
            ("Subject: Suite 4\nDate: May 1, 2020\n", false),
            ("Von: Ann\nAn: Ben\nBetreff: Mietvertrag\n", true),
            ("MEMORANDUM\nTO: Ben\nFROM: Ann\nRE: Lease\n", true),
            ("FAX\nTo: Ben\nFrom: Ann\nPages: 4\n", true),
            ("MEMORANDUM OF LEASE\n", false),
            ("Hi Ben,\nsee below.\n", true),
            ("Hello Ann and Ben -\nsee below.\n", true),
            ("High Street 4,\nHi-Fi Shop Ltd.,\nHello Sushi LLC,\n", false),
            ("Notices to: a@acorn.example\nCopy: b@birch.example\n", false),
        ];
        for (before, expected) in rows {
            let text = SourceText::from_lined(&format!("{before}{lease}"));
            assert_eq!(front_paper(&text).is_some(), expected, "{before}");
        }
    }

    #[test]
    fn what_overrules_a_clause_of_the_lease_is_found() {
        let head = "LEASE AGREEMENT\nTHIS LEASE is made May 1, 2020 between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\").\n3. Rent. Tenant shall pay base rent of $5,250.00 per month.\n";
        let signed = "IN WITNESS WHEREOF the parties have signed.\nLANDLORD: Acorn LLC\nTENANT: Birch Inc.\n";
        // What stands before the signatures, what behind, and whether it changes the lease.
        let rows = [
            ("", "", false),
            ("", "RIDER\nSection 3 is replaced: the sum is $4,800.00 for each month.", true),
            ("", "Addendum No. 1 to Lease\nThe term ends on May 31, 2027.", true),
            ("", "SCHEDULE OF CHANGES\nRent: $4,800.00", true),
            ("", "RIDER\nThe rules of the house are kept.", false),
            ("RIDER\nRent: $4,800.00\n", "", false),
            ("", "ADDENDUM\nThe rent is $4,800.00 from ______ on.", false),
            ("", "the rules and the\nrider\nof $5.00", false),
            ("", "Dear Ms. Acorn: As agreed, our rent is $4,800.00 and not the figure of the lease.", true),
            ("", "Dear Ms. Acorn: We confirm that the keys were handed over on May 3, 2020.", false),
            ("4. Later. Notwithstanding Section 3, Tenant pays $4,800.00 per month.\n", "", true),
            ("4. Later. Notwithstanding Section 3, Tenant keeps the premises clean.\n", "", false),
            (
                "4. Fees. Notwithstanding the foregoing, a late charge of $50.00 is due with the rent.\n",
                "",
                false,
            ),
            ("Notwithstanding the foregoing, base rent shall be $4,500.00 per month.\n", "", true),
            ("4. Order. In the event of conflict the Exhibits shall control over the Lease.\n", "", false),
            ("4. Order. Base rent of $4,800.00 per month shall prevail over Section 3.\n", "", true),
            ("4. Order. The rent is $4,800.00, save as stated in Exhibit C, which prevails.\n", "", true),
            ("4. The rent of $5,250.00 in Section 3 is in error.\n", "", true),
            ("4. A sum that is paid in error is given back.\n", "", false),
            ("4. The figure in Section 3 is wrong; the rent is four thousand dollars.\n", "", true),
            ("4. In Section 2 \"2025\" is a slip of the pen.\n", "", true),
            ("4. Section 3 is corrected: the sum is four thousand dollars.\n", "", true),
            (
                "4. If the amount of any statement of rent is incorrect by more than 5%, Landlord pays.\n",
                "",
                false,
            ),
            ("4. No clerical error in a notice of 10 days of rent may be held against Tenant.\n", "", false),
            ("4. The term commences on June 1, 2020 (corrected: July 1, 2020).\n", "", true),
            ("4. The lease of May 1, 2015 and its term are superseded by this Lease.\n", "", false),
            ("4. The date May 31, 2025 for the end of the term is replaced by another.\n", "", true),
            ("4. At signing Cedar LLC takes the place of Birch Inc. as the one who rents.\n", "", true),
            ("4. A new lamp takes the place of the old one.\n", "", false),
        ];
        for (before, behind, expected) in rows {
            let text = SourceText::from_lined(&format!("{head}{before}{signed}{behind}"));
            let kind = second_agreement(&text).map(|(_, kind)| kind);
            assert_eq!(kind, expected.then_some(DocumentKind::Amendment), "{before}{behind}");
        }
        let amendment = "FIRST AMENDMENT TO LEASE\nTHIS FIRST AMENDMENT TO LEASE is made May 1, 2021 between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\").\n1. The rent of $5,250.00 is replaced by $5,500.00 per month.\n";
        assert_eq!(
            second_agreement(&SourceText::from_lined(amendment)),
            None,
            "an amendment replaces by its nature"
        );
    }

    #[test]
    fn a_second_agreement_in_the_file_is_found() {
        let first =
            "THIS LEASE is made May 1, 2020 between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\"). ";
        let filler = "Tenant keeps the Premises clean. ".repeat(150);
        let rows = [
            (format!("{first}{filler}"), None),
            (
                format!(
                    "{first}{filler}THIS FIRST AMENDMENT TO LEASE is made May 1, 2021 between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\")"
                ),
                Some(DocumentKind::Amendment),
            ),
            (
                format!(
                    "{first}THIS FIRST AMENDMENT TO LEASE is made May 1, 2021 between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\")"
                ),
                Some(DocumentKind::Amendment),
            ),
            (
                format!(
                    "{first}{filler}This Assignment is made May 1, 2021 between Birch Inc. (\"Assignor\") and Cedar LLC (\"Assignee\")"
                ),
                Some(DocumentKind::Other),
            ),
            (
                format!(
                    "{first}{filler}THIS LEASE AGREEMENT is dated May 1, 2019 between Cedar LP (\"Landlord\") and Acorn LLC (\"Tenant\")"
                ),
                Some(DocumentKind::Lease),
            ),
            (
                format!(
                    "{first}{filler}Form of Amendment. THIS AMENDMENT TO LEASE is made between Acorn LLC (\"Landlord\") and Birch Inc. (\"Tenant\")"
                ),
                None,
            ),
            (
                format!(
                    "{first}{filler}THIS AMENDMENT TO LEASE is made ____ between ______ (\"Landlord\") and ______ (\"Tenant\")"
                ),
                None,
            ),
        ];
        for (text, expected) in rows {
            let text = SourceText::from_lined(&text);
            assert_eq!(
                second_agreement(&text).map(|(_, kind)| kind),
                expected,
                "{}",
                text.after(4_000, 2_000)
            );
        }
    }
}
