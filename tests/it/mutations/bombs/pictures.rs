//! Pictures that claim to be larger than they are, swell, or lead back to themselves.

use super::{Bomb, REVIEW, REVIEW_OR_CRASH, packed_blanks, sized};
use crate::support::dice::Dice;
use crate::support::sample;

/// The kinds.
pub const BOMBS: &[Bomb] = &[
    Bomb { name: "tiff: directories in a circle", make: circle, ends: REVIEW },
    Bomb { name: "tiff: directories without end", make: many_directories, ends: REVIEW },
    Bomb { name: "tiff: as large as the world", make: large_tiff, ends: REVIEW },
    Bomb { name: "tiff: a count that lies", make: lying_count, ends: REVIEW },
    Bomb { name: "png: as large as the world", make: large_png, ends: REVIEW },
    Bomb {
        name: "png: pixels that swell",
        make: |dice| png(&ihdr(100, 100), &[(b"IDAT", packed_blanks(sized(dice, 1 << 20, 300 << 20)))]),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "png: just small enough", make: just_small_enough, ends: REVIEW_OR_CRASH },
    Bomb {
        name: "png: a profile that swells",
        make: |dice| swelling_chunk(dice, b"iCCP", b"x\0\0"),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "png: a text that swells",
        make: |dice| swelling_chunk(dice, b"zTXt", b"Comment\0\0"),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "png: an international text that swells",
        make: |dice| swelling_chunk(dice, b"iTXt", b"Comment\0\x01\0\0\0"),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "png: chunks without end",
        make: |dice| png(&ihdr(10, 10), &vec![(b"tEXt", b"a\0b".to_vec()); sized(dice, 100, 100_000)]),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "png: a chunk longer than the file", make: long_chunk, ends: REVIEW },
    Bomb { name: "jpeg: as large as the world", make: large_jpeg, ends: REVIEW_OR_CRASH },
    Bomb { name: "jpeg: scans without end", make: many_scans, ends: REVIEW_OR_CRASH },
    Bomb {
        name: "jpeg: marks without end",
        make: |dice| [&b"\xff\xd8"[..], &b"\xff\xe1\0\x04ab".repeat(sized(dice, 100, 100_000))].concat(),
        ends: REVIEW,
    },
];

/// Sides that nobody's memory holds, or that are none.
const SIDES: &[u32] = &[u32::MAX, i32::MAX as u32, 1 << 24, 100_000, 0];

/// A directory of a TIFF: its tags as tag, type, count and value, and where the next one lies.
fn directory(tags: &[(u16, u16, u32, u32)], next: u32) -> Vec<u8> {
    let mut bytes = u16::try_from(tags.len()).unwrap().to_le_bytes().to_vec();
    for (tag, kind, count, value) in tags {
        bytes.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        bytes.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
    }
    bytes.extend(next.to_le_bytes());
    bytes
}

/// Tags of a grey picture of these sides in one strip, of which the first eight bytes of the file are the pixels.
/// Source: TIFF 6.0, section 4.
fn grey(width: u32, height: u32, strip_bytes: u32) -> Vec<(u16, u16, u32, u32)> {
    vec![
        (256, 4, 1, width),
        (257, 4, 1, height),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 0),
        (277, 3, 1, 1),
        (278, 4, 1, height),
        (279, 4, 1, strip_bytes),
    ]
}

fn tiff(directories: &[u8]) -> Vec<u8> {
    [b"II*\0\x08\0\0\0", directories].concat()
}

fn circle(dice: &mut Dice) -> Vec<u8> {
    let around = u32::try_from(sized(dice, 1, 50)).unwrap();
    let length = u32::try_from(directory(&grey(2, 2, 4), 0).len()).unwrap();
    let each = (0..around).flat_map(|at| directory(&grey(2, 2, 4), 8 + (at + 1) % around * length));
    tiff(&each.collect::<Vec<_>>())
}

fn many_directories(dice: &mut Dice) -> Vec<u8> {
    let count = u32::try_from(sized(dice, 1_000, 50_000)).unwrap();
    let length = u32::try_from(directory(&grey(2, 2, 4), 0).len()).unwrap();
    tiff(&(1..=count).flat_map(|at| directory(&grey(2, 2, 4), 8 + at * length)).collect::<Vec<_>>())
}

fn large_tiff(dice: &mut Dice) -> Vec<u8> {
    let (width, height) = (dice.one_of(SIDES), dice.one_of(SIDES));
    tiff(&directory(&grey(width, height, dice.one_of(SIDES)), 0))
}

fn lying_count(dice: &mut Dice) -> Vec<u8> {
    let mut tags = grey(2, 2, 4);
    let at = dice.place(tags.len());
    tags[at].2 = dice.one_of(SIDES);
    tags[at].1 = dice.one_of(&[1, 2, 3, 4, 5, 7, 12, 16, 99]);
    tiff(&directory(&tags, 0))
}

/// The head of a picture in 8 bits of grey.
fn ihdr(width: u32, height: u32) -> Vec<u8> {
    [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat()
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(kind);
    crc.update(data);
    [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], kind, data, &crc.sum().to_be_bytes()].concat()
}

fn png(head: &[u8], chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.extend(chunk(b"IHDR", head));
    for (kind, data) in chunks {
        bytes.extend(chunk(kind, data));
    }
    bytes.extend(chunk(b"IEND", b""));
    bytes
}

fn large_png(dice: &mut Dice) -> Vec<u8> {
    let mut head = ihdr(dice.one_of(SIDES), dice.one_of(SIDES));
    // Depth, colours, and whether the rows are interlaced.
    head[8] = dice.one_of(&[1, 8, 16, 77]);
    head[9] = dice.one_of(&[0, 2, 3, 6, 77]);
    head[12] = dice.one_of(&[0, 1, 77]);
    png(&head, &[(b"IDAT", packed_blanks(sized(dice, 1, 1 << 20)))])
}

/// As many pixels as are read at most, packed to next to nothing: each row has a blank for its filter, which is none.
fn just_small_enough(dice: &mut Dice) -> Vec<u8> {
    let height = u32::try_from(sized(dice, 1, 8_000)).unwrap();
    let width = 45_000_000 / height;
    let pixels = packed_zeros((usize::try_from(width).unwrap() + 1) * usize::try_from(height).unwrap());
    png(&ihdr(width, height), &[(b"IDAT", pixels)])
}

fn packed_zeros(count: usize) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), count as u64), &mut encoder).unwrap();
    encoder.finish().unwrap()
}

fn swelling_chunk(dice: &mut Dice, kind: &[u8; 4], before: &[u8]) -> Vec<u8> {
    let swelling = [before, &packed_blanks(sized(dice, 1 << 20, 300 << 20))].concat();
    png(&ihdr(4, 4), &[(kind, swelling), (b"IDAT", packed_zeros(20))])
}

fn long_chunk(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = png(&ihdr(4, 4), &[(b"IDAT", packed_zeros(20))]);
    let at = dice.one_of(&[8, 33]);
    bytes[at..at + 4].copy_from_slice(&dice.one_of(&[u32::MAX, i32::MAX as u32, 1 << 24]).to_be_bytes());
    bytes
}

/// The photocopy with other sides in its frame. Source: ITU-T T.81, B.2.2.
fn large_jpeg(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = sample("tannery-row-unit-3-photocopy.jpg");
    let frame = bytes.windows(2).position(|mark| mark == b"\xff\xc0" || mark == b"\xff\xc2").unwrap();
    for at in [frame + 5, frame + 7] {
        let side: u16 = dice.one_of(&[0, 1, 6_700, 20_000, u16::MAX]);
        bytes[at..at + 2].copy_from_slice(&side.to_be_bytes());
    }
    bytes
}

/// The photocopy's scan again and again, as a progressive picture may have it.
fn many_scans(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = sample("tannery-row-unit-3-photocopy.jpg");
    if let Some(frame) = bytes.windows(2).position(|mark| mark == b"\xff\xc0") {
        bytes[frame + 1] = 0xc2;
    }
    let scan = bytes.windows(2).position(|mark| mark == b"\xff\xda").unwrap();
    let head = bytes[scan..scan + 14].to_vec();
    bytes.truncate(bytes.len() - 2);
    for _ in 0..sized(dice, 10, 20_000) {
        bytes.extend(&head);
    }
    bytes.extend(b"\xff\xd9");
    bytes
}
