//! DOCX: an archive of XML parts, read as Word shows it once every tracked change is accepted.
//!
//! The main document is found through the package's relationships and its content types, never by a name. A
//! line per paragraph and table row, a tab per cell, with the numbers that Word counts by itself. What a reader does
//! not see is left out (deletions, field codes, text that is hidden or struck out, by style or by itself), what
//! stands there twice for older readers is read once, and text boxes and notes follow the paragraph or the text
//! that they belong to. Headers, footers and watermarks stand beside the text, comments are none of it. Changes that
//! are not accepted, open comments, large pictures, embedded objects and hidden figures cast doubt on the document.

mod numbering;
mod styles;

use std::collections::{HashMap, HashSet};
use std::io::Read;

use flate2::bufread::DeflateDecoder;
use percent_encoding::percent_decode_str;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::reader::NsReader;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use super::colour::Paint;
use super::doubt::{self, DoubtKind, Doubts};
use super::money;
use super::sizes::{self, Bare, INCH_MILS};
use super::text::{SourceText, SourceTextBuilder, TEXT_MAX_BYTES};
use numbering::{Counters, Numbering};
use styles::{ListPlace, Look, Seen, Styles};

/// Most entries of an archive. A lease with every exhibit as a picture has some hundreds.
const ENTRIES_MAX_COUNT: usize = 4_096;
/// Largest inflated part, in bytes. A lease of 394 pages has some 20 MB of XML.
const PART_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Largest inflated part that only names other parts, in bytes.
const PACKAGE_PART_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most that is inflated of one document, in bytes.
const INFLATED_MAX_BYTES: usize = 96 * 1024 * 1024;
/// Deepest nesting of XML elements that is followed, in elements. Tables within tables reach some sixty.
const XML_MAX_DEPTH: usize = 512;
/// Most namespaces declared at one place of a part. Word itself declares some forty.
const NAMESPACES_MAX_COUNT: usize = 256;
/// Deepest nesting of text boxes and notes, in boxes. Word allows none in another.
const BOXES_MAX_DEPTH: usize = 8;
/// From which sides on a picture can hold text, the shorter and the longer, in thousandths of an inch. A logo is
/// smaller, a letterhead lower.
const TEXT_PICTURE_MIN_SIDES_MILS: (u64, u64) = (1_500, 4_000);
/// English Metric Units in an inch, by which newer drawings are measured.
const INCH_EMU: u64 = 914_400;
/// How much of the text before a picture can be its caption, in bytes.
const CAPTION_REACH_BYTES: usize = 80;
/// Longest text of a change that is kept to be shown, in bytes.
const CHANGE_MAX_BYTES: usize = 400;
/// What stands for content that is still to be filled in.
const BLANK: &str = " ______ ";
/// Boxes to be checked, off and on.
const BOX_SIGNS: [&str; 2] = ["\u{2610}", "\u{2612}"];
/// What a sign of a font that is not known is read as.
const UNKNOWN_SIGN: &str = " ";
/// Fewest letters of a document with pictures that can be a lease: with fewer the pictures say it.
const TEXT_MIN_LETTERS: usize = 200;

/// The first bytes of an OLE2 file: Word's format before DOCX, and the wrapping of whatever has a password.
pub const OLE_MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// The stream of an OLE2 file in which a document with a password lies, in UTF-16 as its directory spells it.
const ENCRYPTED_STREAM: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";

/// Content types of a main document: document and template, with and without macros.
const MAIN_TYPES: &[&str] = &[
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.document.macroenabled.main+xml",
    "application/vnd.ms-word.template.macroenabledtemplate.main+xml",
];
/// Where relationship types begin, in the transitional and in the strict form of the standard.
const RELATIONSHIP_TYPES: &[&str] = &[
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/",
    "http://purl.oclc.org/ooxml/officeDocument/relationships/",
];
/// The part that says of what type each part is.
const CONTENT_TYPES_PART: &str = "[content_types].xml";
/// The part that names the main document.
const ROOT_RELATIONSHIPS_PART: &str = "_rels/.rels";

/// Why a DOCX gave no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocxFault {
    /// It is an archive of something else.
    NotWord,
    /// It needs a password.
    Encrypted,
    /// It is damaged, or contradicts itself.
    Unreadable,
    /// It exceeds a limit.
    TooLarge,
    /// It takes some of its text from a file that is linked or embedded.
    PartsElsewhere,
    /// It holds pictures and hardly any text.
    OnlyPictures,
}

impl DocxFault {
    /// The fault's code for counting.
    pub fn code(self) -> &'static str {
        match self {
            Self::Encrypted => "encrypted_docx",
            Self::NotWord | Self::Unreadable => "unreadable_docx",
            Self::TooLarge => "document_too_large",
            Self::PartsElsewhere => "docx_parts_elsewhere",
            Self::OnlyPictures => "docx_without_text",
        }
    }

    /// One sentence for a person: what is wrong and what to do.
    pub fn detail(self) -> &'static str {
        match self {
            Self::Encrypted => "The Word document is encrypted: upload it without a password.",
            Self::NotWord | Self::Unreadable => "The document is a damaged Office file: upload it again.",
            Self::TooLarge => "The Word document exceeds the limits of what is read: a person must read it.",
            Self::PartsElsewhere => {
                "The Word document takes text from another file: upload it as one document, or a person must read it."
            }
            Self::OnlyPictures => {
                "The Word document holds pictures and hardly any text: it needs text recognition or a person."
            }
        }
    }
}

/// Whether an OLE2 file wraps a document with a password.
pub fn is_encrypted(bytes: &[u8]) -> bool {
    bytes.starts_with(OLE_MAGIC) && contains(bytes, ENCRYPTED_STREAM)
}

/// Whether an archive is a Word document, or was one before it was damaged.
pub fn is_word(bytes: &[u8]) -> bool {
    match Package::open(bytes).and_then(|mut package| package.main_part()) {
        Ok(_) => true,
        Err(DocxFault::NotWord) => false,
        // The directory is gone or cannot be followed; the names of the entries also stand before each of them,
        // and what types they are of stands first. Whoever looks at it will see which office's document it was.
        Err(_) => contains(bytes, b"[Content_Types].xml"),
    }
}

fn contains(bytes: &[u8], sought: &[u8]) -> bool {
    bytes.windows(sought.len()).any(|window| window == sought)
}

/// Reads a DOCX.
pub fn read(bytes: &[u8]) -> Result<SourceText, DocxFault> {
    if is_encrypted(bytes) {
        return Err(DocxFault::Encrypted);
    }
    let mut package = Package::open(bytes)?;
    let main = package.main_part()?;
    let relationships = package.relationships_of(&main)?;
    let mut sheets = Sheets::default();
    for relationship in &relationships {
        match relationship.kind.as_str() {
            "styles" => sheets.styles = Styles::of(&package.beside(&main, relationship)?)?,
            "numbering" => sheets.numbering = Numbering::of(&package.beside(&main, relationship)?)?,
            _ => {}
        }
    }
    let document = package.part(&main, PART_MAX_BYTES)?;
    let mut story = Walk::over(&document, &sheets)?;
    drop(document);
    let mut notes = HashMap::new();
    for relationship in &relationships {
        let kind = match relationship.kind.as_str() {
            // It counts whatever it is about and whoever settled it: what was signed has none.
            "comments" => {
                let walk = Walk::over(&package.beside(&main, relationship)?, &sheets)?;
                let said = walk.text.trim();
                if said.contains(char::is_alphanumeric) {
                    story.doubts.note(DoubtKind::TrackedChanges, &format!("comment: {said}"));
                }
                continue;
            }
            "footnotes" if !story.note_ids.is_empty() => Some(NoteKind::Footnote),
            "endnotes" if !story.note_ids.is_empty() => Some(NoteKind::Endnote),
            // One that no section shows any more is left in the file by some writers.
            "header" | "footer" if story.margin_ids.contains(&relationship.id) => None,
            _ => continue,
        };
        let walk = Walk::over(&package.beside(&main, relationship)?, &sheets)?;
        story.has_pictures |= kind.is_some() && walk.has_pictures;
        story.doubts.extend(&walk.doubts);
        story.beside.push_str(&walk.beside);
        match kind {
            Some(kind) => notes.extend(walk.notes.into_iter().map(|(id, text)| ((kind, id), text))),
            // A cell of a header is a line of its own: marks stand in the left or the right one.
            None => story.beside.push_str(&walk.text.replace('\t', "\n")),
        }
    }
    let mut builder = SourceTextBuilder::default();
    builder.push_lined(&story.text);
    let mut seen = HashSet::new();
    for note in story.note_ids {
        match notes.get(&note) {
            Some(text) if seen.insert(note) => {
                builder.break_line();
                builder.push_lined(text);
            }
            Some(_) => {}
            // The mark of a note stands in the text, and the note is nowhere.
            None => builder.doubt(DoubtKind::DamagedFile, "a note of the text is missing"),
        }
    }
    story.beside.lines().for_each(|line| builder.push_margin(line));
    builder.cast(&story.doubts);
    if builder.is_full() {
        return Err(DocxFault::TooLarge);
    }
    let text = builder.finish();
    let letters = text.flow().chars().filter(|character| character.is_alphabetic()).take(TEXT_MIN_LETTERS);
    if story.has_pictures && letters.count() < TEXT_MIN_LETTERS {
        return Err(DocxFault::OnlyPictures);
    }
    Ok(text)
}

/// An archive whose parts are found by their names.
struct Package<'a> {
    archive: ZipSliceArchive<&'a [u8]>,
    parts: HashMap<String, Entry>,
    inflatable_bytes: usize,
}

/// Where a part lies and how it is packed.
#[derive(Clone, Copy)]
struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    inflated_hint_bytes: u64,
    is_encrypted: bool,
}

/// A line of a relationships part: its name, the last word of its type, and the part it names.
struct Relationship {
    id: String,
    kind: String,
    target: String,
}

impl<'a> Package<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, DocxFault> {
        let archive = ZipArchive::from_slice(bytes).map_err(|_| DocxFault::Unreadable)?;
        let mut parts = HashMap::new();
        for (index, entry) in archive.entries().enumerate() {
            if index >= ENTRIES_MAX_COUNT {
                return Err(DocxFault::TooLarge);
            }
            let entry = entry.map_err(|_| DocxFault::Unreadable)?;
            if entry.is_dir() {
                continue;
            }
            let name = part_name(&String::from_utf8_lossy(entry.file_path().as_bytes()));
            let located = Entry {
                place: entry.wayfinder(),
                method: entry.compression_method(),
                inflated_hint_bytes: entry.uncompressed_size_hint(),
                is_encrypted: entry.flags().is_encrypted(),
            };
            // Which of two parts of one name counts is for nobody to guess.
            if parts.insert(name, located).is_some() {
                return Err(DocxFault::Unreadable);
            }
        }
        Ok(Self { archive, parts, inflatable_bytes: INFLATED_MAX_BYTES })
    }

    /// The inflated text of a part.
    fn part(&mut self, name: &str, limit_bytes: usize) -> Result<String, DocxFault> {
        let entry = *self.parts.get(name).ok_or(DocxFault::Unreadable)?;
        if entry.is_encrypted {
            return Err(DocxFault::Encrypted);
        }
        let limit = limit_bytes.min(self.inflatable_bytes);
        if entry.inflated_hint_bytes > limit as u64 {
            return Err(DocxFault::TooLarge);
        }
        let packed = self.archive.get_entry(entry.place).map_err(|_| DocxFault::Unreadable)?;
        let unpacked: Box<dyn Read> = match entry.method {
            CompressionMethod::STORE => Box::new(packed.data()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed.data())),
            _ => return Err(DocxFault::Unreadable),
        };
        let mut inflated = Vec::new();
        // What the directory says of the size may be a lie, so that the reader is limited as well.
        packed
            .verifying_reader(unpacked)
            .take(limit as u64 + 1)
            .read_to_end(&mut inflated)
            .map_err(|_| DocxFault::Unreadable)?;
        if inflated.len() > limit {
            return Err(DocxFault::TooLarge);
        }
        self.inflatable_bytes -= inflated.len();
        Ok(decoded(inflated))
    }

    /// The name of the main document, found as readers of the format must: by relationship and content type.
    fn main_part(&mut self) -> Result<String, DocxFault> {
        if !self.parts.contains_key(CONTENT_TYPES_PART) {
            return Err(DocxFault::NotWord);
        }
        let named = self
            .relationships(ROOT_RELATIONSHIPS_PART)?
            .into_iter()
            .find(|relationship| relationship.kind == "officeDocument")
            .ok_or(DocxFault::NotWord)?;
        let name = resolved("", &named.target);
        let types = self.part(CONTENT_TYPES_PART, PACKAGE_PART_MAX_BYTES)?;
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let (mut by_name, mut by_extension) = (None, None);
        each_element(&types, |element| {
            let content_type = attribute(element, "ContentType").unwrap_or_default().to_ascii_lowercase();
            match element.local_name().as_ref() {
                "Override" if attribute(element, "PartName").is_some_and(|part| part_name(&part) == name) => {
                    by_name = Some(content_type);
                }
                "Default"
                    if attribute(element, "Extension")
                        .is_some_and(|of| of.eq_ignore_ascii_case(extension)) =>
                {
                    by_extension = Some(content_type);
                }
                _ => {}
            }
        })?;
        let content_type = by_name.or(by_extension).unwrap_or_default();
        if MAIN_TYPES.contains(&content_type.as_str()) { Ok(name) } else { Err(DocxFault::NotWord) }
    }

    /// The text of a part that another names; one that is not there says nothing.
    fn beside(&mut self, from: &str, relationship: &Relationship) -> Result<String, DocxFault> {
        let name = resolved(from, &relationship.target);
        if self.parts.contains_key(&name) {
            self.part(&name, PART_MAX_BYTES)
        } else {
            Ok("<none/>".to_owned())
        }
    }

    /// The relationships of a part; it need not have any.
    fn relationships_of(&mut self, part: &str) -> Result<Vec<Relationship>, DocxFault> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = format!("{folder}/_rels/{file}.rels");
        let name = name.trim_start_matches('/');
        if self.parts.contains_key(name) { self.relationships(name) } else { Ok(Vec::new()) }
    }

    fn relationships(&mut self, name: &str) -> Result<Vec<Relationship>, DocxFault> {
        let source = self.part(name, PACKAGE_PART_MAX_BYTES)?;
        let mut found = Vec::new();
        each_element(&source, |element| {
            let kind = attribute(element, "Type").unwrap_or_default();
            let kind = RELATIONSHIP_TYPES.iter().find_map(|start| kind.strip_prefix(start));
            let is_external = attribute(element, "TargetMode").as_deref() == Some("External");
            if let (Some(kind), Some(target), false) = (kind, attribute(element, "Target"), is_external) {
                let id = attribute(element, "Id").unwrap_or_default();
                found.push(Relationship { id, kind: kind.to_owned(), target });
            }
        })?;
        Ok(found)
    }
}

/// A part's name as it is looked up: names differ neither by case nor by a leading slash, and some writers use
/// the slash of Windows.
fn part_name(raw: &str) -> String {
    raw.replace('\\', "/").trim_start_matches('/').to_lowercase()
}

/// The part that a relationship of another part names.
fn resolved(from: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default().replace('\\', "/");
    let target = percent_decode_str(&target).decode_utf8_lossy();
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if target.starts_with('/') { target.into_owned() } else { format!("{folder}/{target}") };
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    part_name(&steps.join("/"))
}

/// Text of a part: UTF-8, as nearly every writer has it, or UTF-16.
fn decoded(bytes: Vec<u8>) -> String {
    let wide = match bytes.get(..2) {
        Some(b"<\0") => Some(encoding_rs::UTF_16LE),
        Some(b"\0<") => Some(encoding_rs::UTF_16BE),
        _ => None,
    };
    if let Some(encoding) = wide {
        return encoding.decode_without_bom_handling(&bytes).0.into_owned();
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return super::plain::decode(&bytes, None).0;
    }
    String::from_utf8(bytes).unwrap_or_else(|error| super::plain::decode(error.as_bytes(), None).0)
}

/// The value of an attribute, whatever its prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element
        .attributes()
        .with_checks(false)
        .filter_map(Result::ok)
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.normalized_value(XmlVersion::default()).ok()?.into_owned())
}

/// Calls back for each element of a small part.
fn each_element(source: &str, mut visit: impl FnMut(&BytesStart<'_>)) -> Result<(), DocxFault> {
    walk_xml(source, |node| {
        if let Node::Open(_, element) = node {
            visit(element);
        }
        Ok(())
    })
}

/// The vocabularies that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vocabulary {
    Word,
    Compatibility,
    Mathematics,
    Other,
}

impl Vocabulary {
    fn of(resolved: &ResolveResult<'_>) -> Self {
        let ResolveResult::Bound(Namespace(name)) = resolved else { return Self::Other };
        match *name {
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
            | "http://purl.oclc.org/ooxml/wordprocessingml/main" => Self::Word,
            "http://schemas.openxmlformats.org/markup-compatibility/2006" => Self::Compatibility,
            "http://schemas.openxmlformats.org/officeDocument/2006/math"
            | "http://purl.oclc.org/ooxml/officeDocument/math" => Self::Mathematics,
            _ => Self::Other,
        }
    }
}

/// What a walk over XML meets.
enum Node<'n> {
    Open(Vocabulary, &'n BytesStart<'n>),
    Close,
    Text(&'n str),
}

/// An element's name in the vocabulary of Word, empty in any other.
fn word_name(vocabulary: Vocabulary, element: &BytesStart<'_>) -> String {
    if vocabulary == Vocabulary::Word { element.local_name().as_ref().to_owned() } else { String::new() }
}

/// Walks over XML without building a tree. Every element that opens also closes.
fn walk_xml(source: &str, mut visit: impl FnMut(Node<'_>) -> Result<(), DocxFault>) -> Result<(), DocxFault> {
    let mut reader = NsReader::from_str(source);
    reader.config_mut().expand_empty_elements = true;
    reader.resolver_mut().set_max_namespace_bindings(NAMESPACES_MAX_COUNT);
    let mut depth = 0usize;
    loop {
        let (resolved, event) = reader.read_resolved_event().map_err(|_| DocxFault::Unreadable)?;
        match event {
            Event::Start(element) | Event::Empty(element) => {
                depth += 1;
                if depth > XML_MAX_DEPTH {
                    return Err(DocxFault::TooLarge);
                }
                visit(Node::Open(Vocabulary::of(&resolved), &element))?;
            }
            Event::End(_) => {
                depth = depth.checked_sub(1).ok_or(DocxFault::Unreadable)?;
                visit(Node::Close)?;
            }
            Event::Text(text) => visit(Node::Text(&text.xml10_content()))?,
            Event::CData(text) => visit(Node::Text(&text.xml10_content()))?,
            Event::GeneralRef(reference) => {
                let character = match reference.resolve_char_ref().map_err(|_| DocxFault::Unreadable)? {
                    Some(character) => character,
                    None => named_character(&reference).ok_or(DocxFault::Unreadable)?,
                };
                visit(Node::Text(character.encode_utf8(&mut [0; 4])))?;
            }
            // The format allows none, and what it declares could say anything.
            Event::DocType(_) => return Err(DocxFault::Unreadable),
            Event::Eof if depth == 0 => return Ok(()),
            Event::Eof => return Err(DocxFault::Unreadable),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
        }
    }
}

fn named_character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

/// What a document's paragraphs and runs refer to.
#[derive(Debug, Default)]
struct Sheets {
    styles: Styles,
    numbering: Numbering,
}

/// Which of the two parts with notes a reference means: they count by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum NoteKind {
    Footnote,
    Endnote,
}

/// What an open element is to the text.
#[derive(Debug, PartialEq, Eq)]
enum Role {
    /// Nothing; what is in it counts as if it were not there.
    Plain,
    /// Its content is not seen by a reader.
    Unseen,
    Paragraph {
        style: Option<String>,
        place: ListPlace,
        /// Its shading, if it has one of its own.
        ground: Option<Paint>,
    },
    ParagraphProperties,
    /// Properties of the mark that ends a paragraph.
    MarkProperties,
    /// Where the paragraph is counted.
    ListProperties,
    Run {
        style: Option<String>,
        look: Look,
        seen: Seen,
        reformatted: bool,
    },
    RunProperties,
    /// What a run's properties were before a change that nobody accepted.
    FormerProperties,
    Text,
    Row {
        deleted: bool,
    },
    RowProperties,
    Cell {
        /// Its shading, if it has one of its own.
        ground: Option<Paint>,
    },
    CellProperties,
    /// A content control.
    Control {
        awaits_content: bool,
    },
    ControlProperties,
    /// A box of a form of the old kind.
    FormBox {
        checked: bool,
    },
    /// A text box, which stands beside the paragraph that anchors it.
    Box,
    Note {
        id: String,
    },
    /// The same content in several forms, of which the first is read.
    Alternatives {
        chosen: bool,
    },
}

/// Text that flows on its own: the body, a text box, a note.
#[derive(Debug, Default)]
struct Flow {
    text: String,
    /// Text boxes that wait for the end of the paragraph, or of the table row, that anchors them.
    boxes: Vec<String>,
    cell_depth: usize,
    /// The fields that are open: whether each is still in its code, not yet in its result.
    fields: Vec<bool>,
    fields_in_code: usize,
    mark_deleted: bool,
    /// Whether the text so far ends raised or lowered.
    off_the_line: bool,
    /// Whether it ends with a sign of a font that is not known.
    after_sign: bool,
}

impl Flow {
    fn put_boxes(&mut self) {
        for text in std::mem::take(&mut self.boxes) {
            self.text.push('\n');
            self.text.push_str(&text);
            self.text.push('\n');
        }
    }

    /// The text, with all that still waits. A field that never leaves its code hides what follows, so that
    /// nobody knows what the document says.
    fn finish(mut self) -> Result<String, DocxFault> {
        if self.fields_in_code > 0 {
            return Err(DocxFault::Unreadable);
        }
        self.put_boxes();
        Ok(self.text)
    }
}

/// A change that nobody accepted or rejected.
#[derive(Debug)]
struct Change {
    /// How many elements are open around it.
    depth: usize,
    what: &'static str,
    text: String,
}

/// The state of a walk over one part with text.
struct Walk<'s> {
    sheets: &'s Sheets,
    counters: Counters,
    roles: Vec<Role>,
    /// Open elements that are not seen, and rows that are deleted.
    unseen: usize,
    /// The innermost flow; those around it wait.
    flow: Flow,
    outer: Vec<Flow>,
    written_bytes: usize,
    note_ids: Vec<(NoteKind, String)>,
    notes: Vec<(String, String)>,
    /// The headers and footers that sections refer to.
    margin_ids: HashSet<String>,
    has_pictures: bool,
    /// Watermarks and other words that stand beside the text.
    beside: String,
    doubts: Doubts,
    /// The outermost change that is open.
    change: Option<Change>,
    /// Whether the innermost element holds words, deleted ones included.
    in_words: bool,
    /// The size of the drawing that is open, where it says one.
    extent_mils: Option<(u64, u64)>,
}

/// What a walk over a part gave.
struct Story {
    text: String,
    beside: String,
    doubts: Doubts,
    notes: Vec<(String, String)>,
    note_ids: Vec<(NoteKind, String)>,
    margin_ids: HashSet<String>,
    has_pictures: bool,
}

impl<'s> Walk<'s> {
    fn new(sheets: &'s Sheets) -> Self {
        Self {
            sheets,
            counters: Counters::default(),
            roles: Vec::new(),
            unseen: 0,
            flow: Flow::default(),
            outer: Vec::new(),
            written_bytes: 0,
            note_ids: Vec::new(),
            notes: Vec::new(),
            margin_ids: HashSet::new(),
            has_pictures: false,
            beside: String::new(),
            doubts: Doubts::default(),
            change: None,
            in_words: false,
            extent_mils: None,
        }
    }

    fn over(source: &str, sheets: &'s Sheets) -> Result<Story, DocxFault> {
        let mut walk = Self::new(sheets);
        walk_xml(source, |node| match node {
            Node::Open(vocabulary, element) => walk.open(vocabulary, element),
            Node::Close => walk.close(),
            Node::Text(text) => {
                if let (true, Some(change)) = (walk.in_words, &mut walk.change)
                    && change.text.len() + text.len() <= CHANGE_MAX_BYTES
                {
                    change.text.push_str(text);
                }
                if walk.roles.last() == Some(&Role::Text) { walk.put(text) } else { Ok(()) }
            }
        })?;
        Ok(Story {
            text: walk.flow.finish()?,
            beside: walk.beside,
            doubts: walk.doubts,
            notes: walk.notes,
            note_ids: walk.note_ids,
            margin_ids: walk.margin_ids,
            has_pictures: walk.has_pictures,
        })
    }

    fn open(&mut self, vocabulary: Vocabulary, element: &BytesStart<'_>) -> Result<(), DocxFault> {
        let name = element.local_name();
        let name = name.as_ref();
        self.in_words = matches!(vocabulary, Vocabulary::Word | Vocabulary::Mathematics)
            && matches!(name, "t" | "delText");
        if self.unseen > 0 && Look::takes_away(name) {
            self.note_former_look();
        }
        let role = if self.unseen > 0 { Role::Plain } else { self.role_of(vocabulary, element)? };
        match &role {
            Role::Unseen | Role::FormerProperties => self.unseen += 1,
            Role::Row { .. } => self.put_break('\n')?,
            Role::Cell { .. } => {
                self.put_break('\t')?;
                self.flow.cell_depth += 1;
            }
            Role::Box | Role::Note { .. } => {
                if self.outer.len() >= BOXES_MAX_DEPTH {
                    return Err(DocxFault::TooLarge);
                }
                self.outer.push(std::mem::take(&mut self.flow));
            }
            _ => {}
        }
        self.roles.push(role);
        Ok(())
    }

    fn close(&mut self) -> Result<(), DocxFault> {
        let Some(role) = self.roles.pop() else { return Ok(()) };
        self.in_words = false;
        if let Some(change) = self.change.take_if(|change| change.depth == self.roles.len()) {
            self.doubts.note(DoubtKind::TrackedChanges, &format!("{}: {}", change.what, change.text));
        }
        match role {
            Role::Unseen | Role::FormerProperties => self.unseen = self.unseen.saturating_sub(1),
            Role::RunProperties => self.settle_look(),
            Role::ParagraphProperties if self.unseen == 0 => self.put_label()?,
            Role::FormBox { checked } => self.put_seen(BOX_SIGNS[usize::from(checked)])?,
            Role::Paragraph { .. } => {
                let mark_deleted = std::mem::take(&mut self.flow.mark_deleted);
                if self.flow.cell_depth > 0 {
                    // A cell stays on its row's line, however many paragraphs it holds.
                    self.put_break(' ')?;
                } else if !mark_deleted {
                    self.put_break('\n')?;
                    self.flow.put_boxes();
                }
            }
            Role::Row { deleted } => {
                if deleted {
                    self.unseen = self.unseen.saturating_sub(1);
                }
                self.put_break('\n')?;
                if self.flow.cell_depth == 0 {
                    self.flow.put_boxes();
                }
            }
            Role::Cell { .. } => {
                self.put_break('\t')?;
                self.flow.cell_depth = self.flow.cell_depth.saturating_sub(1);
            }
            Role::Box => {
                let text = self.leave_flow()?;
                self.flow.boxes.push(text);
            }
            Role::Note { id } => {
                let text = self.leave_flow()?;
                self.notes.push((id, text));
            }
            _ => {}
        }
        Ok(())
    }

    fn leave_flow(&mut self) -> Result<String, DocxFault> {
        let outer = self.outer.pop().ok_or(DocxFault::Unreadable)?;
        std::mem::replace(&mut self.flow, outer).finish()
    }

    /// What a visible element is. What it changes by merely standing there is changed here.
    fn role_of(&mut self, vocabulary: Vocabulary, element: &BytesStart<'_>) -> Result<Role, DocxFault> {
        let name = element.local_name();
        let name = name.as_ref();
        if vocabulary == Vocabulary::Other {
            self.see_drawing(name, element);
        }
        if let Some(Role::Alternatives { chosen }) = self.roles.last_mut()
            && (vocabulary, name) == (Vocabulary::Compatibility, "Choice")
        {
            return Ok(if std::mem::replace(chosen, true) { Role::Unseen } else { Role::Plain });
        }
        match (vocabulary, name) {
            (Vocabulary::Compatibility, "AlternateContent") => Ok(Role::Alternatives { chosen: false }),
            (Vocabulary::Compatibility, "Fallback") => Ok(Role::Unseen),
            (Vocabulary::Word | Vocabulary::Mathematics, "r") => {
                let seen = self.sheets.styles.seen(self.paragraph_style(), None, Look::default());
                Ok(Role::Run { style: None, look: Look::default(), seen, reformatted: false })
            }
            (Vocabulary::Word | Vocabulary::Mathematics, "t") => Ok(Role::Text),
            (Vocabulary::Word, name) => self.word_role_of(name, element),
            _ => Ok(Role::Plain),
        }
    }

    fn word_role_of(&mut self, name: &str, element: &BytesStart<'_>) -> Result<Role, DocxFault> {
        let role = match (name, self.roles.last()) {
            ("del" | "moveFrom", Some(Role::MarkProperties)) => {
                self.flow.mark_deleted = true;
                self.note_change("a paragraph's end");
                Role::Unseen
            }
            ("ins" | "moveTo", Some(Role::MarkProperties)) => {
                self.note_change("a paragraph's end");
                Role::Plain
            }
            ("del" | "hidden", Some(Role::RowProperties)) => {
                if name == "del" {
                    self.note_change("a table row");
                } else if is_on(element) {
                    self.doubts.note(DoubtKind::HiddenText, "a hidden table row");
                }
                let row = self.roles.iter_mut().rev().find(|role| matches!(role, Role::Row { .. }));
                if let Some(Role::Row { deleted }) = row
                    && is_on(element)
                    && !std::mem::replace(deleted, true)
                {
                    self.unseen += 1;
                }
                Role::Plain
            }
            ("ins", Some(Role::RowProperties)) => {
                self.note_change("a table row");
                Role::Plain
            }
            ("cellIns" | "cellDel" | "cellMerge", _) => {
                self.note_change("a table cell");
                Role::Plain
            }
            ("ins" | "moveTo", _) => {
                self.begin_change(if name == "ins" { "inserted" } else { "moved here" });
                Role::Plain
            }
            ("del" | "moveFrom", _) => {
                self.begin_change(if name == "del" { "deleted" } else { "moved away" });
                Role::Unseen
            }
            ("rPrChange", Some(Role::RunProperties)) => {
                if let Some(Role::Run { reformatted, .. }) = self.innermost_run() {
                    *reformatted = true;
                }
                Role::FormerProperties
            }
            (
                "delText" | "instrText" | "delInstrText" | "rPrChange" | "pPrChange" | "trPrChange"
                | "tblPrChange" | "sectPrChange" | "rt",
                _,
            ) => Role::Unseen,
            ("p", _) => Role::Paragraph { style: None, place: ListPlace::default(), ground: None },
            ("pPr", Some(Role::Paragraph { .. })) => Role::ParagraphProperties,
            ("pStyle", Some(Role::ParagraphProperties)) => {
                let value = attribute(element, "val");
                if let Some(Role::Paragraph { style, .. }) = self.innermost_paragraph() {
                    *style = value;
                }
                Role::Plain
            }
            ("numPr", Some(Role::ParagraphProperties)) => Role::ListProperties,
            ("numId" | "ilvl", Some(Role::ListProperties)) => {
                if let Some(Role::Paragraph { place, .. }) = self.innermost_paragraph() {
                    place.set(name, element);
                }
                Role::Plain
            }
            ("rPr", Some(Role::ParagraphProperties)) => Role::MarkProperties,
            ("rPr", Some(Role::Run { .. })) => Role::RunProperties,
            ("rStyle", Some(Role::RunProperties)) => {
                let value = attribute(element, "val");
                if let Some(Role::Run { style, .. }) = self.innermost_run() {
                    *style = value;
                }
                Role::Plain
            }
            (name, Some(Role::RunProperties)) if Look::knows(name) => {
                if let Some(Role::Run { look, .. }) = self.innermost_run() {
                    look.set(name, element);
                }
                Role::Plain
            }
            ("sdt", _) => Role::Control { awaits_content: false },
            ("sdtPr", Some(Role::Control { .. })) => Role::ControlProperties,
            ("showingPlcHdr", Some(Role::ControlProperties)) => {
                let control = self.roles.iter_mut().rev().find(|role| matches!(role, Role::Control { .. }));
                if let Some(Role::Control { awaits_content }) = control {
                    *awaits_content = is_on(element);
                }
                Role::Plain
            }
            // What stands there asks the writer for content, and is none.
            ("sdtContent", Some(Role::Control { awaits_content: true })) => {
                self.put(BLANK)?;
                Role::Unseen
            }
            ("checkBox", _) => Role::FormBox { checked: false },
            ("default" | "checked", Some(Role::FormBox { .. })) => {
                if let Some(Role::FormBox { checked }) = self.roles.last_mut() {
                    *checked = is_on(element);
                }
                Role::Plain
            }
            ("control", _) => {
                self.doubts
                    .note(DoubtKind::FormFieldsNotRead, &attribute(element, "name").unwrap_or_default());
                Role::Plain
            }
            ("tab" | "ptab", Some(Role::Run { .. })) => self.put_mark("\t")?,
            ("br" | "cr", Some(Role::Run { .. })) => self.put_mark("\n")?,
            ("noBreakHyphen", Some(Role::Run { .. })) => self.put_mark("-")?,
            ("sym", Some(Role::Run { .. })) => {
                let sign = sign_of(element);
                // A sign of a font that is not known may be a digit of the figure that it stands in.
                let is_unknown = sign == UNKNOWN_SIGN;
                if is_unknown && self.flow.text.ends_with(doubt::is_of_a_figure) {
                    self.doubts.note(DoubtKind::LooksOtherwise, "a sign within a figure");
                }
                let role = self.put_mark(sign)?;
                self.flow.after_sign = is_unknown;
                role
            }
            ("fldChar", Some(Role::Run { .. })) => {
                self.step_field(&attribute(element, "fldCharType").unwrap_or_default());
                Role::Plain
            }
            ("footnoteReference" | "endnoteReference", Some(Role::Run { seen, .. })) => {
                let kind = if name == "footnoteReference" { NoteKind::Footnote } else { NoteKind::Endnote };
                if self.flow.fields_in_code == 0 && seen.is_shown() {
                    self.note_ids.push((kind, attribute(element, "id").unwrap_or_default()));
                }
                Role::Plain
            }
            ("tr", _) => Role::Row { deleted: false },
            ("trPr", Some(Role::Row { .. })) => Role::RowProperties,
            ("tc", _) => Role::Cell { ground: None },
            ("tcPr", Some(Role::Cell { .. })) => Role::CellProperties,
            ("shd", Some(Role::CellProperties | Role::ParagraphProperties)) => {
                let laid = Some(styles::ground_of(element)).filter(|paint| *paint != Paint::AsAround);
                // The properties are the last that is open, what they are of stands before them.
                let shaded = self.roles.iter_mut().nth_back(1);
                if let Some(Role::Cell { ground } | Role::Paragraph { ground, .. }) = shaded {
                    *ground = laid;
                }
                Role::Plain
            }
            ("txbxContent", _) => Role::Box,
            ("footnote" | "endnote", _) => match attribute(element, "type").as_deref() {
                None | Some("normal") => Role::Note { id: attribute(element, "id").unwrap_or_default() },
                // The line between text and notes.
                Some(_) => Role::Unseen,
            },
            ("pict" | "object" | "drawing", _) => {
                self.extent_mils = None;
                Role::Plain
            }
            ("headerReference" | "footerReference", _) => {
                self.margin_ids.extend(attribute(element, "id"));
                Role::Plain
            }
            ("altChunk" | "subDoc", _) => return Err(DocxFault::PartsElsewhere),
            _ => Role::Plain,
        };
        Ok(role)
    }

    fn step_field(&mut self, step: &str) {
        let flow = &mut self.flow;
        match step {
            "begin" => {
                flow.fields.push(true);
                flow.fields_in_code += 1;
            }
            "separate" => {
                if let Some(in_code) = flow.fields.last_mut()
                    && std::mem::replace(in_code, false)
                {
                    flow.fields_in_code -= 1;
                }
            }
            "end" if flow.fields.pop() == Some(true) => {
                flow.fields_in_code -= 1;
            }
            _ => {}
        }
    }

    /// A character that an element of a run stands for.
    fn put_mark(&mut self, mark: &str) -> Result<Role, DocxFault> {
        self.put(mark)?;
        Ok(Role::Plain)
    }

    fn put(&mut self, text: &str) -> Result<(), DocxFault> {
        if self.flow.fields_in_code > 0 { Ok(()) } else { self.put_seen(text) }
    }

    /// Puts text that is no field's code.
    fn put_seen(&mut self, text: &str) -> Result<(), DocxFault> {
        if self.unseen > 0 {
            return Ok(());
        }
        let (mut struck, mut hidden, mut off_the_line, mut otherwise) = (false, false, false, false);
        let around = self.ground();
        for role in &self.roles {
            if let Role::Run { seen, .. } = role {
                struck |= seen.struck;
                hidden |= seen.hidden;
                off_the_line |= seen.off_the_line;
                otherwise |= seen.tiny || !seen.is_told_apart(around);
            }
        }
        if hidden && !struck && doubt::holds_a_figure(text) {
            self.doubts.note(DoubtKind::HiddenText, text);
        }
        if hidden || struck {
            return Ok(());
        }
        if otherwise && doubt::holds_a_figure(text) {
            self.doubts.note(DoubtKind::LooksOtherwise, text);
        }
        if std::mem::take(&mut self.flow.after_sign) && text.starts_with(doubt::is_of_a_figure) {
            self.doubts.note(DoubtKind::LooksOtherwise, "a sign within a figure");
        }
        self.count(text.len())?;
        // The mark of a footnote is no digit of the amount or the day before it; the 2 of square metres stays.
        let changes_height = std::mem::replace(&mut self.flow.off_the_line, off_the_line) != off_the_line;
        let runs_in = self.flow.text.ends_with(|last: char| !last.is_alphabetic() && !last.is_whitespace());
        let parts = changes_height && runs_in && text.starts_with(|first: char| first.is_ascii_digit());
        // Two raised digits may be cents, and are given as what they are.
        let raised = if parts && off_the_line { money::raised_digits(text) } else { None };
        if let Some(raised) = &raised {
            self.count(raised.len())?;
        } else if parts {
            self.count(1)?;
            self.flow.text.push(' ');
        }
        let text = raised.as_deref().unwrap_or(text);
        if self.flow.cell_depth > 0 {
            // In a cell a break is a space: the cell stays on its row's line.
            self.flow.text.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
        } else {
            self.flow.text.push_str(text);
        }
        Ok(())
    }

    /// The shading on which the text stands: that of the innermost cell or paragraph that has one, in this flow.
    fn ground(&self) -> Option<Paint> {
        let flowing =
            self.roles.iter().rev().take_while(|role| !matches!(role, Role::Box | Role::Note { .. }));
        flowing.into_iter().find_map(|role| match role {
            Role::Cell { ground } | Role::Paragraph { ground, .. } => *ground,
            _ => None,
        })
    }

    fn innermost_run(&mut self) -> Option<&mut Role> {
        self.roles.iter_mut().rev().find(|role| matches!(role, Role::Run { .. }))
    }

    fn innermost_paragraph(&mut self) -> Option<&mut Role> {
        self.roles.iter_mut().rev().find(|role| matches!(role, Role::Paragraph { .. }))
    }

    fn paragraph_style(&self) -> Option<&str> {
        self.roles.iter().rev().find_map(|role| match role {
            Role::Paragraph { style, .. } => Some(style.as_deref()),
            _ => None,
        })?
    }

    /// Settles how a run is seen, once its properties are known.
    fn settle_look(&mut self) {
        let styles = &self.sheets.styles;
        let paragraph = self.paragraph_style().map(str::to_owned);
        if let Some(Role::Run { style, look, seen, reformatted }) = self.innermost_run() {
            *seen = styles.seen(paragraph.as_deref(), style.as_deref(), *look);
            if *reformatted && look.says_something() {
                self.note_change("text struck out or hidden, or no longer");
            }
        }
    }

    /// A change of a run's properties counts where it strikes out or hides, or no longer does.
    fn note_former_look(&mut self) {
        if self.roles.contains(&Role::FormerProperties) {
            self.note_change("text struck out or hidden, or no longer");
        }
    }

    fn note_change(&mut self, what: &str) {
        self.doubts.note(DoubtKind::TrackedChanges, what);
    }

    /// Begins a change with words; one within another is told with it.
    fn begin_change(&mut self, what: &'static str) {
        if self.change.is_none() {
            self.change = Some(Change { depth: self.roles.len(), what, text: String::new() });
        }
    }

    /// Puts the number that Word counts, before the paragraph.
    fn put_label(&mut self) -> Result<(), DocxFault> {
        let sheets = self.sheets;
        let Some(Role::Paragraph { style, place, .. }) = self.innermost_paragraph() else { return Ok(()) };
        let by_style = sheets.styles.place(style.as_deref());
        let list = match (&place.list, by_style) {
            (Some(list), _) => list.clone(),
            (None, Some((_, place))) => place.list.clone().unwrap_or_default(),
            (None, None) => return Ok(()),
        };
        let level = place.level.or_else(|| {
            let (style, place) = by_style?;
            sheets.numbering.level_of_style(&list, style).or(place.level)
        });
        let label = self.counters.next(&sheets.numbering, &list, level.unwrap_or_default());
        if label.is_empty() { Ok(()) } else { self.put(&(label + " ")) }
    }

    /// Notes what is drawn: pictures that can hold text, objects of other programs, watermarks.
    fn see_drawing(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "extent" => {
                let side = |name: &str| {
                    let emu: u64 = attribute(element, name)?.parse().ok()?;
                    emu.checked_mul(INCH_MILS).map(|scaled| scaled / INCH_EMU)
                };
                self.extent_mils = side("cx").zip(side("cy"));
            }
            // Within a group a shape is measured in units of the group, which has a size of its own.
            "group" | "shape" | "rect" => {
                let own = attribute(element, "style").and_then(|style| extent_of_style(&style));
                self.extent_mils = own.or(self.extent_mils);
            }
            "pic" | "imagedata" | "blip" => {
                self.has_pictures = true;
                let (shorter, longer) = TEXT_PICTURE_MIN_SIDES_MILS;
                let is_large = self.extent_mils.is_some_and(|(width, height)| {
                    width.min(height) >= shorter && width.max(height) >= longer
                });
                if is_large {
                    self.note_picture("a picture");
                }
            }
            "graphicData" => {
                let of = attribute(element, "uri").unwrap_or_default();
                if ["/chart", "/diagram", "/chartex"].iter().any(|kind| of.ends_with(kind)) {
                    self.note_picture("a chart or a diagram");
                }
            }
            "OLEObject" => {
                let program = attribute(element, "ProgID").unwrap_or_default();
                if !program.starts_with("Equation") {
                    self.note_picture(&format!("an object of {program}"));
                }
            }
            "textpath" => {
                if let Some(words) = attribute(element, "string") {
                    self.beside.push_str(&words);
                    self.beside.push('\n');
                }
            }
            _ => {}
        }
    }

    fn note_picture(&mut self, what: &str) {
        let text = &self.flow.text;
        let start = super::text::floor_boundary(text, text.len().saturating_sub(CAPTION_REACH_BYTES));
        let before = text[start..].trim();
        if !doubt::captions_a_drawing(before) {
            let before = before.replace(char::is_whitespace, " ");
            self.doubts.note(DoubtKind::PicturesWithoutText, &format!("{what} behind: {before}"));
        }
    }

    fn put_break(&mut self, space: char) -> Result<(), DocxFault> {
        self.flow.after_sign = false;
        // Many breaks are one, as the text keeps them; so a document of nothing but empty cells stays small.
        if self.unseen == 0 && !self.flow.text.ends_with(space) {
            self.count(space.len_utf8())?;
            self.flow.text.push(space);
        }
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), DocxFault> {
        self.written_bytes += bytes;
        if self.written_bytes > TEXT_MAX_BYTES { Err(DocxFault::TooLarge) } else { Ok(()) }
    }
}

/// Width and height that the style of an old drawing gives.
fn extent_of_style(style: &str) -> Option<(u64, u64)> {
    let side = |name: &str| {
        style.split(';').find_map(|declaration| {
            let (property, value) = declaration.split_once(':')?;
            // A number alone is in units of the group that the drawing is a part of.
            (property.trim() == name).then(|| sizes::mils(value, Bare::Unknown)).flatten()
        })
    };
    side("width").zip(side("height"))
}

/// What a sign of a font of signs looks like, as far as it matters: boxes do.
fn sign_of(element: &BytesStart<'_>) -> &'static str {
    let font = attribute(element, "font").unwrap_or_default();
    let code = attribute(element, "char").unwrap_or_default().to_ascii_uppercase();
    let code = code.strip_prefix("F0").unwrap_or(code.trim_start_matches('0'));
    match (font.as_str(), code) {
        ("Wingdings", "6F" | "A8" | "71" | "72") | ("Wingdings 2", "A3" | "2A") => BOX_SIGNS[0],
        ("Wingdings", "78" | "FD" | "FE") | ("Wingdings 2", "51" | "52" | "53" | "54") => BOX_SIGNS[1],
        _ => UNKNOWN_SIGN,
    }
}

/// Whether a property that can be switched is on: it is, unless it says otherwise.
fn is_on(element: &BytesStart<'_>) -> bool {
    !matches!(attribute(element, "val").as_deref(), Some("0" | "false" | "off" | "none"))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use proptest::prelude::*;
    use rawzip::ZipArchiveWriter;

    use super::*;

    const WORD: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";
    const OTHERS: &str = "xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
        xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" \
        xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:x=\"urn:example\"";
    const RELATIONSHIPS: &str = "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"";
    const TYPE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

    /// The parts of a document that a test makes up.
    #[derive(Clone)]
    pub(crate) struct Parts {
        parts: Vec<(String, Vec<u8>)>,
        content_type: String,
    }

    impl Parts {
        /// A document with this XML as its body.
        pub(crate) fn of_body(body: &str) -> Self {
            Self { parts: Vec::new(), content_type: MAIN_TYPES[0].to_owned() }
                .with(
                    "_rels/.rels",
                    format!(
                        "<Relationships {RELATIONSHIPS}><Relationship Id=\"r1\" Type=\"{TYPE}/officeDocument\" \
                         Target=\"word/document.xml\"/></Relationships>"
                    ),
                )
                .with(
                    "word/document.xml",
                    format!(
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document {WORD} {OTHERS}><w:body>{body}\
                         <w:sectPr/></w:body></w:document>"
                    ),
                )
        }

        /// A document with these paragraphs.
        pub(crate) fn of_paragraphs(paragraphs: &[&str]) -> Self {
            Self::of_body(&paragraphs.iter().map(|text| p(&t(text))).collect::<String>())
        }

        /// The same with another content type of the main document.
        pub(crate) fn typed(mut self, content_type: &str) -> Self {
            self.content_type = content_type.to_owned();
            self
        }

        /// The same with a part, in place of one of that name.
        pub(crate) fn with(mut self, name: &str, content: impl AsRef<[u8]>) -> Self {
            self.parts.retain(|(known, _)| known != name);
            self.parts.push((name.to_owned(), content.as_ref().to_vec()));
            self
        }

        /// The same with a header of one line.
        pub(crate) fn with_header(mut self, line: &str) -> Self {
            for (name, content) in &mut self.parts {
                if name == "word/document.xml" {
                    let text = String::from_utf8_lossy(content);
                    let shown = "<w:sectPr><w:headerReference w:id=\"r1\"/></w:sectPr>";
                    *content = text.replace("<w:sectPr/>", shown).into_bytes();
                }
            }
            self.with(
                "word/_rels/document.xml.rels",
                format!(
                    "<Relationships {RELATIONSHIPS}><Relationship Id=\"r1\" Type=\"{TYPE}/header\" Target=\"header.xml\"/>\
                     </Relationships>"
                ),
            )
            .with("word/header.xml", format!("<w:hdr {WORD}>{}</w:hdr>", p(&t(line))))
        }

        /// The same with notes.
        fn with_notes(self, footnotes: &str, endnotes: &str) -> Self {
            self.with(
                "word/_rels/document.xml.rels",
                format!(
                    "<Relationships {RELATIONSHIPS}><Relationship Id=\"r1\" Type=\"{TYPE}/footnotes\" Target=\"notes.xml\"/>\
                     <Relationship Id=\"r2\" Type=\"{TYPE}/endnotes\" Target=\"/word/ends.xml\"/></Relationships>"
                ),
            )
            .with("word/notes.xml", format!("<w:footnotes {WORD} {OTHERS}>{footnotes}</w:footnotes>"))
            .with("word/ends.xml", format!("<w:endnotes {WORD}>{endnotes}</w:endnotes>"))
        }

        /// The archive.
        pub(crate) fn archive(&self) -> Vec<u8> {
            let types = format!(
                "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
                 <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
                 <Override PartName=\"/word/document.xml\" ContentType=\"{}\"/></Types>",
                self.content_type
            );
            let types = [("[Content_Types].xml".to_owned(), types.into_bytes())];
            let made = self.parts.iter().any(|(name, _)| name == "[Content_Types].xml");
            let all: Vec<_> = types.into_iter().filter(|_| !made).chain(self.parts.clone()).collect();
            zip(&all)
        }
    }

    fn zip(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut archive = ZipArchiveWriter::new(&mut bytes);
        for (name, content) in parts {
            let file = archive.new_file(name).compression_method(CompressionMethod::DEFLATE);
            let (mut entry, config) = file.start().expect("a file begins");
            let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::fast()));
            writer.write_all(content).expect("memory takes it");
            let (encoder, descriptor) = writer.finish().expect("it is written");
            encoder.finish().expect("it is packed");
            entry.finish(descriptor).expect("the file ends");
        }
        archive.finish().expect("the archive ends");
        bytes
    }

    fn p(runs: &str) -> String {
        format!("<w:p>{runs}</w:p>")
    }

    fn t(text: &str) -> String {
        format!("<w:r><w:t>{text}</w:t></w:r>")
    }

    fn lined(parts: &Parts) -> Result<String, DocxFault> {
        read(&parts.archive()).map(|text| text.lined().to_owned())
    }

    #[test]
    fn what_word_shows_is_read() {
        let cell = |content: &str| format!("<w:tc><w:tcPr/>{content}</w:tc>");
        let field = |code: &str, result: &str| {
            format!(
                "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>{code}<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>\
                 {result}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
            )
        };
        let code = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
        let text_box = |text: &str| format!("<w:txbxContent>{}</w:txbxContent>", p(&t(text)));
        let rows: Vec<(&str, String, &str)> = vec![
            ("paragraphs", p(&t("one")) + &p(&t("two")), "one\ntwo"),
            ("runs", p(&(t("Rent: $5,0") + &t("00"))), "Rent: $5,000"),
            (
                "a tab and a break",
                p("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"),
                "a\tb\nc",
            ),
            (
                "tab stops are no tabs",
                p(&("<w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>".to_owned() + &t("a"))),
                "a",
            ),
            ("a hyphen", p("<w:r><w:t>Co</w:t><w:noBreakHyphen/><w:t>op</w:t></w:r>"), "Co-op"),
            (
                "references",
                p(&t("Smith &amp; Co &#8220;Tenant&#x201d; &lt;1&gt;")),
                "Smith & Co \"Tenant\" <1>",
            ),
            ("character data", p(&t("<![CDATA[A & B]]>")), "A & B"),
            ("space between elements", format!("<w:p>\n  {}\n</w:p>", t("a")), "a"),
            (
                "a table",
                format!(
                    "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
                    cell(&p(&t("Rent"))),
                    cell(&(p(&t("$5")) + &p(&t("due")))),
                    cell(&p("")),
                    cell(&p("<w:r><w:t>x</w:t><w:br/><w:t>y</w:t></w:r>")),
                ) + &p(&t("after")),
                "Rent\t$5 due\nx y\nafter",
            ),
            (
                "a deleted row",
                format!(
                    "<w:tbl><w:tr><w:trPr><w:del w:id=\"1\"/></w:trPr>{}</w:tr><w:tr>{}</w:tr></w:tbl>",
                    cell(&p(&t("old"))),
                    cell(&p(&t("new"))),
                ),
                "new",
            ),
            (
                "a tracked change",
                p(&(t("rent ")
                    + "<w:del><w:r><w:delText>$5</w:delText></w:r></w:del><w:ins>"
                    + &t("$6")
                    + "</w:ins>")),
                "rent $6",
            ),
            (
                "a move",
                p(&format!("<w:moveFrom>{}</w:moveFrom>{}", t("here"), t("x")))
                    + &p(&format!("<w:moveTo>{}</w:moveTo>", t("here"))),
                "x\nhere",
            ),
            (
                "a deleted end of a paragraph",
                p(&("<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>".to_owned() + &t("one ")))
                    + &p(&t("two"))
                    + &p(&t("three")),
                "one two\nthree",
            ),
            ("a field", p(&(t("on ") + &field(&code("DATE"), &t("May 1")))), "on May 1"),
            (
                "a field in the code of a field",
                p(&(field(&(code("IF ") + &field(&code("A"), &t("hidden"))), &t("shown")) + &t(" end"))),
                "shown end",
            ),
            (
                "a field without a result",
                p(&(t("a")
                    + "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>"
                    + &code("XE")
                    + "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
                    + &t("b"))),
                "ab",
            ),
            ("a simple field", p(&format!("<w:fldSimple w:instr=\"PAGE\">{}</w:fldSimple>", t("3"))), "3"),
            (
                "hidden",
                p(&("<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r>".to_owned() + &t("yes"))),
                "yes",
            ),
            (
                "struck out",
                p(&("<w:r><w:rPr><w:strike/></w:rPr><w:t>$5</w:t></w:r>".to_owned() + &t("$6"))),
                "$6",
            ),
            (
                "the mark of a footnote",
                p(&(t("$5250")
                    + "<w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t>1</w:t></w:r>"
                    + &t("0"))),
                "$5250 1 0",
            ),
            (
                "raised cents",
                p(&(t("$5,250")
                    + "<w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t>75</w:t></w:r>")),
                "$5,250\u{2077}\u{2075}",
            ),
            (
                "a raised mark",
                p(&(t("$5250") + "<w:r><w:rPr><w:position w:val=\"8\"/></w:rPr><w:t>1</w:t></w:r>")),
                "$5250 1",
            ),
            (
                "moved to fit",
                p(&(t("$525") + "<w:r><w:rPr><w:position w:val=\"1\"/></w:rPr><w:t>0</w:t></w:r>")),
                "$5250",
            ),
            (
                "on the line",
                p(&(t("$525") + "<w:r><w:rPr><w:vertAlign w:val=\"baseline\"/></w:rPr><w:t>0</w:t></w:r>")),
                "$5250",
            ),
            (
                "square metres and an ordinal",
                p(&(t("5 m")
                    + "<w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t>2</w:t></w:r>"
                    + &t(" from the 1")
                    + "<w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t>st</w:t></w:r>")),
                "5 m2 from the 1st",
            ),
            ("not struck out", p("<w:r><w:rPr><w:strike w:val=\"0\"/></w:rPr><w:t>$5</w:t></w:r>"), "$5"),
            (
                "formerly struck out",
                p(
                    "<w:r><w:rPr><w:rPrChange><w:rPr><w:strike/></w:rPr></w:rPrChange></w:rPr><w:t>$5</w:t></w:r>",
                ),
                "$5",
            ),
            (
                "a text box, for new readers and for old ones",
                p(&format!(
                    "{}<w:r><mc:AlternateContent><mc:Choice Requires=\"x\"><x:s>{box}</x:s></mc:Choice>\
                     <mc:Choice Requires=\"y\"><x:s>{box}</x:s></mc:Choice>\
                     <mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>{}",
                    t("one "),
                    t("line"),
                    box = text_box("boxed"),
                )) + &p(&t("next")),
                "one line\nboxed\nnext",
            ),
            (
                "an old text box",
                p(&format!("{}<w:r><w:pict>{}</w:pict></w:r>", t("a"), text_box("b"))),
                "a\nb",
            ),
            (
                "a text box in a cell",
                format!(
                    "<w:tbl><w:tr>{}{}</w:tr></w:tbl>",
                    cell(&p(&format!("{}<w:r>{}</w:r>", t("a"), text_box("b")))),
                    cell(&p(&t("c"))),
                ),
                "a\tc\nb",
            ),
            (
                "a content control",
                format!(
                    "<w:sdt><w:sdtPr><w:tag w:val=\"x\"/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
                    p(&t("a"))
                ),
                "a",
            ),
            ("a comment", p(&(t("a") + "<w:r><w:commentReference w:id=\"0\"/></w:r>")), "a"),
            ("mathematics", p("<m:oMath><m:r><m:t>2</m:t></m:r></m:oMath>"), "2"),
            ("a link", p(&format!("<w:hyperlink>{}</w:hyperlink>", t("a"))), "a"),
            ("elements of others", p(&format!("{}<x:t>no</x:t>", t("a"))), "a"),
        ];
        for (case, body, expected) in rows {
            assert_eq!(lined(&Parts::of_body(&body)), Ok(expected.to_owned()), "{case}");
        }
    }

    #[test]
    fn comments_are_no_text_and_cast_doubt() {
        // What the comments are, and what is told of them.
        let rows = [
            (String::new(), None),
            (p(""), None),
            (p(&t("...")), None),
            (p(&t("Client says 4,250")), Some("comment: Client says 4,250")),
            (p(&t("ask Ann")), Some("comment: ask Ann")),
            (p(&t("one")) + &p(&t("two")), Some("comment: one two")),
            (p("<w:r><w:rPr><w:vanish/></w:rPr><w:t>$5</w:t></w:r>"), None),
        ];
        for (content, told) in rows {
            let comments =
                format!("<w:comments {WORD}><w:comment w:id=\"0\">{content}</w:comment></w:comments>");
            let document = with_parts(&p(&t("Rent is $5")), &[("comments", comments)]);
            assert_eq!(lined(&document).as_deref(), Ok("Rent is $5"), "{content}");
            let noted = read(&document.archive()).expect("the test's own document");
            let noted = noted.doubts().of(DoubtKind::TrackedChanges).map(|doubt| doubt.passages.concat());
            assert_eq!(noted.as_deref(), told, "{content}");
        }
    }

    /// A document whose body refers to these parts, each with its relationship's type and its content.
    fn with_parts(body: &str, parts: &[(&str, String)]) -> Parts {
        let shown: String =
            (0..parts.len()).map(|index| format!("<w:headerReference w:id=\"r{index}\"/>")).collect();
        let mut document = Parts::of_body(&format!("{body}<w:sectPr>{shown}</w:sectPr>"));
        let mut relationships = String::new();
        for (index, (kind, content)) in parts.iter().enumerate() {
            relationships +=
                &format!("<Relationship Id=\"r{index}\" Type=\"{TYPE}/{kind}\" Target=\"p{index}.xml\"/>");
            document = document.with(
                &format!("word/p{index}.xml"),
                format!("<w:{kind} {WORD} {OTHERS}>{content}</w:{kind}>"),
            );
        }
        document.with(
            "word/_rels/document.xml.rels",
            format!("<Relationships {RELATIONSHIPS}>{relationships}</Relationships>"),
        )
    }

    fn doubts(document: &Parts) -> Vec<(DoubtKind, Vec<String>)> {
        let text = read(&document.archive()).expect("the test's own document");
        text.doubts().all().map(|doubt| (doubt.kind, doubt.passages.clone())).collect()
    }

    #[test]
    fn changes_that_nobody_accepted_cast_doubt() {
        let deleted = |text: &str| format!("<w:del><w:r><w:delText>{text}</w:delText></w:r></w:del>");
        let rows: Vec<(&str, String, Vec<&str>)> = vec![
            ("none", p(&t("$5")), vec![]),
            (
                "words",
                p(&(deleted("$5") + &format!("<w:ins>{}</w:ins>", t("$6")))),
                vec!["deleted: $5", "inserted: $6"],
            ),
            (
                "words moved",
                p(&format!("<w:moveFrom>{}</w:moveFrom>", t("a")))
                    + &p(&format!("<w:moveTo>{}</w:moveTo>", t("a"))),
                vec!["moved away: a", "moved here: a"],
            ),
            (
                "whole paragraphs",
                format!("<w:ins>{}</w:ins>", p(&t("a"))) + &format!("<w:del>{}</w:del>", p(&t("b"))),
                vec!["inserted: a", "deleted: b"],
            ),
            (
                "one within another",
                p(&format!("<w:ins>{}{}</w:ins>", t("a"), deleted("b"))),
                vec!["inserted: ab"],
            ),
            (
                "a paragraph's end",
                p(&("<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>".to_owned() + &t("a"))) + &p(&t("b")),
                vec!["a paragraph's end"],
            ),
            (
                "a new paragraph's end",
                p(&("<w:pPr><w:rPr><w:ins/></w:rPr></w:pPr>".to_owned() + &t("a"))),
                vec!["a paragraph's end"],
            ),
            (
                "a row",
                format!("<w:tbl><w:tr><w:trPr><w:ins/></w:trPr><w:tc>{}</w:tc></w:tr></w:tbl>", p(&t("a"))),
                vec!["a table row"],
            ),
            (
                "a row that goes",
                format!("<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>{}</w:tc></w:tr></w:tbl>", p(&t("a"))),
                vec!["a table row"],
            ),
            (
                "a cell",
                format!(
                    "<w:tbl><w:tr><w:tc><w:tcPr><w:cellIns/></w:tcPr>{}</w:tc></w:tr></w:tbl>",
                    p(&t("a"))
                ),
                vec!["a table cell"],
            ),
            (
                "text struck out",
                p("<w:r><w:rPr><w:strike/><w:rPrChange><w:rPr/></w:rPrChange></w:rPr><w:t>a</w:t></w:r>"),
                vec!["text struck out or hidden, or no longer"],
            ),
            (
                "text no longer struck out",
                p(
                    "<w:r><w:rPr><w:rPrChange><w:rPr><w:strike/></w:rPr></w:rPrChange></w:rPr><w:t>a</w:t></w:r>",
                ),
                vec!["text struck out or hidden, or no longer"],
            ),
            (
                "text in bold",
                p("<w:r><w:rPr><w:b/><w:rPrChange><w:rPr/></w:rPrChange></w:rPr><w:t>a</w:t></w:r>"),
                vec![],
            ),
            (
                "what old readers see",
                p(&format!(
                    "<mc:AlternateContent><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
                    deleted("a")
                )),
                vec![],
            ),
        ];
        for (case, body, expected) in rows {
            let found = doubts(&Parts::of_body(&body));
            let expected: Vec<_> = Some(expected)
                .filter(|passages| !passages.is_empty())
                .map(|passages| {
                    (DoubtKind::TrackedChanges, passages.into_iter().map(str::to_owned).collect())
                })
                .into_iter()
                .collect();
            assert_eq!(found, expected, "{case}");
        }
        let header = with_parts(&p(&t("a")), &[("header", p(&deleted("v1")))]);
        assert_eq!(doubts(&header), [(DoubtKind::TrackedChanges, vec!["deleted: v1".to_owned()])]);
    }

    #[test]
    fn styles_strike_out_and_hide() {
        let styles = "<w:docDefaults><w:rPrDefault><w:rPr/></w:rPrDefault></w:docDefaults>\
            <w:style w:type=\"paragraph\" w:styleId=\"Old\"><w:rPr><w:strike/></w:rPr></w:style>\
            <w:style w:type=\"paragraph\" w:styleId=\"Older\"><w:basedOn w:val=\"Old\"/></w:style>\
            <w:style w:type=\"character\" w:styleId=\"Gone\"><w:rPr><w:dstrike/></w:rPr></w:style>\
            <w:style w:type=\"character\" w:styleId=\"Note\"><w:rPr><w:vanish/></w:rPr></w:style>";
        let run =
            |properties: &str, text: &str| format!("<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>");
        let styled = |style: &str, content: String| {
            p(&(format!("<w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>") + &content))
        };
        let hidden = |text: &str| vec![(DoubtKind::HiddenText, vec![text.to_owned()])];
        let cell = |fill: &str, content: &str| {
            format!(
                "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill=\"{fill}\"/></w:tcPr>{content}</w:tc></w:tr></w:tbl>"
            )
        };
        let shaded = |fill: &str, content: String| {
            p(&(format!("<w:pPr><w:shd w:fill=\"{fill}\"/></w:pPr>") + &content))
        };
        let otherwise = |text: &str| vec![(DoubtKind::LooksOtherwise, vec![text.to_owned()])];
        let rows = [
            ("a paragraph's style", styled("Old", t("$5")), "", vec![]),
            ("a style that it is based on", styled("Older", run("", "$5")), "", vec![]),
            ("not at the run", styled("Old", run("<w:strike w:val=\"0\"/>", "$5")), "$5", vec![]),
            ("a run's style", p(&(run("<w:rStyle w:val=\"Gone\"/>", "$5") + &t("$6"))), "$6", vec![]),
            (
                "a figure hidden by style",
                p(&(run("<w:rStyle w:val=\"Note\"/>", "$5") + &t("$6"))),
                "$6",
                hidden("$5"),
            ),
            ("a figure hidden by itself", p(&run("<w:vanish/>", "May 1")), "", hidden("May 1")),
            ("white", p(&run("<w:color w:val=\"FFFFFF\"/>", "$5")), "$5", otherwise("$5")),
            ("white words", p(&run("<w:color w:val=\"FFFFFF\"/>", "due")), "due", vec![]),
            ("black", p(&run("<w:color w:val=\"000000\"/>", "$5")), "$5", vec![]),
            ("blue", p(&run("<w:color w:val=\"0000FF\"/>", "$5")), "$5", vec![]),
            ("of no colour", p(&run("<w:color w:val=\"auto\"/><w:sz w:val=\"22\"/>", "$5")), "$5", vec![]),
            (
                "white on black",
                p(&run("<w:color w:val=\"FFFFFF\"/><w:shd w:fill=\"000000\"/>", "$5")),
                "$5",
                vec![],
            ),
            (
                "white in a shaded cell, and behind it",
                format!(
                    "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill=\"003366\"/></w:tcPr>{0}</w:tc></w:tr></w:tbl>{0}",
                    p(&run("<w:color w:val=\"FFFFFF\"/>", "$5"))
                ),
                "$5\n$5",
                otherwise("$5"),
            ),
            (
                "white in a shaded paragraph",
                p(&("<w:pPr><w:shd w:fill=\"003366\"/></w:pPr>".to_owned()
                    + &run("<w:color w:val=\"FFFFFF\"/>", "$5"))),
                "$5",
                vec![],
            ),
            ("blackened", p(&run("<w:highlight w:val=\"black\"/>", "$5")), "$5", otherwise("$5")),
            ("marked", p(&run("<w:highlight w:val=\"yellow\"/>", "$5")), "$5", vec![]),
            ("shaded black", p(&run("<w:shd w:fill=\"000000\"/>", "$5")), "$5", otherwise("$5")),
            (
                "on the paper's colour by a marker, whatever lies under it",
                p(&run(
                    "<w:color w:val=\"FFFFFF\"/><w:highlight w:val=\"white\"/><w:shd w:fill=\"000000\"/>",
                    "$5",
                )),
                "$5",
                otherwise("$5"),
            ),
            (
                "blackened by a marker, whatever is shaded",
                p(&run("<w:highlight w:val=\"black\"/><w:shd w:fill=\"FFFFFF\"/>", "$5")),
                "$5",
                otherwise("$5"),
            ),
            (
                "shaded in the pattern's colour",
                p(&run("<w:shd w:val=\"solid\" w:color=\"000000\" w:fill=\"FFFFFF\"/>", "$5")),
                "$5",
                otherwise("$5"),
            ),
            (
                "shaded a tenth",
                p(&run("<w:shd w:val=\"pct10\" w:color=\"auto\" w:fill=\"auto\"/>", "$5")),
                "$5",
                vec![],
            ),
            (
                "white where the marker is taken away",
                p(&run(
                    "<w:color w:val=\"FFFFFF\"/><w:highlight w:val=\"none\"/><w:shd w:fill=\"003366\"/>",
                    "$5",
                )),
                "$5",
                vec![],
            ),
            (
                "red on red",
                p(&run("<w:color w:val=\"FF0000\"/><w:highlight w:val=\"red\"/>", "$5")),
                "$5",
                otherwise("$5"),
            ),
            ("of an unknown colour", p(&run("<w:color w:val=\"paper\"/>", "$5")), "$5", otherwise("$5")),
            (
                "white on white in a dark cell, and white beside it",
                cell(
                    "003366",
                    &(shaded("FFFFFF", run("<w:color w:val=\"FFFFFF\"/>", "$5"))
                        + &p(&run("<w:color w:val=\"FFFFFF\"/>", "$6"))),
                ),
                "$5 $6",
                otherwise("$5"),
            ),
            (
                "white behind a shaded paragraph of a cell",
                cell(
                    "auto",
                    &(shaded("003366", run("", "$5")) + &p(&run("<w:color w:val=\"FFFFFF\"/>", "$6"))),
                ),
                "$5 $6",
                otherwise("$6"),
            ),
            (
                "white behind a table within a dark cell",
                cell(
                    "003366",
                    &(cell("FFFFFF", &p(&t("$5"))) + &p(&run("<w:color w:val=\"FFFFFF\"/>", "$6"))),
                ),
                "$5\n$6",
                vec![],
            ),
            (
                "white in a light table within a dark cell",
                cell("003366", &cell("FFFFFF", &p(&run("<w:color w:val=\"FFFFFF\"/>", "$5")))),
                "$5",
                otherwise("$5"),
            ),
            (
                "black in a black cell",
                cell("000000", &p(&run("<w:color w:val=\"000000\"/>", "$5"))),
                "$5",
                otherwise("$5"),
            ),
            ("of no colour in a black cell", cell("000000", &p(&t("$5"))), "$5", vec![]),
            (
                "a sign of an unknown font before a figure",
                p(&("<w:r><w:sym w:font=\"Arial\" w:char=\"F031\"/></w:r>".to_owned() + &t("5,000"))),
                "5,000",
                otherwise("a sign within a figure"),
            ),
            (
                "a sign of an unknown font that is a bullet",
                p(&("<w:r><w:sym w:font=\"Symbol\" w:char=\"F0B7\"/></w:r>".to_owned() + &t(" 5 days"))),
                "5 days",
                vec![],
            ),
            (
                "a sign of an unknown font in the paragraph before",
                p("<w:r><w:sym w:font=\"Symbol\" w:char=\"F0B7\"/></w:r>") + &p(&t("5 days")),
                "5 days",
                vec![],
            ),
            ("as small as dust", p(&run("<w:sz w:val=\"1\"/>", "$5")), "$5", otherwise("$5")),
            (
                "a sign of an unknown font in a figure",
                p(&(t("$") + "<w:r><w:sym w:font=\"Arial\" w:char=\"F031\"/></w:r>" + &t("5"))),
                "$ 5",
                otherwise("a sign within a figure"),
            ),
            (
                "a note that is missing",
                p(&(t("$5") + "<w:r><w:footnoteReference w:id=\"9\"/></w:r>")),
                "$5",
                vec![(DoubtKind::DamagedFile, vec!["a note of the text is missing".to_owned()])],
            ),
            ("words hidden by style", p(&run("<w:rStyle w:val=\"Note\"/>", "see above")), "", vec![]),
            ("hidden in print view of the web", p(&run("<w:webHidden/>", "$5")), "$5", vec![]),
            (
                "a hidden row",
                format!(
                    "<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>{}</w:tc></w:tr></w:tbl>",
                    p(&t("a"))
                ),
                "",
                hidden("a hidden table row"),
            ),
        ];
        for (case, body, expected, expected_doubts) in rows {
            let document = with_parts(&body, &[("styles", styles.to_owned())]);
            assert_eq!(lined(&document).as_deref(), Ok(expected), "{case}");
            assert_eq!(doubts(&document), expected_doubts, "{case}");
        }
        let gone = with_parts(&p(&t("a")), &[]).with(
            "word/_rels/document.xml.rels",
            format!("<Relationships {RELATIONSHIPS}><Relationship Type=\"{TYPE}/styles\" Target=\"gone.xml\"/></Relationships>"),
        );
        assert_eq!(lined(&gone).as_deref(), Ok("a"), "a part that is not there says nothing");
    }

    #[test]
    fn what_stands_beside_the_text_is_kept_apart() {
        let watermark = "<w:r><w:pict><v:shape><v:textpath string=\"DRAFT\"/></v:shape></w:pict></w:r>";
        let boxed = format!("<w:txbxContent>{}</w:txbxContent>", p(&t("DRAFT")));
        let drawn = format!(
            "<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><x:txbx>{boxed}</x:txbx></w:drawing></mc:Choice>\
             <mc:Fallback>{watermark}</mc:Fallback></mc:AlternateContent></w:r>"
        );
        let cells = format!(
            "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
            p(&t("Mill Race")),
            p(&t("Draft of May 1"))
        );
        type Beside = Vec<(&'static str, String)>;
        let rows: Vec<(&str, Beside, String, &str)> = vec![
            ("none", vec![], p(&t("a")), ""),
            ("a header", vec![("header", p(&t("DRAFT")))], p(&t("a")), "DRAFT\n"),
            ("a footer", vec![("footer", p(&t("Page 1")))], p(&t("a")), "Page 1\n"),
            ("a header with cells", vec![("header", cells)], p(&t("a")), "Mill Race\nDraft of May 1\n"),
            ("a watermark", vec![("header", p(watermark))], p(&t("a")), "DRAFT\n"),
            ("a watermark as newer ones draw it", vec![("header", p(&drawn))], p(&t("a")), "DRAFT\n"),
            ("a watermark in the body", vec![], p(&(watermark.to_owned() + &t("a"))), "DRAFT\n"),
        ];
        let unused = with_parts(&p(&t("a")), &[("header", p(&t("DRAFT")))]);
        let body = format!("<w:document {WORD}><w:body>{}</w:body></w:document>", p(&t("a")));
        let text = read(&unused.with("word/document.xml", body).archive()).expect("the test's own document");
        assert_eq!(text.margins(), "", "a header that no section shows");
        for (case, parts, body, expected) in rows {
            let text = read(&with_parts(&body, &parts).archive()).expect("the test's own document");
            assert_eq!((text.lined(), text.margins()), ("a", expected), "{case}");
        }
    }

    #[test]
    fn pictures_and_objects_that_can_hold_text_cast_doubt() {
        let drawing = |mils: (u64, u64), inner: &str| {
            let (cx, cy) = (mils.0 * INCH_EMU / INCH_MILS, mils.1 * INCH_EMU / INCH_MILS);
            format!(
                "<w:r><w:drawing><x:inline><x:extent cx=\"{cx}\" cy=\"{cy}\"/><x:graphic>{inner}</x:graphic></x:inline></w:drawing></w:r>"
            )
        };
        let picture = "<x:graphicData uri=\"u/picture\"><x:pic><x:blip/></x:pic></x:graphicData>";
        let old = |style: &str| {
            format!("<w:r><w:pict><v:shape style=\"{style}\"><v:imagedata/></v:shape></w:pict></w:r>")
        };
        let prose = t(&"The pictures stand beside enough text. ".repeat(10));
        let rows = [
            ("a page", drawing((6_500, 9_000), picture), true),
            ("a table", drawing((6_500, 1_800), picture), true),
            ("a logo", drawing((2_500, 2_000), picture), false),
            ("a letterhead", drawing((6_500, 1_000), picture), false),
            ("an old picture", old("position:absolute;width:468pt;height:600pt"), true),
            ("an old logo", old("width:100pt;height:3cm"), false),
            ("a picture in units of its group", old("width:20000;height:30000"), false),
            ("a chart", drawing((3_000, 1_000), "<x:graphicData uri=\"u/chart\"/>"), true),
            ("a shape", drawing((6_500, 9_000), "<x:graphicData uri=\"u/wordprocessingShape\"/>"), false),
            (
                "a sheet of another program",
                "<w:r><w:object><x:OLEObject ProgID=\"Excel.Sheet.12\"/></w:object></w:r>".to_owned(),
                true,
            ),
            (
                "a formula",
                "<w:r><w:object><x:OLEObject ProgID=\"Equation.3\"/></w:object></w:r>".to_owned(),
                false,
            ),
        ];
        for (case, content, expected) in rows {
            let found = doubts(&Parts::of_body(&p(&(prose.clone() + &content))));
            let kinds: Vec<_> = found.into_iter().map(|(kind, _)| kind).collect();
            let expected = if expected { vec![DoubtKind::PicturesWithoutText] } else { Vec::new() };
            assert_eq!(kinds, expected, "{case}");
        }
        let plan = p(&prose) + &p(&t("Exhibit A: Site Plan")) + &p(&drawing((6_500, 9_000), picture));
        assert_eq!(doubts(&Parts::of_body(&plan)), []);
    }

    #[test]
    fn forms_are_read_as_they_are_filled_in() {
        let control = |properties: &str, content: &str| {
            format!("<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>")
        };
        let field = |data: &str, result: &str| {
            format!(
                "<w:r><w:fldChar w:fldCharType=\"begin\"><w:ffData>{data}</w:ffData></w:fldChar></w:r><w:r><w:instrText>X</w:instrText></w:r>\
                 <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{result}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
            )
        };
        let sign =
            |font: &str, code: &str| format!("<w:r><w:sym w:font=\"{font}\" w:char=\"{code}\"/></w:r>");
        let rows = [
            ("filled in", p(&(t("Rent ") + &control("<w:tag w:val=\"x\"/>", &t("$5")))), "Rent $5"),
            (
                "not filled in",
                p(&(t("Rent ") + &control("<w:showingPlcHdr/>", &t("Click here")) + &t("a month"))),
                "Rent ______ a month",
            ),
            (
                "a paragraph not filled in",
                p(&t("a")) + &control("<w:showingPlcHdr/>", &p(&t("Choose"))) + &p(&t("b")),
                "a\n______ b",
            ),
            ("a field", p(&(t("Rent ") + &field("<w:textInput/>", &t("$5")))), "Rent $5"),
            ("a box", p(&field("<w:checkBox><w:default w:val=\"0\"/></w:checkBox>", "")), "\u{2610}"),
            (
                "a checked box",
                p(&field("<w:checkBox><w:default w:val=\"0\"/><w:checked/></w:checkBox>", "")),
                "\u{2612}",
            ),
            (
                "a box that is checked to begin with",
                p(&field("<w:checkBox><w:default w:val=\"1\"/></w:checkBox>", "")),
                "\u{2612}",
            ),
            (
                "a box that is no longer checked",
                p(&field("<w:checkBox><w:default w:val=\"1\"/><w:checked w:val=\"0\"/></w:checkBox>", "")),
                "\u{2610}",
            ),
            (
                "signs",
                p(&(sign("Wingdings", "F06F")
                    + &sign("Wingdings", "00FE")
                    + &sign("Symbol", "F0B7")
                    + &sign("Wingdings 2", "F052"))),
                "\u{2610}\u{2612} \u{2612}",
            ),
        ];
        for (case, body, expected) in rows {
            assert_eq!(lined(&Parts::of_body(&body)).as_deref(), Ok(expected), "{case}");
        }
        let control = Parts::of_body(&p("<w:r><w:object><w:control w:name=\"Rent\"/></w:object></w:r>"));
        assert_eq!(doubts(&control), [(DoubtKind::FormFieldsNotRead, vec!["Rent".to_owned()])]);
    }

    #[test]
    fn paragraphs_bear_the_numbers_that_word_counts() {
        let numbering = "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/>\
            <w:lvlText w:val=\"%1.\"/><w:pStyle w:val=\"Head\"/></w:lvl></w:abstractNum><w:num w:numId=\"3\"><w:abstractNumId w:val=\"0\"/></w:num>";
        let styles = "<w:style w:type=\"paragraph\" w:styleId=\"Head\"><w:pPr><w:numPr><w:numId w:val=\"3\"/></w:numPr></w:pPr></w:style>";
        let listed = |list: &str, text: &str| {
            p(&(format!(
                "<w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr>"
            ) + &t(text)))
        };
        let head = |more: &str, text: &str| {
            p(&(format!("<w:pPr><w:pStyle w:val=\"Head\"/>{more}</w:pPr>") + &t(text)))
        };
        let body = listed("3", "Premises.")
            + &head("", "Term.")
            + &head("<w:numPr><w:numId w:val=\"0\"/></w:numPr>", "Not counted")
            + &format!("<w:del>{}</w:del>", listed("3", "Gone"))
            + &listed("3", "Rent.");
        let document =
            with_parts(&body, &[("styles", styles.to_owned()), ("numbering", numbering.to_owned())]);
        assert_eq!(lined(&document).as_deref(), Ok("1. Premises.\n2. Term.\nNot counted\n3. Rent."));
    }

    #[test]
    fn notes_stand_once_behind_the_text() {
        let note =
            |tag: &str, id: &str, text: &str| format!("<w:{tag} w:id=\"{id}\">{}</w:{tag}>", p(&t(text)));
        let reference = |tag: &str, id: &str| format!("<w:r><w:{tag}Reference w:id=\"{id}\"/></w:r>");
        let body = p(&(t("Rent of $5")
            + &reference("footnote", "2")
            + &reference("endnote", "2")
            + &reference("footnote", "2")
            + "<w:del>"
            + &reference("footnote", "3")
            + "</w:del>"
            + &t(" a month")))
            + &p(&t("End"));
        let parts = Parts::of_body(&body).with_notes(
            &(format!("<w:footnote w:type=\"separator\" w:id=\"0\">{}</w:footnote>", p(&t("line")))
                + &note("footnote", "2", "foot")
                + &note("footnote", "3", "of what is deleted")),
            &note("endnote", "2", "end"),
        );
        assert_eq!(lined(&parts).as_deref(), Ok("Rent of $5 a month\nEnd\nfoot\nend"));
    }

    #[test]
    fn the_main_document_is_found_by_relationship_and_type() {
        let document = format!(
            "<z:document xmlns:z=\"{}\"><z:body><z:p><z:r><z:t>here</z:t></z:r></z:p></z:body></z:document>",
            "http://purl.oclc.org/ooxml/wordprocessingml/main"
        );
        let named = |kind: &str, target: &str| {
            format!(
                "<Relationships {RELATIONSHIPS}><Relationship Type=\"{kind}\" Target=\"{target}\"/></Relationships>"
            )
        };
        let types = |name: &str| {
            format!(
                "<Types><Override PartName=\"{name}\" ContentType=\"{}\"/></Types>",
                MAIN_TYPES[3].to_uppercase()
            )
        };
        let strict = "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument";
        for (target, part) in [
            ("/Office/main file.xml", "Office/Main File.xml"),
            ("office/main%20file.xml", "office\\main file.xml"),
            ("./x/../office/main file.xml", "/office/main file.xml"),
        ] {
            let parts = Parts::of_paragraphs(&["not here"])
                .with("_rels/.rels", named(strict, target))
                .with("[Content_Types].xml", types("/office/main file.xml"))
                .with(part, &document);
            assert_eq!(lined(&parts).as_deref(), Ok("here"), "{target}");
        }
        let wide: Vec<u8> = format!("\u{feff}{document}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let parts = Parts::of_paragraphs(&[]).with("word/document.xml", wide);
        assert_eq!(lined(&parts).as_deref(), Ok("here"), "UTF-16");
    }

    #[test]
    fn every_fault_has_its_name() {
        let sound = Parts::of_paragraphs(&["LEASE"]);
        let archive = sound.archive();
        let body = |content: String| Parts::of_body(&content).archive();
        let mut locked = OLE_MAGIC.to_vec();
        locked.extend_from_slice(ENCRYPTED_STREAM);
        let mut with_password = archive.clone();
        // The flag of encryption, in each entry's line of the directory.
        for at in 0..with_password.len() {
            if with_password[at..].starts_with(b"PK\x01\x02") {
                with_password[at + 8] |= 1;
            }
        }
        let mut wrong_sum = archive.clone();
        let place = wrong_sum.windows(17).position(|name| name == b"word/document.xml").expect("it is there");
        wrong_sum[place + 25] ^= 0x55;
        let many: Vec<_> = (0..=ENTRIES_MAX_COUNT).map(|index| (format!("{index}"), Vec::new())).collect();
        let twice = zip(&[("A.xml".to_owned(), Vec::new()), ("a.xml".to_owned(), Vec::new())]);
        let boxes = "<w:r><w:txbxContent><w:p>".repeat(BOXES_MAX_DEPTH + 1)
            + &"</w:p></w:txbxContent></w:r>".repeat(BOXES_MAX_DEPTH + 1);
        let picture = p("<w:r><w:drawing><x:pic/></w:drawing></w:r>");
        let rows: Vec<(&str, Vec<u8>, DocxFault)> = vec![
            ("no archive", b"PK\x03\x04".to_vec(), DocxFault::Unreadable),
            ("truncated", archive[..archive.len() - 30].to_vec(), DocxFault::Unreadable),
            (
                "an archive in an archive",
                zip(&[("lease.docx".to_owned(), archive.clone())]),
                DocxFault::NotWord,
            ),
            (
                "an archive for a document",
                sound.clone().with("word/document.xml", &archive).archive(),
                DocxFault::Unreadable,
            ),
            (
                "a spreadsheet",
                sound
                    .clone()
                    .typed("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml")
                    .archive(),
                DocxFault::NotWord,
            ),
            (
                "no main document",
                sound.clone().with("_rels/.rels", "<Relationships/>").archive(),
                DocxFault::NotWord,
            ),
            (
                "a missing main document",
                sound
                    .clone()
                    .with(
                        "_rels/.rels",
                        format!("<R><R Type=\"{TYPE}/officeDocument\" Target=\"gone.xml\"/></R>"),
                    )
                    .with(
                        "[Content_Types].xml",
                        format!("<T><Default Extension=\"xml\" ContentType=\"{}\"/></T>", MAIN_TYPES[0]),
                    )
                    .archive(),
                DocxFault::Unreadable,
            ),
            ("two parts of one name", twice, DocxFault::Unreadable),
            ("a password around it", locked, DocxFault::Encrypted),
            ("a password in the archive", with_password, DocxFault::Encrypted),
            ("a wrong sum", wrong_sum, DocxFault::Unreadable),
            ("too many entries", zip(&many), DocxFault::TooLarge),
            ("a part that inflates", body(" ".repeat(PART_MAX_BYTES)), DocxFault::TooLarge),
            ("too much text", body(p(&t(&"lease ".repeat(TEXT_MAX_BYTES / 5)))), DocxFault::TooLarge),
            (
                "deep nesting",
                body("<x:a>".repeat(XML_MAX_DEPTH) + &"</x:a>".repeat(XML_MAX_DEPTH)),
                DocxFault::TooLarge,
            ),
            ("boxes in boxes", body(p(&boxes)), DocxFault::TooLarge),
            ("an element left open", body("<w:p>".to_owned()), DocxFault::Unreadable),
            ("no XML", sound.clone().with("word/document.xml", "<w:p").archive(), DocxFault::Unreadable),
            ("an entity", body(p(&t("&lol;"))), DocxFault::Unreadable),
            (
                "a document type",
                sound.clone().with("word/document.xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>").archive(),
                DocxFault::Unreadable,
            ),
            (
                "namespaces without end",
                body(format!(
                    "<x:a {}/>",
                    (0..NAMESPACES_MAX_COUNT).map(|n| format!("xmlns:n{n}=\"u\" ")).collect::<String>()
                )),
                DocxFault::Unreadable,
            ),
            (
                "a field that stays in its code",
                body(p("<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>")),
                DocxFault::Unreadable,
            ),
            ("text from elsewhere", body("<w:altChunk/>".to_owned()), DocxFault::PartsElsewhere),
            ("a part of a whole", body(p("<w:subDoc/>")), DocxFault::PartsElsewhere),
            ("pictures alone", body(picture.clone() + &p(&t("page 1"))), DocxFault::OnlyPictures),
        ];
        for (case, bytes, expected) in rows {
            assert_eq!(
                read(&bytes).map(|text| text.lined().chars().take(40).collect::<String>()),
                Err(expected),
                "{case}"
            );
            assert!(!expected.code().is_empty() && expected.detail().ends_with('.'));
        }
        let long = "The pictures stand beside enough text. ".repeat(10);
        assert!(read(&body(picture + &p(&t(&long)))).is_ok());
    }

    #[test]
    fn a_directory_that_lies_about_sizes_inflates_no_more_than_it_says() {
        let honest = Parts::of_body(&" ".repeat(3_000_000)).archive();
        let directory =
            honest.windows(4).position(|mark| mark == b"PK\x01\x02").expect("there is a directory");
        let mut lying = honest.clone();
        for at in directory..lying.len() - 28 {
            if lying[at..].starts_with(b"PK\x01\x02") {
                lying[at + 24..at + 28].copy_from_slice(&40u32.to_le_bytes());
            }
        }
        assert_eq!(read(&lying), Err(DocxFault::Unreadable));
        assert!(read(&honest).is_ok());
    }

    fn sample() -> Vec<u8> {
        let table = format!(
            "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
            p(&t("Year 1")),
            p(&t("$5"))
        );
        Parts::of_body(&(p(&(t("LEASE") + "<w:r><w:footnoteReference w:id=\"1\"/></w:r>")) + &table))
            .with_notes(&format!("<w:footnote w:id=\"1\">{}</w:footnote>", p(&t("note"))), "")
            .archive()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_change_of_an_archive_panics_the_reader(
            changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
            cut in proptest::option::of(any::<proptest::sample::Index>()),
        ) {
            let mut bytes = sample();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            let _ = is_word(&bytes);
            let _ = read(&bytes);
        }

        #[test]
        fn no_body_panics_the_reader(body in proptest::collection::vec(content(), 0..12)) {
            let parts = Parts::of_body(&body.concat()).with_notes(&body.concat(), "");
            if let Ok(text) = read(&parts.archive()) {
                prop_assert!(!text.lined().contains("hidden"));
            }
        }
    }

    /// Elements in any order and nesting; what says "hidden" stands only where nobody sees it.
    fn content() -> impl Strategy<Value = String> {
        let leaf = proptest::sample::select(vec![
            "<w:r><w:t>shown</w:t></w:r>",
            "<w:t>shown</w:t>",
            "<w:br/>",
            "<w:tab/>",
            "<w:del/>",
            "&amp;",
            " ",
            "<w:del><w:r><w:t>hidden</w:t></w:r></w:del>",
            "<w:r><w:instrText>hidden</w:instrText></w:r>",
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>",
            "hidden",
            "<w:trPr><w:del/></w:trPr>",
            "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>",
            "<w:rPr><w:strike/></w:rPr>",
            "<w:pPr><w:pStyle w:val=\"A\"/><w:numPr><w:numId w:val=\"1\"/></w:numPr></w:pPr>",
            "<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>shown</w:t></w:r>",
            "<w:sdtPr><w:showingPlcHdr/></w:sdtPr>",
            "<w:checkBox><w:checked/></w:checkBox>",
            "<w:trPr><w:hidden/></w:trPr>",
            "<w:fldChar w:fldCharType=\"begin\"/>",
            "<w:fldChar w:fldCharType=\"separate\"/>",
            "<w:fldChar w:fldCharType=\"end\"/>",
            "<w:footnoteReference w:id=\"1\"/>",
        ])
        .prop_map(str::to_owned);
        leaf.prop_recursive(8, 64, 6, |inner| {
            let name = proptest::sample::select(vec![
                "w:p",
                "w:r",
                "w:tbl",
                "w:tr",
                "w:tc",
                "w:txbxContent",
                "w:ins",
                "w:moveFrom",
                "w:sdt",
                "w:sdtContent",
                "w:footnote",
                "mc:AlternateContent",
                "mc:Choice",
                "mc:Fallback",
                "w:hyperlink",
                "w:pict",
                "m:r",
                "x:y",
            ]);
            (name, proptest::collection::vec(inner, 0..6)).prop_map(|(name, content)| {
                let id = if name == "w:footnote" { " w:id=\"1\"" } else { "" };
                format!("<{name}{id}>{}</{name}>", content.concat())
            })
        })
    }
}
