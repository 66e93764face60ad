//! HTML that is deep, endless, or asks for what is dear to do.

use super::{Bomb, REVIEW_OR_CRASH, WORDS, sized};
use crate::support::dice::Dice;

/// The kinds.
pub const BOMBS: &[Bomb] = &[
    Bomb { name: "html: deep blocks", make: |dice| nested(dice, "<div>", "</div>"), ends: REVIEW_OR_CRASH },
    Bomb {
        name: "html: deep blocks that are left open",
        make: |dice| nested(dice, "<div>", ""),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "html: deep marks", make: |dice| nested(dice, "<b><i>", ""), ends: REVIEW_OR_CRASH },
    Bomb {
        name: "html: marks that close in the wrong order",
        make: |dice| nested(dice, "<b><p><i>", "</b></p></i>"),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "html: deep tables",
        make: |dice| nested(dice, "<table><tr><td>", ""),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "html: deep lists", make: |dice| nested(dice, "<ul><li>", ""), ends: REVIEW_OR_CRASH },
    Bomb { name: "html: deep drawings", make: |dice| nested(dice, "<svg><g>", ""), ends: REVIEW_OR_CRASH },
    Bomb { name: "html: deep templates", make: |dice| nested(dice, "<template>", ""), ends: REVIEW_OR_CRASH },
    Bomb {
        name: "html: a giant attribute",
        make: |dice| page("", &format!("<p title=\"{}\">{WORDS}", "x".repeat(sized(dice, 1_000, 4 << 20)))),
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "html: attributes without end", make: many_attributes, ends: REVIEW_OR_CRASH },
    Bomb { name: "html: cells that span the world", make: spans, ends: REVIEW_OR_CRASH },
    Bomb {
        name: "html: a table without end",
        make: |dice| {
            page(
                "",
                &format!(
                    "{WORDS}<table>{}",
                    "<tr><td>2020</td><td>$1.00</td></tr>".repeat(sized(dice, 100, 40_000))
                ),
            )
        },
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "html: a row without end",
        make: |dice| {
            page("", &format!("{WORDS}<table><tr>{}", "<td>$1.00".repeat(sized(dice, 100, 100_000))))
        },
        ends: REVIEW_OR_CRASH,
    },
    Bomb { name: "html: rules without end", make: many_rules, ends: REVIEW_OR_CRASH },
    Bomb {
        name: "html: a selector without end",
        make: |dice| {
            page(
                &format!("{}p{{display:none}}", "p ".repeat(sized(dice, 10, 100_000))),
                &nested_body(WORDS, 500),
            )
        },
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "html: brackets in a rule",
        make: |dice| page(&format!("{}{{display:none}}", ":not(".repeat(sized(dice, 10, 50_000))), WORDS),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "html: entities without end",
        make: |dice| {
            page(
                "",
                &format!("{WORDS}{}", "&amp&#x41;&#xD800;&NotEqualTilde;".repeat(sized(dice, 10, 50_000))),
            )
        },
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "html: a remark that never ends",
        make: |dice| page("", &format!("<!--{}", WORDS.repeat(sized(dice, 1, 5_000)))),
        ends: REVIEW_OR_CRASH,
    },
    Bomb {
        name: "html: pictures without end",
        make: |dice| {
            page(
                "",
                &format!("{WORDS}{}", "<img width=999999 height=1e99 src=x>".repeat(sized(dice, 10, 50_000))),
            )
        },
        ends: REVIEW_OR_CRASH,
    },
];

fn page(style: &str, body: &str) -> Vec<u8> {
    format!("<!DOCTYPE html><html><head><style>{style}</style></head><body>{body}").into_bytes()
}

fn nested_body(words: &str, levels: usize) -> String {
    format!("{}{words}", "<p><span>".repeat(levels))
}

fn nested(dice: &mut Dice, opening: &str, closing: &str) -> Vec<u8> {
    let levels = sized(dice, 100, 100_000);
    page("", &format!("{}{WORDS}{}", opening.repeat(levels), closing.repeat(levels)))
}

fn many_attributes(dice: &mut Dice) -> Vec<u8> {
    let attributes: String = (0..sized(dice, 100, 20_000)).map(|number| format!(" a{number}=x")).collect();
    page("", &format!("<p{attributes}>{WORDS}"))
}

fn spans(dice: &mut Dice) -> Vec<u8> {
    let span = dice.one_of(&["1000000000", "4294967295", "99999999999999999999", "-1", "1e9"]);
    let cell = format!("<td colspan={span} rowspan={span}>$1.00</td>");
    page(
        "",
        &format!("{WORDS}<table>{}", format!("<tr>{}</tr>", cell.repeat(10)).repeat(sized(dice, 1, 1_000))),
    )
}

fn many_rules(dice: &mut Dice) -> Vec<u8> {
    let rules: String = (0..sized(dice, 100, 5_000))
        .map(|number| format!("div .c{number} > p, p.c{number}{{display:none}}"))
        .collect();
    page(&rules, &format!("{WORDS}{}", "<div><p class=c7>x</p></div>".repeat(sized(dice, 100, 20_000))))
}
