//! What kind of file the bytes are, by their content and never by a name.

use super::docx;
use super::pictures::PictureKind;

/// How far into the bytes a PDF's header may stand, in bytes. Readers accept a header within the first KiB.
const PDF_HEADER_WITHIN_BYTES: usize = 1024;
/// How much of a text is looked at for HTML elements, in bytes.
const HTML_LOOK_BYTES: usize = 8 * 1024;
/// How much of an unmarked text is looked at for bytes that no text holds.
const TEXT_LOOK_BYTES: usize = 64 * 1024;
/// Most control characters a text may hold, per thousand characters: old print files hold a few.
const CONTROL_MAX_PERMILLE: usize = 5;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object or array.
    Json,
    /// A PDF.
    Pdf,
    /// A Word document, or one that a password wraps.
    Docx,
    /// HTML, with or without a wrapper around it.
    Html,
    /// Plain text in some encoding.
    Text,
    /// A picture of a page, or of several.
    Picture(PictureKind),
    /// A document that a person can read and this extractor cannot yet; the code says which.
    Unread(&'static str),
    /// No document.
    Unknown,
}

/// Files known by their first bytes that are read by people but not here.
const UNREAD_MAGIC: &[(&[u8], &str)] = &[
    (b"GIF87a", "unsupported_gif"),
    (b"GIF89a", "unsupported_gif"),
    (docx::OLE_MAGIC, "unsupported_doc"),
    (b"{\\rtf", "unsupported_rtf"),
];

/// Elements that make a text HTML when one of them opens near its start.
const HTML_ELEMENTS: &[&str] = &[
    "<html",
    "<!doctype html",
    "<body",
    "<head",
    "<div",
    "<p",
    "<table",
    "<title",
    "<font",
    "<center",
    "<pre",
];

/// Tells what the bytes are.
pub fn format_of(bytes: &[u8]) -> Format {
    if docx::is_encrypted(bytes) {
        return Format::Docx;
    }
    if let Some((_, code)) = UNREAD_MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Format::Unread(code);
    }
    if let Some(kind) = PictureKind::of(bytes) {
        return Format::Picture(kind);
    }
    let head = &bytes[..bytes.len().min(PDF_HEADER_WITHIN_BYTES)];
    if head.windows(5).any(|window| window == b"%PDF-") {
        return Format::Pdf;
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return if docx::is_word(bytes) { Format::Docx } else { Format::Unknown };
    }
    if !looks_like_text(bytes) {
        return Format::Unknown;
    }
    let (text, _) = crate::extract::plain::decode(&bytes[..bytes.len().min(HTML_LOOK_BYTES)], None);
    let text = text.trim_start();
    let mut opening = text.chars().filter(|character| !character.is_whitespace());
    match (opening.next(), opening.next()) {
        (Some('{'), Some('"' | '}')) => return Format::Json,
        (Some('['), Some('{' | '[' | '"' | ']')) => return Format::Json,
        _ => {}
    }
    if text.starts_with('<') {
        let lowered = text.to_ascii_lowercase();
        let opens = |element: &&str| {
            lowered.match_indices(*element).any(|(at, found)| {
                !lowered[at + found.len()..].starts_with(|next: char| next.is_ascii_alphanumeric())
            })
        };
        if HTML_ELEMENTS.iter().any(opens) {
            return Format::Html;
        }
        if lowered.starts_with("<?xml") {
            return Format::Unknown;
        }
    }
    if text.is_empty() { Format::Unknown } else { Format::Text }
}

/// Whether the bytes can be text: UTF-16, marked or plainly so, or free of NUL and nearly free of other control
/// characters.
fn looks_like_text(bytes: &[u8]) -> bool {
    let look = &bytes[..bytes.len().min(TEXT_LOOK_BYTES)];
    let is_marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    if is_marked || super::plain::unmarked_utf16(bytes).is_some() {
        let (text, _) = super::plain::decode(look, None);
        // UTF-32, under a mark that begins like the one of UTF-16, has as many NULs as letters.
        return bytes.len().is_multiple_of(2) && !has_many_controls(text.chars());
    }
    if look.is_empty() || look.contains(&0) || has_many_controls(look.iter().copied().map(char::from)) {
        return false;
    }
    // A single-byte text in a Latin alphabet is mostly ASCII; compressed or encrypted bytes are not.
    let valid_utf8 = match std::str::from_utf8(look) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && bytes.len() > look.len(),
    };
    let ascii = look.iter().filter(|byte| byte.is_ascii()).count();
    valid_utf8 || ascii * 10 >= look.len() * 7
}

/// Whether there are more control characters than a text holds.
fn has_many_controls(characters: impl Iterator<Item = char>) -> bool {
    let (mut all, mut controls) = (0usize, 0usize);
    for character in characters {
        all += 1;
        controls +=
            usize::from(character < ' ' && !matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}'));
    }
    controls * 1000 > all * CONTROL_MAX_PERMILLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_apart_by_content() {
        let word = docx::tests::Parts::of_paragraphs(&["LEASE"]).archive();
        let truncated = &word[..word.len() / 2];
        let sheet = docx::tests::Parts::of_paragraphs(&["x"])
            .typed("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml")
            .archive();
        let mut locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....".to_vec();
        locked.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
        let rows: &[(&str, &[u8], Format)] = &[
            ("pdf", b"%PDF-1.7\n", Format::Pdf),
            ("pdf after junk", b"junk\n%PDF-1.4\n", Format::Pdf),
            ("json object", b" {\n \"tenant_name\": 1}", Format::Json),
            ("empty json object", b"{}", Format::Json),
            ("json array", b"[{\"a\":1}]", Format::Json),
            ("bracketed text", b"[Name of landlord] leases", Format::Text),
            ("braced text", b"{ Free snacks }", Format::Text),
            ("html", b"<!DOCTYPE html><p>x", Format::Html),
            ("html in a filing", b"<DOCUMENT>\n<TYPE>EX-10\n<TEXT>\n<HTML><BODY>x", Format::Html),
            ("angle brackets alone", b"<see page 4> LEASE", Format::Text),
            ("text", b"LEASE AGREEMENT\n", Format::Text),
            ("windows-1252 text", b"the \x93Tenant\x94 shall pay", Format::Text),
            ("utf-8 text with a mark", b"\xef\xbb\xbfLEASE", Format::Text),
            ("utf-16 text", b"\xff\xfeL\0E\0", Format::Text),
            ("utf-16 text, big end first", b"\xfe\xff\0L\0E", Format::Text),
            ("utf-16 text without a mark", b"L\0E\0A\0S\0E\0 \0", Format::Text),
            ("utf-16 text without a mark, big end first", b"\0L\0E\0A\0S\0E", Format::Text),
            ("utf-16 json without a mark", b"{\0\"\0a\0\"\0:\x001\0}\0", Format::Json),
            ("utf-16 html without a mark", b"<\0h\0t\0m\0l\0>\0", Format::Html),
            ("utf-16 cut in a character", b"\xff\xfeL\0E", Format::Unknown),
            ("utf-32 text", b"\xff\xfe\0\0L\0\0\0E\0\0\0", Format::Unknown),
            ("utf-32 text without a mark", b"L\0\0\0E\0\0\0", Format::Unknown),
            (
                "ebcdic text",
                b"\xd3\xc5\xc1\xe2\xc5\x40\xc1\xc7\xd9\xc5\xc5\xd4\xc5\xd5\xe3\x15",
                Format::Unknown,
            ),
            ("docx", &word, Format::Docx),
            ("docx, truncated", truncated, Format::Docx),
            ("docx with a password", &locked, Format::Docx),
            ("spreadsheet", &sheet, Format::Unknown),
            ("other zip", b"PK\x03\x04xxxxxxxxxxxxxxxxxxxxxx", Format::Unknown),
            ("png", b"\x89PNG\r\n\x1a\n....", Format::Picture(PictureKind::Png)),
            ("jpeg", b"\xff\xd8\xff\xe0....", Format::Picture(PictureKind::Jpeg)),
            ("tiff", b"II*\0....", Format::Picture(PictureKind::Tiff)),
            ("gif", b"GIF89a....", Format::Unread("unsupported_gif")),
            ("rtf", b"{\\rtf1 x}", Format::Unread("unsupported_rtf")),
            ("old word", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1..", Format::Unread("unsupported_doc")),
            ("nul bytes", b"\x01\x00\x02\x00\x03", Format::Unknown),
            ("noise", b"\x9f\xe2\x81\xd0\xff\xc3\x91\xaa\xbb\xcc\xdd\xee", Format::Unknown),
            ("xml", b"<?xml version=\"1.0\"?><invoice/>", Format::Unknown),
            ("blank", b"  \n ", Format::Unknown),
        ];
        for (case, bytes, expected) in rows {
            assert_eq!(format_of(bytes), *expected, "{case}");
        }
    }
}
