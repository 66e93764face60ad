//! PDFs whose objects swell, nest, or lead back to themselves.

use std::io::Write;

use super::{Bomb, REVIEW_OR_CRASH, WORDS, packed_blanks, sized};
use crate::support::dice::Dice;

/// The kinds.
pub const BOMBS: &[Bomb] = &[
    Bomb {
        name: "pdf: a content that swells",
        make: |dice| inflating(sized(dice, 1 << 20, 300 << 20)),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "pdf: packed in packed", make: packed_in_packed, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: pages without end", make: many_pages, ends: REVIEW_OR_CRASH },
    Bomb {
        name: "pdf: one page many times",
        make: |dice| tree(&"3 0 R ".repeat(sized(dice, 2_001, 200_000)), "2 0 R", 1),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "pdf: a tree of pages in a circle",
        make: |dice| tree(&"3 0 R 2 0 R ".repeat(sized(dice, 1, 1_000)), "2 0 R", 1),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "pdf: parents in a circle", make: |_| tree("3 0 R", "3 0 R", 1), ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: a deep tree of pages", make: deep_tree, ends: REVIEW_OR_CRASH },
    Bomb {
        name: "pdf: a count of pages that lies",
        make: |dice| tree("3 0 R", "2 0 R", dice.one_of(&[-1, 0, i64::MAX, i64::MIN])),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "pdf: a drawing that draws itself", make: draws_itself, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: drawings that double", make: doubling, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: a letter that draws itself", make: letter_draws_itself, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: objects within themselves", make: objects_within_themselves, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: tables of places in a circle", make: places_in_a_circle, ends: REVIEW_OR_CRASH },
    Bomb {
        name: "pdf: a length that is itself",
        make: |dice| {
            page(
                &format!("<</Length {} 0 R>>stream\n{}\nendstream", dice.one_of(&[5, 99, 3]), content(WORDS)),
                "",
                &[],
            )
        },
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "pdf: deep lists", make: |dice| deep(dice, "[", "]"), ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: deep dictionaries", make: |dice| deep(dice, "<</A ", ">>"), ends: REVIEW_OR_CRASH },
    Bomb {
        name: "pdf: deep lists in a content",
        make: |dice| drawn(&format!("{} TJ", "[".repeat(sized(dice, 100, 500_000))), "", &[]),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "pdf: states without end",
        make: |dice| drawn(&"q ".repeat(sized(dice, 100, 500_000)), "", &[]),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "pdf: lines without end",
        make: |dice| drawn(&"0 0 m 9 9 l S ".repeat(sized(dice, 1_000, 300_000)), "", &[]),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "pdf: letters without end",
        make: |dice| {
            drawn(&"BT /F1 9 Tf 72 72 Td (rent) Tj ET ".repeat(sized(dice, 1_000, 100_000)), "", &[])
        },
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "pdf: a page as wide as the world", make: wide, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: a picture as large as the world", make: large_picture, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: a pattern of itself", make: pattern, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: a mask of itself", make: mask, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: fields in a circle", make: fields, ends: REVIEW_OR_CRASH },
    Bomb { name: "pdf: files in a circle", make: files, ends: REVIEW_OR_CRASH },
];

/// A PDF whose one page is a stream that inflates to this many bytes.
pub fn inflating(blanks: usize) -> Vec<u8> {
    let packed = packed_blanks(blanks);
    pdf(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>".to_vec(),
        stream("/Filter/FlateDecode", &packed),
    ])
}

/// A PDF of these objects, from 1 on, without a table of their places: readers look for them.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    for (at, object) in objects.iter().enumerate() {
        writeln!(bytes, "{} 0 obj", at + 1).unwrap();
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    bytes.extend(b"trailer<</Root 1 0 R>>\n%%EOF");
    bytes
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = format!("<</Length {}{entries}>>stream\n", content.len()).into_bytes();
    bytes.extend(content);
    bytes.extend(b"\nendstream");
    bytes
}

/// A content that shows these words.
fn content(words: &str) -> String {
    let escaped = words.replace('(', "\\(").replace(')', "\\)");
    format!("BT /F1 6 Tf 20 700 Td ({escaped}) Tj ET ")
}

const FONT: &[u8] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";

/// A lease of one page. Its content is object 5; `more` are the objects from 6 on.
fn page(contents: &str, entries: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R/Resources<</Font<</F1 4 0 R/F2 6 0 R>>\
             /XObject<</X 6 0 R/Y 7 0 R>>/Pattern<</P 6 0 R>>/ExtGState<</G 7 0 R>>>>{entries}>>"
        )
        .into_bytes(),
        FONT.to_vec(),
        contents.as_bytes().to_vec(),
    ];
    pdf(&[&objects, more].concat())
}

/// The same, with words and then this on it.
fn drawn(content_after: &str, entries: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let stream = stream("", format!("{}{content_after}", content(WORDS)).as_bytes());
    page(&String::from_utf8(stream).unwrap(), entries, more)
}

/// A lease of one page under a tree of pages that says otherwise.
fn tree(kids: &str, parent: &str, count: i64) -> Vec<u8> {
    pdf(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Parent {parent}/Kids[{kids}]/Count {count}>>").into_bytes(),
        format!("<</Type/Page/Parent {parent}/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>").into_bytes(),
        FONT.to_vec(),
        stream("", content(WORDS).as_bytes()),
    ])
}

fn many_pages(dice: &mut Dice) -> Vec<u8> {
    let count = sized(dice, 2_001, 30_000);
    let kids: String = (0..count).map(|page| format!("{} 0 R ", page + 3)).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{kids}]/Count {count}>>").into_bytes(),
    ];
    objects.resize(count + 2, b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_vec());
    pdf(&objects)
}

fn deep_tree(dice: &mut Dice) -> Vec<u8> {
    let levels = sized(dice, 50, 50_000);
    let mut objects = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec()];
    objects.extend(
        (0..levels).map(|level| format!("<</Type/Pages/Kids[{} 0 R]/Count 1>>", level + 3).into_bytes()),
    );
    objects.push(b"<</Type/Page/MediaBox[0 0 9 9]>>".to_vec());
    pdf(&objects)
}

fn packed_in_packed(dice: &mut Dice) -> Vec<u8> {
    let mut packed = packed_blanks(sized(dice, 1 << 20, 400 << 20));
    let times = sized(dice, 2, 6);
    for _ in 1..times {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&packed).unwrap();
        packed = encoder.finish().unwrap();
    }
    let filters = format!("/Filter[{}]", "/FlateDecode".repeat(times));
    pdf(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>".to_vec(),
        stream(&filters, &packed),
    ])
}

const FORM: &str = "/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X 6 0 R/Y 7 0 R>>/Font<</F1 4 0 R>>>>";

fn draws_itself(dice: &mut Dice) -> Vec<u8> {
    let draws = "/X Do /Y Do ".repeat(sized(dice, 1, 50));
    drawn("/X Do", "", &[stream(FORM, draws.as_bytes()), stream(FORM, b"/X Do")])
}

/// Each drawing draws the next twice and more.
fn doubling(dice: &mut Dice) -> Vec<u8> {
    let (levels, times) = (sized(dice, 8, 40), sized(dice, 2, 10));
    let mut more: Vec<_> = (0..levels)
        .map(|level| {
            let entries = format!(
                "/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X {} 0 R>>>>",
                level + 7
            );
            stream(&entries, "/X Do ".repeat(times).as_bytes())
        })
        .collect();
    more.push(stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]", b"0 0 m 9 9 l S"));
    drawn("/X Do", "", &more)
}

fn letter_draws_itself(dice: &mut Dice) -> Vec<u8> {
    let font = b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a 7 0 R>>/Encoding\
        <</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[9]/Resources<</Font<</F2 6 0 R>>>>>>";
    let letters = "a".repeat(sized(dice, 1, 100));
    let letter = format!("9 0 d0 BT /F2 9 Tf ({letters}) Tj ET");
    drawn(&format!("BT /F2 9 Tf ({letters}) Tj ET"), "", &[font.to_vec(), stream("", letter.as_bytes())])
}

/// Streams of objects that lie within each other, with a table of places that says so.
fn objects_within_themselves(dice: &mut Dice) -> Vec<u8> {
    let count = dice.one_of(&["1", "1000000", "-1"]);
    let entries = format!("/Type/ObjStm/N {count}/First 4/Extends {} 0 R", dice.one_of(&[2, 3]));
    let mut bytes = b"%PDF-1.7\n".to_vec();
    for number in [2, 3] {
        writeln!(bytes, "{number} 0 obj").unwrap();
        bytes.extend(stream(&entries, format!("{} 0 <</Type/Catalog/Pages 1 0 R>>", 5 - number).as_bytes()));
        bytes.extend(b"\nendobj\n");
    }
    let start = bytes.len();
    // Object 1 is in 2, which is in 3, which is in 2. Source: ISO 32000-1, 7.5.8.
    let places = [[0, 0, 0], [2, 2, 0], [2, 3, 0], [2, 2, 0]].concat();
    bytes.extend(b"4 0 obj\n");
    bytes.extend(stream("/Type/XRef/Size 4/W[1 1 1]/Root 1 0 R", &places));
    write!(bytes, "\nendobj\nstartxref\n{start}\n%%EOF").unwrap();
    bytes
}

fn places_in_a_circle(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = drawn("", "", &[]);
    let start = bytes.len();
    let previous = dice.one_of(&["", "9999999", "-1", "0"]);
    let previous = if previous.is_empty() { start.to_string() } else { previous.to_owned() };
    write!(
        bytes,
        "\nxref\n0 {}\n0000000000 65535 f \ntrailer<</Root 1 0 R/Size 9/Prev {previous}/XRefStm {start}>>\nstartxref\n{}\n%%EOF",
        dice.one_of(&["1", "4294967295", "-1"]),
        start + 1
    )
    .unwrap();
    bytes
}

fn deep(dice: &mut Dice, opening: &str, closing: &str) -> Vec<u8> {
    let levels = sized(dice, 100, 500_000);
    let deep = format!("{}{}", opening.repeat(levels), closing.repeat(levels));
    drawn("", &format!("/Annots {deep}"), &[deep.into_bytes()])
}

fn wide(dice: &mut Dice) -> Vec<u8> {
    let side = dice.one_of(&["1e38", "99999999999999999999", "0", "-1", "4294967296", "1e-38"]);
    drawn("", &format!("/MediaBox[0 0 {side} {side}]/UserUnit {side}/Rotate {side}"), &[])
}

fn large_picture(dice: &mut Dice) -> Vec<u8> {
    let side = dice.one_of(&["65536", "4294967295", "99999999999999999999", "-1", "0", "20000"]);
    let filter = dice.one_of(&[
        "FlateDecode",
        "LZWDecode",
        "CCITTFaxDecode",
        "DCTDecode",
        "JBIG2Decode",
        "RunLengthDecode",
    ]);
    let entries = format!(
        "/Type/XObject/Subtype/Image/Width {side}/Height {side}/ColorSpace/DeviceRGB/BitsPerComponent 16/Filter/{filter}\
         /DecodeParms<</Predictor 15/Columns {side}/Colors {side}/K -1>>"
    );
    let picture = stream(&entries, &packed_blanks(sized(dice, 1, 20 << 20)));
    // Without its words the page is a picture, and is drawn.
    if dice.befalls(500) {
        return drawn("500 0 0 500 0 0 cm /X Do", "", &[picture]);
    }
    let shown = String::from_utf8(stream("", b"500 0 0 500 0 0 cm /X Do")).unwrap();
    page(&shown, "", &[picture])
}

fn pattern(dice: &mut Dice) -> Vec<u8> {
    let step = dice.one_of(&["0.0001", "0", "1", "-1"]);
    let entries = format!(
        "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep {step}/YStep {step}\
         /Resources<</Pattern<</P 6 0 R>>>>"
    );
    drawn("/Pattern cs /P scn 0 0 600 600 re f", "", &[stream(&entries, b"/Pattern cs /P scn 0 0 9 9 re f")])
}

fn mask(dice: &mut Dice) -> Vec<u8> {
    let form = format!("{FORM}/Group<</S/Transparency>>");
    let kind = dice.one_of(&["Luminosity", "Alpha"]);
    let state = format!("<</Type/ExtGState/SMask<</Type/Mask/S/{kind}/G 6 0 R>>>>");
    let resources = form.replace("/Font", "/ExtGState<</G 7 0 R>>/Font");
    drawn("/G gs /X Do", "", &[stream(&resources, b"/G gs /X Do 0 0 9 9 re f"), state.into_bytes()])
}

fn fields(dice: &mut Dice) -> Vec<u8> {
    let kids = "6 0 R ".repeat(sized(dice, 1, 5_000));
    let field = format!(
        "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(b)/Rect[0 0 9 9]/Parent 6 0 R/Kids[{kids}]/AP<</N 5 0 R>>>>"
    );
    let bytes = drawn("", &format!("/Annots[{kids}]"), &[field.into_bytes()]);
    replaced(&bytes, "/Catalog", &format!("/Catalog/AcroForm<</Fields[{kids}]>>"))
}

fn files(dice: &mut Dice) -> Vec<u8> {
    let kids = "6 0 R ".repeat(sized(dice, 1, 5_000));
    let names = format!("<</Kids[{kids}]/Names[(a) 6 0 R]/Limits[(a)(b)]>>");
    let bytes = drawn("", "", &[names.into_bytes()]);
    replaced(&bytes, "/Catalog", "/Catalog/Names<</EmbeddedFiles 6 0 R>>/Outlines 6 0 R")
}

/// The bytes, which are text, with one place said otherwise.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8(bytes.to_vec()).unwrap().replacen(from, to, 1).into_bytes()
}
