//! From glyphs with positions to lines and cells.

use crate::extract::doubt;
use crate::extract::text::SourceTextBuilder;

/// A glyph on the page: origin from the top left, width and size in points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) size: f64,
    pub(super) text: String,
}

/// A line of marks on one baseline.
struct Line {
    baseline: f64,
    size: f64,
    marks: Vec<Mark>,
}

/// How far from a baseline, in sizes of the smaller letter, a mark still belongs to the line: raised ordinals do.
const BASELINE_REACH_SIZES: f64 = 0.35;
/// A gap from which a space is meant, in sizes.
pub(super) const WORD_GAP_SIZES: f64 = 0.17;
/// A gap from which another column or cell is meant, in sizes.
const CELL_GAP_SIZES: f64 = 1.6;
/// How near, in sizes, the same letter is printed again to make it bold.
const DOUBLE_STRIKE_SIZES: f64 = 0.15;

/// Puts the marks of one page into lines and writes them out, leaving page numbers away.
pub(super) fn lay_out(mut marks: Vec<Mark>, builder: &mut SourceTextBuilder) {
    marks.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut lines: Vec<Line> = Vec::new();
    for mark in marks {
        match lines.last_mut() {
            Some(line)
                if (mark.y - line.baseline).abs()
                    < BASELINE_REACH_SIZES * mark.size.min(line.size).max(1.0) =>
            {
                line.size = line.size.max(mark.size);
                line.marks.push(mark);
            }
            _ => lines.push(Line { baseline: mark.y, size: mark.size, marks: vec![mark] }),
        }
    }
    let mut texts: Vec<String> = lines.into_iter().map(|line| line_text(line.marks)).collect();
    texts.retain(|text| !text.trim().is_empty());
    // A page number between two halves of a sentence is no part of it.
    if texts.last().is_some_and(|text| is_page_number(text)) {
        texts.pop();
    }
    if texts.first().is_some_and(|text| is_page_number(text)) {
        texts.remove(0);
    }
    for text in texts {
        builder.push_lined(&text);
        builder.break_line();
    }
}

pub(super) fn line_text(mut marks: Vec<Mark>) -> String {
    marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut text = String::new();
    let mut last: Option<&Mark> = None;
    for mark in &marks {
        if let Some(before) = last {
            let struck_twice = before.text == mark.text
                && (before.x - mark.x).abs() < DOUBLE_STRIKE_SIZES * mark.size
                && !mark.text.trim().is_empty();
            if struck_twice {
                continue;
            }
            let gap = mark.x - (before.x + before.width);
            if gap > CELL_GAP_SIZES * mark.size {
                text.push('\t');
            } else if gap > WORD_GAP_SIZES * mark.size {
                text.push(' ');
            }
        }
        text.push_str(&mark.text);
        // A space is no place to measure the next gap from: cells are often parted by a wide gap after one.
        last = Some(mark);
    }
    text
}

/// Whether the few words on a page say that its picture is a drawing, which changes no figure.
pub(super) fn is_captioned_plan(marks: &[Mark]) -> bool {
    doubt::captions_a_drawing(&line_text(marks.to_vec()))
}

fn is_page_number(line: &str) -> bool {
    let line = line.trim().trim_matches(['-', '\u{2013}', '\u{2014}', ' ']);
    let digits = line.strip_prefix("Page ").map_or(line, |rest| rest.split(' ').next().unwrap_or(rest));
    !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks_of(words: &[(f64, f64, &str)]) -> Vec<Mark> {
        words
            .iter()
            .flat_map(|&(x, y, word)| {
                word.chars().enumerate().map(move |(index, character)| Mark {
                    x: x + 5.0 * f64::from(u32::try_from(index).expect("short")),
                    y,
                    width: 5.0,
                    size: 10.0,
                    text: character.to_string(),
                })
            })
            .collect()
    }

    fn laid_out(marks: Vec<Mark>) -> String {
        let mut builder = SourceTextBuilder::default();
        lay_out(marks, &mut builder);
        builder.finish().lined().to_owned()
    }

    #[test]
    fn marks_become_words_lines_and_cells() {
        type Words = &'static [(f64, f64, &'static str)];
        let rows: &[(&str, Words, &str)] = &[
            ("words", &[(0.0, 0.0, "the"), (18.0, 0.0, "rent")], "the rent"),
            ("one word in two runs", &[(0.0, 0.0, "ten"), (15.0, 0.0, "ant")], "tenant"),
            ("lines in order", &[(0.0, 20.0, "two"), (0.0, 0.0, "one")], "one\ntwo"),
            ("cells", &[(0.0, 0.0, "Rent"), (100.0, 0.0, "$5")], "Rent\t$5"),
            ("raised ordinal", &[(0.0, 10.0, "1"), (5.0, 7.0, "st"), (18.0, 10.0, "day")], "1st day"),
            ("struck twice", &[(0.0, 0.0, "A"), (0.5, 0.0, "A")], "A"),
            ("page number", &[(0.0, 0.0, "text"), (50.0, 700.0, "-12-")], "text"),
        ];
        for (case, words, expected) in rows {
            assert_eq!(laid_out(marks_of(words)), *expected, "{case}");
        }
    }
}
