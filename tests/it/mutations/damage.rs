//! Ways to damage a document that was sound.

use lease_ingest::extract::money::words_number;

use crate::support::dice::Dice;

/// A way.
pub type Way = fn(&mut Vec<u8>, &[u8], &mut Dice);

/// Every way by its name. Each is given the document, another one, and the dice.
pub const WAYS: &[(&str, Way)] = &[
    ("bits flipped", |copy, _, dice| flip_bits(copy, dice)),
    ("cut off", |copy, _, dice| copy.truncate(dice.place(copy.len()))),
    ("a stretch missing", |copy, _, dice| drop(copy.drain(stretch_of(copy.len(), dice)))),
    ("a stretch twice", |copy, _, dice| repeat_stretch(copy, dice)),
    ("a stretch of zeros", |copy, _, dice| {
        let stretch = stretch_of(copy.len(), dice);
        copy[stretch].fill(0);
    }),
    ("a stretch of another file", take_stretch),
    ("the beginning of another file before it", |copy, other, dice| {
        copy.splice(0..0, other[..dice.place(other.len().min(64))].iter().copied());
    }),
    ("a number that lies", |copy, _, dice| lie(copy, dice)),
    (WORDS_CHANGED, |copy, _, dice| change_words(copy, dice)),
    (NAME_CHANGED, |_, _, _| ()),
];

/// The way that leaves every word alone that a value can be made of: what commits then has no excuse.
pub const WORDS_CHANGED: &str = "words changed that are no values";

/// The way that changes nothing: each input is uploaded under the extension of a sample that is drawn, and this one shows
/// that a wrong one misleads nobody. A name is all that can be wrong: the code reads no type that an upload claims.
pub const NAME_CHANGED: &str = "another name";

/// Numbers that a file may lie with: lengths, counts, offsets.
const LIES: &[&str] = &["0", "-1", "4294967295", "99999999999999999999", "1e308"];

/// A stretch of some bytes, at most a quarter of them.
fn stretch_of(length: usize, dice: &mut Dice) -> std::ops::Range<usize> {
    let start = dice.place(length);
    start..(start + 1 + dice.place((length / 4).max(1))).min(length)
}

fn flip_bits(copy: &mut [u8], dice: &mut Dice) {
    for _ in 0..=dice.place(20) {
        let at = dice.place(copy.len());
        copy[at] ^= 1 << dice.roll(8);
    }
}

fn repeat_stretch(copy: &mut Vec<u8>, dice: &mut Dice) {
    let stretch = stretch_of(copy.len(), dice);
    let twice = copy[stretch.clone()].to_vec();
    copy.splice(stretch.end..stretch.end, twice);
}

fn take_stretch(copy: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let stretch = stretch_of(copy.len(), dice);
    copy.splice(stretch, other[stretch_of(other.len(), dice)].iter().copied());
}

fn lie(copy: &mut Vec<u8>, dice: &mut Dice) {
    let digits: Vec<usize> = (0..copy.len()).filter(|at| copy[*at].is_ascii_digit()).collect();
    if !digits.is_empty() {
        let start = digits[dice.place(digits.len())];
        let end = (start..copy.len()).find(|at| !copy[*at].is_ascii_digit()).unwrap_or(copy.len());
        copy.splice(start..end, dice.one_of(LIES).bytes());
    }
}

/// Words that say months and periods; with numbers, figures and names they are what values are made of.
const WORDS_OF_VALUES: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monthly",
    "annually",
    "month",
    "months",
    "year",
    "years",
    "annual",
    "annum",
    "per",
    "and",
];

/// Changes letters of words that are written small, that no value is made of, and that are no marks of HTML.
fn change_words(copy: &mut [u8], dice: &mut Dice) {
    let mut words = Vec::new();
    let (mut start, mut is_markup) = (0, false);
    while start < copy.len() {
        // A letter beyond ASCII belongs to its word in whatever encoding.
        let is_letter = |at: &usize| copy[*at].is_ascii_alphanumeric() || !copy[*at].is_ascii();
        let end = (start..copy.len()).find(|at| !is_letter(at)).unwrap_or(copy.len());
        let word = &copy[start..end];
        let is_small = word.len() > 1 && word.iter().all(u8::is_ascii_lowercase);
        let is_of_a_value = |word: &str| WORDS_OF_VALUES.contains(&word) || words_number(&[word]).is_some();
        if is_small && !is_markup && !std::str::from_utf8(word).is_ok_and(is_of_a_value) {
            words.push(start..end);
        }
        match copy.get(end) {
            Some(b'<' | b'{' | b'&') => is_markup = true,
            Some(b'>' | b'}' | b';') => is_markup = false,
            _ => {}
        }
        start = end + 1;
    }
    if words.is_empty() {
        return;
    }
    for _ in 0..=dice.place(6) {
        let word = words[dice.place(words.len())].clone();
        let at = word.start + dice.place(word.len());
        copy[at] = b'a' + u8::try_from(dice.roll(26)).unwrap();
    }
}
