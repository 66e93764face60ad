//! Documents that are built to do harm, by format. Each is made anew for its dice, in another size, and most hold a
//! lease's words beside the harm, so that it is met where documents are read.

mod docx;
mod html;
mod json;
pub mod pdf;
mod pictures;
mod text;

use std::io::Write;

use crate::support::dice::Dice;

/// A kind of harmful document.
#[derive(Clone, Copy)]
pub struct Bomb {
    /// What it is.
    pub name: &'static str,
    /// Makes one.
    pub make: fn(&mut Dice) -> Vec<u8>,
    /// How it may end; what is not here is a failure of the test.
    pub ends: &'static [&'static str],
}

/// Every kind, format by format.
pub fn all() -> Vec<Bomb> {
    [docx::BOMBS, html::BOMBS, json::BOMBS, pdf::BOMBS, pictures::BOMBS, text::BOMBS].concat()
}

/// A person must look.
const REVIEW: &[&str] = &["Review"];
/// It is no document.
const REJECTED: &[&str] = &["Rejected"];
/// What is met first depends on its size.
const REVIEW_OR_REJECTED: &[&str] = &["Review", "Rejected"];
/// It is met by a limit of the reader, or the child that reads it ends, as the dice and the machine's speed have it.
const REVIEW_OR_CRASH: &[&str] = &["Review", "DeadLettered"];

/// A number from `least` to `most`, most often a small one: large ones cost time and seldom show more.
fn sized(dice: &mut Dice, least: usize, most: usize) -> usize {
    let room = dice.place(most - least + 1);
    least + dice.place(room + 1)
}

/// Bytes of nothing, packed so that hardly any of them are left.
fn packed_blanks(blanks: usize) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let chunk = vec![b' '; 1 << 20];
    for start in (0..blanks).step_by(chunk.len()) {
        encoder.write_all(&chunk[..chunk.len().min(blanks - start)]).unwrap();
    }
    encoder.finish().unwrap()
}

/// The words of a lease, which most of these documents say as well.
const WORDS: &str = "Property ID: BOMB-1 LEASE AGREEMENT between Elm Row Partners LLC (\"Landlord\") and Juniper \
    Health, Inc. (\"Tenant\"). The term commences on May 1, 2020 and expires on April 30, 2025. Base Rent is \
    $5,000.00 per month. The tenant shall keep the premises in good repair and shall return them as they were let.";
