//! What casts doubt on a document although its words could be read: none of it is dropped in silence.
//!
//! Readers of formats note it on the text; [`LeaseExtractor::read`](super::LeaseExtractor::read) sends the
//! document to review for it.

use serde::Serialize;

use crate::lease::{PASSAGE_MAX_CHARS, bounded};

/// Most passages that are kept of one kind of doubt.
const PASSAGES_MAX_COUNT: usize = 12;
/// Fewest letters of a word that can be a name's.
const NAME_MIN_LETTERS: usize = 3;

/// A kind of doubt, the gravest first: the first that a document has is its reason for review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    /// Parts of the file are lost.
    DamagedFile,
    /// Insertions and deletions that nobody accepted or rejected, or comments that nobody took out.
    TrackedChanges,
    /// A line is drawn through text, so that it is not certain what still counts.
    StruckOutText,
    /// Figures stand in the file that nobody sees.
    HiddenText,
    /// Figures stand in the file that the page shows elsewhere, otherwise, or not at all.
    LooksOtherwise,
    /// Pictures are large enough to hold text.
    PicturesWithoutText,
    /// Other files are attached to the document.
    AttachedFiles,
    /// Fields of a form, or notes on it, hold what is not drawn on the page.
    FormFieldsNotRead,
    /// Boxes to be checked decide which figures count.
    CheckBoxes,
    /// Figures stand across the direction of the page's text.
    RotatedText,
    /// Figures of a scan are written by hand.
    Handwriting,
}

impl DoubtKind {
    /// The reason's code.
    pub fn code(self) -> &'static str {
        match self {
            Self::DamagedFile => "damaged_file",
            Self::TrackedChanges => "tracked_changes",
            Self::StruckOutText => "struck_out_text",
            Self::HiddenText => "hidden_text",
            Self::LooksOtherwise => "looks_otherwise",
            Self::PicturesWithoutText => "pictures_without_text",
            Self::AttachedFiles => "attached_files",
            Self::FormFieldsNotRead => "form_fields_not_read",
            Self::CheckBoxes => "check_boxes",
            Self::RotatedText => "rotated_text",
            Self::Handwriting => "handwriting",
        }
    }

    /// One sentence for a person: what is there and what to do.
    pub fn detail(self) -> &'static str {
        match self {
            Self::DamagedFile => "The file is damaged and parts of it are lost: upload it again.",
            Self::TrackedChanges => {
                "The document holds changes that were neither accepted nor rejected, or comments; it is shown with \
                 all changes accepted: upload what was signed, without changes and comments."
            }
            Self::StruckOutText => {
                "Text of the document is struck out, and was not read: upload a clean copy of what counts."
            }
            Self::HiddenText => {
                "The file holds figures that nobody sees on the page, and that were not read: upload a copy without \
                 them, or with them in sight."
            }
            Self::LooksOtherwise => {
                "The file shows figures otherwise than it holds them, by colour, place or order: print it to a PDF \
                 and upload that, or a person must compare them."
            }
            Self::PicturesWithoutText => {
                "The document shows pictures that are large enough to hold text, which is not read: a person \
                 must look at them."
            }
            Self::AttachedFiles => {
                "Files are attached to the document, which are not read and may change it: upload what counts."
            }
            Self::FormFieldsNotRead => {
                "Fields of the form or notes on it hold what the page does not draw as text: print it to a \
                 PDF and upload that, or a person must read it."
            }
            Self::CheckBoxes => {
                "Boxes to be checked decide which figures of the document count: upload a JSON abstraction of those \
                 that are checked."
            }
            Self::RotatedText => {
                "Amounts stand across the direction of a page's text, and were not read: a person must look at them."
            }
            Self::Handwriting => {
                "Amounts on the scan are written by hand and may change what is printed: a person must look at them."
            }
        }
    }
}

/// What was found of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doubt {
    /// The kind.
    pub kind: DoubtKind,
    /// Passages that show it, bounded in number and length.
    pub passages: Vec<String>,
}

/// All doubts about one document, a kind once, the gravest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Doubts(Vec<Doubt>);

impl Doubts {
    /// Notes a doubt with a passage that shows it; a kind that is known already gains the passage.
    pub fn note(&mut self, kind: DoubtKind, passage: &str) {
        let at = match self.0.binary_search_by_key(&kind, |doubt| doubt.kind) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, Doubt { kind, passages: Vec::new() });
                at
            }
        };
        let passages = &mut self.0[at].passages;
        let passage = bounded(passage.trim(), PASSAGE_MAX_CHARS);
        if !passage.is_empty() && passages.len() < PASSAGES_MAX_COUNT && !passages.contains(&passage) {
            passages.push(passage);
        }
    }

    /// Takes over what was found elsewhere in the same document.
    pub fn extend(&mut self, other: &Self) {
        for doubt in &other.0 {
            self.note(doubt.kind, "");
            for passage in &doubt.passages {
                self.note(doubt.kind, passage);
            }
        }
    }

    /// All of them, the gravest first.
    pub fn all(&self) -> impl Iterator<Item = &Doubt> {
        self.0.iter()
    }

    /// The gravest.
    pub fn gravest(&self) -> Option<&Doubt> {
        self.0.first()
    }

    /// What was found of a kind.
    pub fn of(&self, kind: DoubtKind) -> Option<&Doubt> {
        self.0.iter().find(|doubt| doubt.kind == kind)
    }
}

/// Whether a text can hold a value of an abstraction: a figure, a date or a name.
pub fn can_hold_a_value(text: &str) -> bool {
    let is_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().filter(|character| character.is_alphabetic()).count() >= NAME_MIN_LETTERS
    };
    holds_a_figure(text) || text.split(|character: char| !character.is_alphanumeric()).any(is_name)
}

/// Whether a text holds a figure of any kind.
pub fn holds_a_figure(text: &str) -> bool {
    text.contains(|character: char| character.is_ascii_digit())
}

/// Whether a character is a part of a figure, so that what stands beside it may be another.
pub fn is_of_a_figure(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '$' | '\u{20ac}' | '\u{a3}')
}

/// Whether words say that the picture beside them is a drawing, which changes no figure.
pub fn captions_a_drawing(words: &str) -> bool {
    let words = words.to_lowercase();
    ["floor plan", "site plan", "plot plan", "map"].iter().any(|caption| words.contains(caption))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [DoubtKind; 11] = [
        DoubtKind::DamagedFile,
        DoubtKind::TrackedChanges,
        DoubtKind::StruckOutText,
        DoubtKind::HiddenText,
        DoubtKind::LooksOtherwise,
        DoubtKind::PicturesWithoutText,
        DoubtKind::AttachedFiles,
        DoubtKind::FormFieldsNotRead,
        DoubtKind::CheckBoxes,
        DoubtKind::RotatedText,
        DoubtKind::Handwriting,
    ];

    #[test]
    fn the_gravest_comes_first_and_each_is_bounded() {
        let mut doubts = Doubts::default();
        assert_eq!(doubts.gravest(), None);
        for kind in KINDS.into_iter().rev() {
            for passage in 0..PASSAGES_MAX_COUNT * 2 {
                doubts.note(kind, &format!("{passage} {}", "long ".repeat(PASSAGE_MAX_CHARS)));
            }
            doubts.note(kind, " ");
        }
        assert_eq!(doubts.gravest().map(|doubt| doubt.kind), Some(DoubtKind::DamagedFile));
        for kind in KINDS {
            let doubt = doubts.of(kind).expect("it was noted");
            assert_eq!(doubt.passages.len(), PASSAGES_MAX_COUNT);
            assert!(doubt.passages.iter().all(|passage| passage.chars().count() <= PASSAGE_MAX_CHARS));
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.code());
            assert!(kind.detail().ends_with('.'));
        }
    }

    #[test]
    fn words_that_can_be_values_are_told_from_others() {
        let rows = [
            ("$5,000.00", true),
            ("May 1", true),
            ("five thousand dollars", false),
            ("Larkspur Cycles", true),
            ("the Tenant", true),
            ("of the premises", false),
            ("A", false),
            ("", false),
        ];
        for (text, expected) in rows {
            assert_eq!(can_hold_a_value(text), expected, "{text}");
        }
    }
}
