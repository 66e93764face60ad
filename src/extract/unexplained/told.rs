//! What a document tells of itself as a fact: a change that has come to pass, an effect that waits for an event.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Known, OTHER_CHARGE, sentence, unit};
use crate::extract::clauses::Reading;
use crate::extract::{dates, expression};
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
        const PAST: &str = r"(?:exercised|assigned|surrendered|vacated|cancell?ed|rescinded|revoked|withdrew|extended|renewed|shortened|lowered|changed|replaced|substituted|merged|became|moved|took\s+over|lapsed|ended|expired|conveyed|recaptured|deferred|postponed|dissolved)";
        const NOW: &str = r"(?:rescinds?|cancels?|substitutes?|lowers|shortens|assigns\s+to|(?:moves?|shifts?)\s+by|now\s+(?:runs?|ends?|is|are|stands?|expires?|begins?|pays?))";
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
    static BY_NOTICE: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)^\s+(?:only\s+)?by\s+(?:a\s+|its\s+|written\s+)*(?:notice|writing)\b")
    });
    // What is due from others for a taking or a damage is given up in every lease, and no part of the tenancy.
    static CLAIM_ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\s+(?:the\s+)?\w+\s+(?:(?:all|any|its|the|every|right|title|and|interest|of|in|to|tenant's|tenant|lessee|such)\W+)*(?:\w+\s+)?(?:damages|awards?|payments|proceeds|compensation|claims?|rents|deposits?)\b",
        )
    });
    let flow = reading.flow();
    let supposes = |words: &str| SUPPOSES.is_match(&AGREED.replace_all(words, " "));
    // What is no report may hold the subject of one: the search goes on behind each subject.
    let mut at = 0;
    let mut reported = None;
    while let Some(found) = REPORT.captures_at(flow, at) {
        let (Some(whole), Some(gap)) = (found.get(0), found.name("gap")) else { break };
        at = gap.start();
        let words = gap.as_str();
        // "An option, exercised by notice" says how, and reports nothing.
        let is_manner = BY_NOTICE.is_match(reading.text.after(whole.end(), MANNER_REACH_BYTES));
        let is_of_a_claim = whole.as_str().to_lowercase().contains("assigns")
            && CLAIM_ASSIGNED.is_match(reading.text.after(whole.end(), CLAIM_REACH_BYTES));
        if is_manner || is_of_a_claim || supposes(words) || VERB.is_match(words) || reading.is_in_recitals(at)
        {
            continue;
        }
        let unit = unit(reading, &whole.range());
        // An amendment replaces sections of its lease; what it says of rent and term in their place is read.
        let is_replaced =
            known.kind == DocumentKind::Amendment && OF_A_SECTION.is_match(reading.text.slice(&unit));
        if !is_replaced && !supposes(&flow[unit.start.min(at)..at]) {
            reported = Some(unit);
            break;
        }
    }
    let expected = || EXPECTED.find_iter(flow).find(|found| !reading.is_in_recitals(found.start()));
    reported.or_else(|| expected().map(|found| sentence(reading, &found.range())))
}

/// A party that has done something which parties of a lease are not said to have done.
pub(super) fn reported_deed(reading: &Reading<'_>) -> Option<Range<usize>> {
    static DEED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:tenant|lessee|landlord|lessor|resident|subtenant|sublandlord|parties|possession|premises|keys|judgment|leasehold)\b(?:\s+for\s+possession)?\s+(?:(?:now|since|also|hereby|already|subsequently|both|each)\s+)?(?:has|have|was|were)\s+(?:(?:now|since|also|already|subsequently|duly|been|fully|carefully|previously|heretofore|not|never|each|itself|personally)\s+){0,3}(?P<verb>[a-z]{3,}(?:ed|en|wn|ught|id|pt|ne|ft|lt|nt)\b(?:\s+(?:up|in|out|back|over))?)",
        )
    });
    // What a lease says of what its parties did before they signed, and of its building.
    static USUAL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^(?:inspect|examin|read|receiv|paid|pa[iy]|deposit|deliver|execut|sign|caus|agree|dealt|deal|made|represent|request|leased|let|demis|acquir|rel(?:ied|y)|obtain|approv|review|us(?:ed|en)|disclos|furnish|advis|consult|employ|engag|retain|provid|hereunto|set|affix|built|construct|complet|install|locat|erect|renovat|found|taken|giv|tak|seen|view|satisf|determin|enter|been|shown|known|describ|defin|refer|call|authori|duly|purchas|own|hand|negotiat|consent|waiv|appoint|incurr|held|hir|offer|acknowledg|ascertain|investigat|test|clean|paint|repair|furnish|equip|design|occup|requir|entitl|had|prepar|initial|printed|post|mail|submitt|intend|written|includ|contain|rais|subdivid|licens|organi|form|incorporat|register|done|gone|grant|ask|told|accept|elect|flood|fifteen|seven|eleven|sixteen|eighteen|nineteen|ten\b|record|present|warrant|covenant|undertak|promis|bargain|contract|participat|attempt|default|zon|notif|render|damag|destroy|fail|mutual|cooperat|discuss|jointly|further|assum|inquir|verif|compl|measur|lodg|count|walk|check)",
        )
    });
    let flow = reading.flow();
    // What is told of a case, or denied, is no change.
    static NO_FACT: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:after|before|because|since|while|until|not|never|in\s+which)\b")
    });
    DEED.captures_iter(flow)
        .filter(|found| !USUAL.is_match(&found["verb"]))
        .filter_map(|found| found.get(0))
        .find_map(|found| {
            let unit = unit(reading, &found.range());
            let before = flow.get(unit.start.min(found.start())..found.start()).unwrap_or_default();
            let is_fact = !SUPPOSES.is_match(before)
                && !NO_FACT.is_match(before)
                && !NO_FACT.is_match(found.as_str())
                && !reading.is_in_recitals(found.start());
            is_fact.then_some(unit)
        })
}

/// Something that came to pass after the lease was made: no lease can tell of it, so somebody wrote it on the paper.
pub(super) fn after_the_lease(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static PAST: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:was|were|has|had|did|since|now|took|gave|given|left|went|sold|told|kept|got|sent|lost|broke|ran|[a-z]{2,}ed|dec'd|rec'd)\b",
        )
    });
    // Words that are no verbs of an event, in every lease.
    static STANDING: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:leased|demised|above[\s-]named|said|the\s+\w+ed|as\s+\w+ed|not\s+yet|fixed|united|limited|registered|authorized|unincorporated|incorporated|located|need|indeed|deed|shed|bed|exceed|proceed|feed|speed|seed|hundred|prorated|increased|adjusted|required|described|defined|called|based|calculated|determined|computed|numbered)\b",
        )
    });
    static NO_EVENT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:shall|(?-i:may)|will|must|if|unless|should|event|would|options?|renew\w*|provided|whichever|commission|licen[cs]e|dated|signed|executed|sworn|acknowledged|notar\w*|made|recorded|filed|amended\s+(?:and|on)|edition|revised|form|example)\b",
        )
    });
    // What a term or a step of it runs to is no event.
    static BOUND: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:through|until|to|and|ending|end(?:s|ed)?|expir\w+|terminat(?:es|ing)|commenc\w+|begin\w*|starting|starts?|from|before|after|than|effective|of|date|due|payable|years?|months?)\W*(?:on\s+|midnight\s+(?:on|of)\s+)?$",
        )
    });
    let made = *known.term.first().map(|start| &start.value)?;
    let made = known.executed.map_or(made, |executed| executed.max(made));
    let flow = reading.flow();
    dates::find(flow, reading.date_order)
        .into_iter()
        .filter(|found| !found.ambiguous && found.date > made && !known.days.contains(&found.date))
        .filter(|found| !reading.is_in_recitals(found.range.start))
        .filter(|found| !BOUND.is_match(reading.text.before(found.range.start, BOUND_REACH_BYTES)))
        .map(|found| unit(reading, &found.range))
        .find(|unit| {
            let words = reading.text.slice(unit);
            PAST.is_match(&STANDING.replace_all(words, " "))
                && !NO_EVENT.is_match(words)
                && reading.amounts_in(unit).is_empty()
        })
}

/// What came to pass, or did not, said of a case that the sentence itself supposes: "If the lift is late, which has
/// occurred, ...". "Any injury that has occurred" supposes on.
pub(super) fn has_occurred(reading: &Reading<'_>) -> Option<Range<usize>> {
    static OCCURRED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:[,(\x{2013}\x{2014}]\s*(?:and\s+)?(?:which|this|that|it|as)|[.;(]\s*(?:this|that|it|the\s+same))\s+(?:(?:has|have|had)\s+(?:not\s+|now\s+|since\s+)?)?(?:occurred|happened|come\s+to\s+pass)\b|;\s*(?:tenant|landlord|lessee|lessor)?\s*(?:such\s+)?notice\s+was\s+(?:duly\s+)?(?:given|served|received)\s+on\b|\bso\s+notified\s+on\b|\bthey\s+did\.",
        )
    });
    OCCURRED.find(reading.flow()).map(|found| sentence(reading, &found.range()))
}

/// What happens when a tenancy ends, told as come to pass: a judgment, changed locks, keys handed in.
pub(super) fn ended_tenancy(reading: &Reading<'_>) -> Option<Range<usize>> {
    static ENDED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bjudgment\s+for\s+possession\b[^.;]{0,30}\bentered\b|\bwrit\s+of\s+(?:restitution|possession)\s+(?:was\s+)?(?:executed|issued)\b|\blocks\s+(?:were\s+)?changed\b|\b(?-i:NTV)\b|\bmake-?ready\b|\bkeys\s+(?:were\s+)?(?:handed\s+in|returned|surrendered)\b|\bresident\s+transferred\s+to\b|\bthought\s+better\s+of\b|\bon\s+the\s+market\s+again\b",
        )
    });
    static WHEN: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)\b(?:within|after|before|charges?|fees?|costs?)\b"));
    ENDED.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        !SUPPOSES.is_match(words) && !WHEN.is_match(words)
    })
}

/// A text in another language, which is the one that counts.
pub(super) fn prevailing_text(reading: &Reading<'_>) -> Option<Range<usize>> {
    static PREVAILS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bfait\s+foi\b|\bvale\s+el\s+texto\b|\b(?:french|spanish|german|italian|dutch|portuguese|chinese|malay|thai|arabic|welsh|irish|japanese|korean|hindi)\s+(?:text|version|original|copy)\b[^.;]{0,60}\b(?:prevails?|governs?|controls?|counts|is\s+binding|shall\s+prevail|shall\s+govern|shall\s+control)\b",
        )
    });
    PREVAILS.find(reading.flow()).map(|found| sentence(reading, &found.range()))
}

/// A lease that takes effect only with an event other than its signature and delivery.
pub(super) fn conditional_effect(reading: &Reading<'_>) -> Option<Range<usize>> {
    static WAITS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?ix)\b(?:this|the)\s+(?:back-?up\s+)?(?:lease|sublease|agreement|tenancy|letting|instrument|paper|document)\b[^.;]{0,60}?
            (?:\b(?:binds?|binding|effective|operative)\s+(?:only|neither|nobody|no\s+(?:one|party))\b
            |\b(?:not|neither|only|never|no)\b[^.;]{0,50}?\b(?:effect(?:ive)?|binds?|binding|in\s+force|operative)\b
            |\b(?:contingent|conditional|conditioned)\s+(?:up)?on\b
            |\bsubject\s+to\s+(?:the\s+)?(?:[\w']+\s+){0,5}?(?:approval|consent|ratification|closing|acquisition|vacat\w+)\b)
            |\b(?:tak(?:es?|ing)|com(?:es?|ing)\s+into)\s+(?:effect|force)\s+(?:only|if)\b
            |\b(?:not|neither\s+party)\s+(?:\w+\s+){0,4}(?:bound|binding)\s+(?:by\s+this\s+\w+\s+(?:until|unless|before)|obligations?|agreement|contract|up)\b|\bnon-?binding\b
            |\b(?:definitive|formal)\s+(?:lease|agreement)\s+(?:will|shall|is\s+to|to)\s+(?:follow|be\s+\w+)\b
            |\bhas\s+yet\s+to\b|\bexpected\s+to\s+(?:ratify|approve|consent|vote)\b|\b(?:letter|sheet)\b[^.;]{0,60}\bcontrols\b|\bgives?\s+way\s+to\s+the\b|\bmust\s+(?:first\s+)?(?:approve|ratify|consent\s+to)\s+this\s+(?:lease|sublease|agreement)\b
            |\bnothing\s+(?:here(?:in)?\s+)?(?:binds|is\s+binding)\b|\bof\s+no\s+(?:force|effect)\s+(?:or\s+\w+\s+)?until\b|\bfailing\s+whose\b|\bcondition\s+precedent\s+to\s+(?:the|this)\s+(?:tenancy|lease|term)\b
            |\b(?:formal|definitive)\s+(?:lease|agreement)\s+in\s+due\s+course\b|\b(?:private|separate|side)\s+(?:letter|agreement|note)\b[^.;]{0,60}\bgoverns?\b|\bnot\s+these\s+(?:articles|sections|clauses)\b|\bfigures?\s+above\s+(?:is|are)\s+a\s+placeholder\b
            |\b(?:held|signed|placed)\s+in\s+escrow\b[^.;]{0,40}\b(?:until|and|pending)\b",
        )
    });
    // Each lease binds when it is signed, and binds nobody against the rights of lenders and heirs.
    static ONCE_SIGNED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:execut\w*|sign(?:s|ed|ing|ature\w*)?|deliver\w*|initial\w*|written|writing|recorded|mortgagee|lender|successors?)\b",
        )
    });
    // What lies with somebody else, or has not come to pass, is no signature of the parties.
    static IS_STILL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\bescrow\b|\bhas\s+not\s+(?:yet\s+)?(?:occurred|happened|been)\b|\bsnda\b|\bdue\s+course\b|\bcondition\s+precedent\b|\b(?:bank|mortgagee|lender)\s+has\s+(?:approved|consented|agreed)\b|\bprivate\s+letter\b",
        )
    });
    WAITS.find_iter(reading.flow()).map(|found| sentence(reading, &found.range())).find(|sentence| {
        let words = reading.text.slice(sentence);
        !ONCE_SIGNED.is_match(words) || IS_STILL.is_match(words)
    })
}

/// How far before a day the word that makes it a bound may stand, in bytes.
const BOUND_REACH_BYTES: usize = 30;
/// How far behind a verb the manner of it may stand, in bytes.
const MANNER_REACH_BYTES: usize = 40;
/// How far behind "assigns to", in bytes, the claim stands that is assigned.
const CLAIM_REACH_BYTES: usize = 160;
/// Most lines behind the signatures that are no paper of their own.
const LOOSE_MAX_LINES: usize = 12;
/// Longest of them, in bytes.
const LOOSE_MAX_BYTES: usize = 160;
/// Most words of a line that gives who signed and when.
const SIGNED_LINE_MAX_WORDS: usize = 13;
/// Longest line that says what is attached, in bytes.
const ATTACHED_LINE_MAX_BYTES: usize = 80;
/// Most lines between two lines of one block of signatures.
const SIGNATURE_GAP_LINES: usize = 4;

/// A line to sign on.
static SIGNED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)/s/|^\W*(?:by|signed|signature)\s*:|^\W*(?-i:Signed|SIGNED|Executed|EXECUTED)\b.{0,90}$|^\s*_{5,}",
    )
});

/// What stands beside a line to sign on.
static OF_A_BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:name|title|its|dated?|date\s+signed|print(?:ed)?(?:\s+name)?|witness\w*|landlord|lessor|tenant|lessee|sub-?(?:tenant|landlord|lessee|lessor)|owner|attest|address|president|manager|director|secretary|in\s+the\s+presence)\b",
    )
});

/// Without a name or a line to sign on, the labels of the parties at the end stand for the signatures.
static PARTY_LABEL: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^\W*(?:landlord|tenant|lessor|lessee)\s*:"));

/// The heading of a paper.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^[^a-z]*[A-Z][^a-z]{5,}$|^\W*(?i:exhibit|schedule|attachment|appendix|annex|addendum|rider|acknowledge?ment|guarant(?:y|ee)|state\s+of|county\s+of|province\s+of|notary)\b.{0,80}$",
    )
});

/// What is attached to every lease.
static ATTACHED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:acknowledge?ments?|notar\w*|state\s+of|county\s+of|province\s+of|guarant\w+|description|plan|plat|map|rules|regulations|inventory|fixtures|work\s*letter|construction|criteria|insurance|form\s+of|parking|janitor\w*|hvac|pets?|inspection|condition|lead|mold|disclosure|radon|asbestos|smoke|hazardous|brokers?|agency)\b",
    )
});

/// What a page says of itself where nothing more stands on it, and the reference of a paper.
static OF_A_PAGE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:intentionally\s+(?:left\s+)?blank|(?:remainder|rest)\s+of\s+(?:the|this)\s+page|signature\s+pages?)\b|^\W*(?:our\s+)?(?:ref(?:erence)?|file|document)\b[^:]{0,12}:",
    )
});

/// A paper behind the signatures with a day or an amount: a certificate, a notice, a letter, a schedule. What is attached
/// to every lease is passed over, from its heading to the next one.
pub(super) fn behind_signatures(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:\w+\s+){0,3}(?:assignment|amendment|termination|surrender|modification|extension|novation|cancellation)\b(?:\s+[\w.#]+){0,6}\W*$",
        )
    });
    // A lease that is signed has nothing more to say of its parties and its rent.
    static REMARK: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*p\.?\s?s\.?\W|^\W*(?:rider|side\s+letter|routing\s+slip|(?-i:AP|Re):|question\s+\d|note\b)|\b(?:rent|lease|tenant|lessee|landlord|lessor|term|section|clause|we|they|he|she|this)\b[^.]{0,60}\b(?:[a-z]{3,}ed|is|are|was|were|has|have|will|goes?|comes?)\b",
        )
    });
    // A day beside a name is that of a signature.
    let is_said = |line: &str| line.split_whitespace().count() > SIGNED_LINE_MAX_WORDS;
    let holds_a_value = |range: &Range<usize>, line: &str| {
        (!reading.amounts_in(range).is_empty() && !OTHER_CHARGE.is_match(line))
            || (is_said(line) && !dates::find(line, reading.date_order).is_empty())
            || (FIGURE_OR_LENGTH.is_match(line) && !OTHER_CHARGE.is_match(&line.replace("additional", "")))
            || (REMARK.is_match(line) && !line.contains("___") && !OF_A_PAGE.is_match(line))
    };
    let (mut signed_at, mut is_attached, mut is_behind) = (None, false, false);
    for (number, (start, line)) in reading.text.lines().enumerate() {
        let range = start..start + line.len();
        if range.end > reading.scope.end {
            break;
        }
        let is_late = start > reading.scope.end / 2;
        let goes_on = signed_at.is_some_and(|last: usize| number - last <= SIGNATURE_GAP_LINES);
        if SIGNED.is_match(line)
            || (is_late && PARTY_LABEL.is_match(line) && known.is_named_in(line))
            || (goes_on && !is_said(line) && OF_A_BLOCK.is_match(line))
        {
            if !is_behind || !is_attached {
                signed_at = Some(number);
            }
            continue;
        }
        if signed_at.is_none() || !is_late {
            continue;
        }
        is_behind = true;
        if HEADING.is_match(line) {
            is_attached = ATTACHED.is_match(line);
            if CHANGES.is_match(line) && !is_attached {
                return Some(range);
            }
        } else if ATTACHED.is_match(line) && line.len() <= ATTACHED_LINE_MAX_BYTES {
            is_attached = true;
        }
        if !is_attached && holds_a_value(&range, line) {
            return Some(range);
        }
    }
    None
}

/// A remark among the few lines behind the signatures, where only names, offices and what a form prints have their place.
pub(super) fn remark_behind(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static NUMBERED: LazyLock<Regex> = LazyLock::new(|| expression(r"^\s*(?:\d{1,2}|[A-Za-z])[.)]\s"));
    let lines: Vec<(Range<usize>, &str)> =
        reading.lines().filter(|(_, line)| !line.trim().is_empty()).collect();
    let last = lines.iter().rposition(|(range, line)| {
        SIGNED.is_match(line)
            || (range.start > reading.scope.end / 2 && PARTY_LABEL.is_match(line) && known.is_named_in(line))
    })?;
    let behind: Vec<&(Range<usize>, &str)> = lines
        .get(last + 1..)?
        .iter()
        .skip_while(|(_, line)| OF_A_BLOCK.is_match(line))
        .take_while(|(_, line)| !HEADING.is_match(line) && !ATTACHED.is_match(line))
        .collect();
    // Where the lease goes on, these were no signatures at its end.
    let goes_on = behind.len() > LOOSE_MAX_LINES
        || behind.iter().any(|(_, line)| line.len() > LOOSE_MAX_BYTES || NUMBERED.is_match(line));
    if goes_on {
        return None;
    }
    behind
        .into_iter()
        .find(|(_, line)| holds_a_remark(line) && !OTHER_CHARGE.is_match(line) && !OF_A_PAGE.is_match(line))
        .map(|(range, _)| range.clone())
}

/// Whether a line holds a word that neither the lines of signatures nor what a form prints under them have.
fn holds_a_remark(line: &str) -> bool {
    static OF_A_FORM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?x)^(?:a|an|the|this|that|these|is|are|was|and|or|of|on|to|in|at|as|by|for|with|from|its|it|no|not|see|each|both|all|any|per|van|von|der|de|la|del|dos|den
            |page|pages|form|forms|revised|rev|version|initials?|initialed|copy|copies|copyright|reserved|rights|left|blank|intentionally|remainder|follows?|following|continued|end|signature|signatures|signed|sign|signing|executed|delivered|duly|authori[sz]ed|under|power|attorney|behalf|hand|hands|seal|sealed|corporate|company|corporation|partnership|liability|limited|general|partner|member|manager|managing|sole|trustee|trust|deed|witness|witnesses|witnessed|whose|which|presence|name|address|occupation|date|dated|day|title|office|officer|president|secretary|director|agent|owner|landlord|tenant|lessor|lessee|sub(?:tenant|landlord|lessor|lessee)|party|parties|lease|sublease|agreement|tenancy|attached|hereto|hereunto|hereof|thereunto|above|below|first|written|year|last|attachments?|exhibits?|schedules?|appendix|appendices|prepared|drafted|reviewed|broker|brokers|notary|public|commission|expires|sworn|subscribed|before|me|my|personally|appeared|known|acknowledged|acknowledges|acknowledge|receipt|received|state|county|city|province|floor|suite|street|avenue|road|c/o|attn|attention|tel|telephone|phone|fax|email|e-mail|mail|www|https?|print|printed|type|typed|please|notices?|go|premises|individually|jointly|severally|husband|wife|spouse|common|legal|advice|consult|seek|document|original|counterparts?|required|only|use|used|member's|landlord's|tenant's|lessor's|lessee's|electronically|electronic|via|id|ref|ltd|inc|llc|plc|co)$",
        )
    });
    line.split(|letter: char| {
        letter.is_whitespace() || matches!(letter, ',' | ';' | '(' | ')' | ':' | '/' | '|')
    })
    .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
    .filter(|word| word.len() > 1 && word.starts_with(char::is_lowercase) && !word.contains('@'))
    .any(|word| !OF_A_FORM.is_match(word))
}

/// A figure with its thousands apart, or a length of time in words.
static FIGURE_OR_LENGTH: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b\d{1,3},\d{3}\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty-four|thirty-six|sixty|\d{1,3})\s+(?:additional\s+|more\s+|further\s+)?(?:months|years)\b",
    )
});
