//! Text with positions: one form for every format, on which the rules work.
//!
//! Each run of white space is one byte: a newline where a line, a paragraph or a table row ends, a tab
//! where a table cell ends, else a space. So the flowing form, in which rules search across lines, is the
//! same text with every one of these turned into a space, at the same offsets.

use std::ops::Range;

use super::doubt::{DoubtKind, Doubts};
use crate::lease::{PASSAGE_MAX_CHARS, bounded};

/// Largest text that is read, in bytes. The longest lease seen, of 394 pages, has 1.2 MB.
pub const TEXT_MAX_BYTES: usize = 6 * 1024 * 1024;

/// Most text that is kept of headers, footers and watermarks, in bytes. A longer one is no mark.
const MARGINS_MAX_BYTES: usize = 64 * 1024;

/// A document's text, its lines, cells and pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceText {
    lined: String,
    flow: String,
    page_starts: Vec<usize>,
    line_starts: Vec<usize>,
    truncated: bool,
    margins: String,
    doubts: Doubts,
}

/// Builds a [`SourceText`] piece by piece.
#[derive(Debug, Default)]
pub struct SourceTextBuilder {
    lined: String,
    page_starts: Vec<usize>,
    pending: Option<u8>,
    truncated: bool,
    margins: String,
    doubts: Doubts,
}

impl SourceTextBuilder {
    /// Starts the next page. A document without pages never calls this.
    pub fn begin_page(&mut self) {
        self.break_line();
        self.page_starts.push(self.lined.len());
    }

    /// Ends the line.
    pub fn break_line(&mut self) {
        self.pending = Some(b'\n');
    }

    /// Ends the table cell; a line's end outranks it.
    pub fn break_cell(&mut self) {
        if self.pending != Some(b'\n') {
            self.pending = Some(b'\t');
        }
    }

    /// Adds text whose own newlines and tabs count as breaks.
    pub fn push_lined(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => self.break_line(),
                '\t' => self.break_cell(),
                other => self.push(other),
            }
        }
    }

    /// Adds text in which all white space is alike, as in HTML.
    pub fn push_flowing(&mut self, text: &str) {
        for character in text.chars() {
            self.push(character);
        }
    }

    /// Adds what stands beside the running text: headers, footers, watermarks. No clause is looked for in it.
    pub fn push_margin(&mut self, text: &str) {
        if self.margins.len() + text.len() < MARGINS_MAX_BYTES && !text.trim().is_empty() {
            self.margins.push_str(text.trim());
            self.margins.push('\n');
        }
    }

    /// Notes what casts doubt on the document.
    pub fn doubt(&mut self, kind: DoubtKind, passage: &str) {
        self.doubts.note(kind, passage);
    }

    /// Takes over doubts that were noted elsewhere.
    pub fn cast(&mut self, doubts: &Doubts) {
        self.doubts.extend(doubts);
    }

    /// Marks the text as not read whole.
    pub fn give_up(&mut self) {
        self.truncated = true;
    }

    /// How many bytes are written; a break that is due is not among them.
    pub fn len_bytes(&self) -> usize {
        self.lined.len()
    }

    /// Whether the limit was met, so that more text is in vain.
    pub fn is_full(&self) -> bool {
        self.truncated
    }

    fn push(&mut self, character: char) {
        let Some(character) = plain_form(character) else { return };
        if character == ' ' {
            self.pending = self.pending.or(Some(b' '));
            return;
        }
        if self.lined.len() + 8 > TEXT_MAX_BYTES {
            self.truncated = true;
            return;
        }
        if let Some(space) = self.pending.take()
            && !self.lined.is_empty()
        {
            self.lined.push(char::from(space));
            if let Some(start) = self.page_starts.last_mut()
                && *start + 1 == self.lined.len()
            {
                // The page starts at its first character, behind the break that ends the page before.
                *start = self.lined.len();
            }
        }
        self.lined.push(character);
    }

    /// Ends the document.
    pub fn finish(self) -> SourceText {
        let flow = self.lined.replace(['\n', '\t'], " ");
        let line_starts = self.lined.match_indices('\n').map(|(at, _)| at + 1).collect();
        SourceText {
            lined: self.lined,
            flow,
            line_starts,
            page_starts: self.page_starts,
            truncated: self.truncated,
            margins: self.margins,
            doubts: self.doubts,
        }
    }
}

/// One spelling for what typesetters spell in many ways; `None` for what has no width.
fn plain_form(character: char) -> Option<char> {
    match character {
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => Some('"'),
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{60}' | '\u{b4}' => Some('\''),
        '\u{2010}' | '\u{2011}' | '\u{2212}' => Some('-'),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fffd}' => None,
        other if other.is_whitespace() || other.is_control() => Some(' '),
        other => Some(other),
    }
}

impl SourceText {
    /// The text of a string whose newlines and tabs are breaks.
    pub fn from_lined(text: &str) -> Self {
        let mut builder = SourceTextBuilder::default();
        builder.push_lined(text);
        builder.finish()
    }

    /// The text with newlines and tabs.
    pub fn lined(&self) -> &str {
        &self.lined
    }

    /// The text with spaces only, at the same offsets.
    pub fn flow(&self) -> &str {
        &self.flow
    }

    /// What stands beside the running text, a line each.
    pub fn margins(&self) -> &str {
        &self.margins
    }

    /// What casts doubt on the document although its words could be read.
    pub fn doubts(&self) -> &Doubts {
        &self.doubts
    }

    /// Whether some of the document did not fit. Such a document may not be posted: what was not read may
    /// change what was.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The page, from 1, on which an offset lies; `None` for a document without pages.
    pub fn page_at(&self, offset: usize) -> Option<u32> {
        let pages_before = self.page_starts.partition_point(|start| *start <= offset);
        (!self.page_starts.is_empty()).then(|| u32::try_from(pages_before.max(1)).unwrap_or(u32::MAX))
    }

    /// The text of a range, bounded and on one line.
    pub fn passage(&self, range: &Range<usize>) -> String {
        bounded(self.slice(range), PASSAGE_MAX_CHARS)
    }

    /// The flowing text of a range, clipped to the text and to character boundaries.
    pub fn slice(&self, range: &Range<usize>) -> &str {
        let start = floor_boundary(&self.flow, range.start);
        let end = floor_boundary(&self.flow, range.end).max(start);
        &self.flow[start..end]
    }

    /// The flowing text of at most `bytes` bytes before an offset.
    pub fn before(&self, offset: usize, bytes: usize) -> &str {
        self.slice(&(offset.saturating_sub(bytes)..offset))
    }

    /// The flowing text of at most `bytes` bytes from an offset on.
    pub fn after(&self, offset: usize, bytes: usize) -> &str {
        self.slice(&(offset..offset.saturating_add(bytes)))
    }

    /// The lines with their offsets.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut offset = 0;
        self.lined.split('\n').map(move |line| {
            let start = offset;
            offset += line.len() + 1;
            (start, line)
        })
    }

    /// The range of the line that holds an offset.
    pub fn line_at(&self, offset: usize) -> Range<usize> {
        let next = self.line_starts.partition_point(|start| *start <= offset);
        let start = next.checked_sub(1).and_then(|last| self.line_starts.get(last)).copied().unwrap_or(0);
        let end = self.line_starts.get(next).map_or(self.lined.len(), |start| start - 1);
        start..end
    }

    /// The sentence around a range: from the full stop before it to the one after it, within a reach in bytes.
    pub fn sentence_around(&self, range: &Range<usize>, reach_bytes: usize) -> Range<usize> {
        let floor = floor_boundary(&self.flow, range.start.saturating_sub(reach_bytes));
        let ceiling = floor_boundary(&self.flow, range.end.saturating_add(reach_bytes));
        let before = &self.flow[floor..floor_boundary(&self.flow, range.start)];
        let start = sentence_ends(before).last().map_or(floor, |end| floor + end);
        let after_start = floor_boundary(&self.flow, range.end).max(start);
        let after = &self.flow[after_start..ceiling.max(after_start)];
        let end = sentence_ends(after).next().map_or(ceiling.max(after_start), |end| after_start + end);
        start..end
    }
}

/// Offsets just behind the full stops that end a sentence: those followed by a space and a capital, a digit
/// or an opening mark, and not those of abbreviations and initials.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    const ABBREVIATIONS: &[&str] = &[
        "inc", "no", "co", "corp", "ltd", "llc", "l.l.c", "l.p", "n.a", "st", "ave", "blvd", "u.s", "mr",
        "mrs", "dr", "sec", "art", "ste", "jr", "sr", "vs", "p.m", "a.m", "approx", "sq", "ft", "jan", "feb",
        "mar", "apr", "jun", "jul", "aug", "sept", "sep", "oct", "nov", "dec", "esq", "nos", "par", "para",
        "rd",
    ];
    text.match_indices(". ").filter_map(move |(at, _)| {
        let next = text[at + 2..].chars().next()?;
        let begins = next.is_uppercase()
            || next.is_ascii_digit()
            || matches!(next, '"' | '(' | '\'' | '*' | '#' | '|');
        let word_start = text[..at].rfind([' ', '(', '"']).map_or(0, |space| space + 1);
        let word = text[word_start..at].trim_end_matches([')', '"']).to_lowercase();
        let abbreviated = ABBREVIATIONS.contains(&word.as_str())
            || (word.chars().count() == 1 && word.chars().all(char::is_alphabetic));
        // A section number ("4.") opens a sentence and ends none.
        let numbered =
            !word.is_empty() && word.chars().all(|digit| digit.is_ascii_digit() || digit == '.') && at < 6;
        // Dots that lead from a label to its value end nothing.
        let leads = text[..at].ends_with("..");
        (begins && !abbreviated && !numbered && !leads).then_some(at + 2)
    })
}

/// The largest character boundary that is not above an offset.
pub fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_one_byte_and_breaks_are_kept() {
        let rows = [
            ("a  b", "a b"),
            ("a \n\n b", "a\nb"),
            ("a \t b", "a\tb"),
            ("a\t\nb", "a\nb"),
            ("  a\u{a0}\u{a0}b  ", "a b"),
            ("\u{201c}Tenant\u{201d}", "\"Tenant\""),
            ("Ten\u{ad}ant\u{2019}s", "Tenant's"),
            ("a\r\nb", "a\nb"),
        ];
        for (raw, expected) in rows {
            let text = SourceText::from_lined(raw);
            assert_eq!(text.lined(), expected, "{raw:?}");
            assert_eq!(text.flow().len(), text.lined().len());
            assert!(!text.flow().contains(['\n', '\t']));
        }
    }

    #[test]
    fn pages_are_found_by_offset() {
        let mut builder = SourceTextBuilder::default();
        builder.begin_page();
        builder.push_lined("first");
        builder.begin_page();
        builder.push_lined("second");
        let text = builder.finish();
        assert_eq!(text.lined(), "first\nsecond");
        for (offset, expected) in [(0, 1), (4, 1), (6, 2), (11, 2)] {
            assert_eq!(text.page_at(offset), Some(expected), "{offset}");
        }
        assert_eq!(SourceText::from_lined("x").page_at(0), None);
    }

    #[test]
    fn sentences_end_at_full_stops_but_not_at_abbreviations() {
        let text = SourceText::from_lined("One ends. Acme Inc. The rent of No. 4 is due. Next one");
        let at = text.flow().find("rent").expect("it is there");
        assert_eq!(
            text.slice(&text.sentence_around(&(at..at + 4), 500)),
            "Acme Inc. The rent of No. 4 is due. "
        );
        let text = SourceText::from_lined("Rent a month ..... Fifty dollars. Next one");
        assert_eq!(text.slice(&text.sentence_around(&(0..4), 500)), "Rent a month ..... Fifty dollars. ");
    }

    #[test]
    fn a_text_over_the_limit_says_so() {
        let text = SourceText::from_lined(&"lease ".repeat(TEXT_MAX_BYTES / 5));
        assert!(text.is_truncated());
        assert!(text.lined().len() <= TEXT_MAX_BYTES);
    }
}
