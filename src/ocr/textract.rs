//! The port of recognisers on Amazon Textract.
//!
//! Few pages are sent as pictures, one call a page. More pages are read by the service from the object itself, as a
//! job: it is started once under a token, and asked for whenever the message comes back, so that nothing ever waits
//! in here. A job reads whatever the name holds when it runs, which is the version that is meant only where the
//! version is named; the object of a bucket without versions is therefore always sent page by page.
//!
//! Source of limits, states and codes: `DetectDocumentText`, `StartDocumentTextDetection` and
//! `GetDocumentTextDetection`, Amazon Textract API reference, version 2018-06-27.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use aws_sdk_textract::Client;
use aws_sdk_textract::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_textract::primitives::Blob;
use aws_sdk_textract::types::{
    Block, BlockType, Document, DocumentLocation, JobStatus, RelationshipType, S3Object, TextType,
};
use sha2::{Digest, Sha256};

use super::{nothing_asked, permille_of, sides_of};
use crate::aws::error_code;
use crate::identity::VersionId;
use crate::ports::ocr::{
    Ocr, OcrAnswer, OcrRequest, PageImage, RecognisedLine, RecognisedPage, RecognisedWord,
};
use crate::posting::Reason;

/// Largest picture of one call, in bytes.
const PICTURE_MAX_BYTES: usize = 10 * 1024 * 1024;
/// Most answers of which one job's result is put together.
const RESULT_CALLS_MAX_COUNT: usize = 200;
/// Blocks that are asked for in one answer of a result; the service gives at most 1 000.
const RESULT_BLOCKS_COUNT: i32 = 1_000;
/// Sides of a page whose picture says none, in pixels: a letter at 200 dots per inch.
const NOMINAL_SIDES_PX: (u32, u32) = (1_700, 2_200);
/// Refusals of the document itself, which no repeat changes.
const DOCUMENT_REFUSED: &[&str] =
    &["BadDocumentException", "DocumentTooLargeException", "UnsupportedDocumentException"];
/// The refusal of a job that is not, or no longer, known: results are kept for seven days.
const JOB_UNKNOWN: &str = "InvalidJobIdException";
/// The refusal of a token that names a job on another object: one content lies under two names.
const TOKEN_TAKEN: &str = "IdempotentParameterMismatchException";
/// The code of a call that took longer than it may.
const TIMEOUT: &str = "timeout";

/// How Textract is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextractSettings {
    /// Most pages that are sent one by one where a job could read the object. Each takes one to three seconds.
    pub pages_sent_max_count: usize,
    /// Most pages that are sent one by one where no job may read the object, since its version has no name.
    pub pages_sent_unversioned_max_count: usize,
    /// Time of one call with all its attempts, in milliseconds.
    pub call_max_ms: u64,
    /// When a running job is asked for again, in milliseconds.
    pub ask_again_ms: u64,
}

impl Default for TextractSettings {
    fn default() -> Self {
        Self {
            pages_sent_max_count: 5,
            pages_sent_unversioned_max_count: 15,
            call_max_ms: 20_000,
            ask_again_ms: 20_000,
        }
    }
}

/// Recognises by Amazon Textract.
#[derive(Debug, Clone)]
pub struct Textract {
    /// The client.
    pub client: Client,
    /// How it is used.
    pub settings: TextractSettings,
}

/// Why a call gave nothing.
enum CallFault {
    /// The service does not know the job.
    JobUnknown,
    /// The token names another job.
    TokenTaken,
    /// The document is refused for good.
    Refused(Reason),
    /// Anything that may pass.
    Passing(Reason),
}

impl CallFault {
    fn of(code: &str) -> Self {
        if code == JOB_UNKNOWN {
            return Self::JobUnknown;
        }
        if code == TOKEN_TAKEN {
            return Self::TokenTaken;
        }
        if DOCUMENT_REFUSED.contains(&code) {
            return Self::Refused(Reason::new(
                "ocr_document_refused",
                format!("The text recogniser refuses the document ({code}): a person must read it."),
            ));
        }
        Self::Passing(failed(code))
    }

    /// The answer where neither an unknown job nor a taken token can be, or was dealt with before.
    fn answer(self) -> OcrAnswer {
        match self {
            Self::JobUnknown => OcrAnswer::Failed(failed(JOB_UNKNOWN)),
            Self::TokenTaken => OcrAnswer::Failed(failed(TOKEN_TAKEN)),
            Self::Refused(reason) => OcrAnswer::Unavailable(reason),
            Self::Passing(reason) => OcrAnswer::Failed(reason),
        }
    }
}

fn failed(code: &str) -> Reason {
    Reason::new(format!("textract_{code}"), "The text recogniser could not be asked; it is tried again.")
}

impl Textract {
    /// Makes one call under its time limit.
    async fn call<T, E: ProvideErrorMetadata>(
        &self,
        call: impl Future<Output = Result<T, SdkError<E>>>,
    ) -> Result<T, CallFault> {
        match tokio::time::timeout(Duration::from_millis(self.settings.call_max_ms), call).await {
            Ok(answer) => answer.map_err(|error| CallFault::of(&error_code(&error))),
            Err(_elapsed) => Err(CallFault::of(TIMEOUT)),
        }
    }

    /// Sends pages or starts a job, whichever suits the document. A job that is no longer known is replaced.
    async fn begin(&self, request: &OcrRequest<'_>, replaced: Option<&str>) -> OcrAnswer {
        let count = request.pages.len();
        let fit = request.pages.iter().all(|page| page.png.len() <= PICTURE_MAX_BYTES);
        match &request.source.version_id {
            VersionId::Id(_) if fit && count <= self.settings.pages_sent_max_count => {
                self.send(request.pages).await
            }
            VersionId::Id(version_id) => self.start(request, version_id, replaced).await,
            VersionId::Null if !fit => OcrAnswer::Unavailable(Reason::new(
                "ocr_page_too_large",
                "A page's picture is larger than the text recogniser takes: scan it in shades of grey at 200 dots per \
                 inch, or have a person read it.",
            )),
            VersionId::Null if count <= self.settings.pages_sent_unversioned_max_count => {
                self.send(request.pages).await
            }
            VersionId::Null => OcrAnswer::Unavailable(Reason::new(
                "ocr_needs_version",
                "A scan this long is only recognised from a bucket that keeps versions: switch versions on and upload \
                 it again, or have a person read it.",
            )),
        }
    }

    /// One call a page, one after the other: a burst of pages is what the service throttles.
    async fn send(&self, pages: &[PageImage]) -> OcrAnswer {
        let mut recognised = Vec::with_capacity(pages.len());
        for page in pages {
            let document = Document::builder().bytes(Blob::new(page.png.as_ref())).build();
            let call = self.client.detect_document_text().document(document).send();
            match self.call(call).await {
                Ok(answer) => recognised.push(RecognisedPage {
                    number: page.number,
                    lines: lines_of(&Blocks::of(answer.blocks()), None, sides_of(page)),
                }),
                Err(fault) => return fault.answer(),
            }
        }
        OcrAnswer::Text(recognised)
    }

    async fn start(&self, request: &OcrRequest<'_>, version_id: &str, replaced: Option<&str>) -> OcrAnswer {
        // The token of a job that is gone may still lead to it: its successor has one of its own, the same for all
        // who replace it.
        let token = match replaced {
            None => request.request_token.to_owned(),
            Some(job_id) => derived_token(&[request.request_token, "replaces", job_id]),
        };
        let started = match self.start_under(&token, request, version_id).await {
            Err(CallFault::TokenTaken) => {
                let source = request.source;
                let own = derived_token(&[&token, &source.bucket, &source.key, version_id]);
                self.start_under(&own, request, version_id).await
            }
            started => started,
        };
        match started {
            Ok(job_id) => OcrAnswer::Waiting { job_id, ask_again_ms: self.settings.ask_again_ms },
            Err(fault) => fault.answer(),
        }
    }

    async fn start_under(
        &self,
        token: &str,
        request: &OcrRequest<'_>,
        version_id: &str,
    ) -> Result<String, CallFault> {
        let object = S3Object::builder()
            .bucket(&request.source.bucket)
            .name(&request.source.key)
            .version(version_id)
            .build();
        let call = self
            .client
            .start_document_text_detection()
            .document_location(DocumentLocation::builder().s3_object(object).build())
            .client_request_token(token)
            .send();
        let started = self.call(call).await?;
        started.job_id().filter(|id| !id.is_empty()).map(str::to_owned).ok_or_else(|| {
            // Without its name the job cannot be asked for; the same token gives it again.
            CallFault::Passing(failed("job_id_missing"))
        })
    }

    /// Asks for a job.
    async fn ask(&self, request: &OcrRequest<'_>, job_id: &str) -> Result<OcrAnswer, CallFault> {
        let mut blocks = Vec::new();
        let mut pages_count = None;
        let mut next_token: Option<String> = None;
        for _call in 0..RESULT_CALLS_MAX_COUNT {
            let call = self
                .client
                .get_document_text_detection()
                .job_id(job_id)
                .max_results(RESULT_BLOCKS_COUNT)
                .set_next_token(next_token.take())
                .send();
            let answer = self.call(call).await?;
            match answer.job_status() {
                Some(JobStatus::Succeeded) => {}
                Some(JobStatus::InProgress) => {
                    let ask_again_ms = self.settings.ask_again_ms;
                    return Ok(OcrAnswer::Waiting { job_id: job_id.to_owned(), ask_again_ms });
                }
                Some(JobStatus::Failed) => {
                    let why =
                        answer.status_message().filter(|why| is_plain(why)).unwrap_or("no reason given");
                    return Ok(OcrAnswer::Unavailable(Reason::new(
                        "ocr_job_failed",
                        format!(
                            "The text recogniser could not read the document ({why}): a person must read it."
                        ),
                    )));
                }
                Some(JobStatus::PartialSuccess) => {
                    return Ok(OcrAnswer::Unavailable(Reason::new(
                        "ocr_pages_missing",
                        "The text recogniser could not read every page: a person must read the document.",
                    )));
                }
                _ => return Err(CallFault::Passing(failed("job_status_unknown"))),
            }
            pages_count = answer.document_metadata().and_then(|about| about.pages()).or(pages_count);
            next_token = answer.next_token().filter(|token| !token.is_empty()).map(str::to_owned);
            blocks.extend(answer.blocks.unwrap_or_default());
            if next_token.is_none() {
                return Ok(text_of(request, &blocks, pages_count));
            }
        }
        Ok(OcrAnswer::Unavailable(Reason::new(
            "ocr_result_too_large",
            "The text recogniser found more than is read: a person must read the document.",
        )))
    }
}

impl Ocr for Textract {
    fn name_and_version(&self) -> String {
        "textract/2018-06-27".to_owned()
    }

    async fn still_waiting(&self, job_id: &str) -> Option<OcrAnswer> {
        let call = self.client.get_document_text_detection().job_id(job_id).max_results(1).send();
        let answer = self.call(call).await.ok()?;
        (answer.job_status() == Some(&JobStatus::InProgress)).then(|| OcrAnswer::Waiting {
            job_id: job_id.to_owned(),
            ask_again_ms: self.settings.ask_again_ms,
        })
    }

    async fn recognise(&self, request: OcrRequest<'_>) -> OcrAnswer {
        if request.pages.is_empty() {
            return OcrAnswer::Unavailable(nothing_asked());
        }
        let Some(job_id) = request.job_id else { return self.begin(&request, None).await };
        match self.ask(&request, job_id).await {
            Ok(answer) => answer,
            Err(CallFault::JobUnknown) => self.begin(&request, Some(job_id)).await,
            Err(fault) => fault.answer(),
        }
    }
}

/// A token made of others, the same for the same ones, of the 64 characters that a token may have.
fn derived_token(parts: &[&str]) -> String {
    let hash = parts.iter().fold(Sha256::new(), |hash, part| {
        // With its length before it no part can run into the next.
        hash.chain_update((part.len() as u64).to_be_bytes()).chain_update(part)
    });
    hex::encode(hash.finalize())
}

/// Whether a job's message is one of the service's fixed words, such as `INVALID_IMAGE_TYPE`, and quotes nothing.
fn is_plain(message: &str) -> bool {
    const MESSAGE_MAX_BYTES: usize = 64;
    !message.is_empty()
        && message.len() <= MESSAGE_MAX_BYTES
        && message.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The text of the pages that were asked for, out of all that the job read.
fn text_of(request: &OcrRequest<'_>, blocks: &[Block], pages_count: Option<i32>) -> OcrAnswer {
    let pages = request.pages;
    let read = pages_count.and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
    // A service that counts more pages than there are pictures (thumbnails, say) numbers them in another way.
    let counts_otherwise = request.is_whole && usize::try_from(read).is_ok_and(|read| read != pages.len());
    if counts_otherwise || pages.iter().any(|page| page.number > read) {
        return OcrAnswer::Unavailable(Reason::new(
            "ocr_pages_missing",
            "The text recogniser counts other pages than the document has: a person must read it.",
        ));
    }
    let blocks = Blocks::of(blocks);
    let recognised = pages.iter().map(|page| RecognisedPage {
        number: page.number,
        lines: lines_of(&blocks, Some(page.number), sides_of(page)),
    });
    OcrAnswer::Text(recognised.collect())
}

/// Blocks by what is asked of them: lines in their order by page, words by their names.
struct Blocks<'a> {
    lines: HashMap<u32, Vec<&'a Block>>,
    words: HashMap<&'a str, &'a Block>,
}

impl<'a> Blocks<'a> {
    fn of(blocks: &'a [Block]) -> Self {
        let mut lines: HashMap<u32, Vec<&Block>> = HashMap::new();
        let mut words = HashMap::new();
        for block in blocks {
            match block.block_type() {
                Some(BlockType::Line) => {
                    // A single picture has one page, which need not be named.
                    let page = block.page().and_then(|page| u32::try_from(page).ok()).unwrap_or(1);
                    lines.entry(page).or_default().push(block);
                }
                Some(BlockType::Word) => {
                    words.extend(block.id().map(|id| (id, block)));
                }
                _ => {}
            }
        }
        Self { lines, words }
    }
}

/// The lines of a page, of the only page where none is named, with their places in pixels of its picture.
fn lines_of(blocks: &Blocks<'_>, page: Option<u32>, sides: Option<(u32, u32)>) -> Vec<RecognisedLine> {
    let sides = sides.unwrap_or(NOMINAL_SIDES_PX);
    let lines = blocks.lines.get(&page.unwrap_or(1)).into_iter().flatten();
    lines
        .map(|line| {
            let children = line
                .relationships()
                .iter()
                .filter(|relationship| relationship.r#type() == Some(&RelationshipType::Child))
                .flat_map(|relationship| relationship.ids());
            let mut words: Vec<RecognisedWord> = children
                .filter_map(|id| blocks.words.get(id.as_str()))
                .filter_map(|word| word_of(word, sides))
                .collect();
            if words.is_empty() {
                // Its words are not known one by one, but what it says must not be lost.
                words.extend(word_of(line, sides));
            }
            RecognisedLine { words }
        })
        .filter(|line| !line.words.is_empty())
        .collect()
}

fn word_of(block: &Block, (width, height): (u32, u32)) -> Option<RecognisedWord> {
    let text = block.text()?.trim();
    if text.is_empty() {
        return None;
    }
    let place = block.geometry().and_then(|geometry| geometry.bounding_box());
    #[expect(clippy::cast_sign_loss, reason = "a share is at least zero, and what is no number becomes zero")]
    let pixels = |share: f32, side: u32| (share.clamp(0.0, 1.0) * side as f32).round() as u32;
    Some(RecognisedWord {
        text: text.to_owned(),
        left_px: place.map_or(0, |place| pixels(place.left(), width)),
        top_px: place.map_or(0, |place| pixels(place.top(), height)),
        width_px: place.map_or(0, |place| pixels(place.width(), width)),
        height_px: place.map_or(0, |place| pixels(place.height(), height)),
        // A word without one is not relied on.
        confidence_permille: permille_of(block.confidence().unwrap_or(0.0)),
        is_handwritten: block.text_type() == Some(&TextType::Handwriting),
    })
}

#[cfg(test)]
mod tests {
    use aws_sdk_textract::config::http::{HttpRequest, HttpResponse};
    use aws_sdk_textract::config::retry::RetryConfig;
    use aws_sdk_textract::config::{Credentials, Region, SharedHttpClient};
    use aws_smithy_http_client::test_util::{NeverClient, ReplayEvent, StaticReplayClient};
    use aws_smithy_runtime_api::http::StatusCode;
    use aws_smithy_types::body::SdkBody;
    use bytes::Bytes;
    use serde_json::{Value, json};

    use super::*;
    use crate::identity::{ETag, ObjectVersion};

    const SETTINGS: TextractSettings = TextractSettings {
        pages_sent_max_count: 2,
        pages_sent_unversioned_max_count: 3,
        call_max_ms: 5_000,
        ask_again_ms: 7_000,
    };
    const TOKEN: &str = "0123456789abcdef-1";

    fn textract(http_client: SharedHttpClient, settings: TextractSettings) -> Textract {
        let config = aws_sdk_textract::Config::builder()
            .behavior_version_latest()
            .region(Region::from_static("eu-central-1"))
            .credentials_provider(Credentials::for_tests())
            .retry_config(RetryConfig::disabled())
            .http_client(http_client)
            .build();
        Textract { client: Client::from_conf(config), settings }
    }

    /// A service that gives these answers and no further one.
    fn answering(answers: &[(u16, Value)]) -> (StaticReplayClient, Textract) {
        let events = answers.iter().map(|(status, body)| {
            let status = StatusCode::try_from(*status).unwrap();
            let answer = HttpResponse::new(status, SdkBody::from(body.to_string()));
            ReplayEvent::new(HttpRequest::empty(), answer)
        });
        let replay = StaticReplayClient::new(events.collect());
        (replay.clone(), textract(SharedHttpClient::new(replay), SETTINGS))
    }

    /// Operations and bodies of the requests that were made.
    fn requests(replay: &StaticReplayClient) -> Vec<(String, Value)> {
        let requests = replay.actual_requests().map(|request| {
            let operation = request.headers().get("x-amz-target").unwrap();
            let operation = operation.strip_prefix("Textract.").unwrap().to_owned();
            (operation, serde_json::from_slice(request.body().bytes().unwrap()).unwrap())
        });
        requests.collect()
    }

    /// The head of a picture of 1000 by 2000 pixels, which is all that is looked at here.
    fn png() -> Vec<u8> {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend(1000u32.to_be_bytes());
        png.extend(2000u32.to_be_bytes());
        png
    }

    fn pages(count: u32) -> Vec<PageImage> {
        let page = |number| PageImage {
            number,
            png: Bytes::from(png()),
            dots_per_inch: 200,
            ink_per_million: 5_000,
        };
        (1..=count).map(page).collect()
    }

    fn source(version_id: &str) -> ObjectVersion {
        ObjectVersion {
            bucket: "lease-inbox".to_owned(),
            key: "a/scan 1.pdf".to_owned(),
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new("abc"),
        }
    }

    async fn asked(
        textract: &Textract,
        pages: &[PageImage],
        version_id: &str,
        job_id: Option<&str>,
    ) -> OcrAnswer {
        let source = source(version_id);
        // A document without its first page was asked for in part.
        let is_whole = pages.first().is_none_or(|page| page.number == 1);
        let request = OcrRequest { pages, is_whole, source: &source, request_token: TOKEN, job_id };
        textract.recognise(request).await
    }

    /// Blocks of a page with one line of words.
    fn blocks(page: u32, words: &[&str]) -> Vec<Value> {
        let place =
            |left: f64| json!({ "BoundingBox": { "Left": left, "Top": 0.25, "Width": 0.1, "Height": 0.01 } });
        let id = |index: usize| format!("w{page}-{index}");
        let mut blocks = vec![json!({ "BlockType": "PAGE", "Id": format!("p{page}"), "Page": page })];
        blocks.push(json!({
            "BlockType": "LINE", "Id": format!("l{page}"), "Page": page, "Text": words.join(" "), "Confidence": 98.0,
            "Relationships": [{ "Type": "CHILD", "Ids": (0..words.len()).map(id).collect::<Vec<_>>() }],
            "Geometry": place(0.1),
        }));
        for (index, word) in words.iter().enumerate() {
            blocks.push(json!({
                "BlockType": "WORD", "Id": id(index), "Page": page, "Text": word, "Confidence": 99.87,
                "Geometry": place(0.1 + index as f64 * 0.2),
            }));
        }
        blocks
    }

    fn result(status: &str, pages: u32, blocks: &[Value], next: Option<&str>) -> (u16, Value) {
        let mut body =
            json!({ "JobStatus": status, "DocumentMetadata": { "Pages": pages }, "Blocks": blocks });
        if let Some(next) = next {
            body["NextToken"] = json!(next);
        }
        (200, body)
    }

    fn error(code: &str) -> (u16, Value) {
        (400, json!({ "__type": code, "message": "about a/scan 1.pdf" }))
    }

    /// The answer in short: each page's number and words, the job, or the code.
    fn short(answer: &OcrAnswer) -> String {
        match answer {
            OcrAnswer::Text(pages) => {
                let words = |page: &RecognisedPage| {
                    let words = page.lines.iter().flat_map(|line| &line.words).map(|word| word.text.as_str());
                    format!("{}:{}", page.number, words.collect::<Vec<_>>().join(" "))
                };
                pages.iter().map(words).collect::<Vec<_>>().join("|")
            }
            OcrAnswer::Waiting { job_id, ask_again_ms } => format!("waiting {job_id} {ask_again_ms}"),
            OcrAnswer::Unavailable(reason) => format!("unavailable {}", reason.code),
            OcrAnswer::Failed(reason) => format!("failed {}", reason.code),
        }
    }

    #[tokio::test]
    async fn few_pages_are_sent_one_by_one() {
        let body = |page, words: &[&str]| (200, json!({ "Blocks": blocks(page, words) }));
        let (replay, service) = answering(&[body(1, &["the", "rent"]), (200, json!({ "Blocks": [] }))]);
        let answer = asked(&service, &pages(2), "v1", None).await;
        let word = |text: &str, left_px| RecognisedWord {
            text: text.to_owned(),
            left_px,
            top_px: 500,
            width_px: 100,
            height_px: 20,
            confidence_permille: 998,
            is_handwritten: false,
        };
        let first = RecognisedLine { words: vec![word("the", 100), word("rent", 300)] };
        let expected = vec![
            RecognisedPage { number: 1, lines: vec![first] },
            RecognisedPage { number: 2, lines: vec![] },
        ];
        assert_eq!(answer, OcrAnswer::Text(expected));
        let sent = json!({ "Document": { "Bytes": aws_smithy_types::base64::encode(png()) } });
        let request = ("DetectDocumentText".to_owned(), sent);
        assert_eq!(requests(&replay), [request.clone(), request]);
    }

    #[tokio::test]
    async fn more_pages_are_a_job_on_exactly_one_version_under_one_token() {
        let (replay, service) = answering(&[(200, json!({ "JobId": "j1" }))]);
        let answer = asked(&service, &pages(3), "v1", None).await;
        assert_eq!(answer, OcrAnswer::Waiting { job_id: "j1".to_owned(), ask_again_ms: 7_000 });
        let object = json!({ "Bucket": "lease-inbox", "Name": "a/scan 1.pdf", "Version": "v1" });
        let expected = json!({ "DocumentLocation": { "S3Object": object }, "ClientRequestToken": TOKEN });
        assert_eq!(requests(&replay), [("StartDocumentTextDetection".to_owned(), expected)]);
    }

    #[tokio::test]
    async fn the_version_and_the_pages_decide_what_is_asked() {
        let large = |count: usize| {
            let mut pages = pages(3);
            pages[1].png = Bytes::from(vec![0; PICTURE_MAX_BYTES + 1]);
            pages.drain(1..1 + count).collect::<Vec<_>>()
        };
        let sent = "DetectDocumentText";
        let job = "StartDocumentTextDetection";
        type Row = (&'static str, Vec<PageImage>, &'static str, Vec<&'static str>, &'static str);
        let rows: Vec<Row> = vec![
            ("few", pages(2), "v1", vec![sent, sent], "1:x|2:x"),
            ("many", pages(3), "v1", vec![job], "waiting j1 7000"),
            ("large", large(1), "v1", vec![job], "waiting j1 7000"),
            ("few, no version", pages(3), "null", vec![sent, sent, sent], "1:x|2:x|3:x"),
            ("many, no version", pages(4), "null", vec![], "unavailable ocr_needs_version"),
            ("large, no version", large(1), "", vec![], "unavailable ocr_page_too_large"),
            ("none", pages(0), "v1", vec![], "unavailable ocr_no_pages"),
        ];
        for (case, pages, version_id, operations, expected) in rows {
            let answer = (200, json!({ "JobId": "j1", "Blocks": blocks(1, &["x"]) }));
            let (replay, service) = answering(&vec![answer; operations.len()]);
            assert_eq!(short(&asked(&service, &pages, version_id, None).await), expected, "{case}");
            let made: Vec<_> = requests(&replay).into_iter().map(|(operation, _)| operation).collect();
            assert_eq!(made, operations, "{case}");
        }
    }

    #[tokio::test]
    async fn a_result_is_put_together_of_all_its_parts() {
        let all: Vec<Value> =
            [blocks(1, &["the", "rent"]), blocks(2, &[]), blocks(3, &["is", "due"])].concat();
        // The cut falls between a line and its words.
        let (first, second) = all.split_at(2);
        let (replay, service) =
            answering(&[result("SUCCEEDED", 3, first, Some("more")), result("SUCCEEDED", 3, second, None)]);
        let answer = asked(&service, &pages(3), "v1", Some("j1")).await;
        assert_eq!(short(&answer), "1:the rent|2:|3:is due");
        let ask = |next: Option<&str>| {
            let mut body = json!({ "JobId": "j1", "MaxResults": 1000 });
            if let Some(next) = next {
                body["NextToken"] = json!(next);
            }
            ("GetDocumentTextDetection".to_owned(), body)
        };
        assert_eq!(requests(&replay), [ask(None), ask(Some("more"))]);

        // Of a document that is text but for its third page only that page is wanted.
        let (_replay, service) = answering(&[result("SUCCEEDED", 3, &all, None)]);
        let only = pages(3).split_off(2);
        assert_eq!(short(&asked(&service, &only, "v1", Some("j1")).await), "3:is due");
    }

    #[tokio::test]
    async fn every_state_of_a_job_has_its_answer() {
        let with_message = |message: &str| {
            let (status, mut body) = result("FAILED", 1, &[], None);
            body["StatusMessage"] = json!(message);
            (status, body)
        };
        let started = (200, json!({ "JobId": "j2" }));
        let one = blocks(1, &["x"]);
        type Row = (&'static str, Vec<(u16, Value)>, &'static str);
        let rows: Vec<Row> = vec![
            ("running", vec![result("IN_PROGRESS", 0, &[], None)], "waiting j1 7000"),
            ("done", vec![result("SUCCEEDED", 3, &one, None)], "1:x|2:|3:"),
            (
                "done, a page too few",
                vec![result("SUCCEEDED", 2, &one, None)],
                "unavailable ocr_pages_missing",
            ),
            (
                "done, no count",
                vec![(200, json!({ "JobStatus": "SUCCEEDED" }))],
                "unavailable ocr_pages_missing",
            ),
            ("failed", vec![with_message("INVALID_IMAGE_TYPE")], "unavailable ocr_job_failed"),
            ("done in part", vec![result("PARTIAL_SUCCESS", 3, &one, None)], "unavailable ocr_pages_missing"),
            ("a new state", vec![result("PAUSED", 3, &one, None)], "failed textract_job_status_unknown"),
            ("no state", vec![(200, json!({}))], "failed textract_job_status_unknown"),
            ("unknown", vec![error("InvalidJobIdException"), started.clone()], "waiting j2 7000"),
            (
                "unknown, then throttled",
                vec![error("InvalidJobIdException"), error("ThrottlingException")],
                { "failed textract_ThrottlingException" },
            ),
            ("throttled", vec![error("ThrottlingException")], "failed textract_ThrottlingException"),
            (
                "throttled halfway",
                vec![
                    result("SUCCEEDED", 3, &one, Some("more")),
                    error("ProvisionedThroughputExceededException"),
                ],
                "failed textract_ProvisionedThroughputExceededException",
            ),
            ("a defect there", vec![(500, json!({ "__type": "InternalServerError" }))], {
                "failed textract_InternalServerError"
            }),
            ("a gateway", vec![(503, json!("busy"))], "failed textract_http_503"),
            ("no permission", vec![error("AccessDeniedException")], "failed textract_AccessDeniedException"),
            ("nobody", vec![], "failed textract_request_not_sent"),
            (
                "without end",
                vec![result("SUCCEEDED", 3, &one, Some("more")); RESULT_CALLS_MAX_COUNT],
                "unavailable ocr_result_too_large",
            ),
        ];
        for (case, answers, expected) in rows {
            let (_replay, service) = answering(&answers);
            let answer = asked(&service, &pages(3), "v1", Some("j1")).await;
            assert_eq!(short(&answer), expected, "{case}");
            assert!(!format!("{answer:?}").contains("scan"), "{case}");
        }
        let (_replay, service) = answering(&[with_message("INVALID_IMAGE_TYPE")]);
        let answer = asked(&service, &pages(3), "v1", Some("j1")).await;
        assert!(format!("{answer:?}").contains("INVALID_IMAGE_TYPE"), "{answer:?}");
        let (_replay, service) = answering(&[with_message("cannot read lease-inbox/a/scan 1.pdf")]);
        let answer = asked(&service, &pages(3), "v1", Some("j1")).await;
        assert!(!format!("{answer:?}").contains("scan"), "{answer:?}");
    }

    #[tokio::test]
    async fn refusals_to_begin_are_told_apart() {
        type Row = (&'static str, u32, Vec<(u16, Value)>, &'static str);
        let started = (200, json!({ "JobId": "j1" }));
        let rows: Vec<Row> = vec![
            ("a bad picture", 1, vec![error("BadDocumentException")], "unavailable ocr_document_refused"),
            (
                "a bad document",
                3,
                vec![error("UnsupportedDocumentException")],
                "unavailable ocr_document_refused",
            ),
            ("too large", 3, vec![error("DocumentTooLargeException")], "unavailable ocr_document_refused"),
            ("throttled", 1, vec![error("ThrottlingException")], "failed textract_ThrottlingException"),
            (
                "too many jobs",
                3,
                vec![error("LimitExceededException")],
                "failed textract_LimitExceededException",
            ),
            (
                "out of reach",
                3,
                vec![error("InvalidS3ObjectException")],
                "failed textract_InvalidS3ObjectException",
            ),
            ("no job", 3, vec![(200, json!({}))], "failed textract_job_id_missing"),
            (
                "a taken token",
                3,
                vec![error("IdempotentParameterMismatchException"), started],
                "waiting j1 7000",
            ),
            ("taken twice", 3, vec![error("IdempotentParameterMismatchException"); 2], {
                "failed textract_IdempotentParameterMismatchException"
            }),
        ];
        for (case, count, answers, expected) in rows {
            let made = answers.len();
            let (replay, service) = answering(&answers);
            let answer = asked(&service, &pages(count), "v1", None).await;
            assert_eq!(short(&answer), expected, "{case}");
            assert_eq!(requests(&replay).len(), made, "{case}");
            assert!(!format!("{answer:?}").contains("scan"), "{case}");
        }
    }

    #[tokio::test]
    async fn tokens_that_are_made_here_are_new_and_the_same_for_the_same() {
        let token_of = async |answers: &[(u16, Value)], job_id: Option<&str>| {
            let (replay, service) = answering(answers);
            asked(&service, &pages(3), "v1", job_id).await;
            let (operation, body) = requests(&replay).pop().unwrap();
            assert_eq!(operation, "StartDocumentTextDetection");
            body["ClientRequestToken"].as_str().unwrap().to_owned()
        };
        let started = (200, json!({ "JobId": "j1" }));
        let replaced = [error(JOB_UNKNOWN), started.clone()];
        let tokens = [
            token_of(std::slice::from_ref(&started), None).await,
            token_of(&[error(TOKEN_TAKEN), started], None).await,
            token_of(&replaced, Some("gone")).await,
            token_of(&replaced, Some("gone too")).await,
        ];
        assert_eq!(tokens[0], TOKEN);
        for (index, token) in tokens.iter().enumerate() {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            assert!(token.len() <= 64 && token.bytes().all(allowed), "{token}");
            assert!(!tokens[..index].contains(token), "{token}");
        }
        assert_eq!(token_of(&replaced, Some("gone")).await, tokens[2]);
    }

    #[tokio::test]
    async fn a_silent_service_is_given_up_on() {
        let settings = TextractSettings { call_max_ms: 50, ..SETTINGS };
        let service = textract(SharedHttpClient::new(NeverClient::new()), settings);
        for (count, job_id) in [(1, None), (3, None), (3, Some("j1"))] {
            let answer = asked(&service, &pages(count), "v1", job_id).await;
            assert_eq!(short(&answer), "failed textract_timeout");
        }
    }

    #[test]
    fn a_line_without_known_words_is_kept_whole() {
        let blocks = |line: &str| {
            let block = Block::builder().block_type(BlockType::Line).id("l").text(line).confidence(50.0);
            vec![block.build()]
        };
        let lines = lines_of(&Blocks::of(&blocks(" the rent ")), None, None);
        assert_eq!(lines[0].words[0].text, "the rent");
        assert_eq!(lines[0].words[0].confidence_permille, 500);
        assert!(lines_of(&Blocks::of(&blocks(" ")), None, None).is_empty());
    }
}
