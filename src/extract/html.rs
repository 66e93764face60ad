//! HTML: a walk over the parsed tree. A line per block and table row, a tab per cell; what a reader does
//! not see (scripts, hidden or struck-out text) is left out.

use encoding_rs::Encoding;
use scraper::{Html, Node, node::Element};

use super::text::{SourceText, SourceTextBuilder};

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
    "script", "style", "noscript", "template", "title", "svg", "math", "object", "iframe", "select",
    "textarea",
];
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
    let (source, _) = super::plain::decode(bytes, declared_encoding(bytes));
    if nesting_of(&source) > NESTING_MAX_DEPTH {
        // The parser's time grows with the square of the depth.
        let mut builder = SourceTextBuilder::default();
        builder.give_up();
        return builder.finish();
    }
    let document = Html::parse_document(&source);
    let mut walk = Walk::default();
    // A loop and not a recursion: the nesting of a hostile document has no limit, the stack has one.
    let mut node = document.tree.root();
    loop {
        walk.visit(node.value(), true);
        if let Some(child) = node.first_child() {
            node = child;
            continue;
        }
        loop {
            walk.visit(node.value(), false);
            if let Some(sibling) = node.next_sibling() {
                node = sibling;
                break;
            }
            match node.parent() {
                Some(parent) if !walk.builder.is_full() => node = parent,
                _ => return walk.builder.finish(),
            }
        }
    }
}

/// The walk's state: the text so far and how deep it is in elements that matter.
#[derive(Default)]
struct Walk {
    builder: SourceTextBuilder,
    unseen_depth: usize,
    cell_depth: usize,
    preformatted_depth: usize,
}

impl Walk {
    fn visit(&mut self, node: &Node, opens: bool) {
        match node {
            Node::Text(text) if opens && self.unseen_depth == 0 => {
                if self.preformatted_depth > 0 && self.cell_depth == 0 {
                    self.builder.push_lined(text);
                } else {
                    self.builder.push_flowing(text);
                }
            }
            Node::Element(element) => self.visit_element(element, opens),
            _ => {}
        }
    }

    fn visit_element(&mut self, element: &Element, opens: bool) {
        let name = element.name();
        if is_unseen(element) {
            step(&mut self.unseen_depth, opens);
        } else if matches!(name, "td" | "th") {
            self.builder.break_cell();
            step(&mut self.cell_depth, opens);
        } else if name == "tr" {
            self.builder.break_line();
        } else if name == "pre" {
            self.builder.break_line();
            step(&mut self.preformatted_depth, opens);
        } else if BLOCKS.contains(&name) {
            if self.cell_depth == 0 {
                self.builder.break_line();
            } else {
                // A cell stays on its row's line, however many blocks it holds.
                self.builder.push_flowing(" ");
            }
        }
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

fn step(depth: &mut usize, opens: bool) {
    *depth = if opens { *depth + 1 } else { depth.saturating_sub(1) };
}

/// Whether a reader does not see the element's content, or sees it struck out.
fn is_unseen(element: &Element) -> bool {
    let name = element.name();
    if UNSEEN.contains(&name) || STRUCK.contains(&name) || name.starts_with("ix:hidden") {
        return true;
    }
    element.attr("style").is_some_and(|style| {
        let style: String = style.chars().filter(|character| !character.is_whitespace()).collect();
        let style = style.to_ascii_lowercase();
        [
            "display:none",
            "visibility:hidden",
            "text-decoration:line-through",
            "text-decoration-line:line-through",
        ]
        .iter()
        .any(|hidden| style.contains(hidden))
    })
}

/// The encoding that a `meta` element near the start declares.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(CHARSET_WITHIN_BYTES)]).to_ascii_lowercase();
    let (_, behind) = head.split_once("charset=")?;
    let label: String = behind
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':'))
        .collect();
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
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
            ("<p>a</p><script>var b</script><style>c</style><p>d</p>", "a\nd"),
            ("<p>rent <s>$5</s> $6</p>", "rent $6"),
            ("<p>rent <span style='text-decoration: line-through'>$5</span> $6</p>", "rent $6"),
            ("<p>a<span style=\"DISPLAY : none\">b</span></p>", "a"),
            ("<p>Smith &amp; Co&nbsp;&ldquo;Tenant&rdquo;</p>", "Smith & Co \"Tenant\""),
        ];
        for (source, expected) in rows {
            assert_eq!(read(source.as_bytes()).lined(), expected, "{source}");
        }
    }

    #[test]
    fn the_declared_encoding_is_used_where_it_can_be_right() {
        let latin2 = b"<html><meta charset=\"iso-8859-2\"><p>\xa3\xf3d\xbc</p>";
        assert_eq!(read(latin2).lined(), "\u{141}\u{f3}d\u{17a}");
        let lying = b"<html><meta charset=utf-8><p>\x93Tenant\x94</p>";
        assert_eq!(read(lying).lined(), "\"Tenant\"");
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
