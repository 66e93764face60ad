//! Fields of forms and notes on the page: what they hold is read where the page draws it, and else casts doubt.

use std::collections::BTreeSet;

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Stream, String as PdfString};
use hayro_interpret::hayro_syntax::page::Page;

use super::layout::{Mark, line_text};
use super::sheet::SeenPage;
use crate::extract::clauses::kind::mark_of;
use crate::extract::doubt::{self, DoubtKind};
use crate::extract::text::SourceTextBuilder;

/// Most fields and notes of one page that are looked at. A tax form has some hundreds.
const PAGE_FIELDS_MAX_COUNT: usize = 5_000;
/// Deepest nesting of fields, each a part of another, in fields.
const FIELDS_MAX_DEPTH: usize = 16;
/// Longest value of a field that is looked at, in bytes.
const VALUE_MAX_BYTES: usize = 4_096;
/// Flags of what is not shown: hidden, and not for view.
const FLAGS_UNSEEN: u32 = 1 << 1 | 1 << 5;
/// Flag of a button that only starts something.
const FLAG_PUSH_BUTTON: u32 = 1 << 16;

/// Looks at the fields and notes of a page beside what a reader sees of it.
pub(super) fn look_at(page: &Page<'_>, seen: &SeenPage, builder: &mut SourceTextBuilder) {
    let Some(notes) = page.raw().get::<Array<'_>>(b"Annots") else { return };
    let mut drawn: Option<(Vec<Vec<String>>, BTreeSet<String>)> = None;
    for note in notes.iter::<Dict<'_>>().take(PAGE_FIELDS_MAX_COUNT) {
        if note.get::<u32>(b"F").unwrap_or_default() & FLAGS_UNSEEN != 0 {
            continue;
        }
        let value = match note.get::<Name<'_>>(b"Subtype").as_deref() {
            Some(b"Widget") => {
                let is_box = inherited(&note, |field| field.get::<Name<'_>>(b"FT")).as_deref()
                    == Some(b"Btn")
                    && inherited(&note, |field| field.get::<u32>(b"Ff")).unwrap_or_default()
                        & FLAG_PUSH_BUTTON
                        == 0;
                if is_box {
                    builder.doubt(DoubtKind::CheckBoxes, &name_of(&note));
                    continue;
                }
                inherited(&note, value_of)
            }
            Some(b"FileAttachment") => {
                let name = text_of(&note, b"Contents").unwrap_or_else(|| "a file on a page".to_owned());
                builder.doubt(DoubtKind::AttachedFiles, &name);
                continue;
            }
            Some(b"FreeText") => said_by(&note),
            // What they say is seen by whoever opens them, and on no page that is printed.
            Some(
                b"Text" | b"Highlight" | b"Underline" | b"Squiggly" | b"Caret" | b"Ink" | b"Line" | b"Square"
                | b"Circle" | b"Polygon" | b"PolyLine" | b"Popup" | b"Redact",
            ) => {
                let said = said_by(&note).unwrap_or_default();
                if said.contains(char::is_alphanumeric) {
                    builder.doubt(DoubtKind::FormFieldsNotRead, &said);
                }
                continue;
            }
            Some(b"StrikeOut") => {
                builder.doubt(DoubtKind::StruckOutText, &text_of(&note, b"Contents").unwrap_or_default());
                continue;
            }
            Some(b"Stamp") => {
                // Programs put letters of their own before the name: "SBVoid", "#Void".
                let name = note.get::<Name<'_>>(b"Name").map(|name| decoded(&name).to_lowercase());
                let name = name.unwrap_or_default();
                let name = name.trim_start_matches("sb").trim_start_matches(|c: char| !c.is_alphabetic());
                let name = name.split(|c: char| !c.is_alphabetic()).next().and_then(mark_of);
                name.iter().for_each(|mark| builder.push_margin(&mark.to_uppercase()));
                builder.push_margin(&text_of(&note, b"Contents").unwrap_or_default());
                continue;
            }
            _ => continue,
        };
        let Some(value) = value.filter(|value| !value.trim().is_empty()) else { continue };
        let (drawn, drawn_words) = drawn.get_or_insert_with(|| {
            let lines = drawn_lines(seen);
            let words: BTreeSet<String> = lines.iter().flatten().cloned().collect();
            (lines, words)
        });
        // A value may be drawn in several lines: each of its own words must be there.
        let words = words_of(&value);
        let is_drawn = words.iter().all(|word| drawn_words.contains(word));
        // A figure of a field that no word of the page stands beside may be that of any clause, or correct it.
        let stands_alone = || doubt::holds_a_figure(&value) && drawn.contains(&words);
        if !is_drawn || stands_alone() {
            builder.doubt(DoubtKind::FormFieldsNotRead, &format!("{} {value}", name_of(&note)));
        }
    }
}

/// The words of each line that a reader sees of a page.
fn drawn_lines(seen: &SeenPage) -> Vec<Vec<String>> {
    let mut marks = seen.marks.clone();
    marks.sort_by(|a, b| (a.y / 2.0).round().total_cmp(&(b.y / 2.0).round()).then(a.x.total_cmp(&b.x)));
    let on_one_line = |a: &Mark, b: &Mark| (a.y / 2.0).round().total_cmp(&(b.y / 2.0).round()).is_eq();
    let lines = marks.chunk_by(on_one_line).map(|line| line_text(line.to_vec()));
    lines.chain(seen.beside.iter().cloned()).map(|line| words_of(&line)).collect()
}

/// Notes files that are attached to the document as a whole.
pub(super) fn look_at_attachments(pdf: &Pdf, builder: &mut SourceTextBuilder) {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let names = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(b"Names"));
    let Some(files) = names.and_then(|names| names.get::<Dict<'_>>(b"EmbeddedFiles")) else { return };
    let is_listed =
        |list: &[u8]| files.get::<Array<'_>>(list).is_some_and(|list| list.raw_iter().next().is_some());
    if is_listed(b"Names") || is_listed(b"Kids") {
        let first = files.get::<Array<'_>>(b"Names").and_then(|names| names.iter::<PdfString<'_>>().next());
        builder.doubt(DoubtKind::AttachedFiles, &first.map(|name| decoded(&name)).unwrap_or_default());
    }
}

/// Words without their case and punctuation.
fn words_of(text: &str) -> Vec<String> {
    let folded =
        |word: &str| word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    text.split_whitespace().map(folded).filter(|word: &String| !word.is_empty()).collect()
}

/// What a field says, or the field that it is a part of.
fn inherited<'a, T>(field: &Dict<'a>, of: impl Fn(&Dict<'a>) -> Option<T>) -> Option<T> {
    let mut field = field.clone();
    for _ in 0..FIELDS_MAX_DEPTH {
        if let Some(found) = of(&field) {
            return Some(found);
        }
        field = field.get::<Dict<'a>>(b"Parent")?;
    }
    None
}

fn value_of(field: &Dict<'_>) -> Option<String> {
    text_of(field, b"V").or_else(|| {
        let chosen = field.get::<Array<'_>>(b"V")?;
        let words: Vec<String> = chosen.iter::<PdfString<'_>>().take(16).map(|text| decoded(&text)).collect();
        Some(words.join(" "))
    })
}

/// What a note says, plainly or else with its looks.
fn said_by(note: &Dict<'_>) -> Option<String> {
    let plain = text_of(note, b"Contents").filter(|text| !text.trim().is_empty());
    plain.or_else(|| {
        Some(
            text_of(note, b"RC")?
                .split('<')
                .filter_map(|part| part.split_once('>'))
                .map(|(_, text)| text)
                .collect(),
        )
    })
}

fn name_of(field: &Dict<'_>) -> String {
    inherited(field, |field| text_of(field, b"T")).map(|name| name + ":").unwrap_or_default()
}

fn text_of(field: &Dict<'_>, key: &[u8]) -> Option<String> {
    let text = field.get::<PdfString<'_>>(key).map(|text| decoded(&text));
    text.or_else(|| Some(decoded(&field.get::<Stream<'_>>(key)?.decoded().ok()?)))
}

/// A text of a PDF outside its pages: UTF-16 or UTF-8 with a mark, else one byte a letter.
fn decoded(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(VALUE_MAX_BYTES)];
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, mark)) => encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned(),
        None => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}
