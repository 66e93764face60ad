//! Names beside those of the parties, and a second letting.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{IF, Known, OTHER_CHARGE, TABLE_LINE_MAX_BYTES, is_sentence, sentence};
use crate::extract::clauses::Reading;
use crate::extract::clauses::names::company_at_end;
use crate::extract::text::floor_boundary;
use crate::extract::{dates, expression};
use crate::lease::DocumentKind;

/// Most lines between a name and the line on which it signs.
const SIGNER_REACH_LINES: usize = 4;

/// How far before a legal form its name may begin, in bytes.
const NAME_REACH_BYTES: usize = 120;

/// A company beside words of the letting that is none of the parties.
pub(super) fn other_company(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"\b(?:Inc|INC|Incorporated|LLC|L\.L\.C|Ltd|LTD|Limited|LIMITED|Corp|CORP|Corporation|CORPORATION|LLP|PLLC|PLC|plc|GmbH)\b\.?",
        )
    });
    static OF_THE_LETTING: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:tenants?|lessees?|co-?tenants?|assign(?:s|ed|ee)?|successor|merg\w+|renamed|replaced|occup(?:ies|ied|ants?)|leases?|lets?|rents?)\b",
        )
    });
    static OTHER_ROLE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:brokers?|agents?|guarant\w+|lenders?|mortgag\w+|banks?|insur\w+|contractors?|architects?|manag\w+|franchis\w+|prior|former\w*|previous\w*|predecessor|attention|attn|copy|copies|c/o|escrow|title|adjacent|adjoining|neighbou?r\w*|parent|affiliat\w+|subsidiar\w+|notices?|trade\s?marks?|software|form|published|owner|developer|supplier|vendor|utilit\w+|member|partner|by\s*:|payable\s+to|surety|bond|societ(?:y|ies)|association|authority)\b",
        )
    });
    let flow = reading.flow();
    // What a sublease or an amendment recites names the parties of other papers.
    FORM.find_iter(flow)
        .filter(|form| !reading.is_in_recitals(form.start()) && known.kind != DocumentKind::Sublease)
        .filter_map(|form| {
            let from = floor_boundary(flow, form.start().saturating_sub(NAME_REACH_BYTES));
            let (at, party) = company_at_end(&flow[from..form.end()])?;
            (party.legal && !known.is_party(&party.name)).then_some(from + at..form.end())
        })
        .map(|found| {
            // A name on a line of its own, as on a cover, is not of the sentence behind it.
            let line = reading.text.line_at(found.start);
            let words = reading.text.lined().get(line.clone()).unwrap_or_default();
            let is_alone = found.end <= line.end && words.len() <= NAME_REACH_BYTES && !is_sentence(words);
            let sentence = if is_alone { line } else { sentence(reading, &found) };
            let from = floor_boundary(flow, found.start.saturating_sub(NAME_REACH_BYTES)).max(sentence.start);
            let to = floor_boundary(flow, found.end + NAME_REACH_BYTES).min(sentence.end).max(found.end);
            from..to
        })
        .find(|near| {
            let words = reading.text.slice(near);
            OF_THE_LETTING.is_match(words) && !OTHER_ROLE.is_match(words) && !IF.is_match(words)
        })
}

/// A name that stands under the tenant's label, or beside it, and is not the tenant's.
pub(super) fn other_tenant(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*(?:\d+[.)]\s*)?(?:tenant|lessee)(?:s|\(s\))?(?:'?s?\s+name)?\s*:\s*(?P<value>\S.*)$",
        )
    });
    static OF_AN_ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\d|[:@_]|\b(?:street|st|road|avenue|ave|suite|floor|box|attn|attention|care|state|county|by|its|d/b/a|dba|trading|premises|term|rent|lease|date|landlord|lessor|guarantor|witness\w*|title|name|president|director|manager|signature|agent|email|phone|tel)\b",
        )
    });
    static SIGNS: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\bby\b|/s/"));
    let names_another = |words: &str| {
        let words = words.trim().trim_start_matches("and ").trim_start_matches("& ");
        let words = words.split([',', ';', '(']).next().unwrap_or_default().trim();
        let count = words.split_whitespace().count();
        (2..=6).contains(&count)
            && !OF_AN_ADDRESS.is_match(words)
            && words.split_whitespace().all(|word| {
                word.starts_with(|first: char| first.is_uppercase() || first == '&')
                    || matches!(word, "of" | "and")
            })
            && !known.is_party(words)
    };
    let mut lines = reading.text.lines().take_while(|(start, _)| *start < reading.scope.end).peekable();
    while let Some((start, line)) = lines.next() {
        let Some(found) = LABEL.captures(line) else { continue };
        let value = &found["value"];
        // Who signs for the tenant is none.
        if !known.is_named_in(value) || SIGNS.is_match(value) || value.starts_with("For ") {
            continue;
        }
        // An address goes on in the next line.
        let is_whole = value.trim_end().ends_with(|last: char| last.is_alphabetic() || last == '.');
        let beside = value.split([',', ';']).skip(1).any(&names_another);
        let below = is_whole
            && lines
                .peek()
                .is_some_and(|(_, next)| next.len() <= TABLE_LINE_MAX_BYTES && names_another(next));
        if beside || below {
            return Some(start..start + line.len());
        }
    }
    None
}

/// Somebody who signs as the tenant and is none.
pub(super) fn other_signer(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    const NAME: &str = r"(?P<name>[A-Z][\w.'-]+(?:[ \t]+[A-Z][\w.'-]*){1,3})";
    static AS_TENANT: LazyLock<Regex> = LazyLock::new(|| {
        expression(&format!(
            r"(?m)^[\W_]*{NAME}[ \t]*[,(\u{{2013}}-]+[ \t]*(?i:co-?)?(?i:tenant|lessee)\)?[\W_]*$"
        ))
    });
    // Names and the lines to sign on, one behind the other: they sign for one side.
    static IN_A_ROW: LazyLock<Regex> = LazyLock::new(|| {
        expression(&format!(
            r"(?m)^[\W_]*{NAME}[ \t]*_{{4,}}[ \t]*(?P<other>[A-Z][\w.'-]+(?:[ \t]+[A-Z][\w.'-]*){{1,3}})[ \t]*_{{4,}}"
        ))
    });
    let lined = reading.text.lined().get(..reading.scope.end).unwrap_or_default();
    let as_tenant = AS_TENANT.captures_iter(lined).find(|found| !known.is_party(&found["name"]));
    let in_a_row = || {
        IN_A_ROW
            .captures_iter(lined)
            .find(|found| known.is_party(&found["name"]) != known.is_party(&found["other"]))
    };
    let in_pattern = as_tenant.or_else(in_a_row).and_then(|found| Some(found.get(0)?.range()));
    in_pattern.or_else(|| other_name_signed(reading, known))
}

/// A line among the signatures with the name of a company that is no party, or with somebody who signs for himself.
fn other_name_signed(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static SIGNS: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)^\W*(?:by|signed|signature)\s*:|/s/|^\s*_{5,}"));
    static COMPANY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^[\W_]*(?:(?i:and|tenant|lessee)\W+)?[A-Z0-9][\w.&' -]{1,60}?,?\s(?:Inc|INC|LLC|L\.L\.C|Ltd|LTD|Limited|LIMITED|Corp|CORP|Corporation|PLC|plc|LP|L\.P|LLP|PLLC)\.?(?:\s*,\s*(?i:as\s+(?:an?\s+|the\s+)?(?:co-)?(?:tenant|lessee)))?[\W_]*$",
        )
    });
    static ALONE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)^\W*[A-Z][\w.'-]+(?:\s+[A-Z][\w.'-]*){1,3},?\s+(?:\()?individually\b|^\W*co-?(?:tenant|lessee)\W*$",
        )
    });
    static OF_OTHERS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:guarant\w*|witness\w*|attest|notary|agent|broker\w*|consent\w*|lender|mortgagee|acknowledg\w+|prepared|c/o|copy|notices?|address|d/?b/?a|master|prime|head|exhibit|schedule|form)\b",
        )
    });
    static ITS: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\b(?:its|by|general\s+partner)\b"));
    let lines: Vec<(Range<usize>, &str)> =
        reading.lines().filter(|(_, line)| !line.trim().is_empty()).collect();
    let first =
        lines.iter().position(|(range, line)| range.start > reading.scope.end / 2 && SIGNS.is_match(line))?;
    let from = first.saturating_sub(SIGNER_REACH_LINES);
    // Behind the last line to sign on other papers begin.
    let last = lines.iter().rposition(|(_, line)| SIGNS.is_match(line))?;
    let block = lines.get(from..=last)?;
    block.iter().enumerate().find_map(|(number, (range, line))| {
        let near = block.get(number.saturating_sub(2)..=number)?;
        let signs_below =
            block.get(number + 1..)?.iter().take(SIGNER_REACH_LINES).any(|(_, line)| SIGNS.is_match(line));
        let is_other = (COMPANY.is_match(line) && signs_below && !known.is_named_in(line))
            || (ALONE.is_match(line) && !known.is_named_in(line));
        (is_other && !ITS.is_match(line) && !near.iter().any(|(_, line)| OF_OTHERS.is_match(line)))
            .then(|| range.clone())
    })
}

/// Words by which somebody else than the party that is named is the tenant, or is a tenant beside it.
pub(super) fn another_as_tenant(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    static ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
        const TENANT: &str = r"(?:tenant|lessee|resident)";
        expression(&format!(
            r"(?i)\bas\s+(?:a\s+|the\s+)?(?:second|additional|further|joint)\s+{TENANT}\b|\bwho\s+(?:alone\s+)?is\s+the\s+{TENANT}\b|\b(?:be|becomes?)\s+the\s+{TENANT}\s+in\s+(?:its|his|her|their)\s+(?:place|stead)\b|\b(?:company|corporation|entity|firm)\s+(?:yet\s+)?to\s+be\s+(?:formed|named|designated)\b|\b(?:acts?|signs?|takes?)\s+(?:\w+\s+){{0,3}}(?:solely|only|merely)\s+as\s+(?:an?\s+)?(?:agent|nominee)\b|\bwhose\s+lease\s+this\s+is\b|\bbilling\s+agent\b|\ba\s+trade\s+name\s+of\b|\bpersonally\s*\(\s*\x22{TENANT}|\b{TENANT}s?\s+on\s+this\s+lease\s*:|\btook\s+over\s+(?:the\s+)?lease\b|\bjoins\b[^.;]{{0,60}}\bas\s+(?:an?\s+)?(?:\w+\s+)?(?:{TENANT}|occupant)\b|\beach\s+(?:is\s+)?(?:responsible|liable)\s+for\s+the\s+whole\b|\(\s*{TENANT}\s*\)\s+and\s+(?:wife|husband|spouse|partner)\b|\blegal\s+(?:entity|name)\s+is\b|\broommate\s+release\b"
        ))
    });
    // Who acts for the landlord, or lets for it, is no tenant.
    static OF_AN_AGENT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:broker\w*|managing\s+agent|leasing\s+agent|manager|agent\s+(?:for|of)\s+(?:the\s+)?(?:landlord|lessor|owner))\b",
        )
    });
    static FOR_THE_WHOLE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)\bfor\s+the\s+whole$"));
    // An assignment that may come to pass makes another the tenant.
    static ASSIGNS: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\b(?:if|unless|should|event|(?-i:may)|assign\w*|transfer\w*|whenever)\b")
    });
    // Those who are named together are each liable.
    let are_several = known.tenant.is_some_and(|name| name.contains(" and "));
    ANOTHER
        .find_iter(reading.flow())
        .filter(|found| !(are_several && FOR_THE_WHOLE.is_match(found.as_str())))
        .map(|found| sentence(reading, &found.range()))
        .find(|sentence| {
            let words = reading.text.slice(sentence);
            !ASSIGNS.is_match(words) && !OF_AN_AGENT.is_match(words)
        })
}

/// A second grant of premises in one paper.
pub(super) fn second_grant(reading: &Reading<'_>) -> Option<Range<usize>> {
    static GRANT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:landlord|lessor)\s+(?:hereby\s+)?(?:leases?|lets|demises)\s+(?:and\s+\w+\s+)?(?:un)?to\s+(?:the\s+)?(?:tenant|lessee)\b",
        )
    });
    GRANT.find_iter(reading.flow()).nth(1).map(|found| sentence(reading, &found.range()))
}

/// A label among those of the values that no lease's summary has: a remark, a status, a discount.
pub(super) fn other_label(reading: &Reading<'_>, known: &Known<'_>) -> Option<Range<usize>> {
    // A line of a table of contents: a heading and the number of its page.
    static CONTENTS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^\W*(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s|(?i:article|section|exhibit|schedule|appendix)\s|[^a-z\t]{4,})[^$%]{0,90}[\t .]\d{1,3}\s*$",
        )
    });
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^\W*(?:\d{1,2}(?:\.\d{1,2})?[.)]?\s*)?(?P<label>[A-Z][\w '/&().,#-]{1,48}?)\s*(?::\s|\t)\s*\S",
        )
    });
    static KNOWN: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:letters|registered|contents|inventory|facsimile|fax|tele\w+|phone|e-?mail|attention|attn|website|landlords?|lessors?|tenants?|lessees?|sub-?\w*|owner|parties|between|licen[cs]\w+|occup(?:ier|ants?)|resident|premises|property|address\w*|suite|unit|building|location|site|lot|center|centre|project|land|terms?|tenancy|commence\w*|expir\w*|terminat\w*|start\w*|end\w*|begin\w*|dates?|dated|from|to|period|year|years|months?|rent\w*|fixed|base|basic|minimum|annual|monthly|deposit|bond|security|use\w*|purpose|insurance|guarant\w+|broker\w*|agent\w*|notices?|phone|tel\w*|fax|e-?mail|attn|attention|parking|area|size|square|sq|rentable|share|percentage|cam|operating|expenses?|taxes?|utilities|outgoings|rates|gst|vat|hst|late|fee|fees|pets?|options?|renew\w*|type|payment|payable|pay|due|sign\w*|by|name|title|its|lease|no|number|id|file|ref\w*|currency|interest|keys?|furnish\w*|review\w*|allowance|improvements?|repair\w*|maintenance|service|charges?|director|secretary|per|parts?|dwelling|total|nnn|estimated|escalat\w*|increase\w*|adjust\w*|schedule|exhibit|section|article|witness\w*|state|county|province|country|form|page|copy|law|hours|possession|delivery|execut\w*|made|effective|particulars|item|permitted|holdover|surety|sum|amount|bank|account|note|notes|entity|trade|business|company|registration|acn|abn|in|and|of|for|at)\b",
        )
    });
    // A day of the term may stand under any name.
    let are_days_known = |line: &str| {
        let days = dates::find(line, reading.date_order);
        !days.is_empty() && days.iter().all(|day| known.days.contains(&day.date))
    };
    let lined = reading.text.lined().get(..reading.scope.end).unwrap_or_default();
    let stands_in_label = |range: &Range<usize>| {
        LABEL.is_match(lined.get(reading.text.line_at(range.start)).unwrap_or_default())
    };
    if !stands_in_label(&known.rent.range) || !stands_in_label(&known.term[0].range) {
        return None;
    }
    reading
        .text
        .lines()
        .take_while(|(start, _)| *start < reading.scope.end)
        .filter(|(_, line)| line.len() <= TABLE_LINE_MAX_BYTES)
        .find(|(_, line)| {
            let is_unknown = LABEL.captures(line).is_some_and(|found| {
                !KNOWN.is_match(&found["label"])
                    && dates::find(&found["label"], reading.date_order).is_empty()
            });
            is_unknown
                && !CONTENTS.is_match(line)
                && !IF.is_match(line)
                && !OTHER_CHARGE.is_match(line)
                && !are_days_known(line)
        })
        .map(|(start, line)| start..start + line.len())
}
