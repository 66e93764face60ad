//! Plain text: which encoding, then lines.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::text::SourceText;

/// How much of the bytes the encoding is guessed from, in bytes.
const DETECT_LOOK_BYTES: usize = 256 * 1024;

/// How much of the bytes UTF-16 without a mark is known by, in bytes.
const UTF16_LOOK_BYTES: usize = 4 * 1024;
/// Fewest upper halves that are zero in UTF-16, per hundred characters: nearly all are in a Latin alphabet.
const UTF16_ZEROS_MIN_PERCENT: usize = 70;

/// UTF-16 that no mark announces: of each two bytes one is nearly always zero, and the other never.
pub fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let look = &bytes[..bytes.len().min(UTF16_LOOK_BYTES)];
    if look.len() < 2 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let zeros = |offset: usize| look.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let is_upper_half = |zeros: usize| zeros * 200 >= look.len() * UTF16_ZEROS_MIN_PERCENT;
    match (zeros(0), zeros(1)) {
        (0, upper) if is_upper_half(upper) => Some(UTF_16LE),
        (upper, 0) if is_upper_half(upper) => Some(UTF_16BE),
        _ => None,
    }
}

/// Decodes bytes by their byte order mark, as UTF-16 or UTF-8 where they plainly are, by the name the document
/// itself gives, or by detection; says which encoding it was.
pub fn decode(bytes: &[u8], declared: Option<&'static Encoding>) -> (String, &'static Encoding) {
    if let Some((encoding, mark_bytes)) = Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[mark_bytes..]).0.into_owned(), encoding);
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return (encoding.decode_without_bom_handling(bytes).0.into_owned(), encoding);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => return (text.to_owned(), UTF_8),
        // The bytes end within a character: a prefix of a valid text.
        Err(error) if error.error_len().is_none() => {
            return (String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(), UTF_8);
        }
        Err(_) => {}
    }
    // A declaration of UTF-8 on bytes that are not valid UTF-8 is wrong, as is one of UTF-16 that could be read at all.
    let encoding = match declared {
        Some(encoding) if encoding.is_single_byte() => encoding,
        _ => detect(bytes),
    };
    (encoding.decode_without_bom_handling(bytes).0.into_owned(), encoding)
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(DETECT_LOOK_BYTES)], true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    if guess.is_single_byte() || guess.is_ascii_compatible() { guess } else { WINDOWS_1252 }
}

/// Reads a plain text.
pub fn read(bytes: &[u8]) -> SourceText {
    SourceText::from_lined(&decode(bytes, None).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_encoding_gives_the_same_text() {
        let expected = "the \"Tenant\" pays \u{20ac}5";
        let utf16le: Vec<u8> = std::iter::once('\u{feff}')
            .chain("the \u{201c}Tenant\u{201d} pays \u{20ac}5".chars())
            .flat_map(|character| (character as u16).to_le_bytes())
            .collect();
        let utf16be: Vec<u8> = utf16le.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        let rows: &[(&str, &[u8])] = &[
            ("utf-8", "the \u{201c}Tenant\u{201d} pays \u{20ac}5".as_bytes()),
            ("utf-8 with mark", "\u{feff}the \u{201c}Tenant\u{201d} pays \u{20ac}5".as_bytes()),
            ("utf-16 little end first", &utf16le),
            ("utf-16 big end first", &utf16be),
            ("utf-16 little end first, without mark", &utf16le[2..]),
            ("utf-16 big end first, without mark", &utf16be[2..]),
            ("windows-1252", b"the \x93Tenant\x94 pays \x805"),
        ];
        for (case, bytes) in rows {
            assert_eq!(read(bytes).lined(), expected, "{case}");
        }
    }
}
