//! Styles: what they hide or strike out, and what they show otherwise than it is written.

use std::collections::HashMap;

use ego_tree::NodeId;
use scraper::{Html, Selector};

use crate::extract::sizes;

/// Most rules of style sheets that hide or strike and are followed. A saved page has a handful.
pub(super) const HIDING_RULES_MAX_COUNT: usize = 200;
/// Most parts of a selector, as in `.a .b > p`. Longer ones take long to match in deep documents.
const SELECTOR_PARTS_MAX_COUNT: usize = 3;
/// Most elements that are matched with the rules, in elements times rules.
pub(super) const MATCHES_MAX_COUNT: usize = 10_000_000;
/// From which share of full light on each colour of a text is as good as white, of 255.
const WHITE_MIN: u8 = 0xe0;

/// How a reader sees an element's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// As text.
    Shown,
    /// Not at all, as the format has it.
    Unseen,
    /// Not at all, though the document could have left it out: a style hides it.
    Hidden,
    /// Struck out.
    Struck,
    /// As text, but at another place, in another order, or not in sight: what it is read as, no reader may see.
    Displaced,
    /// As text in the colour of paper, which is seen only on another ground.
    Faint,
    /// As text, with words beside it that only the style holds.
    WrittenAround,
}

/// How declarations of a style have an element's content seen.
pub(super) fn treatment_by(style: &str) -> Treatment {
    for (property, value) in declarations(style) {
        let says = |word: &str| value.split(' ').any(|token| token == word);
        match property.as_str() {
            "display" if says("none") => return Treatment::Hidden,
            "visibility" if says("hidden") || says("collapse") => return Treatment::Hidden,
            "opacity" if sizes::is_nothing(&value) => return Treatment::Hidden,
            "font-size" if sizes::is_nothing(&value) => return Treatment::Hidden,
            "text-decoration" | "text-decoration-line" if says("line-through") => return Treatment::Struck,
            _ => {}
        }
    }
    if declarations(style).any(|(property, value)| displaces(&property, &value)) {
        return Treatment::Displaced;
    }
    if declarations(style).any(|(property, value)| {
        matches!(property.as_str(), "color" | "-webkit-text-fill-color") && is_unseen_colour(&value)
    }) {
        return Treatment::Faint;
    }
    Treatment::Shown
}

/// Whether a declaration moves, turns, cuts or reorders text so that the page does not show it as it is read.
/// Positions to the right of where a line begins are tabs, as filings use them.
fn displaces(property: &str, value: &str) -> bool {
    match property {
        "left" | "top" | "right" | "bottom" | "text-indent" | "margin-left" | "margin-top"
        | "letter-spacing" => is_far_off(value),
        "margin" => value.split(' ').any(is_far_off),
        "clip" | "clip-path" | "mask" | "mask-image" => value != "auto" && value != "none",
        "transform" | "rotate" | "scale" | "translate" => value != "none",
        "direction" => value == "rtl",
        "unicode-bidi" => value.contains("override"),
        "writing-mode" => value != "horizontal-tb",
        "flex-direction" => value.ends_with("reverse"),
        "order" => !sizes::is_nothing(value),
        "max-height" | "max-width" | "height" => sizes::is_nothing(value),
        "background" | "background-image" => value.contains("gradient(") || value.contains("url("),
        "filter" => value != "none",
        _ => false,
    }
}

/// Whether a length leads out of the page: a hundred ems, or a thousand of any other unit, to either side.
fn is_far_off(value: &str) -> bool {
    let value = value.trim_start_matches('-');
    let digits = value.split(|character: char| !character.is_ascii_digit()).next().unwrap_or_default();
    digits.len() >= 4 || (digits.len() >= 3 && value.ends_with("em"))
}

/// Whether text of a colour is not seen on paper.
pub(super) fn is_unseen_colour(value: &str) -> bool {
    let value = value.trim();
    if matches!(value, "transparent" | "white" | "snow" | "ivory" | "whitesmoke" | "ghostwhite") {
        return true;
    }
    if let Some(hex) = value.strip_prefix('#').filter(|hex| hex.is_ascii()) {
        let part = |index: usize, width: usize| {
            let digits = hex.get(index * width..(index + 1) * width)?;
            let part = u8::from_str_radix(digits, 16).ok()?;
            Some(if width == 1 { part * 17 } else { part })
        };
        let width = if hex.len() < 6 { 1 } else { 2 };
        let is_clear = hex.len() == 4 * width && part(3, width) == Some(0);
        return is_clear || (0..3).all(|index| part(index, width).is_some_and(|part| part >= WHITE_MIN));
    }
    let Some((_, parts)) = value.strip_prefix("rgb").and_then(|value| value.split_once('(')) else {
        return false;
    };
    let parts: Vec<&str> =
        parts.trim_end_matches(')').split([',', ' ', '/']).filter(|part| !part.is_empty()).collect();
    let is_clear = parts.get(3).is_some_and(|alpha| sizes::is_nothing(alpha));
    let is_light = |part: &&&str| part.parse::<u8>().is_ok_and(|part| part >= WHITE_MIN);
    is_clear || parts.iter().take(3).filter(is_light).count() == 3
}

/// Whether a style lays a dark or coloured ground, on which white text is seen.
pub(super) fn lays_a_ground(style: &str) -> bool {
    declarations(style).any(|(property, value)| {
        let is_plain = !value.contains("url(") && !value.contains("gradient(");
        matches!(property.as_str(), "background" | "background-color")
            && is_plain
            && value.split(' ').any(|colour| {
                !matches!(colour, "none" | "inherit" | "initial" | "unset") && !is_unseen_colour(colour)
            })
    })
}

/// The declarations of a style, in lower case.
pub(super) fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    style.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let value = value.replace("!important", " ");
        let tokens: Vec<&str> = value.split_whitespace().collect();
        Some((property.trim().to_ascii_lowercase(), tokens.join(" ").to_ascii_lowercase()))
    })
}

/// What the rules of the document's style sheets hide or strike: those that hold for every medium, with selectors
/// of names, classes and identifiers. Which of two rules wins is not worked out: what a sheet hides is shown to a
/// reviewer wherever it holds a figure. `None` where there is more than is followed.
pub(super) fn treatments_by_sheets(document: &Html) -> Option<HashMap<NodeId, Treatment>> {
    let mut found = HashMap::new();
    let Ok(sheets) = Selector::parse("style") else { return Some(found) };
    let mut rules = Vec::new();
    for sheet in document.select(&sheets) {
        let source: String = sheet.text().collect();
        let source = without_remarks(&source);
        for (selectors, style) in rules_of(&source) {
            // What a rule writes itself stands in no text: its place is that of the element.
            if selectors.contains(":before") || selectors.contains(":after") {
                if writes_words(style) {
                    rules.extend(selectors.split(',').map(|selector| {
                        let element = selector.split(":before").next().unwrap_or_default();
                        let element = element.split(":after").next().unwrap_or_default();
                        (element.trim().trim_end_matches(':').to_owned(), Treatment::WrittenAround)
                    }));
                }
                continue;
            }
            let treatment = treatment_by(style);
            if treatment != Treatment::Shown {
                rules.extend(selectors.split(',').map(|selector| (selector.trim().to_owned(), treatment)));
            }
            if rules.len() > HIDING_RULES_MAX_COUNT {
                return None;
            }
        }
    }
    if document.tree.values().count().saturating_mul(rules.len()) > MATCHES_MAX_COUNT {
        return None;
    }
    for (selectors, treatment) in rules {
        let parts = selectors.split(|c: char| c.is_whitespace() || c == '>').filter(|part| !part.is_empty());
        let is_simple = parts.count() <= SELECTOR_PARTS_MAX_COUNT
            && selectors.chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || ".#-_>*".contains(c));
        let Some(selector) = Selector::parse(&selectors).ok().filter(|_| is_simple) else { continue };
        found.extend(document.select(&selector).map(|element| (element.id(), treatment)));
    }
    Some(found)
}

/// Whether a rule puts letters or figures beside an element. A sign of a font is no letter.
fn writes_words(style: &str) -> bool {
    declarations(style).any(|(property, value)| {
        let written = value.trim_matches(['"', '\'']);
        property == "content"
            && !written.starts_with('\\')
            && !matches!(written, "none" | "normal" | "open-quote" | "close-quote")
            && written.contains(|character: char| character.is_alphanumeric())
    })
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
/// and of other media than a screen: which condition is met, nobody can tell from the file.
fn rules_of(sheet: &str) -> Vec<(&str, &str)> {
    let mut rules = Vec::new();
    let (mut depth, mut start, mut opened) = (0usize, 0usize, 0usize);
    for (at, mark) in sheet.match_indices(['{', '}', ';']) {
        match mark {
            "{" => {
                if depth == 0 {
                    opened = at;
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let selectors = sheet[start..opened.max(start)].trim();
                    let inner = &sheet[opened + 1..at];
                    if selectors.starts_with("@media") || selectors.starts_with("@supports") {
                        let is_of_print = selectors.contains("print") && !selectors.contains("screen");
                        if !is_of_print && !inner.contains('@') {
                            rules.extend(rules_of(inner));
                        }
                    } else if !selectors.is_empty() && !selectors.starts_with('@') {
                        rules.push((selectors, inner));
                    }
                    start = at + 1;
                    opened = start;
                }
            }
            // An import, or a character set.
            _ if depth == 0 => {
                start = at + 1;
                opened = start;
            }
            _ => {}
        }
    }
    rules
}
