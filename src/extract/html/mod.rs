//! HTML: a walk over the parsed tree. A line per block and table row, a tab per cell; what a reader does
//! not see (scripts, hidden or struck-out text) is left out, by the elements' own styles and by the simple rules of
//! the document's style sheets.

use std::collections::HashMap;
use std::rc::Rc;

use ego_tree::{NodeId, NodeRef};
use encoding_rs::Encoding;
use scraper::node::Element;
use scraper::{Html, Node};

use crate::extract::colour::{Colour, Paint};
use crate::extract::doubt::{self, DoubtKind};
use crate::extract::money;
use crate::extract::sizes::{self, Bare};
use crate::extract::text::{SourceText, SourceTextBuilder, floor_boundary};

mod styles;

use styles::{Look, Treatment, declarations, is_picture, looks_by_sheets};

/// How far into the bytes a charset declaration counts, in bytes. The HTML standard looks at 1024; filings
/// put headers in front of the document.
const CHARSET_WITHIN_BYTES: usize = 4096;

/// Deepest nesting that is parsed, in elements. Real documents stay below a hundred, unless tags are left open.
const NESTING_MAX_DEPTH: usize = 2_000;
/// Elements that close themselves, or that the next of their kind closes: they do not nest.
const NOT_NESTING: &[&str] = &[
    "area",
    "base",
    "br",
    "col",
    "dd",
    "dt",
    "hr",
    "img",
    "input",
    "li",
    "link",
    "meta",
    "option",
    "p",
    "source",
    "td",
    "th",
    "tr",
    "wbr",
    "type",
    "sequence",
    "filename",
    "description",
];

/// Elements whose content is no text of the document.
const UNSEEN: &[&str] = &[
    "script", "style", "noscript", "template", "title", "svg", "math", "object", "iframe", "datalist",
    "audio", "video", "canvas", "head",
];
/// Elements within a drawing or a formula whose content is no part of what is drawn.
const UNDRAWN: &[&str] = &["script", "style", "title", "desc", "metadata", "annotation", "annotation-xml"];
/// Longest text of one passage that nobody sees, kept to be shown, in bytes.
const UNSEEN_PASSAGE_MAX_BYTES: usize = 1_000;
/// From which width and height on a picture is a page, in thousandths of an inch: a letterhead is lower, a logo
/// narrower.
const PAGE_PICTURE_MIN_MILS: (u64, u64) = (4_500, 5_000);
/// From which length on a picture within the document is a page though it names no size, in bytes of base64.
const PAGE_PICTURE_MIN_DATA_BYTES: usize = 150_000;
/// Longest text that a float can take out of the middle of a figure, in characters: a column that floats is longer.
const FLOATED_MAX_CHARS: usize = 12;
/// Fewest letters of a document with pictures that can be a lease: with fewer the pictures say it.
const TEXT_MIN_LETTERS: usize = 200;
/// Words of a script that writes into the page.
const WRITING_WORDS: &[&str] = &[
    "document.write",
    "innerHTML",
    "outerHTML",
    "innerText",
    "textContent",
    "insertAdjacentHTML",
    "fillText",
    "strokeText",
];
/// Most colours of text, or of the ground, that are possible at one place; with more it is not known.
const COLOURS_MAX_COUNT: usize = 6;
/// Elements whose content the author has struck out.
const STRUCK: &[&str] = &["s", "strike", "del"];
/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "ul",
    "br",
    "caption",
    "type",
    "sequence",
    "filename",
    "description",
];

/// Reads HTML.
pub fn read(bytes: &[u8]) -> SourceText {
    let (source, _) = crate::extract::plain::decode(bytes, declared_encoding(bytes));
    if nesting_of(&source) > NESTING_MAX_DEPTH {
        // The parser's time grows with the square of the depth.
        let mut builder = SourceTextBuilder::default();
        builder.give_up();
        return builder.finish();
    }
    let document = Html::parse_document(&source);
    let mut walk = Walk::new();
    if is_cut(&source) {
        walk.builder.doubt(DoubtKind::DamagedFile, "");
    }
    match looks_by_sheets(&document) {
        Some(found) => walk.by_sheets = found,
        None => walk.builder.give_up(),
    }
    // A loop and not a recursion: the nesting of a hostile document has no limit, the stack has one.
    let mut node = document.tree.root();
    loop {
        walk.visit(node, true);
        if let Some(child) = node.first_child() {
            node = child;
            continue;
        }
        loop {
            walk.visit(node, false);
            if let Some(sibling) = node.next_sibling() {
                node = sibling;
                break;
            }
            match node.parent() {
                Some(parent) if !walk.builder.is_full() => node = parent,
                _ => return walk.finish(),
            }
        }
    }
}

/// Colours that text or a ground may have where the walk stands; `None` is one that is not known.
type Colours = Rc<[Option<Colour>]>;

/// What an open element means for what is within it.
struct Open {
    treatment: Treatment,
    inks: Colours,
    grounds: Colours,
    /// Whether the page shows its content at another place, turned round or not at all.
    is_displaced: bool,
    /// Where it floats, how many characters and pieces with figures stood before it.
    floats_behind: Option<(usize, usize)>,
}

impl Open {
    /// What stands around everything: black ink on white paper.
    fn page() -> Self {
        Self {
            treatment: Treatment::Shown,
            inks: Rc::new([Some(Colour::BLACK)]),
            grounds: Rc::new([Some(Colour::WHITE)]),
            is_displaced: false,
            floats_behind: None,
        }
    }

    /// Whether a text within it may not be told apart from its ground, as far as anybody knows.
    fn may_be_unseen(&self) -> bool {
        self.inks.iter().any(|ink| {
            self.grounds
                .iter()
                .any(|ground| !ink.zip(*ground).is_some_and(|(ink, ground)| ink.is_seen_on(ground)))
        })
    }
}

/// The colours within an element, by those around it and by what is said of it.
fn colours_within(around: &Colours, said: &[Paint], lay: impl Fn(Colour, Colour) -> Colour) -> Colours {
    if said.is_empty() {
        return Rc::clone(around);
    }
    let mut within: Vec<Option<Colour>> = Vec::new();
    for paint in said {
        for under in around.iter() {
            let colour = match paint {
                Paint::Of(colour) if colour.is_whole() => Some(*colour),
                Paint::Of(colour) => under.map(|under| lay(*colour, under)),
                Paint::AsAround => *under,
                Paint::Unknown => None,
            };
            let colour = colour.filter(|_| within.len() < COLOURS_MAX_COUNT);
            if !within.contains(&colour) {
                within.push(colour);
            }
        }
    }
    within.into()
}

/// The walk's state: the text so far and how deep it is in elements that matter.
struct Walk {
    builder: SourceTextBuilder,
    by_sheets: HashMap<NodeId, Look>,
    /// The elements that are open, the page around them first.
    open: Vec<Open>,
    unseen_depth: usize,
    /// Within `unseen_depth`, what a style hides; its figures are shown to a reviewer.
    hidden_depth: usize,
    hidden: Passage,
    inserted_depth: usize,
    inserted: Passage,
    cell_depth: usize,
    preformatted_depth: usize,
    pictures: usize,
    letters: usize,
    /// Characters of the text, and pieces of it that hold a figure, with the last of them.
    characters: usize,
    figures: usize,
    last_figure: String,
    /// The last character of the text, as far as the next may run into it.
    last: Option<char>,
    /// Whether a raised or lowered passage has just begun or ended.
    changes_height: bool,
    raised_depth: usize,
    /// Within `unseen_depth`, drawings, formulas and objects, whose words a reader sees.
    drawn_depth: usize,
    /// Whether a picture stands directly before the text that comes.
    after_picture: bool,
}

/// Text that is no part of the document's: its beginning, to be shown, and whether any of it holds a figure.
#[derive(Default)]
struct Passage {
    shown: String,
    holds_a_figure: bool,
}

impl Passage {
    fn keep(&mut self, text: &str) {
        self.holds_a_figure = self.holds_a_figure || doubt::holds_a_figure(text);
        let room = UNSEEN_PASSAGE_MAX_BYTES.saturating_sub(self.shown.len());
        let text = if self.shown.is_empty() { text.trim_start() } else { text };
        self.shown.push_str(&text[..floor_boundary(text, room)]);
        if room > 0 {
            self.shown.push(' ');
        }
    }
}

impl Walk {
    fn new() -> Self {
        Self {
            builder: SourceTextBuilder::default(),
            by_sheets: HashMap::new(),
            open: vec![Open::page()],
            unseen_depth: 0,
            hidden_depth: 0,
            hidden: Passage::default(),
            inserted_depth: 0,
            inserted: Passage::default(),
            cell_depth: 0,
            preformatted_depth: 0,
            pictures: 0,
            letters: 0,
            characters: 0,
            figures: 0,
            last_figure: String::new(),
            last: None,
            changes_height: false,
            raised_depth: 0,
            drawn_depth: 0,
            after_picture: false,
        }
    }

    fn visit(&mut self, node: NodeRef<'_, Node>, opens: bool) {
        match node.value() {
            Node::Text(text) if opens && self.drawn_depth > 0 && self.hidden_depth == 0 => {
                let around = node.parent().and_then(|around| around.value().as_element().map(Element::name));
                if !around.is_some_and(|name| UNDRAWN.contains(&name)) {
                    self.see_drawn(text);
                }
            }
            Node::Text(text) if opens && self.unseen_depth == 0 => self.put(text),
            // What the format itself never shows, as scripts, is no text that somebody hid.
            Node::Text(text) if opens && self.hidden_depth > 0 && self.hidden_depth == self.unseen_depth => {
                self.hidden.keep(text);
            }
            Node::Element(element) => self.visit_element(node, element, opens),
            _ => {}
        }
    }

    /// Words of a drawing or a formula stand where nobody reads them; its figures, and a mark, are seen all the same.
    fn see_drawn(&mut self, text: &str) {
        if doubt::holds_a_figure(text) {
            self.builder.doubt(DoubtKind::LooksOtherwise, text);
        }
        self.builder.push_margin(text);
    }

    fn put(&mut self, text: &str) {
        if std::mem::take(&mut self.after_picture) && text.starts_with(|first: char| first.is_ascii_digit()) {
            self.builder.doubt(DoubtKind::PicturesWithoutText, text);
        }
        self.characters += text.chars().count();
        if doubt::holds_a_figure(text) {
            self.figures += 1;
            text.clone_into(&mut self.last_figure);
            if self.open.last().is_some_and(|open| open.is_displaced || open.may_be_unseen()) {
                self.builder.doubt(DoubtKind::LooksOtherwise, text);
            }
        }
        let raised = self.part_heights(text);
        let text = raised.as_deref().unwrap_or(text);
        if self.letters < TEXT_MIN_LETTERS {
            self.letters += text.chars().filter(|character| character.is_alphabetic()).count();
        }
        if self.inserted_depth > 0 {
            self.inserted.keep(text);
        }
        if self.preformatted_depth > 0 && self.cell_depth == 0 {
            self.builder.push_lined(text);
        } else {
            self.builder.push_flowing(text);
        }
    }

    /// Puts a space where a figure changes its height: the mark of a footnote is no digit of the amount or the day
    /// before it. The 2 of square metres, and the letters of "1st", stay with what they belong to. Gives two raised
    /// digits as what they are, for they may be cents.
    fn part_heights(&mut self, text: &str) -> Option<String> {
        let first = text.chars().next()?;
        let runs_in = self.last.is_some_and(|last| !last.is_alphabetic() && !last.is_whitespace());
        let parts = std::mem::take(&mut self.changes_height) && runs_in && first.is_ascii_digit();
        self.last = text.chars().last();
        let raised = if parts && self.raised_depth > 0 { money::raised_digits(text) } else { None };
        if parts && raised.is_none() {
            self.builder.push_flowing(" ");
        }
        raised
    }

    fn visit_element(&mut self, node: NodeRef<'_, Node>, element: &Element, opens: bool) {
        let name = element.name();
        let treatment = if opens { self.open_element(node, element) } else { self.close_element() };
        let is_seen = !matches!(treatment, Treatment::Unseen | Treatment::Hidden | Treatment::Struck);
        // Another document shows in its place, which nobody read; and what a script writes stands in no element.
        let other = ["src", "srcdoc", "data"].into_iter().find_map(|attribute| element.attr(attribute));
        if opens && matches!(name, "iframe" | "object") && other.is_some() {
            self.builder.doubt(DoubtKind::AttachedFiles, other.unwrap_or_default());
        }
        if opens && name == "script" {
            let script: String =
                node.children().filter_map(|child| child.value().as_text()).map(|text| &**text).collect();
            if WRITING_WORDS.iter().any(|word| script.contains(word)) {
                self.builder.doubt(DoubtKind::LooksOtherwise, &script);
            }
        }
        // An object that holds nothing else shows what stands in it.
        if matches!(name, "svg" | "math" | "object") {
            step(&mut self.drawn_depth, opens);
        }
        if !is_seen {
            step(&mut self.unseen_depth, opens);
            if treatment == Treatment::Hidden {
                step(&mut self.hidden_depth, opens);
                if self.hidden_depth == 0 {
                    let hidden = std::mem::take(&mut self.hidden);
                    if hidden.holds_a_figure {
                        self.builder.doubt(DoubtKind::HiddenText, &hidden.shown);
                    }
                }
            }
            return;
        }
        if is_off_the_line(element) {
            self.changes_height = true;
            step(&mut self.raised_depth, opens);
        }
        let is_written_over =
            element.attr("contenteditable").is_some_and(|value| !value.eq_ignore_ascii_case("false"));
        if opens && self.unseen_depth == 0 && is_written_over {
            self.doubt_field(&words_within(node));
        }
        match name {
            "td" | "th" => {
                self.builder.break_cell();
                self.part();
                step(&mut self.cell_depth, opens);
            }
            "tr" => {
                self.builder.break_line();
                self.part();
            }
            "pre" => {
                self.builder.break_line();
                self.part();
                step(&mut self.preformatted_depth, opens);
            }
            "ins" => {
                step(&mut self.inserted_depth, opens);
                let inserted = std::mem::take(&mut self.inserted);
                if self.inserted_depth == 0 && !inserted.shown.trim().is_empty() {
                    let inserted = inserted.shown.trim();
                    self.builder.doubt(DoubtKind::TrackedChanges, &format!("inserted: {inserted}"));
                } else {
                    self.inserted = inserted;
                }
            }
            "select" if opens && self.unseen_depth == 0 => {
                let options = || node.descendants().filter_map(scraper::ElementRef::wrap);
                let options = || options().filter(|element| element.value().name() == "option");
                let chosen = options().find(|option| option.value().attr("selected").is_some());
                // Which was chosen when the page was signed, the file need not say.
                let said = options().map(|option| option.text().collect::<String>());
                let said: Vec<String> = said.filter(|option| doubt::can_hold_a_value(option)).collect();
                if !said.is_empty() {
                    self.builder.doubt(DoubtKind::FormFieldsNotRead, &said.join(" | "));
                }
                if let Some(option) = chosen.or_else(|| options().next()) {
                    self.put(&option.text().collect::<String>());
                }
            }
            "input" if opens && self.unseen_depth == 0 => self.put_field(element),
            "textarea" | "output" | "button" if opens && self.unseen_depth == 0 => {
                self.doubt_field(&words_within(node));
            }
            "img" if opens && self.unseen_depth == 0 => self.see_picture(element),
            "embed" | "frame" | "frameset" if opens => {
                self.builder.doubt(DoubtKind::AttachedFiles, element.attr("src").unwrap_or_default());
            }
            _ if BLOCKS.contains(&name) => {
                self.part();
                if self.cell_depth == 0 {
                    self.builder.break_line();
                } else {
                    // A cell stays on its row's line, however many blocks it holds.
                    self.builder.push_flowing(" ");
                }
            }
            _ => {}
        }
        // What may be chosen is not what is chosen.
        if name == "select" {
            step(&mut self.unseen_depth, opens);
        }
    }

    /// Nothing runs over the end of a block or a cell: no figure into a picture, no picture into a figure.
    fn part(&mut self) {
        self.last = None;
        self.after_picture = false;
    }

    /// Works out how an element is seen, by itself, by the style sheets and by what stands around it.
    fn open_element(&mut self, node: NodeRef<'_, Node>, element: &Element) -> Treatment {
        let style = element.attr("style").map(declarations).unwrap_or_default();
        let mut look = Look::of(&style);
        look.treatment = look.treatment.min(treatment_of(element));
        if let Some(colour) = element.attr(if element.name() == "body" { "text" } else { "color" }) {
            look.ink(Paint::of_css(&colour.to_ascii_lowercase()));
        }
        if let Some(colour) = element.attr("bgcolor") {
            look.ground(Paint::of_css(&colour.to_ascii_lowercase()));
        }
        if let Some(by_sheets) = self.by_sheets.get(&node.id()) {
            look.and(by_sheets);
        }
        let is_reversed = element.name() == "bdo"
            || element.attr("dir").is_some_and(|direction| direction.eq_ignore_ascii_case("rtl"));
        let Some(around) = self.open.last() else { return look.treatment };
        let open = Open {
            treatment: look.treatment,
            inks: colours_within(&around.inks, &look.inks, |ink, _| ink),
            grounds: colours_within(&around.grounds, &look.grounds, Colour::over),
            is_displaced: around.is_displaced || is_reversed || look.treatment == Treatment::Displaced,
            floats_behind: look.floats.then_some((self.characters, self.figures)),
        };
        self.open.push(open);
        let is_shown = !matches!(look.treatment, Treatment::Unseen | Treatment::Hidden);
        if self.unseen_depth == 0 {
            self.see_background(&style);
        }
        if let (0, true, Some(words)) = (self.unseen_depth, is_shown, &look.words) {
            self.builder.doubt(DoubtKind::LooksOtherwise, words);
            // Marks stand in capitals, and a style's words are read without their case.
            self.builder.push_margin(&words.to_uppercase());
        }
        look.treatment
    }

    /// Leaves an element. What floats can be taken out of the middle of a figure, where it is short.
    fn close_element(&mut self) -> Treatment {
        let Some(open) = self.open.pop() else { return Treatment::Shown };
        if let Some((characters, figures)) = open.floats_behind
            && self.figures > figures
            && self.characters - characters <= FLOATED_MAX_CHARS
        {
            self.builder.doubt(DoubtKind::LooksOtherwise, &self.last_figure);
        }
        open.treatment
    }

    /// A background that is as large as a page can be the page.
    fn see_background(&mut self, style: &[(String, String)]) {
        let drawn = style.iter().find(|(property, value)| {
            matches!(property.as_str(), "background" | "background-image") && is_picture(value)
        });
        if let Some((_, source)) = drawn
            && is_of_page_size(
                |side| value_of(style, side),
                source.trim_start_matches("url(").trim_matches(['"', '\'']),
            )
        {
            self.builder.doubt(DoubtKind::PicturesWithoutText, "a background");
        }
    }

    /// A field of a form shows its value, and a box whether it is checked.
    fn put_field(&mut self, element: &Element) {
        let value = element.attr("value").unwrap_or_default();
        match element.attr("type").unwrap_or("text").to_ascii_lowercase().as_str() {
            "checkbox" | "radio" if element.attr("checked").is_some() => self.put("\u{2612}"),
            "checkbox" | "radio" => self.put("\u{2610}"),
            "submit" | "reset" | "button" => self.doubt_field(value),
            "hidden" | "image" | "file" | "password" | "range" | "color" => {}
            _ => {
                self.put(value);
                self.doubt_field(value);
                // It is shown where no value is, in grey.
                self.doubt_field(element.attr("placeholder").unwrap_or_default());
            }
        }
    }

    /// Whoever opens the page may fill in another value: what stood in a field when it was signed, nobody can tell.
    fn doubt_field(&mut self, value: &str) {
        if doubt::can_hold_a_value(value) {
            self.builder.doubt(DoubtKind::FormFieldsNotRead, value);
        }
    }

    fn see_picture(&mut self, element: &Element) {
        self.pictures += 1;
        let style = element.attr("style").map(declarations).unwrap_or_default();
        let side = |name: &str| value_of(&style, name).or(element.attr(name));
        let is_page = is_of_page_size(side, element.attr("src").unwrap_or_default());
        let caption = element.attr("alt").unwrap_or_default();
        // A picture within a figure may be one of its digits.
        if self.last.is_some_and(doubt::is_of_a_figure) {
            self.builder.doubt(DoubtKind::PicturesWithoutText, caption);
        }
        self.after_picture = true;
        if is_page && !doubt::captions_a_drawing(caption) {
            self.builder.doubt(DoubtKind::PicturesWithoutText, caption);
        }
    }

    fn finish(mut self) -> SourceText {
        if self.pictures > 0 && self.letters < TEXT_MIN_LETTERS {
            self.builder.doubt(DoubtKind::PicturesWithoutText, "");
        }
        self.builder.finish()
    }
}

/// Most nodes of an element that are looked through for its text.
const WITHIN_MAX_NODES: usize = 1_000;

/// The text within an element, its beginning if it is long.
fn words_within(node: NodeRef<'_, Node>) -> String {
    let mut words = Passage::default();
    let inner = node.descendants().take(WITHIN_MAX_NODES);
    inner.filter_map(|inner| inner.value().as_text()).for_each(|text| words.keep(text));
    words.shown
}

/// The value that a style gives to a property.
fn value_of<'s>(style: &'s [(String, String)], name: &str) -> Option<&'s str> {
    style.iter().rfind(|(property, _)| property == name).map(|(_, value)| value.as_str())
}

/// Whether a picture is as large as a page, by its sides or by what the document holds of it.
fn is_of_page_size<'s>(side: impl Fn(&str) -> Option<&'s str>, source: &str) -> bool {
    let mils = |name: &str| sizes::mils(side(name)?, Bare::Pixels);
    match (mils("width"), mils("height")) {
        (Some(width), Some(height)) => width >= PAGE_PICTURE_MIN_MILS.0 && height >= PAGE_PICTURE_MIN_MILS.1,
        _ => source.starts_with("data:") && source.len() >= PAGE_PICTURE_MIN_DATA_BYTES,
    }
}

/// How many elements are open at the deepest place, counted without parsing.
fn nesting_of(source: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0usize);
    for (at, _) in source.match_indices('<') {
        let tag = &source[at + 1..];
        let closes = tag.starts_with('/');
        let name = tag.strip_prefix('/').unwrap_or(tag);
        let end = name.bytes().take(24).take_while(u8::is_ascii_alphanumeric).count();
        let name = &name[..end];
        if !name.starts_with(|first: char| first.is_ascii_alphabetic())
            || NOT_NESTING.iter().any(|known| known.eq_ignore_ascii_case(name))
        {
            continue;
        }
        depth = if closes { depth.saturating_sub(1) } else { depth + 1 };
        deepest = deepest.max(depth);
    }
    deepest
}

/// Whether a page was opened and never closed, as of a copy that broke off.
fn is_cut(source: &str) -> bool {
    let lowered = source.to_ascii_lowercase();
    let opened = lowered.contains("<html") || lowered.contains("<body");
    opened && !lowered.contains("</html") && !lowered.contains("</body")
}

fn step(depth: &mut usize, opens: bool) {
    *depth = if opens { *depth + 1 } else { depth.saturating_sub(1) };
}

/// How an element's own name and attributes have its content seen.
fn treatment_of(element: &Element) -> Treatment {
    let name = element.name();
    if UNSEEN.contains(&name) || name == "ix:header" || name == "ix:hidden" {
        return Treatment::Unseen;
    }
    if STRUCK.contains(&name) {
        return Treatment::Struck;
    }
    if element.attr("hidden").is_some() {
        return Treatment::Hidden;
    }
    Treatment::Shown
}

/// Whether an element raises or lowers its content, as the mark of a footnote is raised.
fn is_off_the_line(element: &Element) -> bool {
    let by_style = |style: &str| {
        declarations(style).iter().any(|(property, value)| {
            property == "vertical-align" && matches!(value.as_str(), "super" | "sub" | "text-top")
        })
    };
    matches!(element.name(), "sup" | "sub") || element.attr("style").is_some_and(by_style)
}

/// The encoding that a `meta` element near the start, or an XML declaration, declares.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(CHARSET_WITHIN_BYTES)]).to_ascii_lowercase();
    let (_, behind) = head.split_once("charset=").or_else(|| head.split_once("encoding="))?;
    let label: String = behind
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':'))
        .collect();
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::styles::{MATCHES_MAX_COUNT, RULES_MAX_COUNT};
    use super::*;

    #[test]
    fn blocks_are_lines_and_cells_are_tabs() {
        let rows = [
            ("<p>one</p><p>two</p>", "one\ntwo"),
            ("<div>one<br>two</div>", "one\ntwo"),
            ("<p>one\n  two</p>", "one two"),
            ("<table><tr><td>Rent</td><td>$</td><td>5</td></tr><tr><td>x</td></tr></table>", "Rent\t$\t5\nx"),
            ("<table><tr><td><p>Rent</p><p>due</p></td><td>$5</td></tr></table>", "Rent due\t$5"),
            ("<pre>a\nb</pre>", "a\nb"),
            ("<p>1<sup>st</sup> day</p>", "1st day"),
            ("<p>$5250<sup>1</sup> a month</p>", "$5250 1 a month"),
            ("<p>$5,250.00<sup><a>1</a></sup>0</p>", "$5,250.00 1 0"),
            ("<p>$525<span style='vertical-align: super'>1</span>, due</p>", "$525 1, due"),
            ("<p>June 1<sup>2</sup>, 2020</p>", "June 1 2, 2020"),
            ("<p>$5,250<sup>75</sup> a month</p>", "$5,250\u{2077}\u{2075} a month"),
            ("<p>5 m<sup>2</sup> of CO<sub>2</sub></p>", "5 m2 of CO2"),
            ("<p>$5<b>250</b></p>", "$5250"),
            ("<p>a</p><script>var b</script><style>c</style><p>d</p>", "a\nd"),
            ("<p>rent <s>$5</s> $6</p>", "rent $6"),
            ("<p>rent <span style='text-decoration: line-through'>$5</span> $6</p>", "rent $6"),
            ("<p>a<span style=\"DISPLAY : none\">b</span></p>", "a"),
            ("<p>rent <strike>$5</strike> <del>$6</del> $7</p>", "rent $7"),
            ("<p>rent <span style='text-decoration:underline line-through red'>$5</span> $6</p>", "rent $6"),
            ("<p>a<b style='visibility: hidden !important'>b</b><i hidden>c</i></p>", "a"),
            (
                "<p>a<b style='font-size:0'>b</b><i style='opacity: 0.0'>c</i><u style='opacity:.5'>d</u></p>",
                "ad",
            ),
            ("<p>a<!-- rent $5 --><template>b</template>c</p>", "ac"),
            ("<p>rent <u>$5</u> <ins>a month</ins></p>", "rent $5 a month"),
            ("<style>.old, P.x > s1 {text-decoration:line-through}</style><p>a<b class='old'>b</b></p>", "a"),
            (
                "<style>/* .c{display:none} */ #gone { display: none }</style><p class=c>a<b id=gone>b</b></p>",
                "a",
            ),
            (
                "<style>@media print { .s { display: none } } .t{color:red}</style><p class=s>a<b class=t>b</b></p>",
                "ab",
            ),
            ("<style>@charset 'x'; p:hover{display:none} td{display:none</style><p>a</p><td>b", "a\nb"),
            (
                "Rent <input value='$5'> a <select><option>month<option selected>year</select>",
                "Rent $5 a year",
            ),
            ("<select><option>month<option>year</select><input type=hidden value=b>", "month"),
            ("<input type=checkbox checked> a <input type=radio> b", "\u{2612} a \u{2610} b"),
            ("<textarea>a</textarea><noscript>b</noscript>", "a"),
            ("<p>Smith &amp; Co&nbsp;&ldquo;Tenant&rdquo;</p>", "Smith & Co \"Tenant\""),
        ];
        for (source, expected) in rows {
            assert_eq!(read(source.as_bytes()).lined(), expected, "{source}");
        }
    }

    #[test]
    fn the_encoding_is_the_one_that_can_be_right() {
        let wide: Vec<u8> =
            "\u{feff}<meta charset=utf-8><p>\u{20ac}5".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let rows: &[(&str, &[u8], &str)] = &[
            ("declared", b"<html><meta charset=\"iso-8859-2\"><p>\xa3\xf3d\xbc</p>", "\u{141}\u{f3}d\u{17a}"),
            (
                "declared for old readers",
                b"<meta http-equiv=content-type content=\"text/html; charset=iso-8859-2\"><p>\xa3",
                "\u{141}",
            ),
            ("declared as XML", b"<?xml version=\"1.0\" encoding=\"iso-8859-2\"?><html><p>\xa3", "\u{141}"),
            (
                "declared as UTF-8, which it is not",
                b"<html><meta charset=utf-8><p>\x93Tenant\x94</p>",
                "\"Tenant\"",
            ),
            (
                "Windows-1252 under the name of Latin-1",
                b"<meta charset=iso-8859-1><p>\x80\x35 \x93a\x94",
                "\u{20ac}5 \"a\"",
            ),
            ("Windows-1252 under the name of ASCII", b"<meta charset=us-ascii><p>\x80\x35", "\u{20ac}5"),
            (
                "UTF-8 under the name of Latin-1",
                "<meta charset=iso-8859-1><p>\u{20ac}5".as_bytes(),
                "\u{20ac}5",
            ),
            (
                "a mark outranks what is declared",
                "\u{feff}<meta charset=iso-8859-2><p>\u{20ac}5".as_bytes(),
                "\u{20ac}5",
            ),
            ("UTF-16 with a mark", &wide, "\u{20ac}5"),
            ("UTF-16 without one", &wide[2..], "\u{20ac}5"),
        ];
        for (case, bytes, expected) in rows {
            assert_eq!(read(bytes).lined(), *expected, "{case}");
        }
    }

    #[test]
    fn what_casts_doubt_is_noted() {
        use DoubtKind::{
            AttachedFiles, DamagedFile, FormFieldsNotRead, HiddenText, LooksOtherwise, PicturesWithoutText,
            TrackedChanges,
        };
        let prose = "The pictures stand beside enough text. ".repeat(10);
        let data = "A".repeat(PAGE_PICTURE_MIN_DATA_BYTES);
        let rows: Vec<(String, Option<DoubtKind>)> = vec![
            ("<p>rent <s>$5</s> $6".to_owned(), None),
            ("<p>rent <del>$5</del> <ins>$6</ins>".to_owned(), Some(TrackedChanges)),
            ("<p>rent <ins> </ins> $6".to_owned(), None),
            ("<p>a<b style='display:none'>rent $5</b>".to_owned(), Some(HiddenText)),
            ("<p>a<b style='display:none'>menu</b>".to_owned(), None),
            ("<div style='display:none'><ix:header>5</ix:header><script>6</script></div>".to_owned(), None),
            ("<style>.x{display:none}</style><p class=x>May 1, 2020".to_owned(), Some(HiddenText)),
            ("<img src=a.jpg><img src=b.jpg>page 1".to_owned(), Some(PicturesWithoutText)),
            (format!("<img src=logo.png width=120 height=60>{prose}"), None),
            (format!("<img src=banner.png width=800 height=90>{prose}"), None),
            (format!("<img src=a.png width=816 height=1056>{prose}"), Some(PicturesWithoutText)),
            (format!("<img src=a.png style='width:6.5in;height:8in'>{prose}"), Some(PicturesWithoutText)),
            (format!("<img src=a.png width=816 height=1056 alt='Site plan'>{prose}"), None),
            (format!("<img src='data:image/png;base64,{data}'>{prose}"), Some(PicturesWithoutText)),
            (format!("<div style='display:none'><img width=816 height=1056></div>{prose}"), None),
            (format!("{prose} rent $<img src=1.png width=9 height=12>5,250.00"), Some(PicturesWithoutText)),
            (format!("{prose} rent <img src=1.png width=9 height=12>5,250.00"), Some(PicturesWithoutText)),
            (format!("{prose} <img src=logo.png width=9 height=12> Rent 5,250.00"), None),
            ("<html><p>rent $5</p><p>10. Correc".to_owned(), Some(DamagedFile)),
            ("<html><p>rent $5</p></html>".to_owned(), None),
            ("<p>rent $5</p><iframe src=rider.htm></iframe>".to_owned(), Some(AttachedFiles)),
            ("<p>rent $5</p><object data=rider.pdf></object>".to_owned(), Some(AttachedFiles)),
            ("<p>rent $5</p><embed src=rider.pdf>".to_owned(), Some(AttachedFiles)),
            ("<p>rent $5</p><script>track()</script>".to_owned(), None),
            ("<p>rent $5</p><script>document.write('$6')</script>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='color:#fff'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='color:rgb(250, 250, 250)'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='color:rgba(0,0,0,0)'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <font color=white>$5</font>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='color:#000'>$5</b>".to_owned(), None),
            ("<p>rent <b style='color:white'>due</b>".to_owned(), None),
            ("<table bgcolor=#003366><tr><td style='color:white'>Year 1</table>".to_owned(), None),
            ("<p style='background:#036'><b style='color:#ffffff'>Year 1</b>".to_owned(), None),
            ("<style>.w{color:white}</style><p>rent <b class=w>$5</b>".to_owned(), Some(LooksOtherwise)),
            (
                "<style>@media all{.h{display:none}}</style><p>rent <b class=h>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            ("<style>@media print{.h{display:none}}</style><p>rent <b class=h>$5</b>".to_owned(), None),
            (
                "<style>.b::before{content:'1'}</style><p>rent $<b class=b></b>5".to_owned(),
                Some(LooksOtherwise),
            ),
            (r"<style>.b:before{content:'\f101'}</style><p>rent <b class=b></b>$5".to_owned(), None),
            ("<p>rent <b style='position:absolute;left:-9999px'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='position:absolute;margin-left:144pt'>$5</b>".to_owned(), None),
            ("<p>rent <b style='clip-path:inset(100%)'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='transform:scale(0)'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='max-height:0;overflow:hidden'>$5</b>".to_owned(), Some(LooksOtherwise)),
            (
                "<p>rent <b style='background:linear-gradient(#000,#000)'>$5</b>".to_owned(),
                Some(LooksOtherwise),
            ),
            ("<p>rent $<bdo dir=rtl>05</bdo>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <input value='4,750.00'> a month".to_owned(), Some(FormFieldsNotRead)),
            ("<p>ends <input type=date value=2029-02-28>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent <input placeholder='$4,750'>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent <input> <input value='a month'>".to_owned(), None),
            ("<p>rent <input type=hidden value='4,750.00'>".to_owned(), None),
            ("<p>rent <input type=button value='Pay 4,750.00'>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent <textarea>4,750.00</textarea>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent <output>4,750.00</output>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent <textarea></textarea>".to_owned(), None),
            ("<p>rent <button>$6</button>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent <b contenteditable>$<i>6</i></b>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent <b contenteditable=false>$6</b>".to_owned(), None),
            ("<p>rent $5<object><p>or $6</p></object>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <select><option>$5<option>$6</select>".to_owned(), Some(FormFieldsNotRead)),
            ("<p>rent $5 <select><option>a month<option>a year</select>".to_owned(), None),
            ("<div style='display:none'><input value=5></div><p>a".to_owned(), None),
            ("<style>body::before{content:'DRAFT'}</style><p>rent $5".to_owned(), Some(LooksOtherwise)),
            ("<style>:root:after{content:\"not signed\"}</style><p>rent".to_owned(), Some(LooksOtherwise)),
            (
                "<style>p::after{content:attr(data-x)}</style><p data-x=6>rent".to_owned(),
                Some(LooksOtherwise),
            ),
            (
                "<style>li::marker{content:'VOID '}</style><ul><li>rent $5</ul>".to_owned(),
                Some(LooksOtherwise),
            ),
            ("<ul style='list-style-type:\"VOID \"'><li>rent $5</ul>".to_owned(), Some(LooksOtherwise)),
            ("<ul style='list-style-type:\"- \"'><li>rent $5</ul>".to_owned(), None),
            ("<ul style='list-style:disc'><li>rent $5</ul>".to_owned(), None),
            ("<style>p::first-line{color:white}</style><p>$5 is due".to_owned(), Some(LooksOtherwise)),
            ("<style>p:first-letter{font-size:0}</style><p>$5 is due".to_owned(), Some(LooksOtherwise)),
            ("<style>p::first-letter{font-size:3em;float:left;color:#903}</style><p>5 is".to_owned(), None),
            ("<style>b{content:'6'}</style><p>rent <b>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent $5<svg><text>$6</text></svg>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent $5<svg><path d='M5 6'/></svg>".to_owned(), None),
            ("<p>rent $5<svg><style>.a1{}</style><title>Logo 6</title></svg>".to_owned(), None),
            ("<p>rent <math><mn>6</mn></math>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent $5</p><script>c.fillText('VOID',1,1)</script>".to_owned(), Some(LooksOtherwise)),
            (
                "<p>rent $<b style='unicode-bidi:bidi-override;direction:rtl'>05</b>".to_owned(),
                Some(LooksOtherwise),
            ),
            ("<style>a{b:c}}</style><p>rent $5".to_owned(), None),
            ("<style>}p{}</style><p>rent $5".to_owned(), None),
            ("<style>a;}</style><p>rent $5".to_owned(), None),
            ("<style>é}</style><p>rent $5".to_owned(), None),
            ("<style>}b{display:none}</style><p>rent <b>$5</b>".to_owned(), Some(HiddenText)),
            (
                "<style>.h{display:none}</style><p>rent <b class=h style='transform:scale(1)'>$5</b>"
                    .to_owned(),
                Some(HiddenText),
            ),
            (
                "<style>.h{display:none}.w{color:white}</style><p>rent <b class='h w'>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            ("<style>.h{transform:none}.h{color:red}</style><p>rent <b class=h>$5</b>".to_owned(), None),
            (
                "<style>.x:before,.h{content:'1';display:none}</style><p>rent <b class=h>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            (
                "<style>.x:before,.h{display:none}</style><p>rent <b class=h>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            ("<style>.x:before,.h{display:none}</style><p>rent <b class=x>$5</b>".to_owned(), None),
            ("<style>::after{content:'1'}</style><p>rent $5".to_owned(), Some(LooksOtherwise)),
            (
                r#"<style>.b:before{content:'\31'}</style><p>rent <b class=b></b>5"#.to_owned(),
                Some(LooksOtherwise),
            ),
            ("<style>.b:before{content:''}</style><p>rent <b class=b></b>5".to_owned(), None),
            (
                format!("<p style='transform:scale(0)'>{prose}{prose}{prose}{prose} rent $5"),
                Some(LooksOtherwise),
            ),
            (format!("<p style='display:none'>{prose}{prose}{prose}{prose} rent $5"), Some(HiddenText)),
            (format!("<p style='display:none'>{prose}{prose}{prose}{prose}"), None),
            (format!("<p><ins>{prose}{prose}{prose}{prose}</ins>"), Some(TrackedChanges)),
            (
                "<p style='background-color: rgb(255, 255, 255)'><b style='color:#fff'>$5</b>".to_owned(),
                Some(LooksOtherwise),
            ),
            (
                "<p style='background:#fff no-repeat'><b style='color:#fff'>$5</b>".to_owned(),
                Some(LooksOtherwise),
            ),
            (
                "<p style='background:no-repeat 0 0'><b style='color:#fff'>$5</b>".to_owned(),
                Some(LooksOtherwise),
            ),
            (
                "<table bgcolor=#003366><tr><td bgcolor=white style='color:white'>$5</table>".to_owned(),
                Some(LooksOtherwise),
            ),
            ("<table bgcolor=white><tr><td bgcolor=navy style='color:white'>$5</table>".to_owned(), None),
            (
                "<table bgcolor=navy><tr><td style='background:transparent;color:white'>$5</table>"
                    .to_owned(),
                None,
            ),
            ("<style>.d{background:#036;color:#fff}</style><p class=d>rent $5".to_owned(), None),
            ("<body bgcolor=black text=white><p>rent $5</body>".to_owned(), None),
            (
                "<style>@media not print{.h{display:none}}</style><p>rent <b class=h>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            (
                "<style>@MEDIA all{.h{display:none}}</style><p>rent <b class=h>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            (
                "<style>@layer a{.h{display:none}}</style><p>rent <b class=h>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            (
                "<style>@media all{@font-face{src:x}.h{display:none}}</style><p>rent <b class=h>$5</b>"
                    .to_owned(),
                Some(HiddenText),
            ),
            (
                "<style>@container (width){.h{display:none}}</style><p>rent <b class=h>$5</b>".to_owned(),
                Some(HiddenText),
            ),
            ("<style>[title=x]{display:none}</style><p>rent <b title=x>$5</b>".to_owned(), Some(HiddenText)),
            ("<style>i+b{display:none}</style><p>rent <i></i><b>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p style='background:black'>rent $5".to_owned(), Some(LooksOtherwise)),
            ("<p style='background:#c00;color:#cc0000'>rent $5".to_owned(), Some(LooksOtherwise)),
            ("<p style='color:#666'>rent $5".to_owned(), None),
            ("<p style='color:hsl(0,0%,100%)'>rent $5".to_owned(), Some(LooksOtherwise)),
            ("<p style='color:hsl(0,0%,10%)'>rent $5".to_owned(), None),
            ("<p style='color:rgb(100%,100%,100%)'>rent $5".to_owned(), Some(LooksOtherwise)),
            ("<p style='color:rgba(0,0,0,.05)'>rent $5".to_owned(), Some(LooksOtherwise)),
            ("<p style='color:oklch(1 0 0)'>rent $5".to_owned(), Some(LooksOtherwise)),
            ("<p style='color:oklch(1 0 0)'>rent is due".to_owned(), None),
            ("<p style='color:inherit'>rent $5".to_owned(), None),
            ("<p style='color:currentcolor'>rent $5".to_owned(), None),
            ("<p style='color:initial'>rent $5".to_owned(), None),
            ("<p style='color:windowtext'>rent $5".to_owned(), None),
            ("<p style='color:auto'>rent $5".to_owned(), None),
            ("<p style='color:darkslategray'>rent $5".to_owned(), None),
            ("<p style='color:003366'>rent $5".to_owned(), None),
            (
                "<p style='background:black;color:white'><b style='color:initial'>$5".to_owned(),
                Some(LooksOtherwise),
            ),
            ("<p style='text-indent:-0.25in;margin-left:-5pt'>rent $5".to_owned(), None),
            ("<p>rent <b style='position:absolute;left:-999px'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='position:absolute;left:-20in'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent <b style='position:absolute;left:-100%'>$5</b>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent $5</p><script>e.textContent='6'</script>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent $5</p><script>e.innerText='6'</script>".to_owned(), Some(LooksOtherwise)),
            ("<p>rent $5</p><script>e.outerHTML='6'</script>".to_owned(), Some(LooksOtherwise)),
            (
                "<p>rent $5</p><script>e.insertAdjacentHTML('beforeend','6')</script>".to_owned(),
                Some(LooksOtherwise),
            ),
            (format!("<p>{prose} Suite 5</p><p><img src=a.png>"), None),
            (format!("<p>{prose}</p><p><img src=logo.png></p><p>1. Premises"), None),
            (format!("<table><tr><td>{prose} 5<td><img src=a.png><td>6</table>"), None),
            (format!("<p>{prose} Suite 5<img src=a.png>"), Some(PicturesWithoutText)),
            (
                format!("<div style='background:url(a.png);width:816px;height:1056px'>{prose}</div>"),
                Some(PicturesWithoutText),
            ),
            (
                format!("<div style='background-image:url(data:image/png;base64,{data})'>{prose}</div>"),
                Some(PicturesWithoutText),
            ),
            (format!("<div style='background:url(a.png);width:816px;height:90px'>{prose}</div>"), None),
            ("<p>rent $<b style='float:right'>0</b>5".to_owned(), Some(LooksOtherwise)),
            (format!("<div style='float:left'>rent $5 {prose}</div>"), None),
            ("<style>.f{float:right}</style><p>rent $<b class=f>0</b>5".to_owned(), Some(LooksOtherwise)),
        ];
        for (source, expected) in rows {
            let shown: String = source.chars().take(90).collect();
            let text = read(source.as_bytes());
            assert_eq!(text.doubts().gravest().map(|doubt| doubt.kind), expected, "{shown}");
        }
    }

    #[test]
    fn words_that_only_styles_and_drawings_hold_stand_beside_the_text() {
        let rows = [
            (
                "<style>body::before{content:'Draft - not for signature'}</style><p>a",
                "DRAFT - NOT FOR SIGNATURE",
            ),
            (r#"<style>p:after{content:"\44 raft"}</style><p>a"#, "DRAFT"),
            ("<style>p:after{content:'\u{2022}'}</style><p>a", ""),
            ("<p>a<svg><text>SPECIMEN</text></svg>", "SPECIMEN"),
            ("<p style='display:none'>a<svg><text>SPECIMEN</text></svg>", ""),
            ("<p>a<script>SPECIMEN</script>", ""),
        ];
        for (source, expected) in rows {
            assert_eq!(read(source.as_bytes()).margins().trim(), expected, "{source}");
        }
    }

    #[test]
    fn more_rules_than_are_followed_are_for_a_person() {
        let rules = |rule: &str, count: usize| format!("<style>{}</style><p class=c>a", rule.repeat(count));
        let hides = ".c { display: none }\n";
        assert!(!read(rules(hides, RULES_MAX_COUNT).as_bytes()).is_truncated());
        assert!(read(rules(hides, RULES_MAX_COUNT + 1).as_bytes()).is_truncated());
        let elements = "<i></i>".repeat(MATCHES_MAX_COUNT / RULES_MAX_COUNT);
        assert!(read((rules(hides, RULES_MAX_COUNT) + &elements).as_bytes()).is_truncated());
        // The sheet of a framework is long, and little of it is used.
        for framework in [
            ".modal.fade { transform: none; height: 0; color: #fff }\n",
            ".c { margin: 0 }\n",
            "p:hover { top: 0 }\n",
        ] {
            let text = read((rules(framework, RULES_MAX_COUNT * 4) + "$5" + &elements).as_bytes());
            assert!(!text.is_truncated() && text.doubts().gravest().is_none(), "{framework}");
        }
        let nested = format!("<style>{}p{{}}", "@media all{".repeat(NESTING_MAX_DEPTH));
        assert!(read(nested.as_bytes()).is_truncated());
        assert!(read(b"<style>p{b{display:none}}</style><p>$<b>5</b>6").is_truncated());
    }

    #[test]
    fn hostile_pages_are_read_to_their_end() {
        let nested = "<b style='color:red;transform:none'>$5".repeat(NESTING_MAX_DEPTH);
        let floated = "<b style='float:left;background:red'>".repeat(NESTING_MAX_DEPTH) + "5";
        let beside = "<i class=a></i>".repeat(20_000);
        let long = format!("<style>.a ~ .a{{color:red}} :has(.a){{color:red}}</style>{beside}");
        for source in [nested, floated, long] {
            assert!(!read(source.as_bytes()).is_truncated(), "{}", &source[..30]);
        }
    }

    #[test]
    fn deep_nesting_is_walked_without_recursion() {
        let mut source = "<div>".repeat(NESTING_MAX_DEPTH);
        source.push_str("deep");
        assert_eq!(read(source.as_bytes()).lined(), "deep");
        let deeper = format!("<div>{source}");
        assert!(read(deeper.as_bytes()).is_truncated(), "deeper nesting is not parsed");
    }
}
