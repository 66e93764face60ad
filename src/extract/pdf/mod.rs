//! PDF with a text layer: glyphs with positions from the interpreter, told apart by what a reader sees of them,
//! and laid out to lines and cells.

mod fields;
mod layout;
mod sheet;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, TransformExt, interpret_page};

use super::Caps;
use super::recognised::{WrittenWord, write_page};
use super::text::{SourceText, SourceTextBuilder};
use crate::ports::ocr::RecognisedPage;
use layout::{is_captioned_plan, lay_out};
use sheet::{LimitMet, Sheet};

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
            sheet.bounds(),
            &cache,
            pdf.xref(),
            InterpreterSettings::default(),
        );
        interpret_page(page, &mut context, &mut sheet);
        glyphs += sheet.glyphs() + sheet.unmapped();
        unmapped += sheet.unmapped();
        let has_images = sheet.has_images();
        let seen = sheet.finish();
        if seen.marks.len() < PAGE_TEXT_MIN_GLYPHS && has_images && !is_captioned_plan(&seen.marks) {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            match recognised.iter().find(|page| page.number == number) {
                Some(page) => {
                    write_page(page, &mut builder, &mut written);
                    continue;
                }
                None => picture_pages.push(number),
            }
        }
        fields::look_at(page, &seen, &mut builder);
        builder.begin_page();
        builder.cast(&seen.doubts);
        seen.beside.iter().for_each(|line| builder.push_margin(line));
        lay_out(seen.marks, &mut builder);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_bytes_are_unreadable() {
        for bytes in [&b"%PDF-1.7\n"[..], b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF", b"%PDF-"] {
            assert_eq!(read(bytes, &Caps::default(), &[]), Err(PdfFault::Unreadable));
        }
    }
}
