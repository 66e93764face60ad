//! Scans through the whole reader: child processes, pictures of pages, a recogniser, and what may be posted of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use aws_smithy_http_client::test_util::{ReplayEvent, StaticReplayClient};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::claim::Waits;
use lease_ingest::config::IngestSettings;
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::{FolderObjects, Versioning};
use lease_ingest::embedded::queue::{MemoryQueue, QueueSettings, lambda_event, notification};
use lease_ingest::extract::LeaseExtractor;
use lease_ingest::extract::pictures::{PictureCaps, PictureKind, WantedPages, pages_of};
use lease_ingest::extract::reader::LeaseReader;
use lease_ingest::handler::handle;
use lease_ingest::identity::{ClaimKey, ContentHash, Generation};
use lease_ingest::isolation::{Isolation, Limits};
use lease_ingest::lease::{Evidence, LeaseAbstraction};
use lease_ingest::ocr::Recogniser;
use lease_ingest::ocr::textract::{Textract, TextractSettings};
use lease_ingest::pipeline::{Parts, Pipeline, World};
use lease_ingest::ports::clock::Clock;
use lease_ingest::ports::extractor::{ExtractRequest, Extraction, Extractor};
use lease_ingest::ports::ledger::Ledger;
use lease_ingest::ports::ocr::{Ocr, OcrAnswer, OcrRequest};
use lease_ingest::posting::{Confidence, Reason};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::ocr::installed;
use crate::support::textract::pages_answered;
use crate::support::{TestClock, metrics, sample};

fn isolation() -> Isolation<lease_ingest::extract::reader::LeaseWork> {
    Isolation::new(PathBuf::from(env!("CARGO_BIN_EXE_ingest")), Limits::default())
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
        Extraction::NotBegun => "not begun".to_owned(),
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
async fn a_scan_that_gets_its_turn_too_late_is_not_begun() {
    let ocr = Scripted::says(OcrAnswer::Text(Vec::new()));
    let reader = LeaseReader::new(isolation(), ocr);
    // Others hold every turn for as long as is left.
    let picture = pictures_of_sample().remove(0);
    let _turns = reader.take_every_turn().await;
    let late = ExtractRequest { left_ms: 20_200, ..request(picture) };
    assert_eq!(told(&reader.extract(late).await), "not begun");
    assert!(ocr.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_empty_page_beside_a_lease_is_no_page_that_was_not_made_out() {
    let Some(tesseract) = installed().await else { return };
    let mut pictures = pictures_of_sample();
    let mut white = Vec::new();
    let mut encoder = png::Encoder::new(&mut white, 1_700, 2_200);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&vec![255; 1_700 * 2_200]).unwrap();
    pictures.push(white.into());
    let reader = LeaseReader::new(isolation(), tesseract);
    let told = told(&reader.extract(request(tiff_of(&pictures))).await);
    assert!(told.starts_with("complete at 0.9"), "{told}");
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

#[tokio::test]
async fn a_long_scan_is_a_job_that_the_claim_remembers_and_the_queue_waits_for() {
    const PAGES: usize = 6;
    let answers = [
        json!({ "JobId": "job-7" }),
        json!({ "JobStatus": "IN_PROGRESS" }),
        // First whether it still runs, then, with the pictures at hand, what it says.
        json!({ "JobStatus": "SUCCEEDED", "NextToken": "one by one" }),
        pages_answered(1..=3, PAGES, Some("more")),
        pages_answered(4..=6, PAGES, None),
    ];
    let events = answers.iter().map(|answer| {
        let response =
            HttpResponse::new(StatusCode::try_from(200).unwrap(), SdkBody::from(answer.to_string()));
        ReplayEvent::new(HttpRequest::empty(), response)
    });
    let replay = StaticReplayClient::new(events.collect());
    let config = aws_sdk_textract::Config::builder()
        .behavior_version_latest()
        .region(aws_sdk_textract::config::Region::new("us-east-1"))
        .credentials_provider(aws_sdk_textract::config::Credentials::new("a", "b", None, None, "test"))
        .http_client(replay.clone())
        .build();
    let settings = TextractSettings::default();
    let textract = Textract { client: aws_sdk_textract::Client::from_conf(config), settings };

    let embedded = Embedded::memory().await.unwrap();
    let clock = TestClock::new();
    let objects = FolderObjects::with_clock(embedded.objects_folder(), Arc::clone(&clock));
    objects.create_bucket("leases-in", Versioning::On).await.unwrap();
    let queue = MemoryQueue::new(QueueSettings::default(), Arc::clone(&clock));
    let parts = Parts {
        ledger: DynamoLedger::<LeaseAbstraction>::new(
            embedded.dynamodb().clone(),
            embedded.tables().clone(),
            None,
        ),
        objects: objects.clone(),
        extractor: LeaseReader::new(isolation(), Recogniser::Textract(textract)),
        queue: queue.clone(),
        clock: Arc::clone(&clock),
    };
    let pipeline = Arc::new(Pipeline::new(parts, IngestSettings::for_buckets(&["leases-in"])));
    let picture = pictures_of_sample().remove(0);
    let scan = tiff_of(&vec![picture; PAGES]);
    let content = ContentHash::of(&scan);
    let put = objects.put("leases-in", "long scan.tiff", scan, BTreeMap::new()).await.unwrap();
    queue.send(notification(&put));

    let mut outcomes = Vec::new();
    while let Some(at) = queue.next_visible_at() {
        clock.advance_ms(clock.now().until_ms(at).max(1));
        let received = queue.receive(10).unwrap();
        let deadline = clock.now().plus_ms(60_000);
        let answer = handle(&pipeline, &lambda_event(&received), deadline).await.unwrap();
        outcomes.extend(metrics(&answer));
        if answer.response.batch_item_failures.is_empty() {
            received.iter().for_each(|message| assert!(queue.delete(&message.receipt_handle)));
        }
    }
    assert_eq!(outcomes, ["Waiting", "Waiting", "Committed"]);

    let asked: Vec<(String, Value)> = replay
        .actual_requests()
        .map(|request| {
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let body = request.body().bytes().unwrap_or_default();
            let name = target.rsplit('.').next().unwrap_or_default().to_owned();
            (name, serde_json::from_slice(body).unwrap())
        })
        .collect();
    let names: Vec<&str> = asked.iter().map(|(name, _)| name.as_str()).collect();
    let get = "GetDocumentTextDetection";
    assert_eq!(names, ["StartDocumentTextDetection", get, get, get, get]);
    assert_eq!(
        asked[0].1["ClientRequestToken"],
        json!(ExtractRequest::work_token(content, Generation::FIRST))
    );
    let object = &asked[0].1["DocumentLocation"]["S3Object"];
    assert_eq!(
        (&object["Name"], &object["Version"]),
        (&json!("long scan.tiff"), &json!(put.version.version_id.as_str()))
    );
    assert!(asked[1..].iter().all(|(_, body)| body["JobId"] == json!("job-7")));
    assert_eq!(asked[4].1["NextToken"], json!("more"));

    let claim = pipeline
        .world()
        .ledger()
        .read_claim(&ClaimKey::of(&put.version).unwrap(), Generation::FIRST)
        .await
        .unwrap()
        .unwrap();
    let waits = Waits { job_id: Some("job-7".to_owned()), count: 2 };
    assert_eq!((claim.attempts, claim.waits), (1, waits));
    let row = pipeline.world().ledger().read_commit(content, Generation::FIRST).await.unwrap().unwrap();
    assert_eq!(row.document.tenant_name, "Birch Tools Inc.");
    assert_eq!(row.document.base_rent.amount, Decimal::from(5_250));
    assert!(row.extractor.ends_with("textract/2018-06-27"), "{}", row.extractor);
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
