//! What of a PDF is lost, as far as the file itself tells: the reader of PDFs makes the best of what is left and says
//! nothing, while the lost part may have changed the rest.

use std::collections::HashSet;

use flate2::{Decompress, FlushDecompress, Status};
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, Stream};
use hayro_interpret::hayro_syntax::page::Page;

use crate::extract::doubt::DoubtKind;
use crate::extract::text::SourceTextBuilder;

/// How far before its last byte the end of a whole file is marked, in bytes. Source: what readers of PDFs allow.
const END_MARK_REACH_BYTES: usize = 1_024;
/// Names of the filters that are known, in full and in short; those of pictures are none for text.
const TEXT_FILTERS: [&[u8]; 11] = [
    b"FlateDecode",
    b"Fl",
    b"LZWDecode",
    b"LZW",
    b"ASCII85Decode",
    b"A85",
    b"ASCIIHexDecode",
    b"AHx",
    b"RunLengthDecode",
    b"RL",
    b"Crypt",
];
/// How much of a packed content is unpacked at once, in bytes.
const UNPACKED_PIECE_BYTES: usize = 64 * 1_024;

/// Looks for damage, page by page.
#[derive(Debug, Default)]
pub(super) struct Damage {
    /// Drawings that pages share are looked at once.
    seen: HashSet<ObjectIdentifier>,
}

impl Damage {
    /// Notes where the file as a whole ends too early or holds other pages than it counts.
    pub(super) fn look_at_file(bytes: &[u8], pdf: &Pdf, builder: &mut SourceTextBuilder) {
        let tail = &bytes[bytes.len().saturating_sub(END_MARK_REACH_BYTES)..];
        if !tail.windows(5).any(|window| window == b"%%EOF") {
            builder.doubt(DoubtKind::DamagedFile, "the end of the file");
        }
        let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
        let counted = catalog
            .and_then(|catalog| catalog.get::<Dict<'_>>(b"Pages"))
            .and_then(|pages| pages.get::<i32>(b"Count"));
        let found = pdf.pages().len();
        if counted.and_then(|count| usize::try_from(count).ok()) != Some(found) {
            let counted = counted.map_or_else(|| "an unknown number".to_owned(), |count| count.to_string());
            builder.doubt(DoubtKind::DamagedFile, &format!("pages: {found} of {counted}"));
        }
    }

    /// Notes where what a page draws is not there or cannot be unpacked whole.
    pub(super) fn look_at_page(&mut self, number: u32, page: &Page<'_>, builder: &mut SourceTextBuilder) {
        let raw = page.raw();
        let contents_are_whole = match (raw.get::<Stream<'_>>(b"Contents"), raw.get::<Array<'_>>(b"Contents"))
        {
            (Some(stream), _) => is_whole(&stream),
            (None, Some(parts)) => {
                let named = parts.raw_iter().count();
                let streams: Vec<Stream<'_>> = parts.iter::<Stream<'_>>().collect();
                streams.len() == named && streams.iter().all(is_whole)
            }
            // A page without contents is empty; one whose contents are somewhere else has lost them.
            (None, None) => !raw.contains_key(b"Contents"),
        };
        let drawings = &page.resources().x_objects;
        let mut drawings_are_whole = true;
        for name in drawings.keys() {
            let Some(drawing) = drawings.get::<Stream<'_>>(&*name) else { continue };
            let is_form = drawing.dict().get::<Name<'_>>(b"Subtype").as_deref() == Some(b"Form");
            if is_form && self.seen.insert(drawing.obj_id()) {
                drawings_are_whole &= is_whole(&drawing);
            }
        }
        if !contents_are_whole || !drawings_are_whole {
            builder.doubt(DoubtKind::DamagedFile, &format!("what page {number} draws"));
        }
    }
}

/// Whether all that a stream holds can be unpacked.
fn is_whole(stream: &Stream<'_>) -> bool {
    let dict = stream.dict();
    let filters: Vec<Name<'_>> = match dict.get::<Name<'_>>(b"Filter") {
        Some(filter) => vec![filter],
        None => dict
            .get::<Array<'_>>(b"Filter")
            .map(|filters| filters.iter::<Name<'_>>().collect())
            .unwrap_or_default(),
    };
    if !filters.iter().all(|filter| TEXT_FILTERS.contains(&&**filter)) {
        return false;
    }
    let raw = stream.raw_data();
    match &filters[..] {
        [only] if matches!(&**only, b"FlateDecode" | b"Fl") => inflates_whole(&raw),
        [] => true,
        _ => stream.decoded_data().is_ok_and(|data| !data.is_empty() || raw.is_empty()),
    }
}

/// Whether packed bytes reach the end that their packer wrote. The reader of PDFs takes what comes before a defect.
pub(super) fn inflates_whole(packed: &[u8]) -> bool {
    let mut unpacker = Decompress::new(true);
    let mut piece = vec![0; UNPACKED_PIECE_BYTES];
    loop {
        let (read, made) = (unpacker.total_in(), unpacker.total_out());
        let rest = usize::try_from(read).ok().and_then(|read| packed.get(read..)).unwrap_or_default();
        match unpacker.decompress(rest, &mut piece, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return true,
            Ok(_) if (unpacker.total_in(), unpacker.total_out()) != (read, made) => {}
            _ => return false,
        }
    }
}
