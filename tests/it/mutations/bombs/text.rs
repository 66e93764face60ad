//! Plain text that is too much of one thing, or hardly text.

use super::{Bomb, REJECTED, REVIEW_OR_CRASH, REVIEW_OR_REJECTED, WORDS, sized};
use crate::support::dice::Dice;

/// The kinds.
pub const BOMBS: &[Bomb] = &[
    Bomb { name: "text: nothing", make: |_| Vec::new(), ends: REJECTED },
    Bomb {
        name: "text: one byte",
        make: |dice| vec![u8::try_from(dice.roll(256)).unwrap()],
        ends: REVIEW_OR_REJECTED,
    },
    Bomb { name: "text: a mark and nothing", make: mark, ends: REVIEW_OR_REJECTED },
    Bomb {
        name: "text: one giant line",
        make: |dice| repeated(dice, "the tenant shall pay "),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "text: one giant word", make: |dice| repeated(dice, "Tenant"), ends: REVIEW_OR_CRASH },
    Bomb { name: "text: digits alone", make: |dice| repeated(dice, "1234567890"), ends: REVIEW_OR_CRASH },
    Bomb {
        name: "text: amounts alone",
        make: |dice| repeated(dice, "$1,234.56 per month "),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "text: dates alone", make: |dice| repeated(dice, "May 1, 2020 to "), ends: REVIEW_OR_CRASH },
    Bomb {
        name: "text: parties alone",
        make: |dice| repeated(dice, "Fern LLC (\"Tenant\") and "),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "text: opening marks alone", make: |dice| repeated(dice, "(\"("), ends: REVIEW_OR_CRASH },
    Bomb {
        name: "text: numbers in words",
        make: |dice| repeated(dice, "hundred thousand "),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "text: a lease many times",
        make: |dice| repeated(dice, &format!("{WORDS}\n")),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "text: white space", make: |dice| repeated(dice, "\n\t "), ends: REVIEW_OR_REJECTED },
    Bomb { name: "text: zeros", make: |dice| vec![0; sized(dice, 1, 1 << 20)], ends: REVIEW_OR_REJECTED },
    Bomb { name: "text: zeros between", make: zeros_between, ends: REVIEW_OR_REJECTED },
    Bomb { name: "text: no UTF-8", make: no_utf8, ends: REVIEW_OR_REJECTED },
    Bomb { name: "text: no UTF-16", make: no_utf16, ends: REVIEW_OR_REJECTED },
    Bomb {
        name: "text: marks upon marks",
        make: |dice| repeated(dice, "e\u{301}\u{316}\u{202e}"),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "text: more than is read",
        make: |dice| text_of(WORDS, (6 << 20) + sized(dice, 1, 1 << 20)),
        ends: REVIEW_OR_CRASH,
    },
];

fn text_of(words: &str, bytes: usize) -> Vec<u8> {
    words.repeat(bytes.div_ceil(words.len())).into_bytes()
}

fn repeated(dice: &mut Dice, words: &str) -> Vec<u8> {
    let bytes = sized(dice, 1 << 10, 1 << 20);
    text_of(words, bytes)
}

fn mark(dice: &mut Dice) -> Vec<u8> {
    dice.one_of(&[
        &b"\xef\xbb\xbf"[..],
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xff\xfe\0\0",
        b"\xff",
        b"PK\x03\x04",
        b"%PDF-",
        b"{",
    ])
    .to_vec()
}

fn zeros_between(dice: &mut Dice) -> Vec<u8> {
    let every = sized(dice, 2, 60);
    let letters = WORDS.bytes().enumerate();
    letters.flat_map(|(at, byte)| if at % every == 0 { vec![byte, 0] } else { vec![byte] }).collect()
}

fn no_utf8(dice: &mut Dice) -> Vec<u8> {
    let broken = dice.one_of(&[
        &b"\xff"[..],
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x28\xa1",
        b"\x80",
    ]);
    let every = sized(dice, 1, 40);
    let letters = WORDS.bytes().enumerate();
    letters
        .flat_map(|(at, byte)| if at % every == 0 { [broken, &[byte]].concat() } else { vec![byte] })
        .collect()
}

/// Halves of pairs that stand alone, under a mark.
fn no_utf16(dice: &mut Dice) -> Vec<u8> {
    let every = sized(dice, 1, 40);
    let mut bytes = b"\xff\xfe".to_vec();
    for (at, unit) in WORDS.encode_utf16().enumerate() {
        if at % every == 0 {
            bytes.extend(dice.one_of(&[0xd800_u16, 0xdfff, 0xdc00, 0xffff]).to_le_bytes());
        }
        bytes.extend(unit.to_le_bytes());
    }
    bytes
}
