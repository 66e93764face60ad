//! PDF with a text layer: glyphs with positions from the interpreter, told apart by what a reader sees of them,
//! and laid out to lines and cells.

mod damage;
mod fields;
mod layout;
mod sheet;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, TransformExt, interpret_page};

use super::Caps;
use super::doubt::DoubtKind;
use super::recognised::write_page;
use super::text::{SourceText, SourceTextBuilder};
use crate::ports::ocr::RecognisedPage;
use crate::posting::Confidence;
use damage::Damage;
use layout::{is_captioned_plan, lay_out};
use sheet::{LimitMet, Sheet};

/// Fewest glyphs that make a page one with text.
const PAGE_TEXT_MIN_GLYPHS: usize = 25;
/// Most glyphs of a page that is a picture with a stamp on it: a number of the file, of the envelope, of the page.
const STAMPED_PAGE_MAX_GLYPHS: usize = 200;
/// How much of such a page its picture takes up at least, in percent.
const STAMPED_PAGE_PICTURE_MIN_PERCENT: f64 = 60.0;
/// How sure one is of a word that a recogniser wrote of which nothing is known.
const UNKNOWN_RECOGNISER: Confidence = Confidence::percent(80);
/// Most glyphs of a page on which a caption is looked for.
const CAPTIONED_PAGE_MAX_GLYPHS: usize = 1_500;
/// Most glyphs without a known character, per thousand glyphs, at which the text layer still counts as text.
const UNMAPPED_MAX_PERMILLE: usize = 20;
/// Fewest letters in a text layer that can be a lease.
const TEXT_LAYER_MIN_LETTERS: usize = 200;

/// What a PDF's text layer gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    /// The text.
    pub text: SourceText,
    /// Pages, from 1, that show a picture and no text with ink on it, and were not recognised: what they say is not read.
    pub picture_pages: Vec<u32>,
    /// Parts of the text that were recognised: the words of recognised pages, and whole pages whose text somebody
    /// else's recogniser laid over the picture.
    pub recognised: Vec<(Range<usize>, Confidence)>,
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

fn read_pages(bytes: &[u8], caps: &Caps, recognised_pages: &[RecognisedPage]) -> Result<PdfText, PdfFault> {
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
    let (mut picture_pages, mut written) = (Vec::new(), Vec::<(Range<usize>, Confidence)>::new());
    let (mut glyphs, mut unmapped) = (0usize, 0usize);
    let mut damage = Damage::default();
    Damage::look_at_file(bytes, &pdf, &mut builder);
    fields::look_at_attachments(&pdf, &mut builder);
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
        let is_bare = seen.marks.len() < PAGE_TEXT_MIN_GLYPHS && has_images;
        let is_stamped = seen.marks.len() < STAMPED_PAGE_MAX_GLYPHS
            && seen.picture_percent >= STAMPED_PAGE_PICTURE_MIN_PERCENT
            && seen.inkless < PAGE_TEXT_MIN_GLYPHS;
        let is_captioned = seen.marks.len() < CAPTIONED_PAGE_MAX_GLYPHS && is_captioned_plan(&seen.marks);
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let recognised = recognised_pages.iter().find(|page| page.number == number);
        damage.look_at_page(number, page, &mut builder);
        // Copiers lay what they recognised over the picture, without ink: nobody sees it, so that it witnesses nothing
        // but itself, and the picture is recognised anew.
        let is_searchable_scan =
            seen.inkless >= PAGE_TEXT_MIN_GLYPHS && seen.picture_percent >= STAMPED_PAGE_PICTURE_MIN_PERCENT;
        let is_picture = (is_bare || is_stamped) && !is_captioned;
        if (is_picture || is_searchable_scan) && recognised.is_none() {
            picture_pages.push(number);
        }
        if seen.bare_pictures > 0 && !(is_bare || is_stamped || is_captioned) {
            builder.doubt(DoubtKind::PicturesWithoutText, &format!("a picture on page {}", index + 1));
        }
        fields::look_at(page, &seen, &mut builder);
        builder.cast(&seen.doubts);
        seen.beside.iter().for_each(|line| builder.push_margin(line));
        match recognised {
            // What was put on the picture later, a stamp, say, is on it for the recogniser too.
            Some(page) => write_page(page, &mut builder, &mut written),
            None => {
                builder.begin_page();
                let start = builder.len_bytes();
                lay_out(seen.marks, &mut builder);
                if is_searchable_scan {
                    written.push((start..builder.len_bytes(), UNKNOWN_RECOGNISER));
                }
            }
        }
        if builder.is_full() {
            return Err(PdfFault::TooLarge);
        }
    }
    let text = builder.finish();
    let letters =
        text.flow().chars().filter(|character| character.is_alphabetic()).take(TEXT_LAYER_MIN_LETTERS);
    let is_recognised_whole = recognised_pages.len() == pages.len();
    let has_text_layer =
        unmapped * 1000 <= glyphs * UNMAPPED_MAX_PERMILLE && letters.count() >= TEXT_LAYER_MIN_LETTERS;
    if !has_text_layer && !is_recognised_whole {
        return Err(PdfFault::NoTextLayer);
    }
    Ok(PdfText { text, picture_pages, recognised: written })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::recognised::RecognisedText;

    /// A PDF of one page with this content and these annotations behind enough prose; objects from 10 on are free.
    fn pdf_of(content: &str, annotations: &str, objects: &str) -> Vec<u8> {
        let prose: String = (0..6)
            .map(|line| {
                format!("BT /F1 10 Tf 1 0 0 1 72 {} Tm (the tenant shall keep the premises in good repair) Tj ET\n", 200 - line * 14)
            })
            .collect();
        let content = format!("{prose}{content}");
        format!(
            "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
             3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 4 0 R>>/XObject<</Im 6 0 R>>/ExtGState<</Faint<</ca 0.3>>/Mix<</BM/Multiply>>>>>>\
             /Contents 5 0 R/Annots[{annotations}]>>\nendobj\n\
             4 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[{}]>>\nendobj\n\
             5 0 obj\n<</Length {}>>\nstream\n{content}\nendstream\nendobj\n\
             6 0 obj\n<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>\nstream\n0\nendstream\nendobj\n\
             {objects}\ntrailer\n<</Root 1 0 R>>\n%%EOF",
            "500 ".repeat(95),
            content.len(),
        )
        .into_bytes()
    }

    /// Text at a place of the page, from below, in ten points: five points a letter.
    fn at(x: u32, y: u32, text: &str) -> String {
        format!("BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
    }

    fn seen(bytes: &[u8]) -> (String, String, Vec<(DoubtKind, String)>) {
        let text = read(bytes, &Caps::default(), &[]).expect("the test's own PDF").text;
        let kinds = [
            DoubtKind::StruckOutText,
            DoubtKind::HiddenText,
            DoubtKind::FormFieldsNotRead,
            DoubtKind::CheckBoxes,
            DoubtKind::RotatedText,
        ];
        let doubts =
            kinds.into_iter().filter_map(|kind| Some((kind, text.doubts().of(kind)?.passages.join("|"))));
        let shown: Vec<&str> = text.lined().lines().filter(|line| !line.contains("good repair")).collect();
        (shown.join("\n"), text.margins().trim().to_owned(), doubts.collect())
    }

    #[test]
    fn a_page_is_read_as_it_is_seen() {
        use DoubtKind::{HiddenText, RotatedText, StruckOutText};
        let rent = at(72, 500, "Rent $5,000 a month");
        // The figure stands from 97 to 127 points.
        let turned =
            |x: i32, y: i32, text: &str| format!("BT /F1 10 Tf 0 1 -1 0 {x} {y} Tm ({text}) Tj ET\n");
        let sideways: String = (0..12)
            .map(|line| turned(300 + line * 14, 300, &format!("sideways line {line} of the schedule")))
            .collect();
        type Noted = Vec<(DoubtKind, &'static str)>;
        // Case, content, lines, what stands beside them, doubts.
        let rows: Vec<(&str, String, &str, &str, Noted)> = vec![
            ("plain", rent.clone(), "Rent $5,000 a month", "", vec![]),
            (
                "struck out by a stroke",
                format!("{rent}0.7 w 97 503 m 127 503 l S\n"),
                "Rent a month",
                "",
                vec![(StruckOutText, "$5,000")],
            ),
            (
                "struck out by a thin area",
                format!("{rent}97 502.5 30 0.8 re f\n"),
                "Rent a month",
                "",
                vec![(StruckOutText, "$5,000")],
            ),
            (
                "struck out before it is drawn",
                format!("97 502.5 30 0.8 re f\n{rent}"),
                "Rent a month",
                "",
                vec![(StruckOutText, "$5,000")],
            ),
            (
                "a whole line struck out",
                format!("{rent}70 503 m 168 503 l S\n"),
                "",
                "",
                vec![(StruckOutText, "Rent $5,000 a month")],
            ),
            (
                "words struck out that are no value",
                format!("{rent}132 503 m 167 503 l S\n"),
                "Rent $5,000",
                "",
                vec![],
            ),
            (
                "struck out aslant",
                format!("{rent}97 500 m 127 507 l S\n"),
                "Rent $5,000 a month",
                "",
                vec![(StruckOutText, "a slanting line through: $5,000")],
            ),
            (
                "a zigzag",
                format!("{rent}97 500 m 104 507 l 111 500 l 118 507 l 125 500 l S\n"),
                "Rent $5,000 a month",
                "",
                vec![(StruckOutText, "a slanting line through: $5,000")],
            ),
            (
                "a slanting line beside the figure",
                format!("{rent}300 500 m 330 507 l S\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            ("underlined", format!("{rent}97 498.5 30 0.8 re f\n"), "Rent $5,000 a month", "", vec![]),
            (
                "a rule between lines",
                format!("{rent}72 507 m 500 507 l S\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "a rule across the page",
                format!("{rent}72 503 m 540 503 l S\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            ("a frame", format!("{rent}70 496 110 14 re S\n"), "Rent $5,000 a month", "", vec![]),
            ("a column's line", format!("{rent}95 480 m 95 520 l S\n"), "Rent $5,000 a month", "", vec![]),
            ("a dash", format!("{rent}1 w 165 503 m 175 503 l S\n"), "Rent $5,000 a month", "", vec![]),
            (
                "a line that is not seen",
                format!("{rent}1 1 1 rg 97 502.5 30 0.8 re f\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "covered and written anew",
                format!("{rent}1 g 96 497 32 12 re f\n0 g {}", at(97, 500, "$4,000")),
                "Rent $4,000 a month",
                "",
                vec![(HiddenText, "$5,000")],
            ),
            (
                "under a picture that is pasted on it",
                format!("{rent}q 32 0 0 12 96 497 cm /Im Do Q\n"),
                "Rent a month",
                "",
                vec![(HiddenText, "$5,000")],
            ),
            (
                "on a picture",
                format!("q 32 0 0 12 96 497 cm /Im Do Q\n{rent}"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "under a picture that is multiplied with it",
                format!("{rent}q /Mix gs 32 0 0 12 96 497 cm /Im Do Q\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "on a ground",
                format!("0.9 g 60 490 200 30 re f\n0 g {rent}"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "marked with a pen",
                format!("{rent}/Mix gs 1 1 0 rg 96 497 32 12 re f\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "under a thin veil",
                format!("{rent}/Faint gs 0 g 96 497 32 12 re f\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "beside an area that is clipped",
                format!("{rent}q 300 300 50 50 re W n 0 g 0 0 612 792 re f Q\n"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "white on white",
                format!("{rent}1 g {}", at(72, 450, "Rent $9")),
                "Rent $5,000 a month",
                "",
                vec![(HiddenText, "Rent $9")],
            ),
            (
                "white on black",
                format!("0 g 60 440 200 30 re f\n1 g {}", at(72, 450, "Rent $9")),
                "Rent $9",
                "",
                vec![],
            ),
            (
                "no ink",
                format!("{rent}3 Tr {}", at(72, 450, "Rent $9")),
                "Rent $5,000 a month",
                "",
                vec![(HiddenText, "Rent $9")],
            ),
            (
                "no ink over a picture",
                format!("q 612 0 0 792 0 0 cm /Im Do Q 3 Tr {rent}"),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "outside the page",
                format!("{rent}{}", at(700, 450, "Rent $9")),
                "Rent $5,000 a month",
                "",
                vec![],
            ),
            (
                "a watermark across",
                format!("BT /F1 90 Tf 0.7 0.7 -0.7 0.7 150 200 Tm (DRAFT) Tj ET\n{rent}"),
                "Rent $5,000 a month",
                "DRAFT",
                vec![],
            ),
            (
                "a watermark along",
                format!("BT /F1 90 Tf 20 Tc 1 0 0 1 100 502 Tm (DRAFT) Tj ET\n0 Tc {rent}"),
                "Rent $5,000 a month",
                "DRAFT",
                vec![],
            ),
            (
                "a stamp across",
                format!("BT /F1 30 Tf 0.7 0.7 -0.7 0.7 150 200 Tm (CANCEL LED) Tj ET\n{rent}"),
                "Rent $5,000 a month",
                "CANCELLED",
                vec![],
            ),
            (
                "a large title",
                format!("BT /F1 40 Tf 1 0 0 1 72 600 Tm (LEASE) Tj ET\n{rent}"),
                "LEASE\nRent $5,000 a month",
                "",
                vec![],
            ),
            (
                "a note in the margin",
                format!("{rent}{}", turned(30, 300, "Form 12 of 2020")),
                "Rent $5,000 a month",
                "Form 12 of 2020",
                vec![],
            ),
            (
                "an amount in words in the margin",
                format!("{rent}{}", turned(30, 300, "now four thousand dollars")),
                "Rent $5,000 a month",
                "now four thousand dollars",
                vec![(RotatedText, "now four thousand dollars")],
            ),
            (
                "an amount in the margin",
                format!("{rent}{}", turned(30, 300, "now $4,000.00")),
                "Rent $5,000 a month",
                "now $4,000.00",
                vec![(RotatedText, "now $4,000.00")],
            ),
        ];
        for (case, content, lines, margins, doubts) in rows {
            let (shown, beside, noted) = seen(&pdf_of(&content, "", ""));
            let noted: Vec<(DoubtKind, &str)> =
                noted.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
            assert_eq!(
                (shown.replace('\t', " ").as_str(), beside.as_str(), noted),
                (lines, margins, doubts),
                "{case}"
            );
        }
        let (shown, ..) = seen(&pdf_of(&sideways, "", ""));
        let expected: Vec<String> =
            (0..12).map(|line| format!("sideways line {line} of the schedule")).collect();
        assert_eq!(shown, expected.join("\n"), "a page that lies on its side");
    }

    #[test]
    fn pictures_that_say_something_are_told_from_grounds_and_logos() {
        let picture =
            |width: u32, height: u32, y: u32| format!("q {width} 0 0 {height} 60 {y} cm /Im Do Q\n");
        let page = "q 612 0 0 792 0 0 cm /Im Do Q\n";
        let stamp = at(20, 780, "Envelope 5C1B2A90-77D1-4E0F-B6D2-0D8F4E5A9C11 page 2 of 9");
        let lines: String = (0..8)
            .map(|line| at(72, 500 + line * 14, "words that stand on the ground of the page"))
            .collect();
        let inkless: String = format!("3 Tr {lines}").replace("ET\n", "ET 3 Tr\n");
        // Case, what the second page draws, pages that are pictures, whether another picture casts doubt.
        let rows: Vec<(&str, String, Vec<u32>, bool)> = vec![
            ("no picture", lines.clone(), vec![], false),
            ("a page as a picture", page.to_owned(), vec![2], false),
            ("with a stamp", format!("{page}{stamp}"), vec![2], false),
            ("with its text over it", format!("{page}{inkless}"), vec![2], false),
            ("a ground under text", format!("{page}{lines}"), vec![], false),
            (
                "a site plan",
                format!("{page}{}", at(72, 700, "Exhibit A Site Plan of the building at Elm Row")),
                vec![],
                false,
            ),
            ("a table as a picture", format!("{lines}{}", picture(480, 150, 300)), vec![], true),
            ("a logo", format!("{lines}{}", picture(150, 100, 660)), vec![], false),
            ("a letterhead", format!("{lines}{}", picture(480, 70, 700)), vec![], false),
        ];
        for (case, content, pages, casts_doubt) in rows {
            let second = format!(
                "7 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 4 0 R>>/XObject<</Im 6 0 R>>>>/Contents 8 0 R>>\nendobj\n\
                 8 0 obj\n<</Length {}>>\nstream\n{content}\nendstream\nendobj\n",
                content.len()
            );
            let pdf = String::from_utf8(pdf_of("", "", &second)).expect("it is text");
            let pdf = pdf.replace("/Kids[3 0 R]/Count 1", "/Kids[3 0 R 7 0 R]/Count 2");
            let read = read(pdf.as_bytes(), &Caps::default(), &[]).expect("the test's own PDF");
            let doubt = read.text.doubts().of(DoubtKind::PicturesWithoutText);
            assert_eq!((read.picture_pages, doubt.is_some()), (pages, casts_doubt), "{case}");
        }
    }

    #[test]
    fn what_a_copier_laid_over_the_picture_is_recognised_text() {
        let page = "q 612 0 0 792 0 0 cm /Im Do Q\n";
        let ground = "q /Mix gs 612 0 0 792 0 0 cm /Im Do Q\n";
        let logo = "q 40 0 0 40 20 20 cm /Im Do Q\n";
        let line = |render: u32, y: u32| {
            format!("{render} Tr {}0 Tr\n", at(72, y, "the rent is $8,250.00 for every month of the term"))
        };
        // Case, what is drawn, whether the line is recognised text, whether it is hidden.
        for (case, content, is_recognised, is_hidden) in [
            ("inkless over the page's picture", format!("{page}{}", line(3, 500)), true, false),
            ("inked under the page's picture", format!("{}{page}", line(0, 500)), true, false),
            ("inked over a ground that hides nothing", format!("{ground}{}", line(0, 500)), false, false),
            ("inkless beside a logo", format!("{logo}{}", line(3, 500)), false, true),
            ("white beside a logo", format!("{logo}1 1 1 rg {}", line(0, 500)), false, true),
        ] {
            let pdf = read(&pdf_of(&content, "", ""), &Caps::default(), &[]).expect("the test's own PDF");
            let stands_at = pdf.text.flow().find("$8,250.00");
            let recognised = RecognisedText::with_parts(pdf.text.clone(), pdf.recognised);
            let told = stands_at.is_some_and(|at| recognised.is_recognised(&(at..at + 9)));
            let hidden = pdf.text.doubts().of(DoubtKind::HiddenText).is_some();
            assert_eq!((told, hidden), (is_recognised, is_hidden), "{case}");
            // Nobody sees the words of a copier: the picture beneath them is recognised anew.
            assert_eq!(pdf.picture_pages == [1], is_recognised, "{case}");
            assert_eq!(stands_at.is_none(), is_hidden, "{case}");
        }
    }

    #[test]
    fn what_was_recognised_anew_takes_the_place_of_the_hidden_text() {
        let content = format!(
            "q 612 0 0 792 0 0 cm /Im Do Q\n3 Tr {}",
            at(72, 500, "the rent is $8,250.00 for every month of the term")
        );
        let page = RecognisedPage { number: 1, lines: Vec::new() };
        let read = read(&pdf_of(&content, "", ""), &Caps::default(), &[page]).expect("the test's own PDF");
        assert!(!read.text.lined().contains("8,250"), "{}", read.text.lined());
        assert!(read.picture_pages.is_empty());
    }

    #[test]
    fn a_file_that_lost_a_part_says_so() {
        let words = "BT /F1 10 Tf 72 500 Td (rider: the rent is 4,800 dollars) Tj ET";
        let packed = {
            let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            std::io::Write::write_all(&mut packer, words.repeat(40).as_bytes()).expect("memory");
            packer.finish().expect("memory")
        };
        let hex = |bytes: &[u8]| -> String { format!("{}>", hex::encode(bytes)) };
        let page = |contents: &str| {
            format!(
                "7 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 4 0 R>>/XObject<</Fm 9 0 R>>>>{contents}>>\nendobj\n"
            )
        };
        let stream = |number: u32, entries: &str, content: &str| {
            format!(
                "{number} 0 obj\n<<{entries}/Length {}>>\nstream\n{content}\nendstream\nendobj\n",
                content.len()
            )
        };
        let plain = stream(8, "", words);
        let form = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]";
        // Case, what the second page's objects are, whether a part is lost.
        let rows: Vec<(&str, String, bool)> = vec![
            ("whole", page("/Contents 8 0 R") + &plain, false),
            ("in parts", page("/Contents[8 0 R]") + &plain, false),
            ("an empty page", page(""), false),
            ("an empty content", page("/Contents 8 0 R") + &stream(8, "", ""), false),
            ("no page object", plain.clone(), true),
            ("no content", page("/Contents 8 0 R"), true),
            ("a part of the content lost", page("/Contents[8 0 R 11 0 R]") + &plain, true),
            ("an unknown filter", page("/Contents 8 0 R") + &stream(8, "/Filter/FooDecode", words), true),
            ("a picture's filter", page("/Contents 8 0 R") + &stream(8, "/Filter/DCTDecode", words), true),
            (
                "two filters",
                page("/Contents 8 0 R") + &stream(8, "/Filter[/ASCIIHexDecode/FlateDecode]", &hex(&packed)),
                false,
            ),
            (
                "a drawing that is whole",
                page("/Contents 8 0 R") + &plain + &stream(9, form, "0 0 1 1 re f"),
                false,
            ),
            (
                "a drawing with an unknown filter",
                page("/Contents 8 0 R")
                    + &plain
                    + &stream(9, &format!("{form}/Filter/FooDecode"), "0 0 1 1 re f"),
                true,
            ),
        ];
        let is_damaged = |pdf: &[u8]| {
            let read = read(pdf, &Caps::default(), &[]).expect("the test's own PDF");
            read.text.doubts().of(DoubtKind::DamagedFile).is_some()
        };
        for (case, objects, is_lost) in rows {
            let pdf = String::from_utf8(pdf_of("", "", &objects)).expect("it is text");
            let pdf = pdf.replace("/Kids[3 0 R]/Count 1", "/Kids[3 0 R 7 0 R]/Count 2");
            assert_eq!(is_damaged(pdf.as_bytes()), is_lost, "{case}");
        }
        let whole = pdf_of("", "", "");
        assert!(!is_damaged(&whole));
        assert!(is_damaged(&whole[..whole.len() - 5]), "no mark at its end");
        for (case, kept, is_lost) in
            [("whole", packed.len(), false), ("half", packed.len() / 2, true), ("none", 0, true)]
        {
            assert_eq!(!damage::inflates_whole(&packed[..kept]), is_lost, "packed bytes: {case}");
        }
        let mut broken = packed.clone();
        broken[8..16].fill(0xff);
        assert!(!damage::inflates_whole(&broken));
    }

    #[test]
    fn notes_on_a_scanned_page_cast_their_doubt() {
        let notes = "<</Subtype/StrikeOut/Contents(5,000)/Rect[72 500 272 520]>>";
        let page = RecognisedPage { number: 1, lines: Vec::new() };
        let pdf = pdf_of("q 612 0 0 792 0 0 cm /Im Do Q\n", notes, "");
        let read = read(&pdf, &Caps::default(), &[page]).expect("the test's own PDF");
        assert!(read.text.doubts().of(DoubtKind::StruckOutText).is_some());
        assert!(!read.text.lined().contains("good repair"), "what was recognised takes the page's place");
    }

    #[test]
    fn fields_and_notes_are_read_where_the_page_draws_them() {
        use DoubtKind::{CheckBoxes, FormFieldsNotRead, StruckOutText};
        let stream = |text: &str| {
            let content = format!("BT /F1 10 Tf 2 4 Td ({text}) Tj ET");
            format!(
                "10 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 4 0 R>>>>/Length {}>>\nstream\n{content}\nendstream\nendobj\n",
                content.len()
            )
        };
        let place = "/Rect[72 500 272 520]";
        type Noted = Vec<(DoubtKind, &'static str)>;
        // Case, annotations, further objects, lines, what stands beside them, doubts.
        let rows: Vec<(&str, String, String, &str, &str, Noted)> = vec![
            (
                "a field that is drawn",
                format!("<</Subtype/Widget/FT/Tx/T(rent)/V(5,000 dollars){place}/AP<</N 10 0 R>>>>"),
                stream("rent of 5,000 dollars"),
                "rent of 5,000 dollars",
                "",
                vec![],
            ),
            (
                "a figure that no word stands beside",
                format!("<</Subtype/Widget/FT/Tx/T(rent)/V(5,000 dollars){place}/AP<</N 10 0 R>>>>"),
                stream("5,000 dollars"),
                "5,000 dollars",
                "",
                vec![(FormFieldsNotRead, "rent: 5,000 dollars")],
            ),
            (
                "words that no word stands beside",
                format!("<</Subtype/Widget/FT/Tx/T(use)/V(a shop){place}/AP<</N 10 0 R>>>>"),
                stream("a shop"),
                "a shop",
                "",
                vec![],
            ),
            (
                "a field that is not",
                format!("<</Subtype/Widget/FT/Tx/T(rent)/V(5,000){place}>>"),
                String::new(),
                "",
                "",
                vec![(FormFieldsNotRead, "rent: 5,000")],
            ),
            (
                "a field that is drawn as it was before",
                format!("<</Subtype/Widget/FT/Tx/T(rent)/V(5,000){place}/AP<</N 10 0 R>>>>"),
                stream("4,000"),
                "4,000",
                "",
                vec![(FormFieldsNotRead, "rent: 5,000")],
            ),
            (
                "a part of a field",
                format!("<</Subtype/Widget/Parent 10 0 R{place}>>"),
                "10 0 obj\n<</FT/Tx/T(rent)/V<FEFF0035>>>\nendobj\n".to_owned(),
                "",
                "",
                vec![(FormFieldsNotRead, "rent: 5")],
            ),
            (
                "an empty field",
                format!("<</Subtype/Widget/FT/Tx/V(){place}>>"),
                String::new(),
                "",
                "",
                vec![],
            ),
            (
                "a hidden field",
                format!("<</Subtype/Widget/F 2/FT/Tx/V(5){place}>>"),
                String::new(),
                "",
                "",
                vec![],
            ),
            (
                "a box",
                format!("<</Subtype/Widget/FT/Btn/T(a){place}>>"),
                String::new(),
                "",
                "",
                vec![(CheckBoxes, "a:")],
            ),
            (
                "a button",
                format!("<</Subtype/Widget/FT/Btn/Ff 65536/T(a){place}>>"),
                String::new(),
                "",
                "",
                vec![],
            ),
            (
                "a signature",
                format!("<</Subtype/Widget/FT/Sig/T(a)/V<</Type/Sig>>{place}>>"),
                String::new(),
                "",
                "",
                vec![],
            ),
            (
                "a note on the page",
                format!("<</Subtype/FreeText/Contents(see rider){place}>>"),
                String::new(),
                "",
                "",
                vec![(FormFieldsNotRead, "see rider")],
            ),
            (
                "a note at the page",
                format!("<</Subtype/Text/Contents(call me){place}>>"),
                String::new(),
                "",
                "",
                vec![(FormFieldsNotRead, "call me")],
            ),
            (
                "a note with looks alone",
                format!("<</Subtype/Text/RC(<body><p>call <b>me</b></p></body>){place}>>"),
                String::new(),
                "",
                "",
                vec![(FormFieldsNotRead, "call me")],
            ),
            (
                "a note that says nothing",
                format!("<</Subtype/Highlight/Contents(){place}>><</Subtype/Text/Contents( .){place}>>"),
                String::new(),
                "",
                "",
                vec![],
            ),
            (
                "a mark with words",
                format!("<</Subtype/Highlight/Contents(was 5,000){place}>>"),
                String::new(),
                "",
                "",
                vec![(FormFieldsNotRead, "was 5,000")],
            ),
            (
                "a mark where something is to be inserted",
                format!("<</Subtype/Caret/Contents(not){place}>>"),
                String::new(),
                "",
                "",
                vec![(FormFieldsNotRead, "not")],
            ),
            (
                "a line through text",
                format!("<</Subtype/StrikeOut{place}>>"),
                String::new(),
                "",
                "",
                vec![(StruckOutText, "")],
            ),
            ("a stamp", format!("<</Subtype/Stamp/Name/Draft{place}>>"), String::new(), "", "DRAFT", vec![]),
            (
                "a stamp of a program",
                format!("<</Subtype/Stamp/Name/SBVoid{place}>>"),
                String::new(),
                "",
                "VOID",
                vec![],
            ),
            (
                "a stamp with words",
                format!("<</Subtype/Stamp/Name/Own/Contents(SUPERSEDED){place}>>"),
                String::new(),
                "",
                "SUPERSEDED",
                vec![],
            ),
            ("a link", format!("<</Subtype/Link{place}>>"), String::new(), "", "", vec![]),
        ];
        for (case, annotations, objects, lines, margins, doubts) in rows {
            let (shown, beside, noted) = seen(&pdf_of("", &annotations, &objects));
            let noted: Vec<(DoubtKind, &str)> =
                noted.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
            assert_eq!((shown.as_str(), beside.as_str(), noted), (lines, margins, doubts), "{case}");
        }
    }

    #[test]
    fn attached_files_cast_their_doubt() {
        let attached = "/Names<</EmbeddedFiles<</Names[(rider.txt) 10 0 R]>>>>";
        let on_a_page = "<</Subtype/FileAttachment/Rect[72 500 272 520]>>";
        // Case, what the catalog holds, what stands on the page, whether a file is attached.
        for (case, in_catalog, on_page, expected) in [
            ("none", "", "", false),
            ("names of other things", "/Names<</Dests<</Names[(a) 10 0 R]>>>>", "", false),
            ("an empty list", "/Names<</EmbeddedFiles<</Names[]>>>>", "", false),
            ("attached to the document", attached, "", true),
            ("in a tree of names", "/Names<</EmbeddedFiles<</Kids[10 0 R]>>>>", "", true),
            ("attached to a page", "", on_a_page, true),
        ] {
            let pdf = String::from_utf8(pdf_of("", on_page, "")).expect("it is text");
            let pdf = pdf.replace("/Type/Catalog", &format!("/Type/Catalog{in_catalog}"));
            let read = read(pdf.as_bytes(), &Caps::default(), &[]).expect("the test's own PDF");
            let doubt = read.text.doubts().of(DoubtKind::AttachedFiles);
            assert_eq!(doubt.is_some(), expected, "{case}");
        }
    }

    #[test]
    fn broken_bytes_are_unreadable() {
        for bytes in [&b"%PDF-1.7\n"[..], b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF", b"%PDF-"] {
            assert_eq!(read(bytes, &Caps::default(), &[]), Err(PdfFault::Unreadable));
        }
    }
}
