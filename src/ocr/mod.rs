//! Adapters to recognisers of text: a program on this machine, and Amazon Textract.

#[cfg(feature = "embedded")]
pub mod tesseract;
pub mod textract;

use crate::ports::ocr::{Ocr, OcrAnswer, OcrRequest, PageImage};
use crate::posting::Reason;
use textract::Textract;

/// The recogniser of the deployed function, as its settings choose it.
#[derive(Debug, Clone)]
pub enum Recogniser {
    /// Amazon Textract.
    Textract(Textract),
    /// None: what is a picture goes to review.
    None,
}

impl Ocr for Recogniser {
    fn name_and_version(&self) -> String {
        match self {
            Self::Textract(textract) => textract.name_and_version(),
            Self::None => "no-recogniser".to_owned(),
        }
    }

    async fn still_waiting(&self, job_id: &str) -> Option<OcrAnswer> {
        match self {
            Self::Textract(textract) => textract.still_waiting(job_id).await,
            Self::None => None,
        }
    }

    async fn recognise(&self, request: OcrRequest<'_>) -> OcrAnswer {
        match self {
            Self::Textract(textract) => textract.recognise(request).await,
            Self::None => OcrAnswer::Unavailable(Reason::new(
                "ocr_switched_off",
                "The document is a scan and recognising text is switched off: switch it on and raise the \
                 generation, or upload a JSON abstraction.",
            )),
        }
    }
}

/// Largest width and height that a picture's header is believed to have, in pixels.
const SIDE_MAX_PX: u32 = 100_000;

/// Width and height of a page's picture, in pixels, from its header. Source: PNG, 11.2.2 IHDR.
pub(crate) fn sides_of(page: &PageImage) -> Option<(u32, u32)> {
    let header = page.png.get(16..24)?;
    let (width, height) = header.split_first_chunk::<4>()?;
    let sides = (u32::from_be_bytes(*width), u32::from_be_bytes(*height.first_chunk::<4>()?));
    let believed = 1..=SIDE_MAX_PX;
    (believed.contains(&sides.0) && believed.contains(&sides.1)).then_some(sides)
}

/// How sure a recogniser is, from per cent to thousandths: cut and never rounded up, and 0 for what is no number.
#[expect(clippy::cast_sign_loss, reason = "the number is at least zero")]
pub(crate) fn permille_of(percent: f32) -> u16 {
    (percent.clamp(0.0, 100.0) * 10.0) as u16
}

/// The answer to a request without pages, which would otherwise pass for a document without words.
pub(crate) fn nothing_asked() -> Reason {
    Reason::new(
        "ocr_no_pages",
        "No page of the document could be made into a picture: a person must read it.",
    )
}
