//! Word documents: archives that lie or swell, and XML that does.

use std::io::Write;

use super::{Bomb, REVIEW, REVIEW_OR_CRASH, REVIEW_OR_REJECTED, WORDS, packed_blanks, sized};
use crate::fuzz_entries::word_files;
use crate::support::dice::Dice;

/// The kinds.
pub const BOMBS: &[Bomb] = &[
    Bomb { name: "docx: a part that swells", make: swelling, ends: REVIEW },
    Bomb { name: "docx: a part that swells more than it says", make: lying, ends: REVIEW },
    Bomb {
        name: "docx: types that swell",
        make: |dice| archive(&types_that_swell(dice)),
        ends: REVIEW_OR_REJECTED,
    },
    Bomb { name: "docx: files without end", make: many_files, ends: REVIEW },
    Bomb { name: "docx: one file under many names", make: overlapping, ends: REVIEW },
    Bomb { name: "docx: two files of one name", make: doubled, ends: REVIEW },
    Bomb { name: "docx: archives in archives", make: nested_archives, ends: REVIEW_OR_REJECTED },
    Bomb { name: "docx: entities that grow", make: entities, ends: REVIEW },
    Bomb { name: "docx: deep elements", make: |dice| nested(dice, "<w:p>", "</w:p>"), ends: REVIEW },
    Bomb {
        name: "docx: deep elements that are left open",
        make: |dice| nested(dice, "<w:tbl><w:tr><w:tc>", ""),
        ends: REVIEW,
    },
    Bomb {
        name: "docx: deep text boxes",
        make: |dice| {
            nested(dice, "<w:p><w:r><w:pict><w:txbxContent>", "</w:txbxContent></w:pict></w:r></w:p>")
        },
        ends: REVIEW,
    },
    Bomb { name: "docx: attributes without end", make: many_attributes, ends: REVIEW },
    Bomb { name: "docx: names without end", make: many_names, ends: REVIEW },
    Bomb {
        name: "docx: a table without end",
        make: |dice| {
            body(&format!(
                "<w:tbl>{}</w:tbl>",
                format!("<w:tr>{}</w:tr>", cell("$1.00")).repeat(sized(dice, 100, 20_000))
            ))
        },
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "docx: cells that span the world",
        make: |dice| {
            body(&format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", "<w:tc><w:tcPr><w:gridSpan w:val=\"4294967295\"/><w:vMerge/></w:tcPr><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc>".repeat(sized(dice, 1, 1_000))))
        },
        ends: REVIEW,
    },
    Bomb { name: "docx: styles in a circle", make: circle, ends: REVIEW },
    Bomb { name: "docx: lists that count too far", make: lists, ends: REVIEW },
    Bomb { name: "docx: notes in notes", make: notes, ends: REVIEW },
    Bomb {
        name: "docx: paragraphs without end",
        make: |dice| body(&paragraph("rent").repeat(sized(dice, 1_000, 100_000))),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "docx: fields that never end",
        make: |dice| body(&"<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>".repeat(sized(dice, 10, 50_000))),
        ends: REVIEW,
    },
    Bomb { name: "docx: it is its own document", make: itself, ends: REVIEW_OR_REJECTED },
];

const NAMESPACE: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";

/// A file of an archive, as the archive describes it.
struct Packed {
    name: String,
    is_deflated: bool,
    bytes: Vec<u8>,
    crc: u32,
    inflated_bytes: usize,
}

impl Packed {
    fn of((name, bytes): (String, Vec<u8>)) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(&bytes);
        Self { name, is_deflated: false, crc: crc.sum(), inflated_bytes: bytes.len(), bytes }
    }

    /// Blanks by the millions, with the checksum that they have.
    fn blanks(name: &str, blanks: usize) -> Self {
        let mut crc = flate2::Crc::new();
        (0..blanks >> 20).for_each(|_| crc.update(&[b' '; 1 << 20]));
        crc.update(&vec![b' '; blanks % (1 << 20)]);
        // The wrapping of zlib is two bytes in front and a checksum of four behind.
        let packed = packed_blanks(blanks);
        let bytes = packed[2..packed.len() - 4].to_vec();
        Self { name: name.to_owned(), is_deflated: true, bytes, crc: crc.sum(), inflated_bytes: blanks }
    }

    /// What stands before it, or (with where it lies) in the directory. Source: PKWARE's APPNOTE.TXT, 4.3.
    fn header(&self, lies_at: Option<usize>) -> Vec<u8> {
        let small = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
        let large = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let mut header =
            if lies_at.is_some() { b"PK\x01\x02\x14\0".to_vec() } else { b"PK\x03\x04".to_vec() };
        header.extend([20, 0, 0, 0]);
        header.extend(small(if self.is_deflated { 8 } else { 0 }));
        header.extend([0; 4]);
        header.extend(self.crc.to_le_bytes());
        header.extend(large(self.bytes.len()));
        header.extend(large(self.inflated_bytes));
        header.extend(small(self.name.len()));
        header.extend([0; 2]);
        if let Some(at) = lies_at {
            header.extend([0; 10]);
            header.extend(large(at));
        }
        header.extend(self.name.as_bytes());
        header
    }
}

/// An archive of these files, and of further names for its last one.
fn archive_with(files: &[Packed], names: &[String]) -> Vec<u8> {
    let (mut bytes, mut directory, mut last) = (Vec::new(), Vec::new(), 0);
    for file in files {
        last = bytes.len();
        directory.extend(file.header(Some(last)));
        bytes.write_all(&file.header(None)).unwrap();
        bytes.extend(&file.bytes);
    }
    if let Some(file) = files.last() {
        for name in names {
            let other = Packed { name: name.clone(), bytes: file.bytes.clone(), ..*file };
            directory.extend(other.header(Some(last)));
        }
    }
    let start = bytes.len();
    let count = u16::try_from((files.len() + names.len()).min(usize::from(u16::MAX))).unwrap().to_le_bytes();
    let large = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend([large(directory.len()), large(start)].concat());
    bytes.extend([0; 2]);
    bytes
}

fn archive(files: &[Packed]) -> Vec<u8> {
    archive_with(files, &[])
}

/// A Word document with this XML, other parts and other files.
fn word(document: &str, beside: &[(&str, &[u8])], more: Vec<Packed>) -> Vec<Packed> {
    let files = word_files(document.as_bytes(), beside).into_iter().map(Packed::of);
    files.chain(more).collect()
}

fn document(inside: &str) -> String {
    format!("<w:document {NAMESPACE}><w:body>{}{inside}</w:body></w:document>", paragraph(WORDS))
}

fn body(inside: &str) -> Vec<u8> {
    archive(&word(&document(inside), &[], Vec::new()))
}

fn paragraph(words: &str) -> String {
    format!("<w:p><w:r><w:t>{words}</w:t></w:r></w:p>")
}

fn cell(words: &str) -> String {
    format!("<w:tc>{}</w:tc>", paragraph(words))
}

/// The same with the document in place of the one that is there.
fn with_document(document: Packed) -> Vec<Packed> {
    let mut files = word("", &[], Vec::new());
    files.retain(|file| file.name != document.name);
    files.push(document);
    files
}

fn swelling(dice: &mut Dice) -> Vec<u8> {
    archive(&with_document(Packed::blanks("word/document.xml", sized(dice, 65 << 20, 200 << 20))))
}

fn lying(dice: &mut Dice) -> Vec<u8> {
    let blanks = Packed::blanks("word/document.xml", sized(dice, 65 << 20, 200 << 20));
    archive(&with_document(Packed { inflated_bytes: sized(dice, 0, 1_000), ..blanks }))
}

fn types_that_swell(dice: &mut Dice) -> Vec<Packed> {
    let mut files = word(&document(""), &[], Vec::new());
    files.retain(|file| file.name != "[Content_Types].xml");
    files.push(Packed::blanks("[Content_Types].xml", sized(dice, 5 << 20, 100 << 20)));
    files
}

fn many_files(dice: &mut Dice) -> Vec<u8> {
    let more = (0..sized(dice, 4_097, 20_000)).map(|number| Packed::of((format!("x{number}"), Vec::new())));
    archive(&word(&document(""), &[], more.collect()))
}

fn overlapping(dice: &mut Dice) -> Vec<u8> {
    let names: Vec<_> = (0..sized(dice, 4_097, 20_000)).map(|number| format!("x{number}")).collect();
    archive_with(&word(&document(""), &[], vec![Packed::blanks("word/media/x.xml", 1 << 20)]), &names)
}

fn doubled(dice: &mut Dice) -> Vec<u8> {
    let name =
        dice.one_of(&["word/document.xml", "WORD/document.xml", "/word/document.xml", "[Content_Types].xml"]);
    archive(&word(&document(""), &[], vec![Packed::of((name.to_owned(), document("x").into_bytes()))]))
}

fn nested_archives(dice: &mut Dice) -> Vec<u8> {
    let mut inner = body("");
    for _ in 0..sized(dice, 1, 20) {
        let file = dice.one_of(&["word/document.xml", "word/embeddings/x.docx", "x.zip"]);
        inner = archive(&[Packed::of((file.to_owned(), inner))]);
    }
    archive(&with_document(Packed::of(("word/document.xml".to_owned(), inner))))
}

fn entities(dice: &mut Dice) -> Vec<u8> {
    let levels = sized(dice, 3, 40);
    let declared: String = (1..levels)
        .map(|level| format!("<!ENTITY e{level} \"{}\">", format!("&e{};", level - 1).repeat(10)))
        .collect();
    let xml = format!(
        "<!DOCTYPE w:document [<!ENTITY e0 \"rent\">{declared}]>{}",
        document(&paragraph(&format!("&e{};", levels - 1)))
    );
    archive(&word(&xml, &[], Vec::new()))
}

fn nested(dice: &mut Dice, opening: &str, closing: &str) -> Vec<u8> {
    let levels = sized(dice, 600, 100_000);
    body(&format!("{}{}{}", opening.repeat(levels), paragraph("x"), closing.repeat(levels)))
}

fn many_attributes(dice: &mut Dice) -> Vec<u8> {
    let attributes: String =
        (0..sized(dice, 100, 50_000)).map(|number| format!(" a{number}=\"x\"")).collect();
    body(&format!("<w:p{attributes}/>"))
}

fn many_names(dice: &mut Dice) -> Vec<u8> {
    let names: String =
        (0..sized(dice, 300, 20_000)).map(|number| format!(" xmlns:n{number}=\"x\"")).collect();
    body(&format!("<w:p{names}/>"))
}

fn circle(dice: &mut Dice) -> Vec<u8> {
    let around = sized(dice, 1, 1_000);
    let styles: String = (0..around)
        .map(|number| {
            format!(
                "<w:style w:type=\"paragraph\" w:styleId=\"s{number}\"><w:basedOn w:val=\"s{}\"/></w:style>",
                (number + 1) % around
            )
        })
        .collect();
    let styles = format!("<w:styles {NAMESPACE}>{styles}</w:styles>");
    let inside = "<w:p><w:pPr><w:pStyle w:val=\"s0\"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>".repeat(100);
    archive(&word(&document(&inside), &[("styles", styles.as_bytes())], Vec::new()))
}

fn lists(dice: &mut Dice) -> Vec<u8> {
    let (start, shape) = (
        dice.one_of(&["2147483647", "-1", "4000", "18446744073709551616"]),
        dice.one_of(&["lowerRoman", "upperLetter", "decimal"]),
    );
    let numbering = format!(
        "<w:numbering {NAMESPACE}><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"{start}\"/>\
         <w:numFmt w:val=\"{shape}\"/><w:lvlText w:val=\"{}\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\">\
         <w:abstractNumId w:val=\"0\"/></w:num></w:numbering>",
        "%1".repeat(sized(dice, 1, 1_000))
    );
    let item = "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>";
    let inside = item.repeat(sized(dice, 10, 5_000));
    archive(&word(&document(&inside), &[("numbering", numbering.as_bytes())], Vec::new()))
}

fn notes(dice: &mut Dice) -> Vec<u8> {
    let mark = "<w:r><w:footnoteReference w:id=\"1\"/></w:r>";
    let note = format!(
        "<w:footnotes {NAMESPACE}><w:footnote w:id=\"1\"><w:p>{mark}</w:p></w:footnote></w:footnotes>"
    );
    let inside = format!("<w:p>{}</w:p>", mark.repeat(sized(dice, 1, 10_000)));
    archive(&word(&document(&inside), &[("footnotes", note.as_bytes())], Vec::new()))
}

/// The relationships name the relationships as the document, or something outside the archive.
fn itself(dice: &mut Dice) -> Vec<u8> {
    let target = dice.one_of(&["_rels/.rels", "../../../../etc/passwd", "file:///etc/passwd", "", "word/"]);
    let mut files = word(&document(""), &[], Vec::new());
    for file in &mut files {
        if file.name == "_rels/.rels" {
            let text = String::from_utf8(file.bytes.clone()).unwrap().replace("word/document.xml", target);
            *file = Packed::of((file.name.clone(), text.into_bytes()));
        }
    }
    archive(&files)
}
