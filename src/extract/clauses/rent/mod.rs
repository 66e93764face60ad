//! Base rent: rows of rent tables, and amounts with a period in running text.
//!
//! The best single check is arithmetic: an annual figure that is twelve times a monthly one beside it
//! proves both and their periods. Without it a figure counts only with its own period next to it.

use crate::extract::clauses::{CANDIDATES_MAX_COUNT, Candidate, Reading};
use crate::extract::money::FoundAmount;
use crate::lease::{BaseRent, DocumentKind, RentPeriod, RentStep};
use crate::posting::Confidence;
use jiff::civil::Date;
use rust_decimal::Decimal;

mod running;
mod table;
mod words;

use running::from_running_text;
pub(in crate::extract) use table::SPACE_LABEL;
use table::{from_table, tables};

/// Smallest monthly figure that counts as a rent, in units of the currency: rates for an area are smaller, and
/// they too are twelve times each other.
pub(in crate::extract) const RENT_MIN_UNITS: i64 = 100;

/// The most for a first step far below the next: a rent that is partly abated, and not the first full one.
const PARTLY_ABATED_LIMIT: Confidence = Confidence::percent(75);

/// Longest row of a table, in bytes; longer lines are running text.
const ROW_MAX_BYTES: usize = 400;

/// The most for a figure whose surroundings speak of another charge.
const OTHER_CHARGE_LIMIT: Confidence = Confidence::percent(45);

/// The rent as found.
#[derive(Debug, Default)]
pub struct Rent {
    /// Rent of the first fully paid period.
    pub base: Vec<Candidate<Figures>>,
    /// The steps of the table from which the best of them comes.
    pub schedule: Vec<RentStep>,
}

/// Monthly and annual rent are one fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// The rent as it is to be posted.
    pub rent: BaseRent,
    /// The same for twelve months, for comparing.
    pub yearly: Decimal,
    /// First day of the first step, where a table gives one.
    pub first_day: Option<Date>,
    /// First day of a step before it for which nothing is paid.
    pub free_from: Option<Date>,
    /// Last day of the last step, where a table gives one.
    pub last_day: Option<Date>,
    /// Amounts of the later steps, for twelve months: a figure elsewhere that equals one of them does not contradict.
    pub later_yearly: Vec<Decimal>,
}

impl Figures {
    /// Figures of a rent without a table around it.
    pub fn of(rent: BaseRent) -> Self {
        let yearly = yearly(&rent);
        Self { rent, yearly, first_day: None, free_from: None, last_day: None, later_yearly: Vec::new() }
    }

    /// Whether this is the same rent, to a unit for the rounding of twelfths.
    pub fn is_same_rent(&self, rent: &BaseRent) -> bool {
        self.rent.currency == rent.currency && (self.yearly - yearly(rent)).abs() <= Decimal::ONE
    }

    /// Whether two figures state the same rent, to a unit for the rounding of twelfths.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let near = |a: Decimal, b: Decimal| (a - b).abs() <= Decimal::ONE;
        self.rent.currency == other.rent.currency
            && (near(self.yearly, other.yearly)
                || self.later_yearly.iter().any(|later| near(*later, other.yearly))
                || other.later_yearly.iter().any(|later| near(*later, self.yearly)))
    }
}

fn yearly(rent: &BaseRent) -> Decimal {
    match rent.period {
        RentPeriod::Annual => rent.amount,
        RentPeriod::Monthly => rent.amount.checked_mul(Decimal::from(12)).unwrap_or(Decimal::MAX),
    }
}

/// Proposes rents.
pub fn propose(reading: &Reading<'_>, kind: DocumentKind) -> Rent {
    let amounts = reading.amounts();
    let mut rent = Rent::default();
    let tables = tables(reading, amounts);
    let mut best = Confidence::ZERO;
    for table in &tables {
        let Some(candidate) = from_table(reading, table, kind) else { continue };
        if candidate.confidence > best {
            best = candidate.confidence;
            rent.schedule = table
                .iter()
                .map(|row| RentStep {
                    start: row.first_day,
                    end: row.last_day,
                    label: row.label.clone(),
                    rent: row.rent,
                })
                .collect();
        }
        rent.base.push(candidate);
    }
    rent.base.extend(from_running_text(reading, amounts, kind));
    rent.base.truncate(CANDIDATES_MAX_COUNT);
    for candidate in &mut rent.base {
        let tells = matches!(kind, DocumentKind::Amendment | DocumentKind::Other);
        if tells && reading.is_in_recitals(candidate.range.start) {
            candidate.confidence = candidate.confidence.min(OTHER_CHARGE_LIMIT);
        }
    }
    rent
}

/// The monthly rent, when one amount is twelve times the other to a unit.
fn twelve_apart(one: &FoundAmount, other: &FoundAmount) -> Option<BaseRent> {
    let currency = one.currency?;
    let (monthly, annual) = (one.amount.min(other.amount), one.amount.max(other.amount));
    let twelve = monthly.checked_mul(Decimal::from(12))?;
    let agree = other.currency == Some(currency)
        && monthly >= Decimal::from(RENT_MIN_UNITS)
        && (annual - twelve).abs() <= Decimal::ONE;
    agree.then_some(BaseRent { amount: monthly, period: RentPeriod::Monthly, currency })
}

#[cfg(test)]
mod tests;
