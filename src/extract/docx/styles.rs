//! Styles: which text Word shows struck out or hides, by style, by what a style is based on, and by default.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::{DocxFault, Node, attribute, is_on, walk_xml, word_name};
use crate::extract::colour::{Colour, Paint};

/// Most styles of a document. Word itself knows some four hundred.
const STYLES_MAX_COUNT: usize = 20_000;
/// Longest chain of styles, each based on the next, in styles. Word allows eleven.
const STYLES_MAX_DEPTH: usize = 32;

/// From how far off its line on text is raised or lowered for its own sake, in half-points. Converters move text by
/// less to fit it.
const MOVED_MIN_HALF_POINTS: i32 = 4;

/// Properties that decide whether text is seen, and whether on its line; `None` where one is not said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Look {
    strike: Option<bool>,
    double_strike: Option<bool>,
    vanish: Option<bool>,
    off_the_line: Option<bool>,
    moved: Option<bool>,
    ink: Option<Paint>,
    /// Laid over the shading.
    highlight: Option<Paint>,
    shading: Option<Paint>,
    tiny: Option<bool>,
}

/// Size up to which nobody reads text, in half-points.
const TINY_MAX_HALF_POINTS: u32 = 6;

/// Colours of a marker that Word names otherwise than CSS does.
const MARKERS: &[(&str, &str)] = &[
    ("green", "00ff00"),
    ("darkblue", "000080"),
    ("darkcyan", "008080"),
    ("darkgreen", "008000"),
    ("darkmagenta", "800080"),
    ("darkred", "800000"),
    ("darkyellow", "808000"),
    ("darkgray", "808080"),
    ("lightgray", "c0c0c0"),
];

/// A colour of text or of a pattern: six hexadecimal digits, or none of its own.
fn paint_of(value: &str) -> Paint {
    match value {
        "" | "auto" => Paint::AsAround,
        digits => Colour::of_hex(digits).map_or(Paint::Unknown, Paint::Of),
    }
}

/// The colour of a marker, by its name.
fn marker_of(name: &str) -> Paint {
    let name = name.to_ascii_lowercase();
    let own = MARKERS.iter().find(|(known, _)| *known == name).and_then(|(_, digits)| Colour::of_hex(digits));
    match name.as_str() {
        "" | "none" => Paint::AsAround,
        name => own.or_else(|| Colour::of_name(name)).map_or(Paint::Unknown, Paint::Of),
    }
}

/// The ground that a shading lays: its fill, under as much of the pattern's own colour as the pattern covers.
pub(super) fn ground_of(shading: &BytesStart<'_>) -> Paint {
    let of = |name: &str| attribute(shading, name).unwrap_or_default();
    let pattern = of("val");
    let percent = match pattern.as_str() {
        "solid" => 100,
        "nil" => return Paint::AsAround,
        pattern => pattern.strip_prefix("pct").and_then(|percent| percent.parse().ok()).unwrap_or_default(),
    };
    let fill = paint_of(&of("fill"));
    if percent == 0 {
        return fill;
    }
    let pattern = match paint_of(&of("color")) {
        Paint::Of(colour) => colour.thinned_to(percent),
        Paint::AsAround => Colour::BLACK.thinned_to(percent),
        Paint::Unknown => return Paint::Unknown,
    };
    match fill {
        Paint::Of(fill) => Paint::Of(pattern.over(fill)),
        Paint::AsAround => Paint::Of(pattern.over(Colour::WHITE)),
        Paint::Unknown => Paint::Unknown,
    }
}

impl Look {
    /// Names of the properties.
    pub(super) fn knows(name: &str) -> bool {
        Self::takes_away(name)
            || matches!(name, "vertAlign" | "position" | "color" | "highlight" | "shd" | "sz")
    }

    /// Names of those that take text away.
    pub(super) fn takes_away(name: &str) -> bool {
        matches!(name, "strike" | "dstrike" | "vanish")
    }

    /// Takes one property over.
    pub(super) fn set(&mut self, name: &str, element: &BytesStart<'_>) {
        let on = Some(is_on(element));
        match name {
            "strike" => self.strike = on,
            "dstrike" => self.double_strike = on,
            "vanish" => self.vanish = on,
            "vertAlign" => {
                let value = attribute(element, "val");
                self.off_the_line = Some(value.is_some_and(|value| value != "baseline"));
            }
            "position" => {
                let moved = attribute(element, "val").and_then(|value| value.parse::<i32>().ok());
                self.moved = Some(moved.is_some_and(|moved| {
                    moved.checked_abs().is_some_and(|moved| moved >= MOVED_MIN_HALF_POINTS)
                }));
            }
            "color" => self.ink = Some(paint_of(&attribute(element, "val").unwrap_or_default())),
            "highlight" => self.highlight = Some(marker_of(&attribute(element, "val").unwrap_or_default())),
            "shd" => self.shading = Some(ground_of(element)),
            "sz" => {
                let size = attribute(element, "val").and_then(|value| value.parse::<u32>().ok());
                self.tiny = Some(size.is_some_and(|size| size <= TINY_MAX_HALF_POINTS));
            }
            _ => {}
        }
    }

    /// Whether it says anything of text that is taken away.
    pub(super) fn says_something(self) -> bool {
        [self.strike, self.double_strike, self.vanish].iter().any(Option::is_some)
    }

    fn or(self, base: Self) -> Self {
        Self {
            strike: self.strike.or(base.strike),
            double_strike: self.double_strike.or(base.double_strike),
            vanish: self.vanish.or(base.vanish),
            off_the_line: self.off_the_line.or(base.off_the_line),
            moved: self.moved.or(base.moved),
            ink: self.ink.or(base.ink),
            highlight: self.highlight.or(base.highlight),
            shading: self.shading.or(base.shading),
            tiny: self.tiny.or(base.tiny),
        }
    }
}

/// How a run is seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) struck: bool,
    pub(super) hidden: bool,
    /// Raised or lowered, as the mark of a footnote is raised.
    pub(super) off_the_line: bool,
    /// As small as dust.
    pub(super) tiny: bool,
    /// The colour of its own, if it has one.
    pub(super) ink: Option<Paint>,
    /// The ground of its own, if it has one.
    pub(super) ground: Option<Paint>,
}

impl Seen {
    /// Whether a reader sees it.
    pub(super) fn is_shown(self) -> bool {
        !self.struck && !self.hidden
    }

    /// Whether it is told apart from its ground, which is that of what stands around where it has none of its own.
    pub(super) fn is_told_apart(self, around: Option<Paint>) -> bool {
        match (self.ink, self.ground.or(around)) {
            (Some(Paint::Unknown), _) | (_, Some(Paint::Unknown)) => false,
            (Some(Paint::Of(ink)), Some(Paint::Of(ground))) => ink.is_seen_on(ground),
            (Some(Paint::Of(ink)), _) => ink.is_seen_on(Colour::WHITE),
            // Word writes text of no colour in white where the paragraph or the cell is dark.
            _ => match self.ground {
                Some(Paint::Of(ground)) => Colour::BLACK.is_seen_on(ground),
                _ => true,
            },
        }
    }
}

/// Where a paragraph is counted: the list and, where it is said, the level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ListPlace {
    pub(super) list: Option<String>,
    pub(super) level: Option<usize>,
}

impl ListPlace {
    /// Takes over what an element within `numPr` says.
    pub(super) fn set(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "numId" => self.list = attribute(element, "val"),
            "ilvl" => self.level = attribute(element, "val").and_then(|level| level.parse().ok()),
            _ => {}
        }
    }
}

#[derive(Debug, Default)]
struct Style {
    based_on: Option<String>,
    look: Look,
    place: ListPlace,
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct Styles {
    defaults: Look,
    styles: HashMap<String, Style>,
    default_paragraph: Option<String>,
    default_character: Option<String>,
}

impl Styles {
    /// Reads the part that defines them.
    pub(super) fn of(source: &str) -> Result<Self, DocxFault> {
        let mut styles = Self::default();
        let mut path: Vec<String> = Vec::new();
        let mut current: Option<(String, Style)> = None;
        walk_xml(source, |node| {
            match node {
                Node::Open(vocabulary, element) => {
                    let name = word_name(vocabulary, element);
                    let within = |tail: &[&str]| {
                        path.len() >= tail.len()
                            && path[path.len() - tail.len()..].iter().zip(tail).all(|(a, b)| a == b)
                    };
                    if name == "style" {
                        let id = attribute(element, "styleId").unwrap_or_default();
                        if attribute(element, "default").is_some_and(|value| value == "1" || value == "true")
                        {
                            match attribute(element, "type").as_deref() {
                                Some("paragraph") => styles.default_paragraph = Some(id.clone()),
                                Some("character") => styles.default_character = Some(id.clone()),
                                _ => {}
                            }
                        }
                        current = Some((id, Style::default()));
                    } else if let Some((_, style)) = &mut current {
                        if name == "basedOn" && within(&["style"]) {
                            style.based_on = attribute(element, "val");
                        } else if within(&["style", "rPr"]) {
                            style.look.set(&name, element);
                        } else if within(&["style", "pPr", "numPr"]) {
                            style.place.set(&name, element);
                        }
                    } else if within(&["docDefaults", "rPrDefault", "rPr"]) {
                        styles.defaults.set(&name, element);
                    }
                    path.push(name);
                }
                Node::Close => {
                    if path.pop().is_some_and(|name| name == "style")
                        && let Some((id, style)) = current.take()
                    {
                        if styles.styles.len() >= STYLES_MAX_COUNT {
                            return Err(DocxFault::TooLarge);
                        }
                        styles.styles.insert(id, style);
                    }
                }
                Node::Text(_) => {}
            }
            Ok(())
        })?;
        Ok(styles)
    }

    /// A style and those that it is based on, the nearest first.
    fn chain<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = (&'a str, &'a Style)> {
        let mut next = id;
        std::iter::from_fn(move || {
            let id = next?;
            let style = self.styles.get(id)?;
            next = style.based_on.as_deref();
            Some((id, style))
        })
        .take(STYLES_MAX_DEPTH)
    }

    fn look(&self, id: Option<&str>) -> Look {
        self.chain(id).fold(Look::default(), |look, (_, style)| look.or(style.look))
    }

    /// How a run is seen. What stands at the run itself counts; else a property that is a toggle is on where the
    /// defaults say so, or where one of paragraph style and character style does and the other does not.
    pub(super) fn seen(&self, paragraph: Option<&str>, run: Option<&str>, direct: Look) -> Seen {
        let paragraph = self.look(paragraph.or(self.default_paragraph.as_deref()));
        let run = self.look(run.or(self.default_character.as_deref()));
        let toggle = |of: fn(&Look) -> Option<bool>| {
            of(&direct).unwrap_or_else(|| {
                let by_default = of(&self.defaults).unwrap_or_default();
                by_default || of(&paragraph).unwrap_or_default() != of(&run).unwrap_or_default()
            })
        };
        let all = direct.or(run).or(paragraph).or(self.defaults);
        Seen {
            struck: toggle(|look| look.strike) || all.double_strike.unwrap_or_default(),
            hidden: toggle(|look| look.vanish),
            off_the_line: all.off_the_line.unwrap_or_default() || all.moved.unwrap_or_default(),
            tiny: all.tiny.unwrap_or_default(),
            ink: all.ink.filter(|paint| *paint != Paint::AsAround),
            ground: [all.highlight, all.shading]
                .into_iter()
                .flatten()
                .find(|paint| *paint != Paint::AsAround),
        }
    }

    /// Where a paragraph of a style is counted, and the style that says so.
    pub(super) fn place<'a>(&'a self, paragraph: Option<&'a str>) -> Option<(&'a str, &'a ListPlace)> {
        self.chain(paragraph.or(self.default_paragraph.as_deref()))
            .find(|(_, style)| style.place.list.is_some())
            .map(|(id, style)| (id, &style.place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(content: &str) -> Styles {
        Styles::of(&format!(
            "<w:styles xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">{content}</w:styles>"
        ))
        .expect("the test's own styles")
    }

    #[test]
    fn what_is_said_nearest_counts_and_toggles_cancel_out() {
        let sheet = styles(
            "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"/>\
             <w:style w:type=\"paragraph\" w:styleId=\"Old\"><w:rPr><w:strike/></w:rPr></w:style>\
             <w:style w:type=\"paragraph\" w:styleId=\"Older\"><w:basedOn w:val=\"Old\"/></w:style>\
             <w:style w:type=\"paragraph\" w:styleId=\"Again\"><w:basedOn w:val=\"Older\"/><w:rPr><w:strike w:val=\"0\"/></w:rPr></w:style>\
             <w:style w:type=\"character\" w:styleId=\"Gone\"><w:rPr><w:strike/><w:rFonts/></w:rPr></w:style>\
             <w:style w:type=\"character\" w:styleId=\"Twice\"><w:rPr><w:dstrike/></w:rPr></w:style>\
             <w:style w:type=\"character\" w:styleId=\"Note\"><w:rPr><w:vanish/></w:rPr></w:style>\
             <w:style w:type=\"character\" w:styleId=\"A\"><w:basedOn w:val=\"B\"/></w:style>\
             <w:style w:type=\"character\" w:styleId=\"B\"><w:basedOn w:val=\"A\"/></w:style>\
             <w:style w:type=\"table\" w:styleId=\"T\"><w:tblStylePr><w:rPr><w:strike/></w:rPr></w:tblStylePr></w:style>",
        );
        let on = Look { strike: Some(true), ..Look::default() };
        let off = Look { strike: Some(false), ..Look::default() };
        let rows = [
            ("nothing", None, None, Look::default(), (false, false)),
            ("the paragraph's", Some("Old"), None, Look::default(), (true, false)),
            ("inherited", Some("Older"), None, Look::default(), (true, false)),
            ("taken back", Some("Again"), None, Look::default(), (false, false)),
            ("the run's", None, Some("Gone"), Look::default(), (true, false)),
            ("both", Some("Old"), Some("Gone"), Look::default(), (false, false)),
            ("at the run", None, None, on, (true, false)),
            ("not at the run", Some("Old"), None, off, (false, false)),
            ("two lines", Some("Old"), Some("Twice"), Look::default(), (true, false)),
            ("hidden", None, Some("Note"), Look::default(), (false, true)),
            ("in a circle", None, Some("A"), Look::default(), (false, false)),
            ("unknown", Some("X"), Some("Y"), Look::default(), (false, false)),
            ("for some cells", Some("T"), None, Look::default(), (false, false)),
        ];
        for (case, paragraph, run, direct, (struck, hidden)) in rows {
            assert_eq!(
                sheet.seen(paragraph, run, direct),
                Seen { struck, hidden, ..Seen::default() },
                "{case}"
            );
        }
        let struck =
            styles("<w:docDefaults><w:rPrDefault><w:rPr><w:strike/></w:rPr></w:rPrDefault></w:docDefaults>");
        assert!(struck.seen(None, None, Look::default()).struck, "by default");
        assert!(!struck.seen(None, None, off).struck, "not at the run, whatever the default");
    }
}
