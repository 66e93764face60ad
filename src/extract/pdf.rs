//! PDF with a text layer: glyphs with positions from the interpreter, laid out to lines and cells here.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, TransformExt, interpret_page,
};

use super::Caps;
use super::recognised::{WrittenWord, write_page};
use super::text::{SourceText, SourceTextBuilder};
use crate::ports::ocr::RecognisedPage;

/// Most drawing operations that are followed on one page, in calls. A densely set page has some ten
/// thousand; forms that draw each other over and over have billions.
const PAGE_OPERATIONS_MAX_COUNT: usize = 2_000_000;
/// Fewest glyphs that make a page one with text.
const PAGE_TEXT_MIN_GLYPHS: usize = 25;
/// Most glyphs without a known character, per thousand glyphs, at which the text layer still counts as text.
const UNMAPPED_MAX_PERMILLE: usize = 20;
/// Fewest letters in a text layer that can be a lease.
const TEXT_LAYER_MIN_LETTERS: usize = 200;

/// What a PDF's text layer gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    /// The text.
    pub text: SourceText,
    /// Pages, from 1, that show a picture and hardly any text, and were not recognised: what they say is not read.
    pub picture_pages: Vec<u32>,
    /// The words of recognised pages, as they were written into the text.
    pub written: Vec<WrittenWord>,
}

/// Why a PDF gave no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PdfFault {
    /// It needs a password, or an encryption that is not known.
    Encrypted,
    /// It is damaged.
    Unreadable,
    /// Its pages are pictures, or its glyphs have no characters.
    NoTextLayer,
    /// It exceeds a limit.
    TooLarge,
}

/// Thrown through the interpreter to leave a page whose drawing has no end; never leaves this file.
struct LimitMet;

/// Reads the text layer; pages that were recognised take the place of those that are pictures.
pub fn read(bytes: &[u8], caps: &Caps, recognised: &[RecognisedPage]) -> Result<PdfText, PdfFault> {
    // The interpreter is foreign code on hostile bytes: whatever panics in there is a damaged document here.
    match catch_unwind(AssertUnwindSafe(|| read_pages(bytes, caps, recognised))) {
        Ok(outcome) => outcome,
        Err(payload) if payload.is::<LimitMet>() => Err(PdfFault::TooLarge),
        Err(_) => Err(PdfFault::Unreadable),
    }
}

fn read_pages(bytes: &[u8], caps: &Caps, recognised: &[RecognisedPage]) -> Result<PdfText, PdfFault> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => PdfFault::Encrypted,
        LoadPdfError::Invalid => PdfFault::Unreadable,
    })?;
    let pages = pdf.pages();
    if pages.is_empty() {
        return Err(PdfFault::Unreadable);
    }
    if pages.len() > caps.pages_max_count {
        return Err(PdfFault::TooLarge);
    }
    let cache = InterpreterCache::new();
    let mut builder = SourceTextBuilder::default();
    let (mut picture_pages, mut written) = (Vec::new(), Vec::new());
    let (mut glyphs, mut unmapped) = (0usize, 0usize);
    for (index, page) in pages.iter().enumerate() {
        let mut sheet = Sheet::of(page, caps.glyphs_max_count.saturating_sub(glyphs));
        let mut context = Context::new(
            page.initial_transform(false).to_kurbo(),
            Rect::new(0.0, 0.0, 1.0, 1.0),
            &cache,
            pdf.xref(),
            InterpreterSettings::default(),
        );
        interpret_page(page, &mut context, &mut sheet);
        glyphs += sheet.marks.len() + sheet.unmapped;
        unmapped += sheet.unmapped;
        if sheet.marks.len() < PAGE_TEXT_MIN_GLYPHS && sheet.images > 0 && !is_captioned_plan(&sheet.marks) {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            match recognised.iter().find(|page| page.number == number) {
                Some(page) => {
                    write_page(page, &mut builder, &mut written);
                    continue;
                }
                None => picture_pages.push(number),
            }
        }
        builder.begin_page();
        lay_out(sheet.marks, &mut builder);
        if builder.is_full() {
            return Err(PdfFault::TooLarge);
        }
    }
    let text = builder.finish();
    let letters =
        text.flow().chars().filter(|character| character.is_alphabetic()).take(TEXT_LAYER_MIN_LETTERS);
    if unmapped * 1000 > glyphs * UNMAPPED_MAX_PERMILLE || letters.count() < TEXT_LAYER_MIN_LETTERS {
        return Err(PdfFault::NoTextLayer);
    }
    Ok(PdfText { text, picture_pages, written })
}

/// A glyph on the page: origin from the top left, width and size in points.
#[derive(Debug, Clone, PartialEq)]
struct Mark {
    x: f64,
    y: f64,
    width: f64,
    size: f64,
    text: String,
}

/// Collects the glyphs of one page and ignores everything that is drawn beside them.
struct Sheet {
    to_top_left: Affine,
    marks: Vec<Mark>,
    unmapped: usize,
    images: usize,
    operations_left: usize,
    glyphs_left: usize,
}

impl Sheet {
    fn of(page: &Page<'_>, glyphs_left: usize) -> Self {
        let (_, height) = page.render_dimensions();
        Self {
            to_top_left: Affine::translate((0.0, f64::from(height))) * Affine::scale_non_uniform(1.0, -1.0),
            marks: Vec::new(),
            unmapped: 0,
            images: 0,
            operations_left: PAGE_OPERATIONS_MAX_COUNT,
            glyphs_left,
        }
    }

    /// Counts one operation; leaves the interpreter when there have been too many. `resume_unwind` and not
    /// `panic!`, because a limit is no defect and must not reach the panic hook.
    fn count_operation(&mut self) {
        match self.operations_left.checked_sub(1) {
            Some(left) => self.operations_left = left,
            None => resume_unwind(Box::new(LimitMet)),
        }
    }

    fn count_glyph(&mut self) {
        self.count_operation();
        match self.glyphs_left.checked_sub(1) {
            Some(left) => self.glyphs_left = left,
            None => resume_unwind(Box::new(LimitMet)),
        }
    }
}

impl Device<'_> for Sheet {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.count_operation();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.count_operation();
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.count_operation();
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'_>, _: &DrawMode) {
        self.count_operation();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {
        self.count_operation();
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            self.count_glyph();
            let text = match glyph.as_unicode() {
                Some(BfString::Char(character)) => character.to_string(),
                Some(BfString::String(text)) => text,
                None => {
                    self.unmapped += 1;
                    continue;
                }
            };
            let transform = self.to_top_left * props.transform * glyph.transform();
            let origin = transform * Point::ZERO;
            // Half an em where the font does not say: about the mean width of a letter.
            let advance = match &**glyph {
                Glyph::Outline(outline) => outline.advance_width(),
                Glyph::Type3(drawn) => drawn.advance_width(),
            };
            let along = transform * Point::new(f64::from(advance.unwrap_or(500.0)), 0.0) - origin;
            let up = transform * Point::new(0.0, 1000.0) - origin;
            let level = along.y.atan2(along.x).abs() < 0.3;
            let mark =
                Mark { x: origin.x, y: origin.y, width: Vec2::hypot(along), size: Vec2::hypot(up), text };
            let finite = [mark.x, mark.y, mark.width, mark.size].iter().all(|number| number.is_finite());
            // Rotated text is a margin note or a watermark, and would tear the lines it crosses.
            if level && finite && mark.text.chars().all(|character| character >= ' ') {
                self.marks.push(mark);
            }
        }
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {
        self.count_operation();
        self.images += 1;
    }
}

/// A line of marks on one baseline.
struct Line {
    baseline: f64,
    size: f64,
    marks: Vec<Mark>,
}

/// How far from a baseline, in sizes of the smaller letter, a mark still belongs to the line: raised ordinals do.
const BASELINE_REACH_SIZES: f64 = 0.35;
/// A gap from which a space is meant, in sizes.
const WORD_GAP_SIZES: f64 = 0.17;
/// A gap from which another column or cell is meant, in sizes.
const CELL_GAP_SIZES: f64 = 1.6;
/// How near, in sizes, the same letter is printed again to make it bold.
const DOUBLE_STRIKE_SIZES: f64 = 0.15;

/// Puts the marks of one page into lines and writes them out, leaving page numbers away.
fn lay_out(mut marks: Vec<Mark>, builder: &mut SourceTextBuilder) {
    marks.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut lines: Vec<Line> = Vec::new();
    for mark in marks {
        match lines.last_mut() {
            Some(line)
                if (mark.y - line.baseline).abs()
                    < BASELINE_REACH_SIZES * mark.size.min(line.size).max(1.0) =>
            {
                line.size = line.size.max(mark.size);
                line.marks.push(mark);
            }
            _ => lines.push(Line { baseline: mark.y, size: mark.size, marks: vec![mark] }),
        }
    }
    let mut texts: Vec<String> = lines.into_iter().map(|line| line_text(line.marks)).collect();
    texts.retain(|text| !text.trim().is_empty());
    // A page number between two halves of a sentence is no part of it.
    if texts.last().is_some_and(|text| is_page_number(text)) {
        texts.pop();
    }
    if texts.first().is_some_and(|text| is_page_number(text)) {
        texts.remove(0);
    }
    for text in texts {
        builder.push_lined(&text);
        builder.break_line();
    }
}

fn line_text(mut marks: Vec<Mark>) -> String {
    marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut text = String::new();
    let mut last: Option<&Mark> = None;
    for mark in &marks {
        if let Some(before) = last {
            let struck_twice = before.text == mark.text
                && (before.x - mark.x).abs() < DOUBLE_STRIKE_SIZES * mark.size
                && !mark.text.trim().is_empty();
            if struck_twice {
                continue;
            }
            let gap = mark.x - (before.x + before.width);
            if gap > CELL_GAP_SIZES * mark.size {
                text.push('\t');
            } else if gap > WORD_GAP_SIZES * mark.size {
                text.push(' ');
            }
        }
        text.push_str(&mark.text);
        // A space is no place to measure the next gap from: cells are often parted by a wide gap after one.
        last = Some(mark);
    }
    text
}

/// Whether the few words on a page say that its picture is a drawing, which changes no figure.
fn is_captioned_plan(marks: &[Mark]) -> bool {
    let caption = line_text(marks.to_vec()).to_lowercase();
    ["floor plan", "site plan", "plot plan", "map"].iter().any(|word| caption.contains(word))
}

fn is_page_number(line: &str) -> bool {
    let line = line.trim().trim_matches(['-', '\u{2013}', '\u{2014}', ' ']);
    let digits = line.strip_prefix("Page ").map_or(line, |rest| rest.split(' ').next().unwrap_or(rest));
    !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks_of(words: &[(f64, f64, &str)]) -> Vec<Mark> {
        words
            .iter()
            .flat_map(|&(x, y, word)| {
                word.chars().enumerate().map(move |(index, character)| Mark {
                    x: x + 5.0 * f64::from(u32::try_from(index).expect("short")),
                    y,
                    width: 5.0,
                    size: 10.0,
                    text: character.to_string(),
                })
            })
            .collect()
    }

    fn laid_out(marks: Vec<Mark>) -> String {
        let mut builder = SourceTextBuilder::default();
        lay_out(marks, &mut builder);
        builder.finish().lined().to_owned()
    }

    #[test]
    fn marks_become_words_lines_and_cells() {
        type Words = &'static [(f64, f64, &'static str)];
        let rows: &[(&str, Words, &str)] = &[
            ("words", &[(0.0, 0.0, "the"), (18.0, 0.0, "rent")], "the rent"),
            ("one word in two runs", &[(0.0, 0.0, "ten"), (15.0, 0.0, "ant")], "tenant"),
            ("lines in order", &[(0.0, 20.0, "two"), (0.0, 0.0, "one")], "one\ntwo"),
            ("cells", &[(0.0, 0.0, "Rent"), (100.0, 0.0, "$5")], "Rent\t$5"),
            ("raised ordinal", &[(0.0, 10.0, "1"), (5.0, 7.0, "st"), (18.0, 10.0, "day")], "1st day"),
            ("struck twice", &[(0.0, 0.0, "A"), (0.5, 0.0, "A")], "A"),
            ("page number", &[(0.0, 0.0, "text"), (50.0, 700.0, "-12-")], "text"),
        ];
        for (case, words, expected) in rows {
            assert_eq!(laid_out(marks_of(words)), *expected, "{case}");
        }
    }

    #[test]
    fn broken_bytes_are_unreadable() {
        for bytes in [&b"%PDF-1.7\n"[..], b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF", b"%PDF-"] {
            assert_eq!(read(bytes, &Caps::default(), &[]), Err(PdfFault::Unreadable));
        }
    }
}
