//! Counts and ratios, with what few documents prove.

use rust_decimal::Decimal;
use serde::Serialize;

use super::reading::{FieldReading, Verdict};

/// How sure the bound beside a ratio is, as the probability of being misled.
const MISLED_PROBABILITY: f64 = 0.05;

/// A part of a whole, in counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ratio {
    /// The part.
    pub count: usize,
    /// The whole.
    pub of: usize,
}

impl Ratio {
    /// In percent, with one digit behind the point; `None` of nothing.
    pub fn percent(self) -> Option<Decimal> {
        let ratio = Decimal::from(self.count).checked_div(Decimal::from(self.of))?;
        Some((ratio * Decimal::from(100)).round_dp(1))
    }

    /// What the true ratio is at least, in percent, with nineteen chances in twenty: few documents prove little.
    pub fn at_least_percent(self) -> Option<Decimal> {
        (self.of > 0).then(|| {
            let (mut low, mut high) = (0.0f64, 1.0f64);
            // The least probability under which so many are right no more rarely than that.
            for _ in 0..60 {
                let middle = low.midpoint(high);
                if probability_of_at_least(self.count, self.of, middle) < MISLED_PROBABILITY {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Decimal::try_from(low * 100.0).unwrap_or_default().round_dp(1)
        })
    }
}

/// Chance that at least `count` of `of` independent trials succeed.
fn probability_of_at_least(count: usize, of: usize, success: f64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    // Logarithms, since the powers of a small number leave the range of a float.
    let chosen = |k: usize| -> f64 { (1..=k).map(|i| ((of - k + i) as f64 / i as f64).ln()).sum() };
    let mut log_ways = chosen(count);
    let mut sum = 0.0;
    for k in count..=of {
        let fails = of - k;
        let log_fails = if fails == 0 { 0.0 } else { fails as f64 * (1.0 - success).ln() };
        sum += (log_ways + k as f64 * success.ln() + log_fails).exp();
        log_ways += (fails as f64 / (k + 1) as f64).ln();
    }
    sum
}

impl Serialize for Ratio {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown {
            count: usize,
            of: usize,
            percent: Option<String>,
            at_least_percent: Option<String>,
        }
        let text = |percent: Option<Decimal>| percent.map(|percent| percent.to_string());
        Shown {
            count: self.count,
            of: self.of,
            percent: text(self.percent()),
            at_least_percent: text(self.at_least_percent()),
        }
        .serialize(serializer)
    }
}

/// Counts of one field, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Right values.
    pub right: usize,
    /// Wrong values where there is a right one.
    pub wrong: usize,
    /// Values where the right answer is none.
    pub given_against: usize,
    /// Of the wrong values of both kinds, those that the labels warned of.
    pub tempted: usize,
    /// No value though there is one.
    pub missed: usize,
    /// No value where that is as good.
    pub left_out: usize,
    /// No value, rightly.
    pub abstained: usize,
    /// Right values among those that the document gives.
    pub(super) right_of_answerable: usize,
}

impl Counts {
    pub(super) fn add(&mut self, reading: &FieldReading, verdict: Verdict) {
        match verdict {
            Verdict::Right => {
                self.right += 1;
                self.right_of_answerable += usize::from(reading.expected.is_answerable);
            }
            Verdict::Wrong => self.wrong += 1,
            Verdict::GivenAgainst => self.given_against += 1,
            Verdict::Missed => self.missed += 1,
            Verdict::LeftOut => self.left_out += 1,
            Verdict::Abstained => self.abstained += 1,
        }
        let is_mistake = matches!(verdict, Verdict::Wrong | Verdict::GivenAgainst);
        let is_tempting = reading.answer.as_ref().is_some_and(|answer| answer.is_tempting);
        self.tempted += usize::from(is_mistake && is_tempting);
    }

    /// Right values of all that were given.
    pub fn precision(&self) -> Ratio {
        Ratio { count: self.right, of: self.right + self.wrong + self.given_against }
    }

    /// Right values of all that the documents give; what may be left out counts only where a value was given.
    pub fn coverage(&self) -> Ratio {
        Ratio { count: self.right_of_answerable, of: self.right_of_answerable + self.wrong + self.missed }
    }
}
