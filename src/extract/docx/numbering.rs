//! Lists: the numbers that Word counts by itself and shows before a paragraph. Rules know sections by them.

use std::collections::HashMap;

use super::{DocxFault, Node, attribute, is_on, walk_xml, word_name};

/// Levels of a list.
const LEVELS_COUNT: usize = 9;
/// Most lists of a document. Long ones that were put together of many have some thousands.
const LISTS_MAX_COUNT: usize = 20_000;
/// Longest label, in bytes.
const LABEL_MAX_BYTES: usize = 64;
/// Highest number that is written in letters or in Roman numerals.
const LETTERED_MAX: u32 = 3_000;

/// How a level counts.
#[derive(Debug, Clone, Default)]
struct Level {
    start: u32,
    format: String,
    /// The label, with `%1` for the number of the first level.
    text: String,
    /// Whether all its numbers are shown as figures.
    is_legal: bool,
    /// The paragraph style that is counted at this level.
    style: Option<String>,
}

/// The lists of a document.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    kinds: HashMap<String, Vec<Level>>,
    /// Of each list its kind, and where levels begin otherwise.
    lists: HashMap<String, (String, HashMap<usize, u32>)>,
}

impl Numbering {
    /// Reads the part that defines them.
    pub(super) fn of(source: &str) -> Result<Self, DocxFault> {
        let mut numbering = Self::default();
        let mut path: Vec<String> = Vec::new();
        let mut kind = String::new();
        let mut list = String::new();
        let mut level = 0usize;
        walk_xml(source, |node| {
            match node {
                Node::Open(vocabulary, element) => {
                    let name = word_name(vocabulary, element);
                    let value = || attribute(element, "val").unwrap_or_default();
                    let parent = path.last().map_or("", String::as_str);
                    let numbered = |name: &str| {
                        attribute(element, name).and_then(|level| level.parse().ok()).unwrap_or(LEVELS_COUNT)
                    };
                    match (name.as_str(), parent) {
                        ("abstractNum", _) => {
                            kind = attribute(element, "abstractNumId").unwrap_or_default();
                            numbering.kinds.insert(kind.clone(), vec![Level::default(); LEVELS_COUNT]);
                        }
                        ("num", _) => {
                            list = attribute(element, "numId").unwrap_or_default();
                            numbering.lists.insert(list.clone(), Default::default());
                        }
                        ("lvl", _) => level = numbered("ilvl"),
                        ("lvlOverride", _) => level = numbered("ilvl"),
                        ("abstractNumId", "num") => {
                            if let Some(of) = numbering.lists.get_mut(&list) {
                                of.0 = value();
                            }
                        }
                        ("startOverride", "lvlOverride") => {
                            if let (Some(of), Ok(start)) = (numbering.lists.get_mut(&list), value().parse()) {
                                of.1.insert(level, start);
                            }
                        }
                        (_, "lvl") if path.iter().any(|name| name == "abstractNum") => {
                            let levels = numbering.kinds.get_mut(&kind);
                            if let Some(of) = levels.and_then(|levels| levels.get_mut(level)) {
                                match name.as_str() {
                                    "start" => of.start = value().parse().unwrap_or_default(),
                                    "numFmt" => of.format = value(),
                                    "lvlText" => of.text = value(),
                                    "isLgl" => of.is_legal = is_on(element),
                                    "pStyle" => of.style = Some(value()),
                                    _ => {}
                                }
                            }
                        }
                        _ => {}
                    }
                    if numbering.kinds.len() + numbering.lists.len() > LISTS_MAX_COUNT {
                        return Err(DocxFault::TooLarge);
                    }
                    path.push(name);
                }
                Node::Close => {
                    path.pop();
                }
                Node::Text(_) => {}
            }
            Ok(())
        })?;
        Ok(numbering)
    }

    /// The level at which a list counts the paragraphs of a style.
    pub(super) fn level_of_style(&self, list: &str, style: &str) -> Option<usize> {
        let levels = self.kinds.get(&self.lists.get(list)?.0)?;
        levels.iter().position(|level| level.style.as_deref() == Some(style))
    }
}

/// Counts the paragraphs of a text.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Of each kind of list the numbers reached; lists of one kind count on.
    reached: HashMap<String, [Option<u32>; LEVELS_COUNT]>,
    /// Lists whose own beginnings were used.
    begun: HashMap<(String, usize), ()>,
}

impl Counters {
    /// The label of the next paragraph of a list at a level; empty for a bullet.
    pub(super) fn next(&mut self, numbering: &Numbering, list: &str, level: usize) -> String {
        let Some((kind, starts)) = numbering.lists.get(list) else { return String::new() };
        let Some(levels) = numbering.kinds.get(kind) else { return String::new() };
        let Some(of) = levels.get(level) else { return String::new() };
        let reached = self.reached.entry(kind.clone()).or_default();
        let anew = starts.get(&level).filter(|_| self.begun.insert((list.to_owned(), level), ()).is_none());
        reached[level] = Some(match (anew, reached[level]) {
            (Some(start), _) => *start,
            (None, Some(number)) => number.saturating_add(1),
            (None, None) => of.start,
        });
        for deeper in &mut reached[level + 1..] {
            *deeper = None;
        }
        if of.format == "bullet" || of.format == "none" {
            return String::new();
        }
        let mut label = String::new();
        let mut characters = of.text.chars().peekable();
        while let Some(character) = characters.next() {
            let shown = characters.peek().and_then(|digit| digit.to_digit(10)).filter(|_| character == '%');
            let Some(shown) = shown.and_then(|digit| (digit as usize).checked_sub(1)) else {
                label.push(character);
                continue;
            };
            characters.next();
            if let Some(shown_level) = levels.get(shown) {
                let number = *reached[shown].get_or_insert(shown_level.start);
                let format = if of.is_legal { "decimal" } else { shown_level.format.as_str() };
                label.push_str(&written(number, format));
            }
            if label.len() > LABEL_MAX_BYTES {
                return String::new();
            }
        }
        label
    }
}

/// A number as a list writes it.
fn written(number: u32, format: &str) -> String {
    if number == 0 || number > LETTERED_MAX {
        return number.to_string();
    }
    match format {
        "lowerLetter" => lettered(number),
        "upperLetter" => lettered(number).to_uppercase(),
        "lowerRoman" => roman(number),
        "upperRoman" => roman(number).to_uppercase(),
        "decimalZero" => format!("{number:02}"),
        _ => number.to_string(),
    }
}

/// a to z, then aa to zz, as Word goes on.
fn lettered(number: u32) -> String {
    let letter = char::from(b'a' + u8::try_from((number - 1) % 26).unwrap_or_default());
    let times = usize::try_from((number - 1) / 26).unwrap_or_default() + 1;
    std::iter::repeat_n(letter, times).collect()
}

fn roman(mut number: u32) -> String {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            text.push_str(sign);
            number -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_that_word_shows() {
        let level = |level: usize, format: &str, text: &str, more: &str| {
            format!(
                "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/>{more}</w:lvl>"
            )
        };
        let source = format!(
            "<w:numbering xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">\
             <w:abstractNum w:abstractNumId=\"7\">{}{}{}{}{}</w:abstractNum>\
             <w:num w:numId=\"1\"><w:abstractNumId w:val=\"7\"/></w:num>\
             <w:num w:numId=\"2\"><w:abstractNumId w:val=\"7\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"5\"/></w:lvlOverride></w:num>\
             <w:num w:numId=\"3\"><w:abstractNumId w:val=\"gone\"/></w:num></w:numbering>",
            level(0, "upperRoman", "ARTICLE %1", "<w:pStyle w:val=\"Head\"/>"),
            level(1, "decimal", "%1.%2", "<w:isLgl/>"),
            level(2, "lowerLetter", "(%3)", ""),
            level(3, "lowerRoman", "(%4)", ""),
            level(4, "bullet", "o", ""),
        );
        let numbering = Numbering::of(&source).expect("the test's own lists");
        assert_eq!(numbering.level_of_style("1", "Head"), Some(0));
        let mut counters = Counters::default();
        let rows = [
            ("1", 0, "ARTICLE I"),
            ("1", 1, "1.1"),
            ("1", 1, "1.2"),
            ("1", 2, "(a)"),
            ("1", 3, "(i)"),
            ("1", 3, "(ii)"),
            ("1", 2, "(b)"),
            ("1", 3, "(i)"),
            ("1", 4, ""),
            ("1", 0, "ARTICLE II"),
            ("1", 1, "2.1"),
            ("2", 0, "ARTICLE V"),
            ("2", 0, "ARTICLE VI"),
            ("2", 1, "6.1"),
            ("3", 0, ""),
            ("4", 0, ""),
            ("1", 99, ""),
        ];
        for (list, level, expected) in rows {
            assert_eq!(counters.next(&numbering, list, level), expected, "{list}, level {level}");
        }
        for (number, format, expected) in [
            (27, "lowerLetter", "aa"),
            (1994, "upperRoman", "MCMXCIV"),
            (4, "decimalZero", "04"),
            (0, "lowerLetter", "0"),
            (u32::MAX, "lowerRoman", "4294967295"),
            (3, "ordinalText", "3"),
        ] {
            assert_eq!(written(number, format), expected, "{number} {format}");
        }
    }
}
