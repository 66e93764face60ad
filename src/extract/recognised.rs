//! Recognised words to text with positions, so that the rules read a scan like any document; and how sure the
//! recogniser was of each passage, so that what comes of a scan is never surer than its weakest word.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::doubt::DoubtKind;
use super::text::{SourceText, SourceTextBuilder};
use crate::ports::ocr::{RecognisedPage, RecognisedWord};
use crate::posting::Confidence;

/// A gap between words from which another column or cell is meant, in heights of the line's tallest word.
const CELL_GAP_HEIGHTS: f64 = 1.5;
/// How much of the lower one two pieces must share in height to stand on one line.
const SAME_LINE_MIN_SHARE: f64 = 0.5;
/// Most words of a piece that can be a table's cell or a heading beside a paragraph. Two longer pieces side by
/// side are columns of prose, and joining them would tear both.
const CELL_MAX_WORDS: usize = 8;
/// Fewest words of a line that shows which way the page is read.
const DIRECTION_MIN_WORDS: usize = 2;
/// Fewest words of a line from which the page's tilt is measured.
const TILT_MIN_WORDS: usize = 5;
/// Largest tilt that is believed, as rise over run: about three degrees.
const TILT_MAX: f64 = 0.05;
/// Fewest digits of a plain number that may be an amount and is no day, month or year.
const AMOUNT_MIN_DIGITS: usize = 5;
/// Most pieces that are put in order on one page. A dense page has some two hundred.
const PAGE_PIECES_MAX_COUNT: usize = 5_000;

/// What a recogniser made of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// The pages that were recognised, in order.
    pub pages: Vec<RecognisedPage>,
    /// Whether the pages are those of a PDF, which is looked at once more: for other pages with text of their own, and
    /// for what was written on these.
    pub in_pdf: bool,
    /// Pages on which something stands and hardly a word was recognised: they can say anything.
    pub unread_pages: Vec<u32>,
}

/// The text of recognised pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecognisedText {
    /// The text, with pages, lines and cells.
    pub text: SourceText,
    /// Where in the text each word stands, in bytes, and how sure the recogniser was of it.
    words: Vec<(Range<usize>, Confidence)>,
}

impl RecognisedText {
    /// The text of pages, in the order given. Page numbers of the text count these pages from 1.
    pub fn of(pages: &[RecognisedPage]) -> Self {
        let mut builder = SourceTextBuilder::default();
        let mut written = Vec::new();
        for page in pages {
            write_page(page, &mut builder, &mut written);
        }
        Self { text: builder.finish(), words: written }
    }

    /// A text of which these parts were recognised, in order and apart from each other.
    pub fn with_parts(text: SourceText, recognised: Vec<(Range<usize>, Confidence)>) -> Self {
        Self { text, words: recognised }
    }

    /// How sure the recogniser was of the least sure word that touches a range of the text; certain where no
    /// recognised word does.
    pub fn confidence_at(&self, range: &Range<usize>) -> Confidence {
        self.words_at(range).map(|(_, confidence)| *confidence).min().unwrap_or(Confidence::ONE)
    }

    /// Whether a recognised word touches a range of the text.
    pub fn is_recognised(&self, range: &Range<usize>) -> bool {
        self.words_at(range).next().is_some()
    }

    fn words_at(&self, range: &Range<usize>) -> impl Iterator<Item = &(Range<usize>, Confidence)> {
        let first = self.words.partition_point(|(word, _)| word.end <= range.start);
        let end = range.end.max(range.start + 1);
        self.words[first..].iter().take_while(move |(word, _)| word.start < end)
    }
}

/// How sure the recogniser was on the whole: the mean over the characters of all words. A document without words
/// has no support at all.
pub fn mean_confidence(pages: &[RecognisedPage]) -> Confidence {
    let words = pages.iter().flat_map(|page| &page.lines).flat_map(|line| &line.words);
    let (mut sum, mut characters) = (0u64, 0u64);
    for word in words {
        let count = word.text.chars().count() as u64;
        sum += u64::from(word.confidence_permille) * count;
        characters += count;
    }
    let mean = sum.checked_div(characters).unwrap_or(0);
    Confidence::permille(u16::try_from(mean).unwrap_or(u16::MAX))
}

/// Writes one page, after [`SourceTextBuilder::begin_page`], and notes what was written. For a document of which
/// only some pages are pictures.
pub fn write_page(
    page: &RecognisedPage,
    builder: &mut SourceTextBuilder,
    written: &mut Vec<(Range<usize>, Confidence)>,
) {
    builder.begin_page();
    let mut rows = rows_of(page);
    // A page number between two halves of a sentence is no part of it.
    if rows.last().is_some_and(|row| is_page_number(row)) {
        rows.pop();
    }
    if rows.first().is_some_and(|row| is_page_number(row)) {
        rows.remove(0);
    }
    for row in rows {
        let height = row.iter().map(|word| word.height).fold(1.0, f64::max);
        let mut last_end: Option<f64> = None;
        for word in row {
            let text = SourceText::from_lined(word.said.text.trim()).flow().to_owned();
            if text.is_empty() {
                continue;
            }
            match last_end {
                Some(end) if word.left - end > CELL_GAP_HEIGHTS * height => {
                    builder.break_cell();
                }
                Some(_) => builder.push_flowing(" "),
                None => {}
            }
            builder.push_flowing(&text);
            if word.said.is_handwritten && is_like_an_amount(&text) {
                builder.doubt(DoubtKind::Handwriting, &text);
            }
            last_end = Some(word.right());
            let confidence = Confidence::permille(word.said.confidence_permille);
            // The word is in the one spelling already, so that it ends where the text does now.
            let end = builder.len_bytes();
            written.push((end.saturating_sub(text.len())..end, confidence));
        }
        builder.break_line();
    }
}

/// Whether a word may change what is paid; dates beside signatures are written by hand everywhere.
fn is_like_an_amount(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits > 0 && (word.contains(['$', '€', '£', ',']) || digits >= AMOUNT_MIN_DIGITS && !word.contains('/'))
}

/// A word with its place on the page as it is read: upright, in pixels from some corner.
#[derive(Clone, Copy)]
struct Placed<'a> {
    said: &'a RecognisedWord,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl<'a> Placed<'a> {
    fn of(said: &'a RecognisedWord, reading: Reading) -> Self {
        let [left, top, width, height] =
            [said.left_px, said.top_px, said.width_px, said.height_px].map(f64::from);
        let (left, top, width, height) = match reading {
            Reading::ToTheRight => (left, top, width, height),
            Reading::ToTheLeft => (-left - width, -top - height, width, height),
            Reading::Upwards => (-top - height, left, height, width),
            Reading::Downwards => (top, -left - width, height, width),
        };
        Self { said, left, top, width, height }
    }

    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn middle(&self) -> (f64, f64) {
        (self.left + self.width / 2.0, self.top + self.height / 2.0)
    }
}

/// Which way the lines of a page run on its picture. Recognisers read a page that was scanned lying or upside down,
/// and give places as they are on the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    ToTheRight,
    ToTheLeft,
    Upwards,
    Downwards,
}

impl Reading {
    /// The way most lines of several words run.
    fn of(page: &RecognisedPage) -> Self {
        const WAYS: [Reading; 4] =
            [Reading::ToTheRight, Reading::ToTheLeft, Reading::Upwards, Reading::Downwards];
        let mut votes = [0usize; 4];
        for line in page.lines.iter().filter(|line| line.words.len() >= DIRECTION_MIN_WORDS) {
            let (Some(first), Some(last)) = (line.words.first(), line.words.last()) else { continue };
            let place = |word| Placed::of(word, Self::ToTheRight).middle();
            let (right, down) = (place(last).0 - place(first).0, place(last).1 - place(first).1);
            let way = match (right.abs() >= down.abs(), right >= 0.0, down >= 0.0) {
                (true, true, _) => 0,
                (true, false, _) => 1,
                (false, _, false) => 2,
                (false, _, true) => 3,
            };
            votes[way] += line.words.len();
        }
        // The first of equals, which is the usual one.
        let most = votes.iter().copied().max().unwrap_or(0);
        votes.iter().position(|count| *count == most).map_or(Self::ToTheRight, |way| WAYS[way])
    }
}

/// Words that stand on one line of the page, with the room they take, the page's tilt taken away.
struct Row<'a> {
    words: Vec<Placed<'a>>,
    top: f64,
    bottom: f64,
    left: f64,
    right: f64,
    /// Whether a piece of it is too long to be a cell.
    long: bool,
}

impl<'a> Row<'a> {
    fn of(mut words: Vec<Placed<'a>>, tilt: f64) -> Option<Self> {
        words.sort_by(|a, b| a.left.total_cmp(&b.left));
        let tops = words.iter().map(|word| word.top - tilt * word.middle().0);
        let bottoms = words.iter().map(|word| word.top + word.height - tilt * word.middle().0);
        Some(Self {
            top: tops.reduce(f64::min)?,
            bottom: bottoms.reduce(f64::max)?,
            left: words.first()?.left,
            right: words.iter().map(Placed::right).reduce(f64::max)?,
            long: words.len() > CELL_MAX_WORDS,
            words,
        })
    }

    fn stands_beside(&self, other: &Self) -> bool {
        let shared = self.bottom.min(other.bottom) - self.top.max(other.top);
        let lower = (self.bottom - self.top).min(other.bottom - other.top);
        let apart = self.right <= other.left || other.right <= self.left;
        apart && shared > SAME_LINE_MIN_SHARE * lower.max(1.0)
    }

    fn join(&mut self, other: Self) {
        self.top = self.top.min(other.top);
        self.bottom = self.bottom.max(other.bottom);
        self.left = self.left.min(other.left);
        self.right = self.right.max(other.right);
        self.long |= other.long;
        self.words.extend(other.words);
        self.words.sort_by(|a, b| a.left.total_cmp(&b.left));
    }
}

/// The page's words line by line. Recognisers give a table column by column; its cells are put back into rows.
fn rows_of(page: &RecognisedPage) -> Vec<Vec<Placed<'_>>> {
    let reading = Reading::of(page);
    let lines = page.lines.iter().take(PAGE_PIECES_MAX_COUNT);
    let lines: Vec<Vec<Placed<'_>>> =
        lines.map(|line| line.words.iter().map(|word| Placed::of(word, reading)).collect()).collect();
    let tilt = tilt_of(&lines);
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut has_columns = false;
    for piece in lines.into_iter().filter_map(|line| Row::of(line, tilt)) {
        let beside = rows.iter().position(|row| row.stands_beside(&piece));
        match beside {
            Some(at) if !(rows[at].long && piece.long) => rows[at].join(piece),
            other => {
                has_columns |= other.is_some();
                rows.push(piece);
            }
        }
    }
    // With columns of prose the recogniser's own order is the one to read in.
    if !has_columns {
        rows.sort_by(|a, b| (a.top + a.bottom).total_cmp(&(b.top + b.bottom)));
    }
    rows.into_iter().map(|row| row.words).collect()
}

/// How far a line sinks for each pixel to the right: the middle one of what the long lines show.
fn tilt_of(lines: &[Vec<Placed<'_>>]) -> f64 {
    let tilt = |line: &Vec<Placed<'_>>| {
        let (first, last) = (line.first()?.middle(), line.last()?.middle());
        let run = last.0 - first.0;
        (line.len() >= TILT_MIN_WORDS && run > 0.0).then(|| (last.1 - first.1) / run)
    };
    let mut tilts: Vec<f64> = lines.iter().filter_map(tilt).collect();
    tilts.sort_by(f64::total_cmp);
    tilts.get(tilts.len() / 2).copied().filter(|tilt| tilt.abs() <= TILT_MAX).unwrap_or(0.0)
}

fn is_page_number(row: &[Placed<'_>]) -> bool {
    let words: Vec<&str> =
        row.iter().map(|word| word.said.text.trim()).filter(|text| !text.is_empty()).collect();
    let text = words.join(" ");
    let line = text.trim_matches(['-', '\u{2013}', '\u{2014}', ' ']);
    let digits = line.strip_prefix("Page ").map_or(line, |rest| rest.split(' ').next().unwrap_or(rest));
    !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::ocr::RecognisedLine;

    /// A word of letters 10 wide and 20 high.
    fn word(left_px: u32, top_px: u32, text: &str) -> RecognisedWord {
        let width_px = 10 * u32::try_from(text.chars().count()).unwrap();
        let text = text.to_owned();
        RecognisedWord {
            text,
            left_px,
            top_px,
            width_px,
            height_px: 20,
            confidence_permille: 900,
            is_handwritten: false,
        }
    }

    /// A line of words with spaces of 10.
    fn line(left_px: u32, top_px: u32, text: &str) -> RecognisedLine {
        let mut at = left_px;
        let words = text.split(' ').map(|text| {
            let word = word(at, top_px, text);
            at += word.width_px + 10;
            word
        });
        RecognisedLine { words: words.collect() }
    }

    fn page(lines: Vec<RecognisedLine>) -> RecognisedPage {
        RecognisedPage { number: 1, lines }
    }

    const PROSE: &str = "of one long line of prose that no cell of a table holds";

    #[test]
    fn words_become_lines_and_cells() {
        let columns = |at: u32| line(at, 100, PROSE);
        let rows: Vec<(&str, Vec<RecognisedLine>, String)> = vec![
            ("nothing", vec![], String::new()),
            ("words", vec![line(0, 0, "the rent is due")], "the rent is due".to_owned()),
            ("a wide gap", vec![RecognisedLine { words: vec![word(0, 0, "Rent"), word(71, 0, "$5")] }], {
                "Rent\t$5".to_owned()
            }),
            (
                "a gap of justified prose",
                vec![RecognisedLine { words: vec![word(0, 0, "to"), word(50, 0, "be")] }],
                { "to be".to_owned() },
            ),
            (
                "a table by columns",
                vec![
                    line(0, 0, "Year 1"),
                    line(0, 40, "Year 2"),
                    line(300, 2, "$1,000"),
                    line(300, 41, "$1,100"),
                ],
                "Year 1\t$1,000\nYear 2\t$1,100".to_owned(),
            ),
            ("a heading beside prose", vec![line(0, 98, "Rent."), columns(200)], format!("Rent.\t{PROSE}")),
            (
                "columns of prose",
                vec![columns(0), line(0, 140, "left ends"), columns(1000), line(1000, 140, "right ends")],
                // Only the short ends stand together: each half of a sentence keeps its own line.
                format!("{PROSE}\nleft ends\tright ends\n{PROSE}"),
            ),
            ("out of order", vec![line(0, 40, "two"), line(0, 0, "one")], "one\ntwo".to_owned()),
            ("page numbers", vec![line(0, 0, "text"), line(50, 900, "- 12 -")], "text".to_owned()),
            (
                "blank words",
                vec![RecognisedLine { words: vec![word(0, 0, " "), word(10, 0, "a")] }],
                "a".to_owned(),
            ),
        ];
        for (case, lines, expected) in rows {
            assert_eq!(RecognisedText::of(&[page(lines)]).text.lined(), expected, "{case}");
        }
    }

    #[test]
    fn a_tilted_page_keeps_its_rows() {
        let sink = |mut line: RecognisedLine| {
            for word in &mut line.words {
                word.top_px += word.left_px / 40;
            }
            line
        };
        let lines = vec![
            line(0, 0, PROSE),
            line(0, 60, "Year 1"),
            line(0, 90, "Year 2"),
            line(1200, 60, "$1,000"),
            line(1200, 90, "$1,100"),
        ];
        let text = RecognisedText::of(&[page(lines.into_iter().map(sink).collect())]).text;
        assert_eq!(text.lined(), format!("{PROSE}\nYear 1\t$1,000\nYear 2\t$1,100"));
    }

    #[test]
    fn a_page_that_lies_is_read_all_the_same() {
        let turn = |quarters: u32, word: &RecognisedWord| {
            let (mut left, mut top, mut width, mut height) =
                (word.left_px, word.top_px, word.width_px, word.height_px);
            for _ in 0..quarters {
                // A quarter to the right on a sheet of 2000 by 2000.
                (left, top, width, height) = (2000 - top - height, left, height, width);
            }
            let text = word.text.clone();
            RecognisedWord { left_px: left, top_px: top, width_px: width, height_px: height, text, ..*word }
        };
        let upright = [
            line(0, 0, PROSE),
            line(0, 60, "Year 1"),
            line(0, 90, "Year 2"),
            line(1200, 60, "$1,000"),
            line(1200, 90, "$1,100"),
        ];
        for quarters in 0..4 {
            let turned = upright.iter().map(|line| RecognisedLine {
                words: line.words.iter().map(|word| turn(quarters, word)).collect(),
            });
            let text = RecognisedText::of(&[page(turned.collect())]).text;
            let expected = format!("{PROSE}\nYear 1\t$1,000\nYear 2\t$1,100");
            assert_eq!(text.lined(), expected, "{quarters} quarters");
        }
    }

    #[test]
    fn pages_are_told_apart() {
        let pages = [page(vec![line(0, 0, "first")]), page(vec![]), page(vec![line(0, 0, "third")])];
        let text = RecognisedText::of(&pages).text;
        assert_eq!((text.page_at(0), text.page_at(6)), (Some(1), Some(3)));
    }

    #[test]
    fn a_passage_is_as_sure_as_its_least_sure_word() {
        let mut lines = vec![line(0, 0, "the \u{201c}rent\u{201d} is $5,000")];
        for (word, permille) in lines[0].words.iter_mut().zip([990, 800, 950, 600]) {
            word.confidence_permille = permille;
        }
        let recognised = RecognisedText::of(&[page(lines)]);
        assert_eq!(recognised.text.flow(), "the \"rent\" is $5,000");
        for (range, permille) in
            [(0..3, 990), (0..5, 800), (5..9, 800), (11..13, 950), (14..20, 600), (0..20, 600), (15..15, 600)]
        {
            assert_eq!(recognised.confidence_at(&range), Confidence::permille(permille), "{range:?}");
        }
        assert_eq!(RecognisedText::default().confidence_at(&(0..9)), Confidence::ONE);
    }

    #[test]
    fn the_mean_is_over_characters() {
        let mut lines = vec![line(0, 0, "abc d")];
        lines[0].words[1].confidence_permille = 500;
        assert_eq!(mean_confidence(&[page(lines)]), Confidence::permille(800));
        assert_eq!(mean_confidence(&[page(vec![])]), Confidence::ZERO);
    }

    #[test]
    fn amounts_written_by_hand_cast_doubt() {
        for (word, expected) in [
            ("$4,000", true),
            ("4,000.00", true),
            ("40000", true),
            ("3/1/2021", false),
            ("2021", false),
            ("Amador", false),
        ] {
            let by_hand = RecognisedWord { is_handwritten: true, ..self::word(0, 0, word) };
            let page = RecognisedPage { number: 1, lines: vec![RecognisedLine { words: vec![by_hand] }] };
            let told = RecognisedText::of(&[page]).text.doubts().of(DoubtKind::Handwriting).is_some();
            assert_eq!(told, expected, "{word}");
        }
    }
}
