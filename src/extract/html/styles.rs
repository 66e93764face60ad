//! Styles: what they hide or strike out, and what they show otherwise than it is written.

use std::collections::{HashMap, HashSet};

use ego_tree::NodeId;
use rust_decimal::Decimal;
use scraper::{Html, Selector};

use crate::extract::colour::{Colour, Paint};
use crate::extract::sizes::{self, Bare};
use crate::lease::{PASSAGE_MAX_CHARS, bounded};

/// Most selectors of style sheets that take text away, displace or colour it, can match something in the document,
/// and are followed. The sheet of a framework has thousands, of which a page uses some hundred.
pub(super) const RULES_MAX_COUNT: usize = 1_000;
/// Most parts of a selector, as in `.a .b > p`. Longer ones take long to match in deep documents.
const SELECTOR_PARTS_MAX_COUNT: usize = 3;
/// Most elements that are matched with the rules, in elements times rules.
pub(super) const MATCHES_MAX_COUNT: usize = 10_000_000;
/// Deepest nesting of conditions in a style sheet, in conditions. Sheets nest two or three.
const CONDITIONS_MAX_DEPTH: usize = 8;
/// Most colours that the rules of a document can give to one element; with more it is not known.
const PAINTS_MAX_COUNT: usize = 4;
/// Longest selector, in bytes. What stands in parentheses is matched as well.
const SELECTOR_MAX_BYTES: usize = 200;
/// From which distance on a place is beside the page or under it, in thousandths of an inch: tabs are nearer.
const BESIDE_MIN_MILS: u64 = 9_000;
const UNDER_MIN_MILS: u64 = 12_000;
/// From which distance on a place before where it belongs is out of the page, in thousandths of an inch: an outdent
/// is nearer.
const BEFORE_MIN_MILS: u64 = 4_000;
/// The size of an em where the font is not known, in thousandths of an inch: twelve points.
const EM_MILS: u64 = 167;
/// At-rules with a block that holds no rules for elements. Every other at-rule with a block is a condition.
const BLOCKS_WITHOUT_RULES: &[&str] = &[
    "@font-face",
    "@keyframes",
    "@-webkit-keyframes",
    "@-moz-keyframes",
    "@-o-keyframes",
    "@page",
    "@property",
    "@counter-style",
    "@font-feature-values",
    "@font-palette-values",
    "@viewport",
    "@-ms-viewport",
];

/// How a reader sees an element's content, the gravest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Treatment {
    /// Not at all, as the format has it.
    Unseen,
    /// Not at all, though the document could have left it out: a style hides it.
    Hidden,
    /// Struck out.
    Struck,
    /// As text, but at another place, in another order, or not in sight: what it is read as, no reader may see.
    Displaced,
    /// As text.
    #[default]
    Shown,
}

impl Treatment {
    /// The same of a part of an element: nobody knows which of its text that is, so that none is taken away.
    fn of_a_part(self) -> Self {
        if self == Self::Shown { self } else { Self::Displaced }
    }
}

/// What styles say of an element: how its content is seen, in which colours, on which grounds, and
/// whether it floats. Which of two rules
/// wins is not worked out: the graver treatment counts, and every colour is one that it may have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) treatment: Treatment,
    pub(super) inks: Vec<Paint>,
    pub(super) grounds: Vec<Paint>,
    pub(super) floats: bool,
    /// Words that only the style holds, and that the page shows before or behind the element's text.
    pub(super) words: Option<String>,
}

impl Look {
    /// What the declarations of a style say.
    pub(super) fn of(style: &[(String, String)]) -> Self {
        let mut look = Self::default();
        for (property, value) in style {
            look.treatment = look.treatment.min(treatment_by(property, value));
            match property.as_str() {
                "float" => look.floats |= value != "none",
                // A list may be marked with words of its own, and some readers show them in place of an element.
                "content" | "list-style" | "list-style-type" => {
                    look.words = quoted_words(value).or(look.words.take());
                }
                "color" if value == "initial" => look.ink(Paint::Of(Colour::BLACK)),
                "color" | "-webkit-text-fill-color" => look.ink(Paint::of_css(value)),
                "background" | "background-color" => {
                    grounds_of(value).into_iter().for_each(|paint| look.ground(paint));
                }
                _ => {}
            }
        }
        look
    }

    /// Adds a colour that text may have.
    pub(super) fn ink(&mut self, paint: Paint) {
        add(&mut self.inks, paint);
    }

    /// Adds a colour that the ground may have.
    pub(super) fn ground(&mut self, paint: Paint) {
        add(&mut self.grounds, paint);
    }

    /// Adds what other styles say of the same element.
    pub(super) fn and(&mut self, other: &Self) {
        self.treatment = self.treatment.min(other.treatment);
        self.floats |= other.floats;
        self.words = self.words.take().or_else(|| other.words.clone());
        other.inks.iter().for_each(|paint| self.ink(*paint));
        other.grounds.iter().for_each(|paint| self.ground(*paint));
    }
}

/// Adds a colour to those that are possible; one too many makes them unknown.
fn add(paints: &mut Vec<Paint>, paint: Paint) {
    let paint = if paints.len() < PAINTS_MAX_COUNT { paint } else { Paint::Unknown };
    if !paints.contains(&paint) {
        paints.push(paint);
    }
}

/// The colours that a background lays; its pictures and places are none.
fn grounds_of(value: &str) -> Vec<Paint> {
    split_outside(value, char::is_whitespace)
        .into_iter()
        .filter(|token| !is_picture(token))
        .map(|token| (token, Paint::of_css(token)))
        .filter(|(token, paint)| {
            matches!(paint, Paint::Of(_)) || token.contains('(') || token.starts_with('#')
        })
        .map(|(_, paint)| paint)
        .collect()
}

/// Whether a value draws something.
pub(super) fn is_picture(value: &str) -> bool {
    value.contains("url(") || value.contains("gradient(") || value.contains("image-set(")
}

/// How a declaration has an element's content seen.
fn treatment_by(property: &str, value: &str) -> Treatment {
    let says = |word: &str| value.split(' ').any(|token| token == word);
    match property {
        "display" if says("none") => Treatment::Hidden,
        "visibility" if says("hidden") || says("collapse") => Treatment::Hidden,
        "opacity" | "font-size" if sizes::is_nothing(value) => Treatment::Hidden,
        "text-decoration" | "text-decoration-line" if says("line-through") => Treatment::Struck,
        _ if displaces(property, value) => Treatment::Displaced,
        _ => Treatment::Shown,
    }
}

/// Whether a declaration moves, turns, cuts or reorders text so that the page does not show it as it is read.
/// Positions to the right of where a line begins are tabs, as filings use them.
fn displaces(property: &str, value: &str) -> bool {
    match property {
        "left" | "right" | "text-indent" | "margin-left" | "letter-spacing" => {
            is_far_off(value, BESIDE_MIN_MILS)
        }
        "top" | "bottom" | "margin-top" => is_far_off(value, UNDER_MIN_MILS),
        "margin" => {
            split_outside(value, char::is_whitespace).iter().any(|side| is_far_off(side, UNDER_MIN_MILS))
        }
        "clip" | "clip-path" | "mask" | "mask-image" => value != "auto" && value != "none",
        "transform" | "rotate" | "scale" | "translate" => value != "none",
        "direction" => value == "rtl",
        "unicode-bidi" => value.contains("override"),
        "writing-mode" => value != "horizontal-tb",
        "flex-direction" => value.ends_with("reverse"),
        "order" => !sizes::is_nothing(value),
        "max-height" | "max-width" | "height" => sizes::is_nothing(value),
        "background" | "background-image" => is_picture(value),
        "filter" => value != "none",
        _ => false,
    }
}

/// Whether a length leads out of the page. One that is worked out leads where nobody knows.
fn is_far_off(value: &str, min_mils: u64) -> bool {
    let (length, min_mils) = match value.strip_prefix('-') {
        Some(length) => (length, BEFORE_MIN_MILS),
        None => (value, min_mils),
    };
    let Some((number, unit)) = sizes::number_and_unit(length) else {
        return length.contains('(') || length.starts_with(|first: char| first.is_ascii_digit());
    };
    let mils = match unit {
        "%" => return number >= Decimal::ONE_HUNDRED,
        "vw" | "vh" | "vmin" | "vmax" => return !number.is_zero(),
        "em" | "rem" | "ex" | "ch" => {
            number.checked_mul(Decimal::from(EM_MILS)).and_then(|mils| u64::try_from(mils.trunc()).ok())
        }
        "" | "px" | "pt" | "pc" | "in" | "cm" | "mm" => sizes::mils(length, Bare::Pixels),
        // A length in a unit that does not exist counts for nothing.
        _ => return false,
    };
    mils.is_none_or(|mils| mils >= min_mils)
}

/// The declarations of a style, in lower case and without remarks.
pub(super) fn declarations(style: &str) -> Vec<(String, String)> {
    let style = without_remarks(style);
    let declarations = split_outside(&style, |mark| mark == ';').into_iter().filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let value = value.to_ascii_lowercase().replace("!important", " ").replace("! important", " ");
        let tokens: Vec<&str> = value.split_whitespace().collect();
        Some((property.trim().to_ascii_lowercase(), tokens.join(" ")))
    });
    declarations.collect()
}

/// The parts of a text between separators that stand in no brackets and in no quotation marks.
fn split_outside(text: &str, separates: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0usize, 0usize);
    let mut quote = None;
    let mut is_escaped = false;
    for (at, mark) in text.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match mark {
            '\\' => is_escaped = true,
            // A string that is not closed ends with its line.
            '\n' => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(mark),
            _ if quote == Some(mark) => quote = None,
            _ if quote.is_some() => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if quote.is_none() && depth == 0 && separates(mark) {
            parts.push(&text[start..at]);
            start = at + mark.len_utf8();
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// What the rules of the document's style sheets say of its elements: those that hold for more than print, with
/// selectors that the parser knows. What a sheet hides is shown to a reviewer wherever it holds a figure. `None` where
/// there is more than is followed.
pub(super) fn looks_by_sheets(document: &Html) -> Option<HashMap<NodeId, Look>> {
    let mut found: HashMap<NodeId, Look> = HashMap::new();
    let Ok(sheets) = Selector::parse("style") else { return Some(found) };
    let names = names_of(document);
    let mut rules = Vec::new();
    for sheet in document.select(&sheets) {
        let source: String = sheet.text().collect();
        let source = without_remarks(&source);
        for (selectors, style) in rules_of(&source, CONDITIONS_MAX_DEPTH)? {
            let style = declarations(style);
            let look = Look::of(&style);
            let beside = Look { words: words_written(&style), ..Look::default() };
            for selector in split_outside(selectors, |mark| mark == ',') {
                // What a rule writes itself stands in no text: its place is that of the element.
                let part = Look { floats: false, words: None, ..look.clone() };
                let part = Look { treatment: part.treatment.of_a_part(), ..part };
                let (selector, look) = match element_beside(selector) {
                    Some(_) if beside.words.is_none() => continue,
                    Some(element) => (element, &beside),
                    None => match element_in_part(selector) {
                        Some(element) => (element, &part),
                        None => (selector.trim(), &look),
                    },
                };
                if *look == Look::default() || !can_match(selector, &names) {
                    continue;
                }
                if selector.len() > SELECTOR_MAX_BYTES || rules.len() >= RULES_MAX_COUNT {
                    return None;
                }
                let followed = followed_part(selector);
                let mut look = look.clone();
                if followed.is_some() {
                    // It is true of fewer elements than are found, so that none is taken away.
                    look.treatment = look.treatment.of_a_part();
                }
                rules.push((followed.unwrap_or_else(|| selector.to_owned()), look));
            }
        }
    }
    let elements = document.tree.values().filter(|node| node.is_element()).count();
    if elements.saturating_mul(rules.len()) > MATCHES_MAX_COUNT {
        return None;
    }
    for (selector, look) in rules {
        let Ok(selector) = Selector::parse(&selector) else { continue };
        for element in document.select(&selector) {
            found.entry(element.id()).or_default().and(&look);
        }
    }
    Some(found)
}

/// The element beside which a selector puts content, as in `p.a::before`.
fn element_beside(selector: &str) -> Option<&str> {
    let lowered = selector.to_ascii_lowercase();
    let at = [":before", ":after", "::marker"].into_iter().find_map(|pseudo| lowered.find(pseudo))?;
    let element = selector[..at].trim_end_matches(':').trim();
    Some(if element.is_empty() { "*" } else { element })
}

/// The element of whose first line or letter a selector speaks, as in `p::first-line`.
fn element_in_part(selector: &str) -> Option<&str> {
    let lowered = selector.to_ascii_lowercase();
    let at = [":first-line", ":first-letter"].into_iter().find_map(|pseudo| lowered.find(pseudo))?;
    let element = selector[..at].trim_end_matches(':').trim();
    Some(if element.is_empty() { "*" } else { element })
}

/// The names of the document's elements, their classes and identifiers, as selectors write them, in lower case.
fn names_of(document: &Html) -> HashSet<String> {
    let mut names = HashSet::new();
    for element in document.tree.values().filter_map(|node| node.as_element()) {
        names.insert(element.name().to_ascii_lowercase());
        names.extend(element.classes().map(|class| format!(".{}", class.to_ascii_lowercase())));
        names.extend(element.id().map(|id| format!("#{}", id.to_ascii_lowercase())));
    }
    names
}

/// Whether a selector names nothing that the document does not have.
fn can_match(selector: &str, names: &HashSet<String>) -> bool {
    let outer = outside_brackets(selector).to_ascii_lowercase();
    outer.split(|mark: char| mark.is_whitespace() || matches!(mark, '>' | '+' | '~')).all(|part| {
        let (named, _) = part.split_once(':').unwrap_or((part, ""));
        let marks = named.match_indices(['.', '#']).map(|(at, _)| at);
        let mut start = 0;
        marks.chain([named.len()]).all(|end| {
            let name = &named[std::mem::replace(&mut start, end)..end];
            // Names with escapes are the parser's to understand.
            matches!(name, "" | "*") || name.contains('\\') || names.contains(name)
        })
    })
}

/// The end of a selector, where the whole of it would take long to match: it is true of all that the whole is true of.
fn followed_part(selector: &str) -> Option<String> {
    let siblings = split_outside(selector, |mark| matches!(mark, '+' | '~'));
    let parts = split_outside(siblings.last()?, |mark| mark.is_whitespace() || mark == '>');
    let last = &parts[parts.len().saturating_sub(SELECTOR_PARTS_MAX_COUNT)..];
    let asks_within = |part: &&str| part.contains(":has(");
    if siblings.len() == 1 && last.len() == parts.len() && !last.iter().any(asks_within) {
        return None;
    }
    let simple = last.iter().map(|part| match part.split_once(":has(") {
        Some(("", _)) => "*",
        Some((before, _)) => before,
        None => part,
    });
    Some(simple.collect::<Vec<_>>().join(" "))
}

/// A selector without what stands in parentheses and brackets.
fn outside_brackets(selector: &str) -> String {
    let mut depth = 0usize;
    let outer = selector.chars().filter(|mark| match mark {
        '(' | '[' => {
            depth += 1;
            false
        }
        ')' | ']' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    outer.collect()
}

/// The letters or figures that a rule puts beside an element. A sign of a font is no letter.
fn words_written(style: &[(String, String)]) -> Option<String> {
    style.iter().find_map(|(property, value)| {
        let is_none = matches!(value.as_str(), "none" | "normal" | "open-quote" | "close-quote");
        let words = unescaped(value);
        let writes = property == "content" && !is_none && words.contains(char::is_alphanumeric);
        writes.then(|| bounded(words.trim_matches(['"', '\'']), PASSAGE_MAX_CHARS))
    })
}

/// The letters or figures that stand in a value's quotation marks.
fn quoted_words(value: &str) -> Option<String> {
    let quoted = value.split_once(['"', '\''])?.1;
    let words = unescaped(quoted.trim_end_matches(['"', '\'']));
    words.contains(char::is_alphanumeric).then(|| bounded(&words, PASSAGE_MAX_CHARS))
}

/// A value of CSS with its escapes as the characters that they stand for.
fn unescaped(value: &str) -> String {
    let mut parts = value.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let code = u32::from_str_radix(&part[..digits], 16).ok().and_then(char::from_u32);
        plain.extend(code);
        // A space behind the digits ends them, and is none of the text.
        let rest = &part[digits..];
        plain.push_str(if digits > 0 { rest.strip_prefix(' ').unwrap_or(rest) } else { rest });
    }
    plain
}

fn without_remarks(sheet: &str) -> String {
    let mut rest = sheet;
    let mut kept = String::new();
    while let Some((before, behind)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = behind.split_once("*/").map_or("", |(_, behind)| behind);
    }
    kept + rest
}

/// The rules of a style sheet, selectors and declarations. Those under a condition hold as well, but for those of print
/// alone: which condition is met, nobody can tell from the file. `None` where rules or conditions nest deeper than is
/// followed.
fn rules_of(sheet: &str, conditions: usize) -> Option<Vec<(&str, &str)>> {
    let mut rules = Vec::new();
    let (mut depth, mut start, mut opened) = (0usize, 0usize, 0usize);
    let mut quote = None;
    // What is open at the end closes there.
    let marks = sheet.match_indices(['{', '}', ';', '"', '\'', '\n']);
    let unclosed = sheet.len();
    for (at, mark) in marks.chain([(unclosed, "")]) {
        match mark {
            "\n" => quote = None,
            _ if quote == Some(mark) => quote = None,
            _ if quote.is_some() && at < unclosed => {}
            "\"" | "'" => quote = Some(mark),
            "{" => {
                if depth == 0 {
                    opened = at;
                }
                depth += 1;
            }
            "}" | "" if depth == 1 || (depth > 1 && at == unclosed) => {
                let selectors = sheet.get(start..opened)?.trim();
                let inner = sheet.get(opened + 1..at)?;
                let name = selectors.split(|mark: char| mark.is_whitespace() || mark == '(').next();
                let name = name.unwrap_or_default().to_ascii_lowercase();
                if name.starts_with('@') {
                    let media = selectors.get(name.len()..).unwrap_or_default().trim();
                    let is_of_print = name == "@media" && media.eq_ignore_ascii_case("print");
                    if !is_of_print && !BLOCKS_WITHOUT_RULES.contains(&name.as_str()) {
                        rules.extend(rules_of(inner, conditions.checked_sub(1)?)?);
                    }
                } else if inner.contains('{') {
                    return None;
                } else if !selectors.is_empty() {
                    rules.push((selectors, inner));
                }
                depth = 0;
                start = at + 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                // One that closes nothing is none of the selector behind it.
                if depth == 0 {
                    start = at + 1;
                }
            }
            // An import, or a character set.
            ";" if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    Some(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_in_whatever_stands_around_them() {
        type Rules<'r> = Option<&'r [(&'r str, &'r str)]>;
        let deep = "@media all{".repeat(CONDITIONS_MAX_DEPTH + 1) + "p{c:d}";
        let rows: &[(&str, Rules<'_>)] = &[
            ("", Some(&[])),
            ("a{b:c}", Some(&[("a", "b:c")])),
            ("a{b:c", Some(&[("a", "b:c")])),
            ("a{b:c}}", Some(&[("a", "b:c")])),
            ("}p{}", Some(&[("p", "")])),
            ("a;}", Some(&[])),
            ("\u{e9}}", Some(&[])),
            ("\u{e9}}a{b:c}", Some(&[("a", "b:c")])),
            ("{b:c}", Some(&[])),
            ("@charset 'x;{'; a{b:c}", Some(&[("a", "b:c")])),
            ("a{b:'}'}p{}", Some(&[("a", "b:'}'"), ("p", "")])),
            ("a{b:'\n}p{}", Some(&[("a", "b:'\n"), ("p", "")])),
            ("@media print{a{b:c}}p{}", Some(&[("p", "")])),
            ("@MEDIA PRINT {a{b:c}}", Some(&[])),
            ("@media not print{a{b:c}}", Some(&[("a", "b:c")])),
            ("@media print,screen{a{b:c}}", Some(&[("a", "b:c")])),
            ("@MEDIA(width){a{b:c}}p{}", Some(&[("a", "b:c"), ("p", "")])),
            ("@layer x{@container(width){a{b:c}}}", Some(&[("a", "b:c")])),
            ("@media all{@font-face{b:c}a{b:c}}", Some(&[("a", "b:c")])),
            ("@keyframes x{to{b:c}}a{b:c}", Some(&[("a", "b:c")])),
            ("@media all{a{b:c", Some(&[("a", "b:c")])),
            ("a{b:c;p{d:e}}", None),
            (&deep, None),
            (&deep["@media all{".len()..], Some(&[("p", "c:d")])),
        ];
        for (sheet, expected) in rows {
            assert_eq!(rules_of(sheet, CONDITIONS_MAX_DEPTH).as_deref(), *expected, "{sheet}");
        }
    }

    #[test]
    fn tabs_and_outdents_are_told_from_what_leads_out_of_the_page() {
        let rows = [
            ("144pt", false),
            ("-0.25in", false),
            ("-5pt", false),
            ("0", false),
            ("auto", false),
            ("50%", false),
            ("6.5in", false),
            ("-999px", true),
            ("-20in", true),
            ("-9999px", true),
            ("-4in", true),
            ("20000pt", true),
            ("-100%", true),
            ("100%", true),
            ("100em", true),
            ("-3em", false),
            ("-1vw", true),
            ("0vw", false),
            ("calc(0px - 9999px)", true),
            ("var(--x)", true),
            ("99999999999999999999999999999999999px", true),
            ("9999parsecs", false),
        ];
        for (value, expected) in rows {
            assert_eq!(is_far_off(value, BESIDE_MIN_MILS), expected, "{value}");
        }
    }

    #[test]
    fn selectors_are_followed_as_far_as_they_can_match() {
        let names = ["p", "b", ".a", ".c", "#d"].map(str::to_owned).into();
        let rows = [
            ("p", true, None),
            ("P.A > b#d", true, None),
            ("i", false, None),
            ("p.z", false, None),
            (".z p", false, None),
            ("*", true, None),
            ("p:not(.z)", true, None),
            ("[hidden]", true, None),
            (".x\\:y", true, None),
            ("p .a .c b", true, Some(".a .c b")),
            ("p + b", true, Some("b")),
            ("p~.a>b", true, Some(".a b")),
            ("[title~=x]", true, None),
            ("p:has(b)", true, Some("p")),
            (":has(b)", true, Some("*")),
        ];
        for (selector, matches, followed) in rows {
            assert_eq!(can_match(selector, &names), matches, "{selector}");
            assert_eq!(followed_part(selector).as_deref(), followed, "{selector}");
        }
    }

    #[test]
    fn the_gravest_of_what_is_said_counts() {
        let rows = [
            ("", Treatment::Shown),
            ("color:red", Treatment::Shown),
            ("transform:scale(0);display:none", Treatment::Hidden),
            ("transform:scale(0);text-decoration:line-through", Treatment::Struck),
            ("text-decoration:line-through;display:none", Treatment::Hidden),
            ("display:/* not */none", Treatment::Hidden),
            ("background:url(data:image/png;base64,a)", Treatment::Displaced),
            ("font-family:'a;display:none", Treatment::Shown),
            ("font-family:'a';display:none ! IMPORTANT", Treatment::Hidden),
        ];
        for (style, expected) in rows {
            assert_eq!(Look::of(&declarations(style)).treatment, expected, "{style}");
        }
    }
}
