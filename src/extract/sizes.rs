//! Sizes of pictures, as styles give them, in thousandths of an inch: exact, so that none is a float.

use rust_decimal::Decimal;

/// Thousandths of an inch in an inch.
pub const INCH_MILS: u64 = 1_000;

/// What a number without a unit means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    /// Pixels, as in HTML.
    Pixels,
    /// Units of something else, so that nothing is known.
    Unknown,
}

/// A length, as far as its unit has a size of its own.
pub fn mils(length: &str, bare: Bare) -> Option<u64> {
    let (number, unit) = number_and_unit(length)?;
    // Hundredths of a unit in an inch: a centimetre has no whole number of them otherwise.
    let hundredths_per_inch = match unit {
        "" if bare == Bare::Unknown => return None,
        "" | "px" => 9_600,
        "pt" => 7_200,
        "pc" => 600,
        "in" => 100,
        "cm" => 254,
        "mm" => 2_540,
        _ => return None,
    };
    let inches = number.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(Decimal::from(hundredths_per_inch))?;
    u64::try_from(inches.checked_mul(Decimal::from(INCH_MILS))?.round()).ok()
}

/// Whether a length or a share is nothing, in whatever unit.
pub fn is_nothing(value: &str) -> bool {
    number_and_unit(value).is_some_and(|(number, _)| number.is_zero())
}

/// A length as its number and its unit.
pub fn number_and_unit(value: &str) -> Option<(Decimal, &str)> {
    let value = value.trim();
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let number = value[..end].trim_end_matches('.');
    let number = number.strip_prefix('.').map_or(number.to_owned(), |part| format!("0.{part}"));
    Some((number.parse().ok()?, value[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_in_every_unit_that_has_a_size() {
        let rows = [
            ("816", Bare::Pixels, Some(8_500)),
            ("816", Bare::Unknown, None),
            ("816px", Bare::Unknown, Some(8_500)),
            ("612pt", Bare::Unknown, Some(8_500)),
            (" 8.5in ", Bare::Unknown, Some(8_500)),
            ("2.54cm", Bare::Unknown, Some(1_000)),
            ("25.4mm", Bare::Unknown, Some(1_000)),
            ("6pc", Bare::Unknown, Some(1_000)),
            (".5in", Bare::Unknown, Some(500)),
            ("100%", Bare::Pixels, None),
            ("5em", Bare::Pixels, None),
            ("-5px", Bare::Pixels, None),
            ("auto", Bare::Pixels, None),
            ("", Bare::Pixels, None),
            ("99999999999999999999999999999px", Bare::Pixels, None),
        ];
        for (length, bare, expected) in rows {
            assert_eq!(mils(length, bare), expected, "{length} {bare:?}");
        }
        for (value, expected) in
            [("0", true), ("0.0", true), ("0px", true), (".0", true), (".5", false), ("x", false)]
        {
            assert_eq!(is_nothing(value), expected, "{value}");
        }
    }
}
