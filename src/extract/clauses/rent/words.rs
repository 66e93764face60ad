//! Words by which leases speak of rent, of its period, and of what is not rent.

pub(super) use crate::extract::expression;
use crate::lease::DocumentKind;
use regex::Regex;
use std::sync::LazyLock;

/// Words that make a passage one about the base rent.
pub(super) static BASE_RENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:annual|monthly|yearly)\s+)?(?:base|basic|minimum|fixed|guaranteed|net|contractual|initial|principal|passing)\s+(?:annual\s+|monthly\s+|yearly\s+)?rent(?:al)?s?\b|\x22rent\x22\s+means\b|\bthe\s+rent\s+means\b|\b(?:annual|monthly|yearly)\s+(?:installments?\s+of\s+)?(?:base\s+|basic\s+|minimum\s+|fixed\s+)?rent(?:al)?s?\b",
    )
});

/// Words that make a figure in running text rent of some kind.
pub(super) static RENT: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\brent(?:al)?s?\b"));

/// Words near a figure that make it another charge, or the rent of another time or space.
pub(super) static OTHER_CHARGE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:abat\w*|additional\s+rent|estimated|estimate|options?|renewal|extension\s+(?:option|term)|holdover|holding\s+over|percentage|(?:greater|lesser|higher|lower)\s+of|gross\s+sales|deposit|parking|storage|signage|antenna|credit\w*|allowance|increas\w*|reduc\w*|tax(?:es)?|insurance|operating|maintenance|cam\b|contributions?|charges?|fees?|dues|promotion\w*|marketing|common\s+area|default|liquidated|utilit\w+|janitor\w*|management\s+fee|fair\s+market|exceed\w*|example|administrative|temporary|amorti[sz]\w*|reimburs\w*|broker\w*|commission|improvement\w*|(?:master|prime|over|head|ground|existing|original)\s?-?lease|under\s+the\s+(?:\w+\s+)?lease|currently|presently|is\s+now|now\s+(?:rents?|pays?)|heretofore|previous\w*|prior|(?:may|right\s+to|elects?\s+to|privilege\s+of)\s+(?:extend|renew)|renewing)\b",
    )
});

/// Words near a table that make it another charge, or the rent of another time. An abatement is no such word:
/// many tables follow one.
pub(super) static OTHER_TABLE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:additional\s+rent|estimated|options?|renewal|extension\s+(?:option|term)|holdover|holding\s+over|percentage\s+rent|deposit|parking|storage|signage|operating|common\s+area|utilit\w+|fair\s+market|example|temporary|amorti[sz]\w*|allowance|(?:master|existing|original|superior)\s+lease|under\s+the\s+(?:\w+\s+)?lease|currently|presently|is\s+now|previous\w*|renewing)\b",
    )
});

/// Headings of sections that speak of the rent of another time or space.
static OTHER_TIME_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:options?|renewal|holdover|holding over|right of first|rights? to (?:extend|renew)|expansion|sublet\w*|assignment)\b",
    )
});

/// Headings of sections that speak of another charge, unless they name the base rent too.
static OTHER_CHARGE_SECTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:parking|storage|additional rent|operating|insurance|taxes|utilities|default|remedies|deposit|late|signs?|signage)\b",
    )
});

/// Words of the term that an amendment grants; in a lease they are those of an option.
static GRANTED_TERM: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:first|second|third|fourth)\s+)?(?:(?:extension|extended|renewal|renewed)\s+(?:term|period)|renewal|in\s+place\s+of\s+any\s+other\s+amount\s+in\s+the\s+existing\s+lease)\b",
    )
});

/// A passage without the words that name the granted term of an amendment.
pub(super) fn without_granted_term(passage: &str, kind: DocumentKind) -> std::borrow::Cow<'_, str> {
    if kind == DocumentKind::Amendment { GRANTED_TERM.replace_all(passage, " ") } else { passage.into() }
}

pub(super) fn is_other_section(heading: &str) -> bool {
    OTHER_TIME_SECTION.is_match(heading)
        || (OTHER_CHARGE_SECTION.is_match(heading) && !BASE_RENT.is_match(heading))
}

/// Another period than a month or a year, which "annual" in "semi-annual" would hide.
pub(super) static OTHER_PERIOD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:semi-?\s?annual\w*|bi-?\s?annual\w*|half-?\s?year\w*|quarter(?:ly|s)?|per\s+quarter|weekly|bi-?\s?monthly|semi-?\s?monthly|bi-?\s?weekly|per\s+week|daily|per\s+(?:day|diem)|six\s+months|three\s+months)\b",
    )
});

/// A rate for something other than the whole premises: "$50.00 per month per space".
pub(super) static PER_PIECE: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)^[^.;$]{0,40}?\b(?:month|year|annum)\s+(?:per|for\s+each|for\s+every|each)\s+")
});

/// Words that make an amount paid each month a part of a yearly one.
pub(super) static OF_A_YEAR: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:install?ments?|annual\w*|years?|yearly|total|aggregate|rent\s+for\s+the\s+(?:entire\s+|whole\s+|initial\s+)?term)\b",
    )
});

pub(super) static MONTHLY_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*,?\s*(?:\([^)]{0,80}\)\s*)?(?:USD|EUR|dollars|sterling)?\s*,?\s*(?:(?:plus|excluding|exclusive\s+of)\s+(?:GST|VAT|HST)\s*,?\s*)?(?:per\s+(?:calendar\s+)?month|/\s?(?:month|mo\b)|a\s+month|monthly|p\.?m\.?\b|(?:for\s+)?each\s+(?:and\s+every\s+)?(?:calendar\s+)?month|for\s+every\s+(?:calendar\s+)?month)",
    )
});

pub(super) static ANNUAL_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*,?\s*(?:\([^)]{0,80}\)\s*)?(?:USD|EUR|dollars|sterling)?\s*,?\s*(?:(?:plus|excluding|exclusive\s+of)\s+(?:GST|VAT|HST)\s*,?\s*)?(?:per\s+(?:annum|year|lease\s+year)|/\s?(?:year|yr|annum)|a\s+year|annually|(?:for\s+)?(?:each|every)\s+(?:lease\s+)?year|p\.?a\.?\b)",
    )
});

pub(super) static MONTHLY_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:monthly\s+(?:base\s+|basic\s+|minimum\s+|fixed\s+|net\s+)?(?:rent(?:al)?|install?ments?|payments?)|(?:base|basic|minimum|fixed)\s+monthly\s+rent(?:al)?)\b(?:[^$€£;.]|\.{2,}){0,110}$|\brent(?:al)?\s+(?:each|every|per|a)\s+(?:calendar\s+)?month\s*:?\s*\.*\s*$",
    )
});

pub(super) static ANNUAL_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:(?:annual|yearly)\s+(?:base\s+|basic\s+|minimum\s+|fixed\s+|net\s+)?rent(?:al)?|(?:base|basic|minimum|fixed)\s+annual\s+rent(?:al)?)\b(?:[^$€£;.]|\.{2,}){0,110}$|\brent(?:al)?\s+(?:each|every|per|a)\s+year\s*:?\s*\.*\s*$|\b(?:yearly|annually)\b[^$€£;.]{0,60}\bthe\s+(?:\w+\s+)?rent\s+of\s*$",
    )
});

/// "The rent, on a yearly basis, is ...": the period stands apart from the figure.
pub(super) static ON_A_BASIS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bon\s+an?\s+(?:(?P<month>monthly)|annual|yearly)\s+basis\s*,?\s*(?:is|amounts?\s+to|of|equal\s+to|shall\s+be)?[^$€£;.]{0,30}$",
    )
});

/// A year's rent that is paid in parts: a figure without its own period may be the whole or a part.
pub(super) static IN_PARTS: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:annual\w*|yearly|year|annum)\b.*\b(?:install?ments?|payments?|parts?|halves|portions?)\b|\b(?:install?ments?|payments?|parts?|halves|portions?)\b.*\b(?:annual\w*|yearly|year|annum)\b|\b(?:annual|yearly)\b.*\bmonthly\b|\bmonthly\b.*\b(?:annual|yearly)\b|\b(?:two|three|four|six|twelve|sixty|\d{1,2})\s+(?:equal\s+)?(?:halves|parts|portions|install?ments|payments)\b|\b(?:paid|payable|due)\s+on\s+an?\s+monthly\s+basis\b",
    )
});

/// Words by which a figure is a month's part, whatever stands before them.
pub(super) static MONTHLY_PART_OF: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bmonthly\s+(?:install?ments?|payments?)\s+(?:\(?each\)?\s+)?(?:of|equal\s+to|in\s+the\s+(?:amount|sum)\s+of)\s*(?:[a-z][a-z\s,-]*(?:\d{1,2}/100|no/100)?\s*dollars\s*)?\(?\s*$",
    )
});

/// Words directly before a figure that make it a bound, a guess or a part.
pub(super) static QUALIFIED_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:up\s+to|not?\s+(?:less|more|lower|higher)\s+than|at\s+(?:least|most)|(?:a|its|their)\s+share\s+of|each\s+of|from|between|approximately|about|roughly|minus|plus|below|above|exceeding)\s+[^\d$€£]{0,12}$|\bby\s+(?:[A-Z]{2,3})?$|\d\s*(?:to|or|-|\u{2013}|\+)\s*$",
    )
});

/// Words in the sentence before a figure by which it is not, or no more, to be paid.
pub(super) static NOT_PAID: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:no\s+longer|waives?|waived|forgiv\w+|(?:was|were|has\s+been|had\s+been)\s+(?:due|paid|payable)|former(?:ly)?|used\s+to\s+pay|instead\s+of|in\s+place\s+of|aggregate|total\s+(?:base\s+)?rent|(?:per\s?cent|one-?\s?half|half|one-?\s?third)\s+of|each\s+of|(?:landlord|lessor|owner)\s+(?:itself\s+)?(?:pays?|shall\s+pay)|were\s+(?:base\s+)?rent|would\s+be)\b|%\s+of\b",
    )
});

/// What directly behind a figure makes it a range, a product or a sum.
pub(super) static QUALIFIED_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*(?:(?:to|or|-|\u{2013}|\u{2014})\s*(?:US|CA)?[$€£]\s?\d|[\u{d7}x*+]\s*[$€£]?\s?\d)|^[^.;]{0,60}?\bplus\s+(?:[a-z]+\s+){0,4}[$€£]\s?\d|^[^.;$€£]{0,40}\b(?:\d{1,2}|[a-z]+)\s+days\b",
    )
});

/// A step that is not the first, beside its figure.
pub(super) static LATER_STEP: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b(?:\s+\w+){0,3}?\s+(?:lease\s+)?years?\b|\b(?:years|lease\s+year)\s+(?:[2-9]|\d{2})\b|\bmonths\s+(?:[2-9]|\d{2,3})\b",
    )
});

/// A space of its own that a figure is for.
pub(super) static FOR_A_SPACE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^[^.;$€£]{0,40}\bfor\s+(?:the\s+)?(?:\w+\s+){0,2}(?:floors?|suites?|units?|space|warehouse|offices?|mezzanine|buildings?|rooms?)\b",
    )
});

/// What an amount is counted by, where that is no time: "per desk", "for each room".
pub(super) fn is_per_unit(behind: &str) -> bool {
    static BY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:per|for\s+each|for\s+every|on\s+each\s+of\s+the)\s+(?:of\s+the\s+)?(?P<unit>[a-z0-9]+)",
        )
    });
    const TIMES: &[&str] = &[
        "month",
        "months",
        "calendar",
        "full",
        "such",
        "successive",
        "consecutive",
        "year",
        "years",
        "annum",
        "lease",
        "and",
        "period",
        "monthly",
        "quarter",
        "week",
        "day",
        "diem",
        "installment",
        "instalment",
        "cent",
        "of",
        "the",
    ];
    let near = behind.split(['.', ';', '$']).next().unwrap_or_default();
    BY.captures_iter(near).any(|found| !TIMES.contains(&found["unit"].to_lowercase().as_str()))
}

pub(super) static QUARTERLY_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?\s*,?\s*(?:\([^)]{0,80}\)\s*)?(?:per\s+(?:calendar\s+)?quarter|/\s?quarter|a\s+quarter|quarterly|each\s+(?:calendar\s+)?quarter)\b",
    )
});

/// What stands between the days of a step.
pub(super) static UNTIL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\s*,?\s*(?:-|\u{2013}|\u{2014}|to|through|thru|until|till|and\s+(?:ending|continuing)(?:\s+\w+)?)(?:\s+and\s+including)?\s*$",
    )
});

/// Words of a term that may never be: its rent is not that of the lease.
pub(super) static RENEWAL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:renew(?:s|al|ing|ed)?|option\s+(?:to|term|period)|extension\s+term|may\s+extend|(?:such|a|any|the)\s+further\s+(?:period|term))\b",
    )
});

/// Words before a figure, in its sentence, by which it is to be paid from a later time on, or was until an earlier one.
pub(super) static ANOTHER_TIME_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bfor\s+the\s+(?:rest|remainder|balance)\s+of\s+(?:the|said|this|its)\s+(?:\w+\s+)?term\b|\b(?:on|from|after|upon)\s+(?:and\s+after\s+)?(?:the|each)\s+\w+\s+anniversary\b|\b(?:rises?|increases?|falls?|steps?\s+up|goes\s+up)\s+to\s+[^$€£;.]{0,60}$|\b(?:months?|years?)\s+(?:following|after|from)\s+the\s+(?:commencement|beginning|start)\b",
    )
});

/// Past tense of a lease that is over. What is "fully complete and ended" ends only then.
static ENDED: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)(?P<to_come>\b(?:completed?|finished)\s+and\s+(?:fully\s+)?)?\b(?:ended|expired)\b")
});

/// Whether a sentence speaks of a time that is over.
pub(super) fn is_of_ended_time(sentence: &str) -> bool {
    ENDED.captures_iter(sentence).any(|found| found.name("to_come").is_none())
}

/// A sentence that begins with a condition: what it says holds only if that comes true.
pub(super) static BEGINS_WITH_IF: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^[^a-z]*(?:\d[\d.]*\s*)?(?:if|should|in\s+the\s+event)\b"));

/// Words by which a rent is of one space among several, or comes to another: "Suite 12 Base Rent", "further base rent".
pub(super) static RENT_OF_A_SPACE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:suite|unit|floor|building)\s+[\w.-]*\d[\w.-]*\s+(?:base|basic|minimum|fixed)\s+rent\b|\b(?:further|additional|extra)\s+(?:monthly\s+|annual\s+)?(?:base|basic|minimum)\s+rent\b|\b(?:suite|unit|floor|space)\b[^.;,]{0,20},?\s+for\s+which\b",
    )
});

/// A document's own word for the rent that is meant here.
pub(super) static NAMED_BASE_RENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:base|basic|minimum|fixed|guaranteed|initial|principal|passing)\s+(?:annual\s+|monthly\s+)?rent(?:al)?s?\b|\x22rent\x22\s+means\b|\bthe\s+rent\s+means\b|\bnet\s+rent(?:al)?\b",
    )
});

/// "... ($5,000.00), in advance, on or before the first day of each month" says that the amount is a month's.
pub(super) static PAID_EACH_MONTH: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^\)?[^$€£;]{0,140}?\b(?:(?:of|for)\s+each\s+(?:and\s+every\s+)?(?:calendar\s+)?month|first\s+(?:day\s+)?of\s+each\s+month)\b",
    )
});

/// What a row of a rent table begins with: a period of time.
pub(super) static PERIOD_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:months?|years?|lease\s+year|period|commencement|thereafter|through)\b|\d{1,2}/\d{1,2}/\d{2,4}|\b\d{1,3}\s*(?:-|\u{2013}|\u{2014}|to)\s*\d{1,3}\b|\b(?:19|20)\d{2}\b",
    )
});

/// Words of a label or a sentence by which a figure is no rent that is agreed for the first period of the whole premises.
pub(super) static UNSURE_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\b(?:market|maximum|average|straight-?line|budgeted|proposed|sublease|quoted|asking|temporary|regular)\s+(?:reduced\s+)?(?:monthly|annual|base|rent)|\bquoted\s+in\b|\bfinal\s+lease\s+year|\bfully\s+stepped|\bat\s+expiry|\(\s*per\s+(?:suite|floor|unit)|,\s*each\s*\)|\b(?:each|every)\s+tenant\b|\blast\s+year\s+of\s+the\s+term|\bfirst\s+month's?\b|\bprorated\b|\bproportionate\s+share|\bwhile\s+any\b|\blease\s+years?\s+(?:[2-9]|two|three)\b|\(\s*year\s+(?:[2-9]|two|three)|\bsecond\s+lease\s+year|\b(?:second|third|thirteenth|twenty-fifth)\s+month\b|\bfirst\s+anniversary|\badjustment\s+date|\bafter\s+substantial|\bshall\s+cause\s+its|\bunless\s+that\b|\bground\s+lessor\b|\bas\s+revised\b|\b(?:with|incl(?:\.|uding|usive\s+of)?)\s+(?:GST|VAT|HST|sales\s+tax)\b|\d\s*@\s*$|~\s*$|\balternative\s+[a-c]\b",
    )
});

/// What directly behind a figure, on its line, leaves it open or makes it one of several.
pub(super) static UNSURE_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^[^.;\n]{0,30}?(?:\?|\btbc\b|\bto\s+be\s+confirmed|\bto\s+confirm\b|\bnot\s+agreed|'s\s+ask\b|\bea\.|\bnow\s+(?:[A-Z]{2,3})?[$€£]|[/&]\s?(?:[A-Z]{2,3})?[$€£]\s?\d|\s-\s?\d{1,2}\s?%|\bdiscounted\b)|^[^.;\n]{0,40}\b(?:in\s+the\s+months\s+of|split\s+(?:evenly|between)|x\s+\d+\s+(?:suites|units|floors)|being\s+the\s+amount|subject\s+to\s+the\s+reduction|increased\s+by|every\s+two\s+months|is\s+charged\s+separately|stricken)\b",
    )
});

/// Words before a figure by which it is a guess or no payment of the tenant's, even where a second figure proves its period.
pub(super) static NEVER_PAID: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bwould\s+be\b|\b(?:approximately|about|roughly)\s+[^\d$€£]{0,6}$|\b(?:landlord|lessor|owner)\s+(?:itself\s+)?(?:pays?|shall\s+pay)\b",
    )
});
