//! Port: pictures of pages in, their text out.

use std::future::Future;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::identity::ObjectVersion;
use crate::posting::Reason;

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageImage {
    /// Its number in the document, from 1.
    pub number: u32,
    /// The picture, as a greyscale PNG.
    pub png: Bytes,
    /// Resolution, in dots per inch.
    pub dots_per_inch: u32,
    /// How much of the page is dark, in millionths: a line of text makes some thousand.
    pub ink_per_million: u32,
}

/// A line of recognised text, with its place on the page in pixels of the picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognisedLine {
    /// The words, in order, with their places.
    pub words: Vec<RecognisedWord>,
}

/// A recognised word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognisedWord {
    /// Its text.
    pub text: String,
    /// Left edge, in pixels.
    pub left_px: u32,
    /// Top edge, in pixels.
    pub top_px: u32,
    /// Width, in pixels.
    pub width_px: u32,
    /// Height, in pixels.
    pub height_px: u32,
    /// How sure the recogniser is, in thousandths.
    pub confidence_permille: u16,
    /// Whether it was written by hand, as far as the recogniser tells.
    #[serde(default)]
    pub is_handwritten: bool,
}

/// A page's recognised text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognisedPage {
    /// The page's number, from 1.
    pub number: u32,
    /// Its lines, from the top.
    pub lines: Vec<RecognisedLine>,
}

/// What is to be recognised.
#[derive(Debug, Clone, Copy)]
pub struct OcrRequest<'a> {
    /// The pages, in order.
    pub pages: &'a [PageImage],
    /// Whether these are all pages of the document, so that a service that counts others reads it another way.
    pub is_whole: bool,
    /// The object they come from, for a service that reads it by itself.
    pub source: &'a ObjectVersion,
    /// Names the work to the service, so that a repeat gets the same job and nothing is paid for twice. At most 64
    /// characters out of letters, digits, `-` and `_`.
    pub request_token: &'a str,
    /// A job that an earlier attempt started.
    pub job_id: Option<&'a str>,
}

/// What a recogniser answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OcrAnswer {
    /// The text of every page that was asked for.
    Text(Vec<RecognisedPage>),
    /// A job runs; its result is to be asked for later.
    Waiting {
        /// The job.
        job_id: String,
        /// When asking makes sense, in milliseconds from now.
        ask_again_ms: u64,
    },
    /// It will not be recognised here: a person must read it.
    Unavailable(Reason),
    /// It failed, and another attempt may succeed.
    Failed(Reason),
}

/// Recognises text on pictures.
pub trait Ocr: Send + Sync + 'static {
    /// Name and version, noted with what is read.
    fn name_and_version(&self) -> String;

    /// Whether a job that an earlier attempt started still runs; then there is nothing to make pictures for yet. `None`
    /// where it does not, or where nobody knows.
    fn still_waiting(&self, _job_id: &str) -> impl Future<Output = Option<OcrAnswer>> + Send {
        std::future::ready(None)
    }

    /// Recognises the pages.
    fn recognise(&self, request: OcrRequest<'_>) -> impl Future<Output = OcrAnswer> + Send;
}
