//! Scans through the whole reader: child processes, pictures of pages, a recogniser, and what may be posted of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bytes::Bytes;
use lease_ingest::extract::LeaseExtractor;
use lease_ingest::extract::pictures::{PictureCaps, PictureKind, WantedPages, pages_of};
use lease_ingest::extract::reader::LeaseReader;
use lease_ingest::isolation::{Isolation, Limits};
use lease_ingest::lease::{Evidence, LeaseAbstraction};
use lease_ingest::ocr::Recogniser;
use lease_ingest::ports::extractor::{ExtractRequest, Extraction, Extractor};
use lease_ingest::ports::ocr::{Ocr, OcrAnswer, OcrRequest};
use lease_ingest::posting::{Confidence, Reason};
use serde_json::Value;

use crate::ocr::installed;

fn isolation() -> Isolation<lease_ingest::extract::reader::LeaseWork> {
    Isolation::new(PathBuf::from(env!("CARGO_BIN_EXE_ingest")), Limits::default())
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap()
}

/// The pages of a sample with text, as somebody would scan them.
fn pictures_of_sample() -> Vec<Bytes> {
    let bytes = sample("ironbridge-building-7.pdf");
    let pages = pages_of(&bytes, PictureKind::Pdf, &WantedPages::All, &PictureCaps::default()).unwrap();
    pages.into_iter().map(|page| page.png).collect()
}

fn request(bytes: impl Into<Bytes>) -> ExtractRequest {
    ExtractRequest::of_bytes(bytes.into(), Some("P-1".into()))
}

fn told(extraction: &Extraction<LeaseAbstraction>) -> String {
    match extraction {
        Extraction::Complete(lease) => format!("complete at {}", lease.extraction_confidence),
        Extraction::Incomplete(incomplete) => incomplete.reason.code.clone(),
        Extraction::Unusable(reason) | Extraction::Failed(reason) => reason.code.clone(),
        Extraction::Waiting { job_id, .. } => format!("waits for {job_id}"),
    }
}

/// Answers as it is told to, and notes what it was asked.
struct Scripted {
    answer: OcrAnswer,
    asked: Mutex<Vec<(usize, String, Option<String>)>>,
}

impl Scripted {
    fn says(answer: OcrAnswer) -> &'static Self {
        Box::leak(Box::new(Self { answer, asked: Mutex::default() }))
    }
}

impl Ocr for &'static Scripted {
    fn name_and_version(&self) -> String {
        "scripted/1".into()
    }

    async fn recognise(&self, request: OcrRequest<'_>) -> OcrAnswer {
        self.asked.lock().unwrap().push((
            request.pages.len(),
            request.request_token.to_owned(),
            request.job_id.map(str::to_owned),
        ));
        self.answer.clone()
    }
}

#[tokio::test]
async fn what_the_recogniser_says_decides_what_becomes_of_a_scan() {
    let picture = pictures_of_sample().remove(0);
    let reason = Reason::new("ocr_busy", "later");
    let waiting = OcrAnswer::Waiting { job_id: "job-1".into(), ask_again_ms: 5 };
    let table = [
        (waiting, "waits for job-1"),
        (OcrAnswer::Unavailable(reason.clone()), "ocr_busy"),
        (OcrAnswer::Failed(reason), "ocr_busy"),
        // Something stands on the page, and nothing was made out.
        (OcrAnswer::Text(Vec::new()), "pages_without_text"),
    ];
    for (answer, expected) in table {
        let failed = matches!(answer, OcrAnswer::Failed(_));
        let ocr = Scripted::says(answer);
        let reader = LeaseReader::new(isolation(), ocr);
        let asked = ExtractRequest { job_id: Some("job-0".into()), ..request(picture.clone()) };
        let token = asked.work_token.clone();
        let extraction = reader.extract(asked).await;
        assert_eq!(told(&extraction), expected);
        assert_eq!(matches!(extraction, Extraction::Failed(_)), failed, "{expected}");
        assert_eq!(*ocr.asked.lock().unwrap(), [(1, token, Some("job-0".to_owned()))], "{expected}");
    }
}

#[tokio::test]
async fn what_has_text_is_not_recognised() {
    let ocr = Scripted::says(OcrAnswer::Failed(Reason::new("asked", "")));
    let reader = LeaseReader::new(isolation(), ocr);
    for name in ["ironbridge-building-7.pdf", "harbor-point-suite-210.txt", "juniper-court-unit-5.html"] {
        let bytes = sample(name);
        let expected = LeaseExtractor::default().read(&bytes, Some("P-1"));
        assert_eq!(reader.extract(request(bytes)).await, expected, "{name}");
    }
    assert!(ocr.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn without_a_recogniser_a_scan_waits_for_a_person() {
    let reader = LeaseReader::new(isolation(), Recogniser::None);
    let pictures = pictures_of_sample();
    for (case, bytes) in [("one page", pictures[0].to_vec()), ("several", tiff_of(&pictures))] {
        assert_eq!(told(&reader.extract(request(bytes)).await), "ocr_switched_off", "{case}");
    }
}

#[tokio::test]
async fn a_scanned_lease_says_what_its_text_says() {
    let Some(tesseract) = installed().await else { return };
    let pictures = pictures_of_sample();
    let scan = tiff_of(&pictures);
    let reader = LeaseReader::new(isolation(), tesseract);
    let read = reader.extract(request(scan)).await;
    let Extraction::Complete(lease) = read else { panic!("{}: {read:?}", told(&read)) };
    let Extraction::Complete(text) =
        LeaseExtractor::default().read(&sample("ironbridge-building-7.pdf"), Some("P-1"))
    else {
        panic!("the sample is complete")
    };
    assert_eq!(
        (&lease.tenant_name, lease.base_rent, lease.lease_start, lease.lease_end),
        (&text.tenant_name, text.base_rent, text.lease_start, text.lease_end)
    );
    assert!(lease.extraction_confidence <= Confidence::percent(92), "{}", lease.extraction_confidence);
    assert!(lease.evidence.iter().all(|evidence| evidence.page.is_some() || evidence.rule == "filed_under"));
}

/// What was found, field by field, with its confidence.
fn values(extraction: &Extraction<LeaseAbstraction>) -> BTreeMap<String, (Value, Confidence)> {
    let sure = |raw: &Value| serde_json::from_value(raw.clone()).unwrap_or_default();
    match extraction {
        Extraction::Complete(lease) => {
            let fields = serde_json::to_value(lease).unwrap();
            let field = |evidence: &Evidence| {
                let value = fields.get(&evidence.field).cloned().unwrap_or_default();
                (evidence.field.clone(), (value, evidence.confidence))
            };
            lease.evidence.iter().map(field).collect()
        }
        Extraction::Incomplete(incomplete) => {
            let fields = incomplete.found.as_object().cloned().unwrap_or_default();
            let field = |(name, found): (String, Value)| {
                Some((name, (found.get("value")?.clone(), sure(&found["confidence"]))))
            };
            fields.into_iter().filter_map(field).collect()
        }
        _ => BTreeMap::new(),
    }
}

/// Scanned pages that lie beside the repository, when they are there, each clean and poor: what is sure enough to be
/// posted is what the page's own text says.
#[tokio::test]
async fn scans_of_real_leases_say_what_their_text_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora/scans");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("{} is absent: only own scans are read", folder.display());
        return;
    };
    let Some(tesseract) = installed().await else { return };
    let reader = LeaseReader::new(isolation(), tesseract);
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for page in names.iter().filter(|path| path.extension().is_some_and(|ending| ending == "ref")) {
        let stem = page.file_stem().unwrap().to_string_lossy();
        let text = values(&LeaseExtractor::default().read(&fs::read(page).unwrap(), Some("P-1")));
        for variant in [".png", "_deg.png", "_deg.jpg"] {
            let name = format!("{stem}{variant}");
            let scan = values(&reader.extract(request(fs::read(folder.join(&name)).unwrap())).await);
            let count = |fits: &dyn Fn(&String, &Value) -> bool| {
                text.iter().filter(|(field, (value, _))| fits(field, value)).count()
            };
            let same = count(&|field, value| scan.get(field).is_some_and(|(found, _)| found == value));
            let lacking = count(&|field, _| !scan.contains_key(field));
            println!(
                "{name}: {same} as in the text, {lacking} lacking, {} otherwise",
                text.len() - same - lacking
            );
            for (field, (found, confidence)) in &scan {
                let expected = text.get(field).map(|(value, _)| value);
                if Some(found) != expected {
                    println!("  {field} at {confidence}: {found} for {expected:?}");
                    assert!(*confidence < Confidence::percent(85), "{name}: {field}");
                }
            }
        }
    }
}

/// A TIFF whose pages are these pictures.
fn tiff_of(pictures: &[Bytes]) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut bytes).unwrap();
    for picture in pictures {
        let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
        let (width, height) = (reader.info().width, reader.info().height);
        let bits = reader.info().bit_depth as usize;
        let mut packed = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut packed).unwrap();
        // Pictures come in four bits a pixel, each row from a byte of its own.
        let row_bytes = (width as usize * bits).div_ceil(8);
        let grey = packed.chunks(row_bytes).flat_map(|row| {
            let shade = |pixel: usize| match bits {
                4 => (row[pixel / 2] >> (4 * (1 - pixel % 2)) & 15) * 17,
                _ => row[pixel],
            };
            (0..width as usize).map(shade).collect::<Vec<u8>>()
        });
        let grey: Vec<u8> = grey.collect();
        encoder.write_image::<tiff::encoder::colortype::Gray8>(width, height, &grey).unwrap();
    }
    bytes.into_inner()
}
