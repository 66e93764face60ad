//! The extractor that is deployed: documents are read in child processes, under limits, and the text of pictures is
//! recognised between two of them.
//!
//! ```text
//! bytes → [child: look] → an answer
//!                       → [child: pictures of pages] → recogniser → [child: read what was recognised] → an answer
//! ```

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::extract::pictures::{PictureCaps, PictureFault, PictureKind, WantedPages, pages_of};
use crate::extract::recognised::Scan;
use crate::extract::{FirstLook, LeaseExtractor};
use crate::isolation::{Isolation, Limits, Lost, Work};
use crate::lease::LeaseAbstraction;
use crate::ports::extractor::{ExtractRequest, Extraction, Extractor, Incomplete};
use crate::ports::ocr::{Ocr, OcrAnswer, OcrRequest, PageImage, RecognisedPage};
use crate::posting::Reason;

/// Scans that are worked on at once: the pictures of one can take as much memory as a child.
const SCANS_AT_ONCE_MAX_COUNT: usize = 2;
/// Processor time for making the pictures of one document, in seconds. A page takes from a tenth to half a second.
const PICTURES_CPU_MAX_S: u64 = 40;
/// The same by the clock, in milliseconds.
const PICTURES_WALL_MAX_MS: u64 = 60_000;
/// Fewest words on a page that was read.
const PAGE_MIN_WORDS: usize = 5;
/// Most ink of an empty page, in millionths of it: a line of text makes some thousand, dust some ten.
const EMPTY_PAGE_MAX_INK_PER_MILLION: u32 = 400;
/// What a scan needs of an invocation at least, in milliseconds. One that gets its turn later is not begun.
const SCAN_MIN_MS: u64 = 20_000;
/// Most words that are read of one scan: as many as a thousand dense pages.
const SCAN_WORDS_MAX_COUNT: usize = 400_000;

/// Texts that between them have what nearly every rule looks at. A rule that meets its words in none of them is no less
/// right, but each reader that needs it pays for it anew.
const PREPARING_TEXTS: &[&[u8]] = &[
    include_bytes!("preparing/lease.txt"),
    include_bytes!("preparing/amendment.txt"),
    include_bytes!("preparing/plain.txt"),
    include_bytes!("../../samples/harbor-point-suite-210.txt"),
    include_bytes!("../../samples/cobalt-street-sublease.txt"),
    include_bytes!("../../samples/quarry-road-clinic.txt"),
    include_bytes!("../../samples/kanaalkade-12.txt"),
];

/// What the child is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReadTask {
    /// Look at a document.
    Document {
        /// What it is filed under, when metadata or key say so.
        filed_under: Option<String>,
    },
    /// Make pictures of pages; each is a blob.
    Pictures {
        /// How.
        kind: PictureKind,
        /// Of which pages.
        wanted: WantedPages,
    },
    /// Read a document of which pages were recognised.
    Recognised {
        /// What it is filed under, when metadata or key say so.
        filed_under: Option<String>,
        /// What was recognised.
        scan: Scan,
    },
}

/// What the child answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ReadAnswer {
    /// It was read.
    Done(Box<Extraction<LeaseAbstraction>>),
    /// Pages of it must be recognised first.
    NeedsRecognition {
        /// How their pictures are got.
        kind: PictureKind,
        /// Which pages.
        wanted: WantedPages,
        /// What is to be said where nothing can be recognised.
        without: Box<Extraction<LeaseAbstraction>>,
    },
    /// The pages whose pictures are the blobs, in order.
    Pictures(Result<Vec<PageHead>, PictureFault>),
}

/// A page's picture without the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageHead {
    /// Its number in the document, from 1.
    pub number: u32,
    /// Resolution, in dots per inch.
    pub dots_per_inch: u32,
    /// How much of it is dark, in millionths.
    pub ink_per_million: u32,
}

/// The work of reading leases, for a child process.
#[derive(Debug, Clone, Copy)]
pub struct LeaseWork;

impl Work for LeaseWork {
    type Task = ReadTask;
    type Answer = ReadAnswer;

    fn run(task: ReadTask, bytes: Bytes) -> (ReadAnswer, Vec<Vec<u8>>) {
        let extractor = LeaseExtractor::default();
        let answer = match task {
            ReadTask::Document { filed_under } => match extractor.look(&bytes, filed_under.as_deref()) {
                FirstLook::Read(extraction) => ReadAnswer::Done(Box::new(extraction)),
                FirstLook::NeedsRecognition { kind, wanted, without } => {
                    ReadAnswer::NeedsRecognition { kind, wanted, without: Box::new(without) }
                }
            },
            ReadTask::Pictures { kind, wanted } => {
                return match pages_of(&bytes, kind, &wanted, &PictureCaps::default()) {
                    Ok(pages) => {
                        let head = |page: &PageImage| PageHead {
                            number: page.number,
                            dots_per_inch: page.dots_per_inch,
                            ink_per_million: page.ink_per_million,
                        };
                        let heads = pages.iter().map(head).collect();
                        (
                            ReadAnswer::Pictures(Ok(heads)),
                            pages.into_iter().map(|page| page.png.into()).collect(),
                        )
                    }
                    Err(fault) => (ReadAnswer::Pictures(Err(fault)), Vec::new()),
                };
            }
            ReadTask::Recognised { filed_under, scan } => {
                let extraction = extractor.read_recognised(&bytes, &scan, filed_under.as_deref());
                ReadAnswer::Done(Box::new(extraction))
            }
        };
        (answer, Vec::new())
    }

    /// Has the rules meet their words once: compiling their expressions takes a hundred times as long as using them.
    fn prepare() {
        for text in PREPARING_TEXTS {
            std::hint::black_box(LeaseExtractor::default().read(text, None));
        }
    }
}

/// Reads leases in child processes of this program, with a recogniser for what is a picture.
#[derive(Debug)]
pub struct LeaseReader<O> {
    text: Isolation<LeaseWork>,
    pictures: Isolation<LeaseWork>,
    recogniser: O,
    scans: Arc<Semaphore>,
}

impl<O: Ocr> LeaseReader<O> {
    /// A reader whose children are this program; its `main` begins with
    /// [`serve_if_asked::<LeaseWork>`](crate::isolation::serve_if_asked).
    pub fn of_this_program(limits: Limits, recogniser: O) -> std::io::Result<Self> {
        Ok(Self::new(Isolation::of_this_program(limits)?, recogniser))
    }

    /// A reader whose children are another program, for tests.
    pub fn new(isolation: Isolation<LeaseWork>, recogniser: O) -> Self {
        let limits = Limits {
            cpu_max_s: isolation.limits().cpu_max_s.max(PICTURES_CPU_MAX_S),
            wall_max_ms: isolation.limits().wall_max_ms.max(PICTURES_WALL_MAX_MS),
            ..isolation.limits()
        };
        Self {
            pictures: isolation.clone().with_limits(limits),
            text: isolation,
            recogniser,
            scans: Arc::new(Semaphore::new(SCANS_AT_ONCE_MAX_COUNT)),
        }
    }

    /// Holds every turn for a scan, for tests of those who wait for one.
    #[doc(hidden)]
    pub async fn take_every_turn(&self) -> Option<tokio::sync::SemaphorePermit<'_>> {
        let all = u32::try_from(SCANS_AT_ONCE_MAX_COUNT).ok()?;
        self.scans.acquire_many(all).await.ok()
    }

    async fn ask(
        &self,
        isolation: &Isolation<LeaseWork>,
        task: &ReadTask,
        bytes: &[u8],
    ) -> Result<(ReadAnswer, Vec<Bytes>), Extraction<LeaseAbstraction>> {
        isolation.run(task, bytes).await.map_err(lost_reader)
    }

    /// The whole way; an `Err` is an answer too, found on the way.
    async fn read(
        &self,
        request: &ExtractRequest,
    ) -> Result<Extraction<LeaseAbstraction>, Extraction<LeaseAbstraction>> {
        let task = ReadTask::Document { filed_under: request.filed_under.clone() };
        let (kind, wanted, without) = match self.ask(&self.text, &task, &request.bytes).await?.0 {
            ReadAnswer::Done(extraction) => return Ok(*extraction),
            ReadAnswer::NeedsRecognition { kind, wanted, without } => (kind, wanted, *without),
            ReadAnswer::Pictures(_) => return Err(lost_reader(Lost::Crashed)),
        };
        if let Some(job_id) = &request.job_id
            && let Some(OcrAnswer::Waiting { job_id, ask_again_ms }) =
                self.recogniser.still_waiting(job_id).await
        {
            return Ok(Extraction::Waiting { job_id, ask_again_ms });
        }
        let (in_pdf, is_whole) = (kind == PictureKind::Pdf, wanted == WantedPages::All);
        let (pages, unread_pages) = {
            // While a permit is held the pictures are in memory. Whoever waits for one too long has begun nothing.
            let turn = Duration::from_millis(request.left_ms.saturating_sub(SCAN_MIN_MS));
            let Ok(_permit) = tokio::time::timeout(turn, self.scans.acquire()).await else {
                return Ok(Extraction::NotBegun);
            };
            let pictures = self.pictures_of(request, kind, wanted, &without).await?;
            let asked = OcrRequest {
                pages: &pictures,
                is_whole,
                source: &request.source,
                request_token: &request.work_token,
                job_id: request.job_id.as_deref(),
            };
            match self.recogniser.recognise(asked).await {
                OcrAnswer::Text(pages) => {
                    let unread = unread_pages(&pictures, &pages);
                    (pages, unread)
                }
                OcrAnswer::Waiting { job_id, ask_again_ms } => {
                    return Ok(Extraction::Waiting { job_id, ask_again_ms });
                }
                OcrAnswer::Unavailable(reason) => return Err(for_review(without, reason)),
                OcrAnswer::Failed(reason) => return Err(Extraction::Failed(reason)),
            }
        };
        let words = pages.iter().flat_map(|page| &page.lines).map(|line| line.words.len()).sum::<usize>();
        if words > SCAN_WORDS_MAX_COUNT {
            let detail = "The text recogniser found more than is read: a person must read the document.";
            return Err(for_review(without, Reason::new("ocr_result_too_large", detail)));
        }
        let scan = Scan { pages, in_pdf, unread_pages };
        let task = ReadTask::Recognised { filed_under: request.filed_under.clone(), scan };
        let bytes: &[u8] = if in_pdf { &request.bytes } else { &[] };
        match self.ask(&self.text, &task, bytes).await?.0 {
            ReadAnswer::Done(extraction) => Ok(*extraction),
            ReadAnswer::NeedsRecognition { .. } | ReadAnswer::Pictures(_) => Err(lost_reader(Lost::Crashed)),
        }
    }

    async fn pictures_of(
        &self,
        request: &ExtractRequest,
        kind: PictureKind,
        wanted: WantedPages,
        without: &Extraction<LeaseAbstraction>,
    ) -> Result<Vec<PageImage>, Extraction<LeaseAbstraction>> {
        let task = ReadTask::Pictures { kind, wanted };
        match self.ask(&self.pictures, &task, &request.bytes).await? {
            (ReadAnswer::Pictures(Ok(heads)), pictures) if heads.len() == pictures.len() => {
                let page = |(head, png): (PageHead, Bytes)| PageImage {
                    number: head.number,
                    png,
                    dots_per_inch: head.dots_per_inch,
                    ink_per_million: head.ink_per_million,
                };
                Ok(heads.into_iter().zip(pictures).map(page).collect())
            }
            (ReadAnswer::Pictures(Err(fault)), _) => Err(for_review(without.clone(), fault.reason())),
            _ => Err(lost_reader(Lost::Crashed)),
        }
    }
}

impl<O: Ocr> Extractor for LeaseReader<O> {
    type Document = LeaseAbstraction;

    fn name_and_version(&self) -> String {
        format!("{} {}", LeaseExtractor::default().name_and_version(), self.recogniser.name_and_version())
    }

    async fn extract(&self, request: ExtractRequest) -> Extraction<LeaseAbstraction> {
        match self.read(&request).await {
            Ok(answer) | Err(answer) => answer,
        }
    }
}

/// Pages on which something stands and hardly a word was made out.
fn unread_pages(pictures: &[PageImage], pages: &[RecognisedPage]) -> Vec<u32> {
    let words = |number: u32| -> usize {
        let lines = pages.iter().filter(|page| page.number == number).flat_map(|page| &page.lines);
        lines.map(|line| line.words.len()).sum()
    };
    pictures
        .iter()
        .filter(|picture| {
            picture.ink_per_million > EMPTY_PAGE_MAX_INK_PER_MILLION && words(picture.number) < PAGE_MIN_WORDS
        })
        .map(|picture| picture.number)
        .collect()
}

/// What was found without a recogniser goes to a person, with what the recogniser says.
fn for_review(without: Extraction<LeaseAbstraction>, reason: Reason) -> Extraction<LeaseAbstraction> {
    match without {
        Extraction::Incomplete(Incomplete { found, .. }) => {
            Extraction::Incomplete(Incomplete { reason, found })
        }
        other => other,
    }
}

/// A reader that died costs the record an attempt; in the end the document is dead-lettered under this reason.
fn lost_reader(lost: Lost) -> Extraction<LeaseAbstraction> {
    Extraction::Failed(Reason::new(
        lost.code(),
        format!("{lost}: the document may be damaged or built to do harm"),
    ))
}
