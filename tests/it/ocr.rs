//! Scans from their bytes to their text: pictures of pages, the recogniser that is installed here, and the text that
//! the rules read.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use lease_ingest::extract::pictures::{PictureCaps, PictureKind, WantedPages, pages_of};
use lease_ingest::extract::recognised::{RecognisedText, mean_confidence};
use lease_ingest::identity::{ETag, ObjectVersion, VersionId};
use lease_ingest::ocr::tesseract::{Tesseract, TesseractLimits};
use lease_ingest::ports::ocr::{Ocr, OcrAnswer, OcrRequest, PageImage};
use lease_ingest::posting::Confidence;

/// An invented lease: from the left and from the top of the page in points, and what stands there.
const LEASE: &[(u32, u32, &str)] = &[
    (220, 80, "WAREHOUSE LEASE"),
    (72, 130, "This Lease is made on March 1, 2021 between Brackwater Holdings LLC, as Landlord,"),
    (72, 146, "and Quillfeather Toys, Inc., as Tenant, for the premises at 14 Tannery Row, Unit 6."),
    (72, 190, "Lease year"),
    (230, 190, "Monthly rent"),
    (380, 190, "Annual rent"),
    (72, 206, "First"),
    (230, 206, "$4,250.00"),
    (380, 206, "$51,000.00"),
    (72, 222, "Second"),
    (230, 222, "$4,400.00"),
    (380, 222, "$52,800.00"),
    (72, 266, "The term begins on April 1, 2021 and ends on March 31, 2023."),
    (72, 282, "Tenant has paid a security deposit of $8,500.00 to Landlord."),
    (300, 740, "- 1 -"),
];

/// What the rules get to read of it.
const LEASE_TEXT: &str = "WAREHOUSE LEASE\n\
    This Lease is made on March 1, 2021 between Brackwater Holdings LLC, as Landlord,\n\
    and Quillfeather Toys, Inc., as Tenant, for the premises at 14 Tannery Row, Unit 6.\n\
    Lease year\tMonthly rent\tAnnual rent\n\
    First\t$4,250.00\t$51,000.00\n\
    Second\t$4,400.00\t$52,800.00\n\
    The term begins on April 1, 2021 and ends on March 31, 2023.\n\
    Tenant has paid a security deposit of $8,500.00 to Landlord.";

/// A PDF out of its objects, the first of which is the catalog.
fn pdf_of(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut table = String::from("0000000000 65535 f \n");
    for (object, number) in objects.iter().zip(1..) {
        table += &format!("{:010} 00000 n \n", pdf.len());
        pdf.extend(format!("{number} 0 obj\n").bytes());
        pdf.extend(object);
        pdf.extend(b"\nendobj\n");
    }
    let (start, size) = (pdf.len(), objects.len() + 1);
    let end =
        format!("xref\n0 {size}\n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
    pdf.extend(end.bytes());
    pdf
}

fn stream(dictionary: &str, bytes: &[u8]) -> Vec<u8> {
    let mut object = format!("<<{dictionary}/Length {}>>\nstream\n", bytes.len()).into_bytes();
    object.extend(bytes);
    object.extend(b"\nendstream");
    object
}

/// A page of text in a typewriter's successor.
fn typeset(lines: &[(u32, u32, &str)]) -> Vec<u8> {
    let drawn: String = lines
        .iter()
        .map(|(left, top, text)| format!("BT /F 12 Tf {left} {} Td ({text}) Tj ET\n", 792 - top))
        .collect();
    pdf_of(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>"
            .to_vec(),
        stream("", drawn.as_bytes()),
        b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>".to_vec(),
    ])
}

/// A page's width, height and pixels, a byte each.
fn pixels_of(page: &PageImage) -> (usize, usize, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(page.png.as_ref()));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    (frame.width as usize, frame.height as usize, pixels)
}

/// The picture of a page, put into a PDF as scanners do, `turned` by that many degrees as its pages say.
fn scanned(page: &PageImage, turned: u32) -> Vec<u8> {
    let (width, height, pixels) = pixels_of(page);
    let picture = format!(
        "/Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceGray/BitsPerComponent 8"
    );
    let page = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Rotate {turned}/Resources<</XObject<</P 5 0 R>>>>/Contents 4 0 R>>"
    );
    pdf_of(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        page.into_bytes(),
        stream("", b"612 0 0 792 0 0 cm /P Do"),
        stream(&picture, &pixels),
    ])
}

fn picture(pdf: &[u8]) -> PageImage {
    let pages = pages_of(pdf, PictureKind::Pdf, &WantedPages::All, &PictureCaps::default());
    pages.unwrap().remove(0)
}

fn source() -> ObjectVersion {
    ObjectVersion {
        bucket: "leases-in".to_owned(),
        key: "scan.pdf".to_owned(),
        version_id: VersionId::Id("v1".to_owned()),
        etag: ETag::new("abc"),
    }
}

async fn recognise(ocr: &impl Ocr, pages: &[PageImage]) -> OcrAnswer {
    let source = source();
    ocr.recognise(OcrRequest { pages, source: &source, request_token: "token", job_id: None }).await
}

/// The recogniser of this machine; a machine that runs every check must have it.
pub async fn installed() -> Option<Tesseract> {
    let tesseract = Tesseract::find().await;
    if tesseract.is_ready() {
        return Some(tesseract);
    }
    let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!required, "tesseract with its data for English is not installed");
    eprintln!("NOT TESTED: tesseract with its data for English is not installed");
    None
}

#[tokio::test]
async fn a_scan_reads_like_the_text_it_shows() {
    let Some(tesseract) = installed().await else { return };
    let drawn = picture(&typeset(LEASE));
    assert_eq!(drawn.dots_per_inch, 200);
    let scans = [0, 90, 180].map(|turned| picture(&scanned(&drawn, turned)));
    let [scan, right, over] = scans;
    let cases = [("drawn", drawn), ("scanned", scan), ("turned to the right", right), ("upside down", over)];
    for (case, page) in cases {
        let OcrAnswer::Text(pages) = recognise(&tesseract, std::slice::from_ref(&page)).await else {
            panic!("{case}: no text")
        };
        let recognised = RecognisedText::of(&pages);
        assert_eq!(recognised.text.lined(), LEASE_TEXT, "{case}");
        assert!(mean_confidence(&pages) > Confidence::percent(85), "{case}: {}", mean_confidence(&pages));
        let at = recognised.text.flow().find("$51,000.00").unwrap();
        let confidence = recognised.confidence_at(&(at..at + 10));
        assert!(confidence > Confidence::percent(60) && confidence < Confidence::ONE, "{case}: {confidence}");
    }
}

#[tokio::test]
async fn a_coarse_scan_is_read_too() {
    let Some(tesseract) = installed().await else { return };
    let fine = picture(&typeset(LEASE));
    let (width, height, pixels) = pixels_of(&fine);
    let mean = |x: usize, y: usize| {
        let at = 2 * y * width + 2 * x;
        let four = [pixels[at], pixels[at + 1], pixels[at + width], pixels[at + width + 1]];
        u8::try_from(four.map(u32::from).iter().sum::<u32>() / 4).unwrap()
    };
    let coarse: Vec<u8> =
        (0..height / 2).flat_map(|y| (0..width / 2).map(move |x| (x, y))).map(|(x, y)| mean(x, y)).collect();
    let mut bytes = Vec::new();
    let [half_width, half_height] = [width, height].map(|side| u32::try_from(side / 2).unwrap());
    let mut encoder = png::Encoder::new(&mut bytes, half_width, half_height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&coarse).unwrap();
    let pages = pages_of(&bytes, PictureKind::Png, &WantedPages::All, &PictureCaps::default()).unwrap();
    assert_eq!(pages[0].dots_per_inch, 100);
    let OcrAnswer::Text(recognised) = recognise(&tesseract, &pages).await else { panic!("no text") };
    assert_eq!(RecognisedText::of(&recognised).text.lined(), LEASE_TEXT);
    // Places are those of the picture that was given.
    let words = recognised[0].lines.iter().flat_map(|line| &line.words);
    assert!(words.map(|word| word.left_px + word.width_px).max().unwrap() < half_width);
}

#[tokio::test]
async fn pages_come_back_in_order_and_blank_ones_too() {
    let Some(tesseract) = installed().await else { return };
    let words = ["first", "", "third", "fourth"];
    let pages: Vec<PageImage> = words
        .iter()
        .zip(1..)
        .map(|(word, number)| PageImage { number, ..picture(&typeset(&[(72, 80, word), (72, 120, word)])) })
        .collect();
    let OcrAnswer::Text(recognised) = recognise(&tesseract, &pages).await else { panic!("no text") };
    let numbers: Vec<u32> = recognised.iter().map(|page| page.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    let text = RecognisedText::of(&recognised).text;
    assert_eq!(text.lined(), "first\nfirst\nthird\nthird\nfourth\nfourth");
    assert_eq!(text.page_at(12), Some(3));
}

#[tokio::test]
async fn no_picture_is_too_small_to_be_asked_about() {
    let Some(tesseract) = installed().await else { return };
    let mut dot = Vec::new();
    let mut encoder = png::Encoder::new(&mut dot, 1, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[0]).unwrap();
    let pages = pages_of(&dot, PictureKind::Png, &WantedPages::All, &PictureCaps::default()).unwrap();
    let answer = recognise(&tesseract, &pages).await;
    assert!(matches!(&answer, OcrAnswer::Text(pages) if pages.len() == 1), "{answer:?}");
}

#[tokio::test]
async fn without_the_program_a_person_must_read() {
    let nothing = Tesseract::at(Path::new("nowhere/tesseract"), TesseractLimits::default()).await;
    assert!(!nothing.is_ready());
    let page = PageImage { number: 1, png: Bytes::new(), dots_per_inch: 200 };
    let answer = recognise(&nothing, &[page]).await;
    assert!(
        matches!(&answer, OcrAnswer::Unavailable(reason) if reason.code == "ocr_not_installed"),
        "{answer:?}"
    );
}

/// A program in place of the real one: it introduces itself, then does as told. It is called under its own id, so that
/// it can be looked for afterwards.
async fn stand_in(folder: &Path, languages: &str, work: &str, limits: TesseractLimits) -> Tesseract {
    let program = folder.join("tesseract");
    let script = format!(
        "#!/bin/sh\ncase $1 in\n--version) echo 'tesseract 9.9.9';;\n--list-langs) printf '{languages}';;\n\
         *) echo $$ > {}; {work}\nesac\n",
        folder.join("id").display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for _ in 0..50 {
        let tesseract = Tesseract::at(&program, limits).await;
        if tesseract.name_and_version() == "tesseract/9.9.9" {
            return tesseract;
        }
        // A process that another test starts at this moment may still hold the file open for writing.
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the stand-in does not start");
}

#[tokio::test]
async fn whatever_the_program_does_costs_only_this_document() {
    let word = "5\\t1\\t1\\t1\\t1\\t1\\t1\\t2\\t3\\t4\\t96\\tword\\n";
    let rows: &[(&str, String, &str)] = &[
        ("answers", format!("/bin/cat >/dev/null; printf '{word}'"), "text"),
        ("answers without reading", format!("printf '{word}'"), "text"),
        (
            "sees nothing of the environment",
            format!("[ -z \"$HOME$USER$CARGO\" ] && printf '{word}'"),
            "text",
        ),
        (
            "is told the resolution",
            format!("[ \"$*\" = 'stdin stdout --dpi 217 -l eng tsv' ] && printf '{word}'"),
            "text",
        ),
        ("fails", format!("printf '{word}'; exit 3"), "ocr_crashed"),
        ("dies", "kill -11 $$".to_owned(), "ocr_crashed"),
        ("hangs", "exec /bin/sleep 60".to_owned(), "ocr_out_of_time"),
        (
            "never ends",
            "while printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; do :; done".to_owned(),
            { "ocr_answer_too_large" },
        ),
        ("answers no text", "printf '\\377\\376'".to_owned(), "ocr_crashed"),
    ];
    for (case, work, expected) in rows {
        let folder = tempfile::tempdir().unwrap();
        let limits = TesseractLimits {
            page_max_ms: if *expected == "text" || *expected == "ocr_crashed" { 20_000 } else { 1_000 },
            page_answer_max_bytes: 4_096,
            ..TesseractLimits::default()
        };
        let tesseract = stand_in(folder.path(), "List:\\neng\\n", work, limits).await;
        let page = PageImage { number: 7, png: Bytes::from(vec![0; 300_000]), dots_per_inch: 217 };
        let answer = tokio::time::timeout(Duration::from_secs(30), recognise(&tesseract, &[page])).await;
        let answer = answer.unwrap_or_else(|_| panic!("{case}: it is waited for"));
        let found = match &answer {
            OcrAnswer::Text(pages) if pages[0].number == 7 && pages[0].lines.len() == 1 => "text",
            OcrAnswer::Failed(reason) => &reason.code,
            _ => panic!("{case}: {answer:?}"),
        };
        assert_eq!(found, *expected, "{case}");
        if cfg!(target_os = "linux") {
            let id = fs::read_to_string(folder.path().join("id")).unwrap();
            assert!(!Path::new("/proc").join(id.trim()).exists(), "{case}: it lives on");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let tesseract = stand_in(folder.path(), "List:\\nosd\\n", "exit 1", TesseractLimits::default()).await;
    let page = PageImage { number: 1, png: Bytes::new(), dots_per_inch: 200 };
    let answer = recognise(&tesseract, &[page]).await;
    assert!(
        matches!(&answer, OcrAnswer::Unavailable(reason) if reason.code == "ocr_language_missing"),
        "{answer:?}"
    );
}
