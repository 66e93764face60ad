//! Words by which leases speak of the start and the end of the term, and of what makes them uncertain.

pub(super) use crate::extract::expression;
use regex::Regex;
use std::sync::LazyLock;

/// Words that make a date depend on an event, or give it as a plan.
pub(super) static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:earlier\s+(?:to\s+occur\s+)?of|later\s+(?:to\s+occur\s+)?of|earliest|latest|sooner\s+of|substantial(?:ly)?\s+complet\w*|upon\s+(?:the\s+)?(?:delivery|completion|closing|issuance|receipt|approval|opening)|date\s+(?:on|upon|that|when|landlord|lessor|tenant|lessee|sublandlord|sublessor)|target\w*|anticipated|estimated|scheduled|projected|approximately\s+(?:on\s+)?(?:the\s+\d|\d{1,2}/|January|February|March|April|May|June|July|August|September|October|November|December)|on\s+or\s+about|on\s+or\s+before|subject\s+to\s+(?:adjustment|extension|delay|section|paragraph|article|the\s+terms|landlord|completion|delivery)|adjusted|opens?\s+for\s+business|delivers?\s+(?:possession|the\s+premises)|delivery\s+of\s+(?:possession|the\s+premises)|possession\s+is\s+(?:tendered|delivered)|such\s+(?:other|earlier|later)\s+date|as\s+(?:may\s+be|the\s+same\s+may\s+be)\s+(?:adjusted|changed)|contingent|conditioned\s+(?:up)?on|condition\s+precedent|no\s+later\s+than|not\s+later\s+than|(?:no|not)\s+(?:earlier|sooner)\s+than|on\s+or\s+after|(?:soonest|latter|greater)\s+of|(?:first|last|sooner|later|earlier)\s+to\s+(?:occur|happen)|whichever|expected|intended|planned|foreseen|tentative(?:ly)?|provisional(?:ly)?|assuming|presuming|once\s+(?:the|it|all|every|any|landlord|lessor|tenant|lessee|possession)|when\s+(?:the\s+)?(?:landlord|lessor|sublandlord|tenant|lessee)\s+has|(?:if|when)\s+ready|free\s+to\s+choose|as\s+(?:the\s+)?(?:tenant|landlord|lessee|lessor|architect)\s+(?:chooses|may\s+choose|elects|says|decides)|at\s+(?:the\s+)?(?:tenant|landlord|lessee|lessor)'s\s+(?:choice|election)|to\s+be\s+(?:confirmed|determined|agreed)|always\s+provided|unless\s+the\s+(?:certificate|premises|suite|building|works?|permit|landlord|lessor)|renews?\s+itself|(?:first|second)\s+phase|corrected|moves?\s+with|in\s+no\s+event|if\s+landlord|if\s+tenant|if\s+the\s+premises|unless\s+(?:landlord|possession|delayed)|from\s+the\s+closing|after\s+the\s+(?:effective|delivery|commencement|closing|execution)|days\s+(?:after|following)|months\s+(?:after|following)|by\s+way\s+of\s+(?:illustration|example)|for\s+example|were\s+to|would\s+(?:be|expire|end|begin|commence|start))\b",
    )
});

/// Words directly before a date that shift it or leave it open, so that it is not the date itself that is meant: "the
/// day preceding May 1, 2020", "three weeks from", "within thirty days of", "by".
pub(super) static SHIFTED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)(?:\b(?:before|after|preceding|precedes|following|follows|succeeding|behind|beyond|prior\s+to|previous\s+to|by|than|or|around|circa|about|(?:days?|weeks?|fortnights?)\s+(?:on\s+)?(?:from|of)|(?:eve|anniversary|month|short)\s+of|not\s+(?:end|begin|commence|start|expire|terminate)\s+(?:on|until))|\bwithin\s+(?:[a-z0-9()-]+\s+){1,4}(?:of|from))\s*,?\s*(?:midnight\s+(?:of|on)\s+)?(?:the\s+)?$",
    )
});

/// What shifts a date from behind it: "May 1, 2020 plus thirty days", "or thereabouts".
pub(super) static SHIFTED_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\s*,?\s*(?:plus\s+(?:[a-z]+|\d+)\s+(?:\(\d+\)\s+)?(?:days?|weeks?|months?)|or\s+(?:thereabouts?|so|about))\b",
    )
});

/// The second of two dates between which the one that is meant lies.
pub(super) static SECOND_OF_TWO: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^\s*,?\s*(?:and|or|and/or)\s+(?:the\s+)?$"));

/// A date up to which, without a word on whether it counts.
pub(super) static UNTIL: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:until|till)\s+(?:midnight\s+(?:of|on)\s+)?(?:the\s+)?$"));

/// Another date or event behind the date of a start: "May 1, 2020 or the day on which the bank pays".
pub(super) static OR_ELSE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\s*,?\s*(?:or|and/or)\s+(?:the|on|upon|at|when|as|another|any|such|a|January|February|March|April|May|June|July|August|September|October|November|December|\d)\b",
    )
});

/// Words that make a whole sentence depend on an event.
pub(super) static IF: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:if|provided\s+that|contingent|conditioned\s+(?:up)?on|condition\s+precedent|illustration|example|were\s+to|would)\b",
    )
});

/// Words that say the sentence speaks of another period than the term that is granted.
pub(super) static OTHER_PERIOD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:base\s+year|fiscal\s+year|tax\s+year|calendar\s+year|abate\w*|option\s+(?:term|period|to)|options?\b|renewal|renew\b|early\s+(?:possession|occupancy|access|entry)|move[- ]?in\s+period|access\s+period|fit[- ]?(?:up|out)|(?:first|second|third|last)\s+phase|(?:landlord|lessor)'s\s+own|term\s+of\s+(?:the|this|such)\s+guarant\w+|trial\s+(?:term|period)|(?:master|prime|superior|head)\s+lease|headlease|overlease|by\s+(?:a|an)\s+(?:lease|agreement)\s+dated|existing\s+lease|prior\s+lease|original\s+(?:lease|term)|current(?:ly)?\b|existing\s+term|set\s+to\s+expire|scheduled\s+to\s+expire|previously|heretofore|initially\s+expired|insurance|policy|parking|storage|surrender|temporary|holdover|holding\s+over|estoppel|certificate|warranty|construction|right\s+of\s+first|(?:may|right\s+to|elects?\s+to|entitled\s+to)\s+(?:extend|renew)|exercis\w*)\b",
    )
});

/// Words that make a letting one that was, may be, or is another's: what it says of dates is not of the term.
pub(super) static NOT_OF_LETTING: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:formerly|earlier|former|was|were|had|has\s+been|if|whereas|guarant(?:y|ies|ors?)|brokers?|agents?|commission|equipment|trucks?|vehicles?|trailers?|machin\w+|copiers?|furniture|billboards?|may\s+[a-z]+|might|could|third\s+part\w+|pursuant\s+to|under\s+(?:a|an|its|the)\s+(?:\w+\s+)?lease)\b",
    )
});

/// A sentence that lets for a length of time: "Landlord leases the Store to Tenant for a period of three years ...".
pub(super) static LETS_FOR: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:landlord|lessor|owner)s?\s+(?:hereby\s+)?(?:lets?|leases?|demises?|rents?)\b[^.;$\u{a3}\u{20ac}]{0,200}?\bfor\s+(?:a|the)\s+(?:period|term)\s+of\b",
    )
});

/// A run-in heading of the term without a number, behind which its first sentence begins: "Term. Seven years, ...".
pub(super) static RUN_IN_TERM: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:\d{1,2}[.)]\s*)?(?:(?:lease\s+|initial\s+)?term|(?:lease\s+)?period|duration|how\s+long)(?:\s+of\s+(?:the\s+)?lease)?\s*[.:]\s*$",
    )
});

/// The label of a field that gives the length of the term and its days: "Period: four years commencing on ...".
pub(super) static PERIOD_FIELD: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)^\W*(?:\(?[0-9a-z]{1,3}[.)]\s*)?(?:lease\s+|letting\s+)?period\s*[.:\t]")
});

/// The bare label of a first day with its date, above that of a last day.
pub(super) static BARE_START_ABOVE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:\d{1,2}[.)]\s*)?(?:commenc(?:es|ing|ement)|begin(?:s|ning)|starts?|starting)(?:\s+(?:date|on))?\W*\n?\W*(?:\d|January|February|March|April|May|June|July|August|September|October|November|December)",
    )
});

/// The bare label of a last day with its date, below that of a first day.
pub(super) static BARE_END_BELOW: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^[ \t.;]*\n\s*(?:\d{1,2}[.)]\s*)?(?:expir(?:es|ing|y|ation)|ends?|ending|finish(?:es)?)(?:\s+(?:date|on))?\W*(?:\d|January|February|March|April|May|June|July|August|September|October|November|December)",
    )
});

/// The heading of a paper behind the lease that may correct it.
pub(super) static ADDED_PAPER: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?im)^\s*(?:ADDENDUM|RIDER|CORRECTION|ERRAT(?:A|UM)|SIDE\s+LETTER)\b[^\n]{0,90}$")
});

/// The verbs of a start and an end directly before a date; "through" and "until" may be of a step of the rent.
pub(super) static PLAINLY_STARTS: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)\b(?:starts?|begins?|commences?|starting|beginning|commencing)\s+(?:on\s+)?(?:the\s+)?$")
});
pub(super) static PLAINLY_ENDS: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:ends?|expires?|ending|expiring)\s+(?:on\s+)?(?:the\s+)?$"));

/// A label that says of which date it is the name, and makes none depend on an event: "Date when term begins".
pub(super) static DATE_WHEN_TERM: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bdate\s+(?:when|on\s+which)\s+(?:the\s+)?term\s+(?:begins|starts|commences|ends|expires)\s+\d",
    )
});

/// What a verb before a date speaks of: the last such word before it is its subject.
pub(super) static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?P<other>(?:lease|calendar|fiscal|each|every|first|second|third|fourth|fifth)\s+year(?:\s+of\s+(?:the|this|said|such)\s+(?:initial\s+|lease\s+)?term)?|(?:years?|months?|portion|part|balance|remainder)\s+of\s+(?:the|this|said|such)\s+(?:initial\s+|lease\s+)?term|rent(?:al)?s?|payments?|install?ments?|obligations?|construction|work|abatement|services?|tax(?:es)?|insurance|polic(?:y|ies)|notices?|deposits?|interest|access|use|occupancy|possession)\b|\b(?P<term>terms?|lease|(?:sub|under)-?lease|agreement|tenancy|letting|period\s+of\s+(?:\w+\s+)?\(?\d+\)?\s+(?:years?|months?)|(?:\w+\s+)?\(?\d+\)?\s+(?:years?|months?))\b",
    )
});

/// Headings of sections that do not speak of the term that is granted.
pub(super) static OTHER_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:options?|renewal|holdover|holding over|parking|storage|right of first|rights? to (?:extend|renew)|expansion|early (?:access|occupancy|possession)|insurance|estoppel|taxes|recitals|termination|subordination|construction|work letter|abatement)\b",
    )
});

/// The same for a lease, where an extension is an option; an amendment grants one.
pub(super) static EXTENSION_SECTION: LazyLock<Regex> = LazyLock::new(|| expression(r"\bextension\b"));

/// Headings that open with the term are of the term, whatever else they name: "Duration, extension and termination".
pub(super) static TERM_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^(?:the\s+)?(?:initial\s+|lease\s+|base\s+)?(?:term\b|duration|period\b|commencement|revised\s+(?:lease\s+)?term)",
    )
});

pub(super) static TERM_WORD: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)\b(?:terms?|initial\s+period|lease\s+period|duration|tenancy|letting)\b")
});

/// A lease that starts is as good as a term that does.
pub(super) static LETTING_STARTS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:this|the)\s+(?:lease|agreement|rental|contract)\s+(?:shall\s+|will\s+)?(?:starts?|begins?|commences?|runs?|(?:is|be)\s+for)\b",
    )
});

/// Cues that stand directly before the date of a start.
pub(super) static START_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)(?:\b(?:commenc(?:e|es|ed|ing)|begin(?:s|ning)?|start(?:s|ing)?)|\b(?:years?|months?)\s*,?\s*(?:with\s+effect|effective|the\s+first\s+day\s+of\s+which\s+is))\s*,?\s*(?:on|as\s+of|at|from|upon|effective)?\s*,?\s*(?:(?:and|but)\s+including,?\s+)?(?:(?:12:0[01]\s*a\.?m\.?|noon),?\s*(?:local\s+time\s*,?\s*)?(?:on\s+)?)?:?\s*(?:the\s+)?$",
    )
});

/// The term directly before a verb, so that an amount elsewhere in the sentence is of another matter: "for a term of
/// five (5) years to commence on".
pub(super) static TERM_DIRECTLY: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)\bterm\b[^.;:$\u{a3}\u{20ac}]{0,80}(?:\.\s+it\b[^.;:$\u{a3}\u{20ac}]{0,80})?$")
});

/// A sentence whose subject stands in the sentence before: "The term is sixty months. It begins on ...".
pub(super) static IT_RUNS: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^\W*it\s+(?:shall\s+|will\s+)?(?:begins?|commences?|starts?|runs?)\b"));

/// What may stand between a verb and the figures of its date: the day of the week, or the same date in words with the
/// figures in parentheses: "on Saturday,", "on the Tenth day of November Two Thousand and Twenty (".
pub(super) static BEFORE_FIGURES: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\s*,?\s*(?:the\s+)?|(?:the\s+)?[a-z]+(?:[\s-][a-z]+)?\s+day\s+of\s+(?:January|February|March|April|May|June|July|August|September|October|November|December),?\s+(?:(?:one|two)\s+thousand|nineteen\s+hundred|twenty)[a-z\s-]{0,30},?\s*\(\s*)$",
    )
});

/// The label of a field that holds the first day, where the field itself or the one above it names the term: "Lease
/// begins", "Term: 4 years" over "Commences".
pub(super) static FIELD_START: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:item\s+\d{1,2}\W+|\d{1,2}[.)]\s*)?(?:the\s+)?(?:(?:date|day)\s+(?:when|on\s+which)\s+(?:the\s+)?)?(?:(?P<term>lease|term|tenancy|letting|agreement|licen[cs]e)?\s*(?:commenc(?:es|ing|ement)|begin(?:s|ning)|starts?|starting)(?:\s+(?:date|on))?|(?P<from>(?:lease|term|tenancy)\s+from))\W*(?:the\s+)?$",
    )
});

/// The same of the last day.
pub(super) static FIELD_END: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:item\s+\d{1,2}\W+|\d{1,2}[.)]\s*)?(?:the\s+)?(?:(?:date|day)\s+(?:when|on\s+which)\s+(?:the\s+)?)?(?:(?P<term>lease|term|tenancy|letting|agreement|licen[cs]e)?\s*(?:expir(?:es|ing|y|ation)|ends?|ending|finish(?:es)?)(?:\s+(?:date|on))?|(?P<from>(?:lease|term|tenancy)\s+(?:to|until)))\W*(?:the\s+)?$",
    )
});

/// The label of a field that names the term.
pub(super) static TERM_FIELD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\W*(?:item\s+\d{1,2}\W+|\d{1,2}[.)]\s*)?(?:the\s+)?(?:lease\s+|fixed\s+|initial\s+)?term\b",
    )
});

/// The start as the name of a field or a definition: "Commencement Date: ...", ""Commencement Date" shall be ...".
pub(super) static START_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)(?P<kind>(?:[a-z]+ ){0,3})\b(?:(?:commencement|commencing|start(?:ing)?|beginning)\s+date|date\s+of\s+(?:commencement|entry)|(?:commencement|start|beginning)\s+of\s+(?:the\s+)?(?:lease|term|tenancy)|first\s+day\s+of\s+(?:the\s+)?term)(?:\s+of\s+(?:the\s+)?(?:initial\s+)?(?:lease\s+)?(?:term|lease))?\s*"?\s*\)?\s*(?::|-|\u{2013}|\u{2014})?\s*(?:(?:shall|will)\s+(?:be|mean)|means|mean|is|are|of(?:\s+the\s+term\s+is)?)?\s*(?:deemed\s+to\s+be\s+)?(?:on\s+)?(?:the\s+date\s+of\s+)?:?\s*(?:the\s+)?$"#,
    )
});

/// The start defined behind its date: "May 1, 2020 (the "Commencement Date")".
pub(super) static START_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)^\s*,?\s*\(?\s*(?:(?:sometimes|hereinafter|herein|being|referred\s+to\s+as|called|collectively)\s+)*(?:the\s+)?"\s*(?P<kind>(?:[a-z]+\s+){0,3})(?:commencement|start)\s+date\s*[,.]?""#,
    )
});

/// Cues that stand directly before the date of an end.
pub(super) static END_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:expir(?:e|es|ed|ing)|end(?:s|ing)?|terminat(?:e|es|ing))(?:\s+(?:automatically|by\s+operation\s+of\s+law))?|continu(?:e|es|ing)(?:\s+(?:in\s+effect|thereafter))?|extend(?:ed|s|ing)?|run(?:s|ning)?|through|until|thereafter|to\s+and\s+including)\s*,?\s*(?:at\s+)?(?:(?:midnight|noon|12:00\s*(?:o'clock\s*)?(?:midnight|noon)|11:59\s*p\.?m\.?|12:00\s*(?:midnight|a\.?m\.?)|5:00\s*p\.?m\.?|6:00\s*p\.?m\.?)\s*,?\s*(?:local\s+time\s*,?\s*)?)?(?:up\s+to|to|on|as\s+of|through|until|upon)?\s*,?\s*(?:(?:and|but)\s+including,?\s+|and\s+through\s+)?(?:midnight\s+on\s+|11:59\s*p\.?m\.?,?\s*(?:on\s+)?)?(?:the\s+)?$",
    )
});

pub(super) static END_NAMED: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)(?P<kind>(?:[a-z]+ ){0,3})\b(?:(?:expiration|expiry|termination|ending|end)\s+date|(?:expiration|expiry|end)\s+of\s+(?:the\s+)?(?:lease|term|tenancy)|(?:lease|term)\s+expiration|last\s+day\s+of\s+(?:the\s+)?term)(?:\s+of\s+(?:the\s+)?(?:initial\s+)?(?:lease\s+)?(?:term|lease))?\s*"?\s*\)?\s*(?::|-|\u{2013}|\u{2014})?\s*(?:(?:shall|will)\s+(?:be|mean)|means|mean|is|of(?:\s+the\s+term\s+is)?)?\s*(?:deemed\s+to\s+be\s+)?(?:on\s+)?:?\s*(?:midnight\s+on\s+|11:59\s*p\.?m\.?,?\s*(?:on\s+)?)?(?:the\s+)?$"#,
    )
});

pub(super) static END_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)^\s*,?\s*\(?\s*(?:(?:sometimes|hereinafter|herein|being|referred\s+to\s+as|called|collectively)\s+)*(?:the\s+)?"\s*(?P<kind>(?:[a-z]+\s+){0,3})(?:expiration|expiry|termination|end)\s+date\s*[,.]?""#,
    )
});

/// A definition of either date, wherever its date stands.
pub(super) static DEFINED_START: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)"\s*(?:the\s+)?(?:lease\s+|term\s+|initial\s+)?commencement\s+date\s*[,.]?"|(?:^|\t|\n)\s*(?:[0-9a-z]{1,3}[.)]\s*)?(?:lease\s+|term\s+)?commencement\s+date\s*:"#,
    )
});

pub(super) static DEFINED_END: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r#"(?i)"\s*(?:the\s+)?(?:lease\s+|term\s+|initial\s+)?(?:expiration|termination|expiry)\s+date\s*[,.]?"|(?:^|\t|\n)\s*(?:[0-9a-z]{1,3}[.)]\s*)?(?:lease\s+|term\s+)?(?:expiration|termination)\s+date\s*:"#,
    )
});

/// A start that may move after the date was printed: "If ..., the Commencement Date shall be the date of delivery".
pub(super) static START_MAY_MOVE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bcommencement\s+date\b[^.;]{0,60}?\b(?:shall|will|may)\s+(?:\w+\s+)?be\s+(?:deemed\s+)?(?:to\s+be\s+)?(?:\w+\s+)?(?:postponed|delayed|extended|adjusted|changed|deferred|moved|revised|the\s+(?:date|day|later|earlier|first\s+day)|such\s+(?:date|later|earlier))",
    )
});

/// A term that may move after its dates were printed: "the beginning of the term is postponed until it is ready".
pub(super) static TERM_MAY_MOVE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:beginning|start|commencement|term)(?:\s+(?:and|or)\s+(?:the\s+)?(?:end|expiration|expiry))?(?:\s+of\s+(?:the|this)\s+(?:term|lease|tenancy))?\s+(?:is|are|shall\s+be|will\s+be|may\s+be)\s+(?:\w+\s+)?(?:postponed|delayed|deferred|moved)\b|\bterm\s+(?:shall|will)\s+(?:instead\s+|then\s+)?(?:run|begin|commence|start)\b(?:[^.;]{0,60}?\b(?:from|on|with|upon|as\s+of)\s+the\s+(?:day|date|time|moment)\s+(?:on\s+which|when|that)\b|[^.;]{0,80}?\binstead\b)|\b(?:both|these|those|the|said)\s+dates\s+(?:shall\s+|will\s+|may\s+)?(?:(?:are|be)\s+)?(?:moves?|moved|shift\w*|postponed|slip)\b",
    )
});

/// A start in the term clause that names no date: "shall commence on the date Landlord delivers ...".
pub(super) static STARTS_WITHOUT_DATE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bterm\b[^.;]{0,120}?\b(?:commence|begin|start|run\s+from)\w*\s+(?:on|upon|as\s+of|from|with)?\s*(?:the\s+)?(?:earlier|later|earliest|latest|date\s+(?:on|upon|that|of|when|hereof|landlord|lessor|tenant|lessee|sublandlord|sublessor|possession)|closing|delivery|substantial|completion|day\s+(?:on|after|following)|first\s+(?:business\s+)?day\s+(?:after|following|of\s+the\s+(?:first\s+)?(?:full\s+)?(?:calendar\s+)?month))",
    )
});

pub(super) static MONTHS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:term|period)\b[^.;$]{0,60}?\b(?:of|is|be|:|for)\s+(?:approximately\s+)?(?:(?P<words>[a-z]+(?:[\s-][a-z]+){0,3}?)\s+)?(?:\(\s*)?(?P<digits>\d{1,4})\s*\)?\s*(?:full\s+|consecutive\s+|calendar\s+)*(?P<unit>months?|years?)\b(?P<behind>[^.;]{0,50})",
    )
});

/// A length in words alone: "a term of five years".
pub(super) static WORDED_MONTHS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bterm\b[^.;$]{0,30}?\b(?:of|is|be)\s+(?P<words>(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine|hundred|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)){0,3})\s+(?:full\s+|consecutive\s+|calendar\s+)*(?P<unit>months?|years?)\b(?P<behind>[^.;]{0,50})",
    )
});

/// Words before a length that make it another term than the one that is granted: "one further term of five years".
pub(super) static FURTHER_TERM: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)\b(?:one|two|three|another|further|additional|successive)\s+$"));

/// The months of "five (5) years and two (2) months".
pub(super) static FURTHER_MONTHS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\s*,?\s*(?:and\s+)?(?:[a-z]+(?:-[a-z]+)?\s+)?\(?\s*(?P<digits>\d{1,2})\s*\)?\s*(?:full\s+|calendar\s+)*months?\b",
    )
});
