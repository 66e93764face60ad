//! JSON that is deep, wide, or says a thing twice.

use super::{Bomb, REVIEW, REVIEW_OR_REJECTED, sized};
use crate::support::dice::Dice;

/// The kinds.
pub const BOMBS: &[Bomb] = &[
    Bomb { name: "json: deep lists", make: |dice| nested(dice, "[", "]"), ends: REVIEW },
    Bomb { name: "json: deep objects", make: |dice| nested(dice, "{\"a\":", "}"), ends: REVIEW },
    Bomb {
        name: "json: lists that never end",
        make: |dice| "[".repeat(sized(dice, 2, 1 << 20)).into_bytes(),
        ends: REVIEW_OR_REJECTED,
    },
    Bomb {
        name: "json: deep evidence",
        make: |dice| with(dice, |dice| format!("\"evidence\":{}", deep_list(dice))),
        ends: REVIEW,
    },
    Bomb {
        name: "json: a number of many digits",
        make: |dice| with(dice, |dice| format!("\"term_months\":{}", "9".repeat(sized(dice, 20, 1 << 20)))),
        ends: REVIEW,
    },
    Bomb { name: "json: a rent of many digits", make: rent, ends: REVIEW },
    Bomb {
        name: "json: an exponent",
        make: |dice| {
            with(dice, |dice| {
                format!("\"area\":{{\"size\":1e{},\"unit\":\"acres\"}}", "9".repeat(sized(dice, 2, 400)))
            })
        },
        ends: REVIEW,
    },
    Bomb { name: "json: a member twice", make: twice, ends: REVIEW },
    Bomb {
        name: "json: a member many times",
        make: |dice| {
            with(dice, |dice| {
                "\"tenant_name\":\"Moss LLC\","
                    .repeat(sized(dice, 2, 50_000))
                    .trim_end_matches(',')
                    .to_owned()
            })
        },
        ends: REVIEW,
    },
    Bomb { name: "json: members without end", make: |dice| with(dice, many_members), ends: REVIEW },
    Bomb {
        name: "json: members of the sender without end",
        make: |dice| with(dice, |dice| many_members(dice).replace("\"m", "\"x_m")),
        ends: REVIEW_OR_COMMITTED,
    },
    Bomb {
        name: "json: a giant name",
        make: |dice| {
            with(dice, |dice| format!("\"landlord_name\":\"{}\"", "x".repeat(sized(dice, 1_000, 1 << 20))))
        },
        ends: REVIEW,
    },
    Bomb {
        name: "json: half a character",
        make: |dice| with(dice, |_| "\"landlord_name\":\"\\ud800\"".to_owned()),
        ends: REVIEW,
    },
    Bomb { name: "json: steps without end", make: |dice| with(dice, many_steps), ends: REVIEW },
    Bomb {
        name: "json: lists side by side",
        make: |dice| format!("[{}[]]", "[],".repeat(sized(dice, 1, 1 << 18))).into_bytes(),
        ends: REVIEW,
    },
];

/// A member that nobody reads changes nothing.
const REVIEW_OR_COMMITTED: &[&str] = &["Review", "Committed"];

/// A sound abstraction with further members.
fn with(dice: &mut Dice, members: impl FnOnce(&mut Dice) -> String) -> Vec<u8> {
    format!(
        "{{\"property_id\":\"BOMB-{}\",\"tenant_name\":\"Fern LLC\",\"base_rent\":{{\"amount\":5000.00,\"period\":\"monthly\",\
         \"currency\":\"USD\"}},\"lease_start\":\"2024-03-01\",\"lease_end\":\"2029-02-28\",{}}}",
        dice.roll(u64::MAX),
        members(dice)
    )
    .into_bytes()
}

fn nested(dice: &mut Dice, opening: &str, closing: &str) -> Vec<u8> {
    let levels = sized(dice, 100, 200_000);
    format!("{}\"x\"{}", opening.repeat(levels), closing.repeat(levels)).into_bytes()
}

fn deep_list(dice: &mut Dice) -> String {
    let levels = sized(dice, 2, 10_000);
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

fn rent(dice: &mut Dice) -> Vec<u8> {
    let digits = "9".repeat(sized(dice, 29, 1 << 18));
    let rent = dice.one_of(&["N", "N.00", "0.N", "NeN", "-N"]).replace('N', &digits);
    String::from_utf8(with(dice, |_| "\"premises\":\"x\"".to_owned()))
        .unwrap()
        .replacen("5000.00", &rent, 1)
        .into_bytes()
}

fn twice(dice: &mut Dice) -> Vec<u8> {
    let member = dice.one_of(&[
        "\"tenant_name\":\"Moss LLC\"",
        "\"ten\\u0061nt_name\":\"Moss LLC\"",
        "\"base_rent\":{\"amount\":1,\"period\":\"monthly\",\"currency\":\"USD\"}",
        "\"lease_end\":\"2030-02-28\"",
        "\"property_id\":\"X\"",
        "\"security_deposit\":{\"amount\":1,\"amount\":2,\"currency\":\"USD\"}",
    ]);
    with(dice, |_| member.to_owned())
}

fn many_members(dice: &mut Dice) -> String {
    let members: Vec<_> =
        (0..sized(dice, 100, 50_000)).map(|number| format!("\"m{number}\":{number}")).collect();
    members.join(",")
}

fn many_steps(dice: &mut Dice) -> String {
    let step = "{\"label\":\"x\",\"rent\":{\"amount\":5000.00,\"period\":\"monthly\",\"currency\":\"USD\"}}";
    format!("\"rent_schedule\":[{}]", vec![step; sized(dice, 49, 10_000)].join(","))
}
