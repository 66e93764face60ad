//! Pages as pictures, for the recogniser: PNG, JPEG, TIFF with its pages, and rendered pages of a PDF.
//!
//! Everything that comes out was encoded here, as a plain greyscale PNG of 16 shades: what a recogniser gets is never the
//! hostile file itself. The decoders are foreign code on hostile bytes, so that this runs in the worker of
//! [`crate::isolation`]; a panic in one of them is caught, and a limit is met before memory is asked for.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use bytes::Bytes;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use hayro_interpret::font::GlyphRun;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::kurbo::{BezPath, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, TransformExt, interpret_page,
};
use serde::{Deserialize, Serialize};
use tiff::decoder::DecodingResult;
use tiff::tags::Tag;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::ports::ocr::PageImage;
use crate::posting::Reason;

/// Resolution at which pages of a PDF are drawn, in dots per inch. Recognition gains nothing above 300 and loses
/// below 150.
const RENDER_DOTS_PER_INCH: f32 = 200.0;
/// Points in an inch. Source: ISO 32000-1, 8.3.2.3.
const POINTS_PER_INCH: f32 = 72.0;
/// Meters in an inch.
const METERS_PER_INCH: f32 = 0.0254;
/// Centimetres in an inch.
const CENTIMETRES_PER_INCH: f32 = 2.54;
/// Longest side of a page, in pixels: 11 inches at 400 dots. A larger picture is made smaller by a whole factor.
/// Textract takes at most 10 000.
const LONG_SIDE_MAX_PX: u32 = 4_400;
/// Shortest side of a page, in pixels; a smaller picture gets a white margin, since recognisers refuse it.
const SHORT_SIDE_MIN_PX: u32 = 64;
/// Steps from black to white of the pictures that leave here, which is four bits a pixel. Recognition does not suffer
/// from it, and the noise in the other four makes more than half of a scan's bytes.
const SHADE_STEPS: u32 = 15;
/// Lightest shade that is ink and no shadow of the paper, 255 being white.
const INK_MAX_SHADE: u8 = 150;
/// How long the long side of a page is taken to be where the file does not say, in inches.
const LONG_SIDE_INCHES: f32 = 11.0;
/// Least and most resolution that is believed, in dots per inch.
const DOTS_PER_INCH_BELIEVED: std::ops::RangeInclusive<f32> = 50.0..=2_400.0;
/// Least and most resolution that recognisers are told, in dots per inch.
const DOTS_PER_INCH_TOLD: (f32, f32) = (70.0, 600.0);
/// How many times as fine one direction must be for its pixels not to be square: faxes have 204 by 98 dots.
const UNSQUARE_MIN_RATIO: f32 = 1.5;
/// Most drawing operations that are followed on one page, in calls. A page that is a picture has a handful.
const PAGE_OPERATIONS_MAX_COUNT: usize = 500_000;
/// Memory a decoder may ask for beside the picture itself, in bytes.
const DECODER_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most bytes behind the mark that ends a JPEG, in bytes: some devices fill up their last block.
const JPEG_PADDING_MAX_BYTES: usize = 1_024;
/// Most scans of a progressive JPEG; each costs the time of the whole picture.
const JPEG_SCANS_MAX_COUNT: usize = 64;

/// Directories of a TIFF that are followed, for each page that may be read: some are thumbnails and no pages.
const TIFF_DIRECTORIES_PER_PAGE: usize = 4;
/// Bits of a directory that is a thumbnail or a mask. Source: TIFF 6.0, NewSubfileType.
const TIFF_NO_PAGE_BITS: u32 = 0b101;
/// How many times the most pixels of a page the pictures on one page of a PDF may have together: scanners put a
/// mask over a background.
const LAYERS_MAX_COUNT: u64 = 2;

/// A kind of file whose pages are pictures or can be drawn as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureKind {
    /// One page.
    Png,
    /// One page.
    Jpeg,
    /// A page for each of its images.
    Tiff,
    /// Its pages, drawn.
    Pdf,
}

impl PictureKind {
    /// Tells the kind by the first bytes, as [`super::sniff`] does; a PDF is one by what that says and not by this.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => Some(Self::Tiff),
            _ => None,
        }
    }
}

/// Which pages are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WantedPages {
    /// Every page.
    All,
    /// These, by their numbers from 1, ascending: the pages of a PDF that are pictures between pages of text.
    Only(Vec<u32>),
}

impl WantedPages {
    fn includes(&self, number: u32) -> bool {
        match self {
            Self::All => true,
            Self::Only(numbers) => numbers.contains(&number),
        }
    }

    /// How many of a document's pages are wanted.
    fn count_of(&self, pages: usize) -> usize {
        match self {
            Self::All => pages,
            Self::Only(numbers) => numbers.len(),
        }
    }
}

/// Limits of what is made into pictures. A document beyond them goes to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureCaps {
    /// Most pages.
    pub pages_max_count: usize,
    /// Most pixels of one page as it comes, before it is made smaller.
    pub page_max_pixels: u64,
    /// Most bytes of all the encoded pages together.
    pub pictures_max_bytes: usize,
}

impl Default for PictureCaps {
    fn default() -> Self {
        Self {
            pages_max_count: 60,
            // A page of legal size at 600 dots per inch has 43 million.
            page_max_pixels: 45_000_000,
            pictures_max_bytes: 80 * 1024 * 1024,
        }
    }
}

/// Why there are no pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum PictureFault {
    /// It has more pages than are recognised.
    #[error("too many pages")]
    TooManyPages,
    /// A page has too many pixels or operations, or all pages too many bytes.
    #[error("too large")]
    TooLarge,
    /// It needs a password.
    #[error("encrypted")]
    Encrypted,
    /// It is damaged, or packed in a way that is not known, or lacks a page that was asked for.
    #[error("unreadable")]
    Unreadable,
}

impl PictureFault {
    /// The reason for a person, who must read the document then.
    pub fn reason(self) -> Reason {
        let (code, detail) = match self {
            Self::TooManyPages => (
                "ocr_too_many_pages",
                "More pages are pictures than are recognised: a person must read them, or upload a PDF with text.",
            ),
            Self::TooLarge => (
                "picture_too_large",
                "A page's picture exceeds what is recognised: scan it at 300 dots per inch, or have a person read it.",
            ),
            Self::Encrypted => ("encrypted_pdf", "The PDF is encrypted: upload it without a password."),
            Self::Unreadable => (
                "picture_unreadable",
                "The picture is damaged or packed in an unknown way: upload it again as PNG, JPEG or PDF.",
            ),
        };
        Reason::new(code, detail)
    }
}

/// Thrown through the interpreter to leave a page that is too much; never leaves this file.
struct LimitMet;

/// Makes pictures of pages, in order. Synchronous, and bounded by `caps` in memory but not in time: the worker's
/// limits end what takes too long.
pub fn pages_of(
    bytes: &[u8],
    kind: PictureKind,
    wanted: &WantedPages,
    caps: &PictureCaps,
) -> Result<Vec<PageImage>, PictureFault> {
    let work = || {
        let mut album = Album { pages: Vec::new(), wanted, caps, bytes: 0 };
        match kind {
            PictureKind::Png => album.add(1, read_png(bytes, caps)?)?,
            PictureKind::Jpeg => album.add(1, read_jpeg(bytes, caps)?)?,
            PictureKind::Tiff => read_tiff(bytes, &mut album)?,
            PictureKind::Pdf => read_pdf(bytes, &mut album)?,
        }
        // A page that is not there cannot be told from one that says nothing, so its absence is a fault.
        let complete = match wanted {
            WantedPages::All => !album.pages.is_empty(),
            WantedPages::Only(numbers) => album.pages.len() == numbers.len() && !numbers.is_empty(),
        };
        if complete { Ok(album.pages) } else { Err(PictureFault::Unreadable) }
    };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome,
        Err(payload) if payload.is::<LimitMet>() => Err(PictureFault::TooLarge),
        Err(_) => Err(PictureFault::Unreadable),
    }
}

/// Collects pages under the limits.
struct Album<'a> {
    pages: Vec<PageImage>,
    wanted: &'a WantedPages,
    caps: &'a PictureCaps,
    bytes: usize,
}

impl Album<'_> {
    fn add(&mut self, number: u32, grey: Grey) -> Result<(), PictureFault> {
        if !self.wanted.includes(number) {
            return Ok(());
        }
        if self.pages.len() >= self.caps.pages_max_count {
            return Err(PictureFault::TooManyPages);
        }
        let (grey, dots_per_inch) = grey.made_fit();
        let png = grey.encoded_small(dots_per_inch)?;
        self.bytes += png.len();
        if self.bytes > self.caps.pictures_max_bytes {
            return Err(PictureFault::TooLarge);
        }
        let ink_per_million = grey.ink_per_million();
        self.pages.push(PageImage { number, png: Bytes::from(png), dots_per_inch, ink_per_million });
        Ok(())
    }
}

/// A picture in shades of grey, a byte a pixel, 255 being white. Its pixels are as many as its sides say.
#[derive(Debug, Clone, PartialEq)]
struct Grey {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    /// Dots per inch across and down, as the file says.
    dots: Option<(f32, f32)>,
}

impl Grey {
    /// From samples of one to four channels, a byte each: grey, grey and alpha, colours, colours and alpha.
    fn from_samples(width: u32, height: u32, samples: &[u8], channels: usize) -> Option<Self> {
        let count = usize::try_from(u64::from(width) * u64::from(height)).ok()?;
        if count == 0 || samples.len() < count.checked_mul(channels)? {
            return None;
        }
        let mut pixels = Vec::with_capacity(count);
        let samples = samples.chunks_exact(channels).take(count);
        match channels {
            1 => pixels.extend(samples.map(|sample| sample[0])),
            2 => pixels.extend(samples.map(|sample| on_white(sample[0], sample[1]))),
            3 => pixels.extend(samples.map(|sample| luma(sample[0], sample[1], sample[2]))),
            4 => pixels
                .extend(samples.map(|sample| on_white(luma(sample[0], sample[1], sample[2]), sample[3]))),
            _ => return None,
        }
        Some(Self { width, height, pixels, dots: None })
    }

    fn rows(&self) -> std::slice::ChunksExact<'_, u8> {
        self.pixels.chunks_exact(self.width as usize)
    }

    /// With square pixels, neither too large nor too small; and its resolution in dots per inch.
    fn made_fit(self) -> (Self, u32) {
        let believed = |dots: &(f32, f32)| {
            DOTS_PER_INCH_BELIEVED.contains(&dots.0) && DOTS_PER_INCH_BELIEVED.contains(&dots.1)
        };
        let dots = self.dots.filter(believed);
        let mut grey = self;
        let mut dots_per_inch = dots.map(|(across, down)| across.max(down));
        if let Some((across, down)) = dots {
            // Either factor is at most 48 by the range that is believed, and the sides stay as they were in the other.
            let (x_times, y_times) = (down / across, across / down);
            if y_times >= UNSQUARE_MIN_RATIO && grey.height <= LONG_SIDE_MAX_PX {
                grey = grey.stretched(1, whole(y_times));
            } else if x_times >= UNSQUARE_MIN_RATIO && grey.width <= LONG_SIDE_MAX_PX {
                grey = grey.stretched(whole(x_times), 1);
            }
        }
        let factor = grey.long_side().div_ceil(LONG_SIDE_MAX_PX).max(1);
        if factor > 1 {
            grey = grey.shrunk(factor);
            dots_per_inch = dots_per_inch.map(|dots| dots / factor as f32);
        }
        let dots = dots_per_inch.unwrap_or(grey.long_side() as f32 / LONG_SIDE_INCHES);
        if grey.width.min(grey.height) < SHORT_SIDE_MIN_PX {
            grey = grey.with_margin();
        }
        (grey, whole(dots.clamp(DOTS_PER_INCH_TOLD.0, DOTS_PER_INCH_TOLD.1)))
    }

    fn ink_per_million(&self) -> u32 {
        let dark = self.pixels.iter().filter(|shade| **shade <= INK_MAX_SHADE).count() as u64;
        u32::try_from(dark * 1_000_000 / (self.pixels.len() as u64).max(1)).unwrap_or(u32::MAX)
    }

    fn long_side(&self) -> u32 {
        self.width.max(self.height)
    }

    /// Twice as wide and high, each new pixel mixed of the four that are nearest.
    fn doubled(&self) -> Self {
        let mut pixels = Vec::with_capacity(self.pixels.len() * 4);
        let rows: Vec<&[u8]> = self.rows().collect();
        for (y, near) in rows.iter().enumerate() {
            for far in [rows[y.saturating_sub(1)], rows[(y + 1).min(rows.len() - 1)]] {
                let mixed = |x: usize| 3 * u32::from(near[x]) + u32::from(far[x]);
                for x in 0..near.len() {
                    for beside in [x.saturating_sub(1), (x + 1).min(near.len() - 1)] {
                        pixels.push(((3 * mixed(x) + mixed(beside) + 8) / 16) as u8);
                    }
                }
            }
        }
        Self { width: self.width * 2, height: self.height * 2, pixels, dots: None }
    }

    fn stretched(&self, x_times: u32, y_times: u32) -> Self {
        let (x_times, y_times) = (x_times.clamp(1, 4), y_times.clamp(1, 4));
        let mut pixels = Vec::with_capacity(self.pixels.len() * (x_times * y_times) as usize);
        for row in self.rows() {
            for _ in 0..y_times {
                pixels.extend(row.iter().flat_map(|&pixel| std::iter::repeat_n(pixel, x_times as usize)));
            }
        }
        Self { width: self.width * x_times, height: self.height * y_times, pixels, dots: None }
    }

    /// Each square of `factor` pixels becomes their mean; what is left at the right and lower edge is cut.
    fn shrunk(&self, factor: u32) -> Self {
        let (width, height) = ((self.width / factor).max(1), (self.height / factor).max(1));
        // A side shorter than the factor is kept whole.
        let (across, down) = (factor.min(self.width) as usize, factor.min(self.height) as usize);
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        let mut sums = vec![0u32; width as usize];
        for band in self.pixels.chunks_exact(self.width as usize * down).take(height as usize) {
            sums.fill(0);
            for row in band.chunks_exact(self.width as usize) {
                for (sum, square) in sums.iter_mut().zip(row.chunks_exact(across)) {
                    *sum += square.iter().map(|&pixel| u32::from(pixel)).sum::<u32>();
                }
            }
            let count = (across * down) as u32;
            pixels.extend(sums.iter().map(|sum| (sum / count) as u8));
        }
        Self { width, height, pixels, dots: None }
    }

    fn with_margin(&self) -> Self {
        let (width, height) = (self.width.max(SHORT_SIDE_MIN_PX), self.height.max(SHORT_SIDE_MIN_PX));
        let mut pixels = vec![255; width as usize * height as usize];
        for (canvas, row) in pixels.chunks_exact_mut(width as usize).zip(self.rows()) {
            canvas[..row.len()].copy_from_slice(row);
        }
        Self { width, height, pixels, dots: None }
    }

    /// Turned the way an EXIF orientation says. Source: Exif 2.32, tag 0x0112.
    fn turned(self, orientation: u8) -> Self {
        let (width, height) = (self.width as usize, self.height as usize);
        // Where the pixel at (x, y) of the result comes from.
        let from = |x: usize, y: usize| match orientation {
            2 => (width - 1 - x, y),
            3 => (width - 1 - x, height - 1 - y),
            4 => (x, height - 1 - y),
            5 => (y, x),
            6 => (y, height - 1 - x),
            7 => (width - 1 - y, height - 1 - x),
            8 => (width - 1 - y, x),
            _ => (x, y),
        };
        if !(2..=8).contains(&orientation) {
            return self;
        }
        let (new_width, new_height) = if orientation >= 5 { (height, width) } else { (width, height) };
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for y in 0..new_height {
            pixels.extend((0..new_width).map(|x| {
                let (old_x, old_y) = from(x, y);
                self.pixels[old_y * width + old_x]
            }));
        }
        let dots = if orientation >= 5 { self.dots.map(|(across, down)| (down, across)) } else { self.dots };
        Self { width: new_width as u32, height: new_height as u32, pixels, dots }
    }

    /// In 16 shades, each pixel in the nearest one.
    fn encoded_small(&self, dots_per_inch: u32) -> Result<Vec<u8>, PictureFault> {
        let shade = |pixel: u8| ((u32::from(pixel) * SHADE_STEPS + 127) / 255) as u8;
        let mut packed = Vec::with_capacity(self.width.div_ceil(2) as usize * self.height as usize);
        for row in self.rows() {
            packed.extend(row.chunks(2).map(|pair| match *pair {
                [left, right] => shade(left) << 4 | shade(right),
                [left] => shade(left) << 4,
                _ => 0,
            }));
        }
        self.encoded(&packed, png::BitDepth::Four, dots_per_inch)
    }

    fn encoded(
        &self,
        samples: &[u8],
        depth: png::BitDepth,
        dots_per_inch: u32,
    ) -> Result<Vec<u8>, PictureFault> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(depth);
        encoder.set_compression(png::Compression::Fast);
        let dots_per_meter = whole(dots_per_inch as f32 / METERS_PER_INCH);
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: dots_per_meter,
            yppu: dots_per_meter,
            unit: png::Unit::Meter,
        }));
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(samples)?;
            writer.finish()
        });
        written.map_err(|_| PictureFault::Unreadable)?;
        Ok(bytes)
    }
}

/// The same page in a picture of twice the width and height; `None` for what is no picture of this file's making, or
/// would be larger than any. Takes some tens of milliseconds of a processor.
pub fn doubled(page: &PageImage) -> Option<PageImage> {
    let caps = PictureCaps { page_max_pixels: LONG_SIDE_MAX_PX.pow(2).into(), ..PictureCaps::default() };
    let grey = read_png(&page.png, &caps).ok().filter(|grey| grey.long_side() * 2 <= LONG_SIDE_MAX_PX)?;
    let dots_per_inch = page.dots_per_inch.saturating_mul(2);
    let grey = grey.doubled();
    let png = grey.encoded(&grey.pixels, png::BitDepth::Eight, dots_per_inch).ok()?;
    Some(PageImage {
        png: Bytes::from(png),
        dots_per_inch,
        ink_per_million: page.ink_per_million,
        number: page.number,
    })
}

/// The nearest whole number; 0 for what is below it or no number.
#[expect(clippy::cast_sign_loss, reason = "casts from floats stop at zero, which is what is wanted")]
fn whole(number: f32) -> u32 {
    number.round() as u32
}

/// Brightness of a colour, by the weights of ITU-R BT.601.
fn luma(red: u8, green: u8, blue: u8) -> u8 {
    let sum = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    ((sum + 500) / 1000) as u8
}

/// A pixel that lets the white paper shine through.
fn on_white(grey: u8, alpha: u8) -> u8 {
    let (grey, alpha) = (u32::from(grey), u32::from(alpha));
    ((grey * alpha + 255 * (255 - alpha) + 127) / 255) as u8
}

/// Refuses a picture by its sides, before memory for it is asked for.
fn check_sides(width: u32, height: u32, caps: &PictureCaps) -> Result<(), PictureFault> {
    if width == 0 || height == 0 {
        return Err(PictureFault::Unreadable);
    }
    if u64::from(width) * u64::from(height) > caps.page_max_pixels {
        return Err(PictureFault::TooLarge);
    }
    Ok(())
}

fn read_png(bytes: &[u8], caps: &PictureCaps) -> Result<Grey, PictureFault> {
    let fault = |error: png::DecodingError| match error {
        png::DecodingError::LimitsExceeded => PictureFault::TooLarge,
        _ => PictureFault::Unreadable,
    };
    let limits = png::Limits { bytes: DECODER_MAX_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    // Texts and colour profiles can be bombs, and are not looked at.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(fault)?;
    check_sides(header.width, header.height, caps)?;
    let mut reader = decoder.read_info().map_err(fault)?;
    let mut samples = vec![0; reader.output_buffer_size().ok_or(PictureFault::TooLarge)?];
    let frame = reader.next_frame(&mut samples).map_err(fault)?;
    let channels = frame.color_type.samples();
    let mut grey =
        Grey::from_samples(frame.width, frame.height, &samples, channels).ok_or(PictureFault::Unreadable)?;
    grey.dots = reader.info().pixel_dims.filter(|dims| dims.unit == png::Unit::Meter).map(|dims| {
        let per_inch = |per_meter: u32| per_meter as f32 * METERS_PER_INCH;
        (per_inch(dims.xppu), per_inch(dims.yppu))
    });
    Ok(grey)
}

/// The mark that ends a JPEG. Within its data the first byte is never followed by the second. Source: ITU-T T.81, B.1.1.
const JPEG_END: [u8; 2] = [0xff, 0xd9];

fn read_jpeg(bytes: &[u8], caps: &PictureCaps) -> Result<Grey, PictureFault> {
    // The decoder makes grey of what is cut off, and what was there may have changed the rest.
    let tail = &bytes[bytes.len().saturating_sub(JPEG_PADDING_MAX_BYTES + JPEG_END.len())..];
    if !tail.windows(JPEG_END.len()).any(|window| window == JPEG_END) {
        return Err(PictureFault::Unreadable);
    }
    let side_max = usize::from(u16::MAX);
    let options = DecoderOptions::new_safe()
        .set_max_width(side_max)
        .set_max_height(side_max)
        .jpeg_set_max_scans(JPEG_SCANS_MAX_COUNT)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|_| PictureFault::Unreadable)?;
    let info = decoder.info().ok_or(PictureFault::Unreadable)?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    check_sides(width, height, caps)?;
    // Brightness is stored as such in nearly every JPEG, so that its colours need not be made.
    let stored_as_brightness =
        matches!(decoder.input_colorspace(), Some(ColorSpace::YCbCr | ColorSpace::Luma));
    if stored_as_brightness {
        decoder.set_options(options.jpeg_set_out_colorspace(ColorSpace::Luma));
    }
    let samples = decoder.decode().map_err(|_| PictureFault::Unreadable)?;
    let channels = if stored_as_brightness { 1 } else { 3 };
    let mut grey = Grey::from_samples(width, height, &samples, channels).ok_or(PictureFault::Unreadable)?;
    grey.dots = jfif_dots(bytes);
    let orientation = decoder.exif().and_then(|exif| exif_orientation(exif)).unwrap_or(1);
    Ok(grey.turned(orientation))
}

/// Resolution across and down, which the decoder passes over. Source: JFIF 1.02, the marker that follows the start.
fn jfif_dots(bytes: &[u8]) -> Option<(f32, f32)> {
    let rest = bytes.strip_prefix(b"\xff\xd8\xff\xe0")?.get(2..)?.strip_prefix(b"JFIF\0")?;
    let [_major, _minor, unit, x_high, x_low, y_high, y_low] = *rest.first_chunk::<7>()?;
    let number = |high, low| f32::from(u16::from_be_bytes([high, low]));
    let dots = (number(x_high, x_low), number(y_high, y_low));
    match unit {
        1 => Some(dots),
        2 => Some((dots.0 * CENTIMETRES_PER_INCH, dots.1 * CENTIMETRES_PER_INCH)),
        _ => None,
    }
}

/// How a camera was held. Source: Exif 2.32, tag 0x0112 in the first directory of the TIFF structure.
fn exif_orientation(exif: &[u8]) -> Option<u8> {
    const ORIENTATION: u16 = 0x0112;
    const ENTRY_BYTES: usize = 12;
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    let little = match exif.get(..2)? {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let pair = [*exif.get(at)?, *exif.get(at.checked_add(1)?)?];
        Some(if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    };
    let (first, second) = (usize::from(short(4)?), usize::from(short(6)?));
    let directory = if little { first | (second << 16) } else { (first << 16) | second };
    let entries = usize::from(short(directory)?);
    (0..entries)
        .map(|index| directory + 2 + index * ENTRY_BYTES)
        .find(|&entry| short(entry) == Some(ORIENTATION))
        .and_then(|entry| short(entry + 8))
        .and_then(|orientation| u8::try_from(orientation).ok())
}

fn read_tiff(bytes: &[u8], album: &mut Album<'_>) -> Result<(), PictureFault> {
    let fault = |error: tiff::TiffError| match error {
        tiff::TiffError::LimitsExceeded => PictureFault::TooLarge,
        _ => PictureFault::Unreadable,
    };
    let mut limits = tiff::decoder::Limits::default();
    // The widest samples that are read are colours with alpha of two bytes each.
    limits.decoding_buffer_size = usize::try_from(album.caps.page_max_pixels).unwrap_or(usize::MAX) * 8;
    limits.intermediate_buffer_size = DECODER_MAX_BYTES;
    let mut decoder = tiff::decoder::Decoder::new(Cursor::new(bytes)).map_err(fault)?.with_limits(limits);
    let mut number = 0;
    for _directory in 0..album.caps.pages_max_count.saturating_mul(TIFF_DIRECTORIES_PER_PAGE) {
        let subfile: u32 = decoder.find_tag_unsigned(Tag::NewSubfileType).ok().flatten().unwrap_or_default();
        if subfile & TIFF_NO_PAGE_BITS == 0 {
            number += 1;
            if album.wanted.includes(number) {
                let grey = read_tiff_page(&mut decoder, album.caps)?;
                album.add(number, grey)?;
            }
        }
        if !decoder.more_images() {
            return Ok(());
        }
        decoder.next_image().map_err(fault)?;
    }
    Err(PictureFault::TooManyPages)
}

fn read_tiff_page(
    decoder: &mut tiff::decoder::Decoder<Cursor<&[u8]>>,
    caps: &PictureCaps,
) -> Result<Grey, PictureFault> {
    let fault = |error: tiff::TiffError| match error {
        tiff::TiffError::LimitsExceeded => PictureFault::TooLarge,
        _ => PictureFault::Unreadable,
    };
    let (width, height) = decoder.dimensions().map_err(fault)?;
    check_sides(width, height, caps)?;
    // Bits in the other order would be read as noise.
    let fill_order: u16 = decoder.find_tag_unsigned(Tag::FillOrder).ok().flatten().unwrap_or(1);
    if fill_order != 1 {
        return Err(PictureFault::Unreadable);
    }
    let dots = tiff_dots(decoder);
    let colours = decoder.colortype().map_err(fault)?;
    let samples = match decoder.read_image().map_err(fault)? {
        DecodingResult::U8(samples) => samples,
        DecodingResult::U16(samples) => samples.into_iter().map(|sample| (sample >> 8) as u8).collect(),
        _ => return Err(PictureFault::Unreadable),
    };
    let grey = match colours {
        tiff::ColorType::Gray(1) => from_bits(width, height, &samples),
        tiff::ColorType::Gray(8 | 16) => Grey::from_samples(width, height, &samples, 1),
        tiff::ColorType::GrayA(8 | 16) => Grey::from_samples(width, height, &samples, 2),
        tiff::ColorType::RGB(8 | 16) | tiff::ColorType::YCbCr(8) => {
            Grey::from_samples(width, height, &samples, 3)
        }
        tiff::ColorType::RGBA(8 | 16) => Grey::from_samples(width, height, &samples, 4),
        _ => None,
    };
    let mut grey = grey.ok_or(PictureFault::Unreadable)?;
    grey.dots = dots;
    Ok(grey)
}

/// From a bit a pixel, 1 being white, each row filled up to a byte.
fn from_bits(width: u32, height: u32, bits: &[u8]) -> Option<Grey> {
    let row_bytes = width.div_ceil(8) as usize;
    if bits.len() < row_bytes.checked_mul(height as usize)? {
        return None;
    }
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    for row in bits.chunks_exact(row_bytes).take(height as usize) {
        pixels.extend((0..width as usize).map(|x| if row[x / 8] >> (7 - x % 8) & 1 == 1 { 255 } else { 0 }));
    }
    Some(Grey { width, height, pixels, dots: None })
}

/// Source: TIFF 6.0, XResolution, YResolution, ResolutionUnit.
fn tiff_dots(decoder: &mut tiff::decoder::Decoder<Cursor<&[u8]>>) -> Option<(f32, f32)> {
    let mut resolution = |tag| match decoder.find_tag(tag).ok().flatten()? {
        tiff::decoder::ifd::Value::Rational(over, under) if under > 0 => Some(over as f32 / under as f32),
        _ => None,
    };
    let dots = (resolution(Tag::XResolution)?, resolution(Tag::YResolution)?);
    match decoder.find_tag_unsigned::<u16>(Tag::ResolutionUnit).ok().flatten().unwrap_or(2) {
        2 => Some(dots),
        3 => Some((dots.0 * CENTIMETRES_PER_INCH, dots.1 * CENTIMETRES_PER_INCH)),
        _ => None,
    }
}

fn read_pdf(bytes: &[u8], album: &mut Album<'_>) -> Result<(), PictureFault> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => PictureFault::Encrypted,
        LoadPdfError::Invalid => PictureFault::Unreadable,
    })?;
    let pages = pdf.pages();
    if album.wanted.count_of(pages.len()) > album.caps.pages_max_count {
        return Err(PictureFault::TooManyPages);
    }
    for (page, number) in pages.iter().zip(1u32..) {
        if album.wanted.includes(number) {
            weigh(page, &pdf, album.caps);
            let grey = draw(page)?;
            album.add(number, grey)?;
        }
    }
    Ok(())
}

/// Leaves through [`LimitMet`] when a page would cost too much to draw: the renderer itself has no limits.
fn weigh(page: &Page<'_>, pdf: &Pdf, caps: &PictureCaps) {
    let cache = InterpreterCache::new();
    let mut context = Context::new(
        page.initial_transform(false).to_kurbo(),
        Rect::new(0.0, 0.0, 1.0, 1.0),
        &cache,
        pdf.xref(),
        InterpreterSettings::default(),
    );
    let mut scale = Scale {
        operations_left: PAGE_OPERATIONS_MAX_COUNT,
        image_pixels_left: caps.page_max_pixels.saturating_mul(LAYERS_MAX_COUNT),
        image_max_pixels: caps.page_max_pixels,
    };
    interpret_page(page, &mut context, &mut scale);
}

fn draw(page: &Page<'_>) -> Result<Grey, PictureFault> {
    let (width, height) = page.render_dimensions();
    let long_side = width.max(height);
    if !(width > 0.0 && height > 0.0 && long_side.is_finite()) {
        return Err(PictureFault::Unreadable);
    }
    // A plan on a large sheet is drawn coarser; a stamp-sized page gets at least a pixel each way.
    let scale = (RENDER_DOTS_PER_INCH / POINTS_PER_INCH).min(LONG_SIDE_MAX_PX as f32 / long_side);
    if width * scale < 1.0 || height * scale < 1.0 {
        return Err(PictureFault::Unreadable);
    }
    let pixmap = hayro::render(
        page,
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE },
    );
    let pixels = pixmap.data().iter().map(|pixel| luma(pixel.r, pixel.g, pixel.b)).collect();
    let dots = scale * POINTS_PER_INCH;
    Ok(Grey {
        width: u32::from(pixmap.width()),
        height: u32::from(pixmap.height()),
        pixels,
        dots: Some((dots, dots)),
    })
}

/// Counts what a page would draw, and draws nothing.
struct Scale {
    operations_left: usize,
    image_pixels_left: u64,
    image_max_pixels: u64,
}

impl Scale {
    /// `resume_unwind` and not `panic!`, because a limit is no defect and must not reach the panic hook.
    fn count(&mut self, operations: usize) {
        match self.operations_left.checked_sub(operations) {
            Some(left) => self.operations_left = left,
            None => resume_unwind(Box::new(LimitMet)),
        }
    }
}

impl Device<'_> for Scale {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.count(1);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.count(1);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.count(1);
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'_>, _: &DrawMode) {
        self.count(1);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {
        self.count(1);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, _: DrawProps<'_>, _: &DrawMode) {
        self.count(run.glyphs().len());
    }

    fn draw_image(&mut self, image: Image<'_, '_>, _: ImageDrawProps<'_>) {
        self.count(1);
        let pixels = u64::from(image.width()) * u64::from(image.height());
        match self.image_pixels_left.checked_sub(pixels) {
            Some(left) if pixels <= self.image_max_pixels => self.image_pixels_left = left,
            _ => resume_unwind(Box::new(LimitMet)),
        }
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

#[cfg(test)]
mod tests {
    use tiff::encoder::{TiffEncoder, colortype};

    use super::*;

    // Pictures of 80 by 72 pixels, white but for the upper left quarter, which is black.
    const JPEG: &str = "ffd8ffe000104a46494600010101012c012c0000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d3042605565645f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffc0000b080048005001011100ffc400160001010100000000000000000000000000000706ffc400181001000301000000000000000000000000001664a3e2ffda0008010100003f00cc8029800998029800998029800998029800ccc46f65d111bd974446f65d111bd974446f65d34c0000000000000000000000ffd9";
    const JPEG_IN_COLOUR: &str = "ffd8ffe000104a46494600010100000100010000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d3042605565645f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffdb0043011c1e1e2823284e2b2b4ea46e5d6ea4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4ffc00011080048005003012200021101031101ffc400160001010100000000000000000000000000000607ffc400181001000301000000000000000000000000001664a3e2ffc40014010100000000000000000000000000000000ffc40014110100000000000000000000000000000000ffda000c03010002110311003f0099000000698ccda60000000333000000698ccda60000000266237b2e888decba53009988decba2237b2e94c0266237b2e94c00000000000000000000000000000000000000ffd9";
    /// The same turned by a quarter, as a camera notes it.
    const JPEG_TURNED: &str = "ffd8ffe000104a46494600010100000100010000ffe100224578696600004d4d002a00000008000101120003000000010006000000000000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d3042605565645f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffc0000b080048005001011100ffc400160001010100000000000000000000000000000706ffc400181001000301000000000000000000000000001664a3e2ffda0008010100003f00cc8029800998029800998029800998029800ccc46f65d111bd974446f65d111bd974446f65d34c0000000000000000000000ffd9";
    /// As a fax packs it: 204 dots across, 98 down.
    const TIFF_OF_A_FAX: &str = "49492a00240000002520d9fffffffffffffffff93503c17fffffffffffffffffc00400400c0000010300010000005000000001010300010000004800000002010300010000000100000003010300010000000400000006010300010000000100000011010400010000000800000016010300010000004800000017010400010000001c0000001a01050001000000ba0000001b01050001000000c20000001c010300010000000100000028010300010000000200000000000000cc000000010000006200000001000000";

    /// Whether the picture of [`JPEG`] is black at a pixel.
    fn is_black(x: usize, y: usize) -> bool {
        x < 40 && y < 36
    }

    fn sample(channels: usize) -> Vec<u8> {
        let pixels = (0..72).flat_map(|y| (0..80).map(move |x| if is_black(x, y) { 0u8 } else { 255 }));
        pixels
            .flat_map(|grey| (0..channels).map(move |channel| if channel == 3 { 255 } else { grey }))
            .collect()
    }

    fn png_of(
        color: png::ColorType,
        depth: png::BitDepth,
        width: u32,
        height: u32,
        samples: &[u8],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![0, 0, 0, 255, 255, 255]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(samples).unwrap();
        writer.finish().unwrap();
        bytes
    }

    fn tiff_of(pages: usize) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
        for _ in 0..pages {
            encoder.write_image::<colortype::Gray8>(80, 72, &sample(1)).unwrap();
        }
        bytes.into_inner()
    }

    fn decoded(page: &PageImage) -> Grey {
        read_png(&page.png, &PictureCaps::default()).unwrap()
    }

    fn all(bytes: &[u8], kind: PictureKind) -> Result<Vec<PageImage>, PictureFault> {
        pages_of(bytes, kind, &WantedPages::All, &PictureCaps::default())
    }

    #[test]
    fn every_packing_gives_the_same_picture() {
        use png::{BitDepth, ColorType};
        let bits: Vec<u8> = sample(1)
            .chunks(8)
            .map(|eight| eight.iter().fold(0, |byte, grey| byte << 1 | u8::from(*grey == 255)))
            .collect();
        let wide: Vec<u8> = sample(1).iter().flat_map(|grey| [*grey; 2]).collect();
        let indexed: Vec<u8> = sample(1).iter().map(|grey| grey & 1).collect();
        let hidden: Vec<u8> = sample(1).iter().flat_map(|grey| [0, 255 - grey]).collect();
        let png = |color, depth, samples: &[u8]| png_of(color, depth, 80, 72, samples);
        let mut rgb_tiff = Cursor::new(Vec::new());
        TiffEncoder::new(&mut rgb_tiff).unwrap().write_image::<colortype::RGB8>(80, 72, &sample(3)).unwrap();
        let rows = [
            ("grey", PictureKind::Png, png(ColorType::Grayscale, BitDepth::Eight, &sample(1))),
            ("bits", PictureKind::Png, png(ColorType::Grayscale, BitDepth::One, &bits)),
            ("16 bits", PictureKind::Png, png(ColorType::Grayscale, BitDepth::Sixteen, &wide)),
            (
                "black that is seen through",
                PictureKind::Png,
                png(ColorType::GrayscaleAlpha, BitDepth::Eight, &hidden),
            ),
            ("colours", PictureKind::Png, png(ColorType::Rgb, BitDepth::Eight, &sample(3))),
            ("colours and alpha", PictureKind::Png, png(ColorType::Rgba, BitDepth::Eight, &sample(4))),
            ("a palette", PictureKind::Png, png(ColorType::Indexed, BitDepth::Eight, &indexed)),
            ("jpeg", PictureKind::Jpeg, hex::decode(JPEG).unwrap()),
            ("jpeg in colour", PictureKind::Jpeg, hex::decode(JPEG_IN_COLOUR).unwrap()),
            (
                "jpeg with its last block filled up",
                PictureKind::Jpeg,
                [hex::decode(JPEG).unwrap(), vec![0; JPEG_PADDING_MAX_BYTES]].concat(),
            ),
            ("tiff", PictureKind::Tiff, tiff_of(1)),
            ("tiff in colour", PictureKind::Tiff, rgb_tiff.into_inner()),
        ];
        for (case, kind, bytes) in rows {
            assert_eq!(PictureKind::of(&bytes), Some(kind), "{case}");
            let pages = all(&bytes, kind).unwrap_or_else(|fault| panic!("{case}: {fault}"));
            assert_eq!(pages.len(), 1, "{case}");
            let grey = decoded(&pages[0]);
            assert_eq!((grey.width, grey.height), (80, 72), "{case}");
            // JPEG is not exact.
            let alike = grey.pixels.iter().zip(sample(1)).all(|(found, meant)| found.abs_diff(meant) < 40);
            assert!(alike, "{case}");
        }
    }

    #[test]
    fn resolution_comes_from_the_file_and_pixels_become_square() {
        let page = |text: &str, kind| all(&hex::decode(text).unwrap(), kind).unwrap().remove(0);
        assert_eq!(page(JPEG, PictureKind::Jpeg).dots_per_inch, 300);
        let fax = page(TIFF_OF_A_FAX, PictureKind::Tiff);
        let grey = decoded(&fax);
        assert_eq!((fax.dots_per_inch, grey.width, grey.height), (204, 80, 144));
        assert_eq!((grey.pixels[0], grey.pixels[79]), (0, 255));
        assert_eq!((grey.pixels[71 * 80], grey.pixels[72 * 80]), (0, 255));
        let turned = decoded(&page(JPEG_TURNED, PictureKind::Jpeg));
        assert_eq!((turned.width, turned.height), (72, 80));
        // What was the upper left is now the upper right.
        assert!(turned.pixels[0] > 200 && turned.pixels[71] < 50 && turned.pixels[79 * 72 + 71] > 200);
    }

    #[test]
    fn large_pictures_are_made_smaller_and_small_ones_get_a_margin() {
        type Row = (&'static str, (u32, u32), Option<f32>, (u32, u32, u32));
        let rows: &[Row] = &[
            ("a letter", (1700, 2200), Some(200.0), (1700, 2200, 200)),
            ("of no resolution", (1700, 2200), None, (1700, 2200, 200)),
            ("of no sensible resolution", (1700, 2200), Some(1.0), (1700, 2200, 200)),
            ("of a screen", (850, 1100), None, (850, 1100, 100)),
            ("at 600 dots", (5100, 6600), Some(600.0), (2550, 3300, 300)),
            ("a long roll", (100, 44_000), Some(200.0), (64, 4_400, 70)),
            ("a dot", (1, 1), None, (64, 64, 70)),
            ("a hair", (1, 9_000), None, (64, 3_000, 273)),
        ];
        for (case, (width, height), dots, expected) in rows {
            let pixels = vec![200; (width * height) as usize];
            let dots = dots.map(|dots| (dots, dots));
            let (grey, dots) = Grey { width: *width, height: *height, pixels, dots }.made_fit();
            assert_eq!((grey.width, grey.height, dots), *expected, "{case}");
            assert_eq!(grey.pixels.len(), (grey.width * grey.height) as usize, "{case}");
            assert_eq!(grey.pixels[0], 200, "{case}");
        }
    }

    #[test]
    fn doubling_mixes_neighbours() {
        let grey = Grey { width: 2, height: 1, pixels: vec![0, 160], dots: None }.doubled();
        assert_eq!((grey.width, grey.height), (4, 2));
        assert_eq!(grey.pixels, [0, 40, 120, 160, 0, 40, 120, 160]);
        let grey = Grey { width: 1, height: 2, pixels: vec![255, 255], dots: None }.doubled();
        assert_eq!(grey.pixels, [255; 8]);
        let page = |width: u32| PageImage {
            number: 3,
            png: png_of(png::ColorType::Grayscale, png::BitDepth::Eight, width, 1, &vec![0; width as usize])
                .into(),
            dots_per_inch: 100,
            ink_per_million: 0,
        };
        let twice = doubled(&page(2_200)).unwrap();
        assert_eq!((twice.number, twice.dots_per_inch, decoded(&twice).width), (3, 200, 4_400));
        assert_eq!(doubled(&page(2_201)), None);
        assert_eq!(doubled(&PageImage { png: Bytes::new(), ..page(1) }), None);
    }

    #[test]
    fn shades_are_few_and_black_and_white_stay() {
        // An odd width ends each row within a byte.
        let pixels: Vec<u8> = (0..=255).chain(0..255).collect();
        let samples = png_of(png::ColorType::Grayscale, png::BitDepth::Eight, 73, 7, &pixels);
        let once = &all(&samples, PictureKind::Png).unwrap()[0];
        let few = decoded(once);
        assert_eq!((few.width, few.height), (73, 64));
        let kept: Vec<u8> = few.pixels[..73 * 7].to_vec();
        assert!(kept.iter().zip(&pixels).all(|(few, grey)| few.abs_diff(*grey) <= 9));
        assert_eq!((kept[0], kept[255], kept[256]), (0, 255, 0));
        assert!(kept.iter().all(|shade| u32::from(*shade) % (255 / SHADE_STEPS) == 0));
        assert_eq!(&all(&once.png, PictureKind::Png).unwrap()[0].png, &once.png);
    }

    #[test]
    fn pages_are_numbered_chosen_and_counted() {
        let caps = PictureCaps { pages_max_count: 3, ..PictureCaps::default() };
        type Row = (usize, WantedPages, Result<Vec<u32>, PictureFault>);
        let rows: &[Row] = &[
            (3, WantedPages::All, Ok(vec![1, 2, 3])),
            (4, WantedPages::All, Err(PictureFault::TooManyPages)),
            (4, WantedPages::Only(vec![2, 4]), Ok(vec![2, 4])),
            (4, WantedPages::Only(vec![2, 5]), Err(PictureFault::Unreadable)),
            (4, WantedPages::Only(vec![]), Err(PictureFault::Unreadable)),
        ];
        for (pages, wanted, expected) in rows {
            let found = pages_of(&tiff_of(*pages), PictureKind::Tiff, wanted, &caps);
            let numbers = found.map(|pages| pages.iter().map(|page| page.number).collect());
            assert_eq!(&numbers, expected, "{pages} {wanted:?}");
        }
        let caps = PictureCaps { pictures_max_bytes: 400, ..PictureCaps::default() };
        let found = pages_of(&tiff_of(9), PictureKind::Tiff, &WantedPages::All, &caps);
        assert_eq!(found, Err(PictureFault::TooLarge));
    }

    #[test]
    fn what_is_damaged_or_too_large_is_refused_before_memory_is_asked_for() {
        let whole = png_of(png::ColorType::Grayscale, png::BitDepth::Eight, 80, 72, &sample(1));
        let mut huge = whole.clone();
        huge[16..24].copy_from_slice(&[0, 0x10, 0, 0, 0, 0x10, 0, 0]);
        let mut sum = crc_of(&huge[12..29]).to_be_bytes().to_vec();
        huge.splice(29..33, sum.drain(..));
        let jpeg = hex::decode(JPEG).unwrap();
        let mut huge_jpeg = jpeg.clone();
        let header = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
        huge_jpeg[header + 5..header + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
        let tiff = tiff_of(1);
        let rows: Vec<(&str, PictureKind, Vec<u8>, PictureFault)> = vec![
            ("no png", PictureKind::Png, b"\x89PNG".to_vec(), PictureFault::Unreadable),
            ("half a png", PictureKind::Png, whole[..whole.len() / 2].to_vec(), PictureFault::Unreadable),
            ("a huge png", PictureKind::Png, huge, PictureFault::TooLarge),
            ("no jpeg", PictureKind::Jpeg, b"\xff\xd8\xff".to_vec(), PictureFault::Unreadable),
            ("a jpeg's head", PictureKind::Jpeg, jpeg[..60].to_vec(), PictureFault::Unreadable),
            (
                "a jpeg without its end",
                PictureKind::Jpeg,
                jpeg[..jpeg.len() - 2].to_vec(),
                PictureFault::Unreadable,
            ),
            (
                "a jpeg that lost its last rows",
                PictureKind::Jpeg,
                jpeg[..jpeg.len() - 20].to_vec(),
                PictureFault::Unreadable,
            ),
            (
                "a jpeg whose end is far from its last byte",
                PictureKind::Jpeg,
                [&jpeg[..], &[0; JPEG_PADDING_MAX_BYTES + 1]].concat(),
                PictureFault::Unreadable,
            ),
            ("a huge jpeg", PictureKind::Jpeg, huge_jpeg, PictureFault::TooLarge),
            ("no tiff", PictureKind::Tiff, b"II*\0".to_vec(), PictureFault::Unreadable),
            ("half a tiff", PictureKind::Tiff, tiff[..tiff.len() / 2].to_vec(), PictureFault::Unreadable),
            ("no pdf", PictureKind::Pdf, b"%PDF-1.7\n".to_vec(), PictureFault::Unreadable),
            ("nothing", PictureKind::Pdf, vec![], PictureFault::Unreadable),
        ];
        for (case, kind, bytes, expected) in rows {
            assert_eq!(all(&bytes, kind), Err(expected), "{case}");
        }
    }

    /// Source: PNG, annex D.
    fn crc_of(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, &byte| {
            (0..8).fold(
                sum ^ u32::from(byte),
                |sum, _| if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 },
            )
        })
    }

    #[test]
    fn a_pdf_page_that_draws_without_end_is_too_large() {
        let mut levels = String::new();
        for level in 0..8 {
            levels += &format!(
                "{} 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F {} 0 R>>>>/Length 60>> stream\n{:60}\nendstream endobj\n",
                level + 10,
                level + 11,
                "/F Do ".repeat(10)
            );
        }
        let pdf = format!(
            "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<</F 10 0 R>>>>/Contents 4 0 R>> endobj\n4 0 obj <</Length 5>> stream\n/F Do\nendstream endobj\n{levels}18 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 10>> stream\n0 0 1 1 re f\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF"
        );
        assert_eq!(all(pdf.as_bytes(), PictureKind::Pdf), Err(PictureFault::TooLarge));
    }
}
