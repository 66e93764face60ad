//! Labels: what somebody knows to be right of a document.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::civil::Date;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::lease::{BaseRent, Currency, Money, RentPeriod, field};

/// The format of labels that is read.
pub const LABELS_FORMAT: u32 = 1;
/// Months in a year.
const YEAR_MONTHS: i64 = 12;
/// Digits of a currency's smallest unit.
const CENT_DIGITS: u32 = 2;
/// Keys of a label that are for its reader alone.
const REMARK_KEYS: &[&str] = &["note", "notes", "scope"];
/// Keys of a label that count.
const LABEL_KEYS: &[&str] =
    &["status", "value", "accept", "optional", "abstain_ok", "original", "tempting", "currency"];

/// Fields of an abstraction that may be labelled and are not measured.
const UNMEASURED_FIELDS: &[&str] = &[
    field::PROPERTY_ID,
    field::DOCUMENT_KIND,
    field::AMENDMENT_SCOPE,
    field::PREMISES,
    field::AREA,
    field::RENT_SCHEDULE,
    field::EXECUTION_DATE,
    field::RENT_COMMENCEMENT_DATE,
    field::TERM_MONTHS,
    field::RENEWAL,
    field::ESCALATION,
];

/// A field that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Who rents.
    TenantName,
    /// The rent with period and currency.
    BaseRent,
    /// First day of the term.
    LeaseStart,
    /// Last day of the term.
    LeaseEnd,
    /// Who lets.
    LandlordName,
    /// Deposit held by the landlord.
    SecurityDeposit,
}

impl Field {
    /// All of them, those that are required first.
    pub const ALL: [Self; 6] = [
        Self::TenantName,
        Self::BaseRent,
        Self::LeaseStart,
        Self::LeaseEnd,
        Self::LandlordName,
        Self::SecurityDeposit,
    ];

    /// Its name in an abstraction.
    pub fn name(self) -> &'static str {
        match self {
            Self::TenantName => field::TENANT_NAME,
            Self::BaseRent => field::BASE_RENT,
            Self::LeaseStart => field::LEASE_START,
            Self::LeaseEnd => field::LEASE_END,
            Self::LandlordName => field::LANDLORD_NAME,
            Self::SecurityDeposit => field::SECURITY_DEPOSIT,
        }
    }

    /// Whether nothing is posted without it.
    pub fn is_required(self) -> bool {
        !matches!(self, Self::LandlordName | Self::SecurityDeposit)
    }

    /// The labels that state it, with the period that each is for.
    fn labels(self) -> &'static [(&'static str, Option<RentPeriod>)] {
        match self {
            Self::BaseRent => &[
                ("base_rent_monthly", Some(RentPeriod::Monthly)),
                ("base_rent_annual", Some(RentPeriod::Annual)),
            ],
            Self::TenantName => &[(field::TENANT_NAME, None)],
            Self::LeaseStart => &[(field::LEASE_START, None)],
            Self::LeaseEnd => &[(field::LEASE_END, None)],
            Self::LandlordName => &[(field::LANDLORD_NAME, None)],
            Self::SecurityDeposit => &[(field::SECURITY_DEPOSIT, None)],
        }
    }
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A party.
    Name(String),
    /// A rent.
    Rent(BaseRent),
    /// A deposit.
    Money(Money),
    /// A day.
    Day(Date),
}

impl FieldValue {
    /// Whether two values state one fact.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(a), Self::Name(b)) => folded(a) == folded(b),
            (a, b) => a == b,
        }
    }

    /// Whether this is a value that tempts: the same, or for amounts the same figure whatever its period and currency.
    pub(super) fn is_tempted_by(&self, tempting: &Self) -> bool {
        match (self.amount(), tempting.amount()) {
            (Some(a), Some(b)) => a == b,
            _ => self.is_same(tempting),
        }
    }

    fn amount(&self) -> Option<Decimal> {
        match self {
            Self::Rent(rent) => Some(rent.amount),
            Self::Money(money) => Some(money.amount),
            Self::Name(_) | Self::Day(_) => None,
        }
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Rent(rent) => write!(f, "{} {} {}", rent.amount, rent.currency, rent.period),
            Self::Money(money) => write!(f, "{} {}", money.amount, money.currency),
            Self::Day(day) => write!(f, "{day}"),
        }
    }
}

/// A name without case, punctuation and spacing.
fn folded(name: &str) -> String {
    name.replace('&', "and").chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What is wrong with a file of labels: where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LabelFault(String);

/// Labelled documents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// The documents, in the order of the file.
    pub documents: Vec<LabelledDocument>,
    /// Names that are not permitted, by the place where they stand, with those that are: a misspelt one would change a
    /// count.
    pub unknown: Vec<String>,
    /// Fields of an abstraction that are labelled and not measured, by their documents.
    pub unmeasured: Vec<String>,
}

/// A document and what is right of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledDocument {
    /// Its path, below the folder of the labels.
    pub file: String,
    /// What is right, field by field; a field without a label is not judged.
    pub expected: BTreeMap<Field, Expected>,
}

/// What is right of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expected {
    /// Values that are right, the label's own first.
    pub right: Vec<FieldValue>,
    /// Values that the document prints and that are wrong here.
    pub tempting: Vec<FieldValue>,
    /// Whether the document states the value, or all that it is computed from.
    pub is_answerable: bool,
    /// Whether giving no value is as good.
    pub may_be_left_out: bool,
    /// Whether a careful person would rather ask, so that the document is for review.
    pub may_be_asked: bool,
}

#[derive(Deserialize)]
struct RawLabels {
    #[serde(default)]
    format: Option<u32>,
    documents: Vec<RawDocument>,
}

#[derive(Deserialize)]
struct RawDocument {
    file: String,
    fields: BTreeMap<String, RawLabel>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Stated,
    Derived,
    Conditional,
    Absent,
}

#[derive(Deserialize)]
struct RawLabel {
    status: Status,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    accept: Value,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    abstain_ok: bool,
    #[serde(default)]
    original: Value,
    #[serde(default)]
    tempting: Value,
    #[serde(default)]
    currency: Option<Currency>,
}

impl Labels {
    /// Reads labels; the fault names the line, or the document and the field.
    pub fn parse(source: &str) -> Result<Self, LabelFault> {
        let raw: RawLabels = serde_json::from_str(source).map_err(|error| LabelFault(error.to_string()))?;
        if let Some(format) = raw.format
            && format != LABELS_FORMAT
        {
            return Err(LabelFault(format!("format: {format} is not known; {LABELS_FORMAT} is")));
        }
        let (unknown, unmeasured) = names_beside(source);
        let mut labels = Self { documents: Vec::new(), unknown, unmeasured };
        let mut files = BTreeSet::new();
        for document in raw.documents {
            let told = |problem: String| LabelFault(format!("{}: {problem}", document.file));
            if !files.insert(document.file.clone()) {
                return Err(told("file: is labelled twice; a document counts once".to_owned()));
            }
            let mut expected = BTreeMap::new();
            for field in Field::ALL {
                expected
                    .extend(expected_of(field, &document.fields).map_err(told)?.map(|found| (field, found)));
            }
            labels.documents.push(LabelledDocument { file: document.file, expected });
        }
        Ok(labels)
    }
}

/// Names of fields and keys that are not read: those that are not permitted, and fields that are not measured.
fn names_beside(source: &str) -> (Vec<String>, Vec<String>) {
    let labels: Value = serde_json::from_str(source).unwrap_or_default();
    let measured: Vec<&str> =
        Field::ALL.iter().flat_map(|field| field.labels()).map(|(name, _)| *name).collect();
    let (mut unknown, mut unmeasured) = (Vec::new(), Vec::new());
    for document in labels["documents"].as_array().into_iter().flatten() {
        let file = document["file"].as_str().unwrap_or_default();
        for (name, label) in document["fields"].as_object().into_iter().flatten() {
            if UNMEASURED_FIELDS.contains(&name.as_str()) {
                unmeasured.push(format!("{file}: {name}"));
                continue;
            }
            if !measured.contains(&name.as_str()) {
                unknown.push(format!(
                    "{file}: {name} is no field that is measured, {} are",
                    measured.join(", ")
                ));
                continue;
            }
            for key in label.as_object().into_iter().flat_map(Map::keys) {
                if !LABEL_KEYS.contains(&key.as_str()) && !REMARK_KEYS.contains(&key.as_str()) {
                    let permitted = [LABEL_KEYS, REMARK_KEYS].concat().join(", ");
                    unknown.push(format!("{file}: {name}.{key} is no key of a label, {permitted} are"));
                }
            }
        }
    }
    unknown.sort();
    unmeasured.sort();
    (unknown, unmeasured)
}

/// What is right of a field according to its labels, of which the rent has two.
fn expected_of(field: Field, labels: &BTreeMap<String, RawLabel>) -> Result<Option<Expected>, String> {
    let mut expected = Expected::default();
    let mut is_labelled = false;
    for (name, period) in field.labels() {
        let Some(label) = labels.get(*name) else { continue };
        is_labelled = true;
        let currency = label.currency.unwrap_or(Currency::USD);
        let read = |key: &str, value: &Value| {
            values(value)
                .map(|value| value_of(field, value, *period, currency))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|problem| format!("{name}.{key}: {problem}"))
        };
        let value = read("value", &label.value)?;
        match (label.status, value.len()) {
            (Status::Stated | Status::Derived, 1) => expected.is_answerable = true,
            (Status::Stated | Status::Derived, _) => {
                return Err(format!(
                    "{name}.value: one value is needed where the status says that there is one"
                ));
            }
            (Status::Absent, 1..) => {
                return Err(format!("{name}.value: there is one, though the status is `absent`"));
            }
            (Status::Conditional | Status::Absent, _) => {}
        }
        expected.right.extend(value);
        expected.right.extend(read("accept", &label.accept)?);
        expected.tempting.extend(read("tempting", &label.tempting)?);
        expected.tempting.extend(read("original", &label.original)?);
        expected.may_be_left_out |= label.optional || label.abstain_ok;
        expected.may_be_asked |= label.abstain_ok;
    }
    expected.right.extend(other_period(&expected.right));
    Ok(is_labelled.then_some(expected))
}

/// Rents of the period that has no label: a month's are a twelfth of a year's, to the cent.
fn other_period(right: &[FieldValue]) -> Vec<FieldValue> {
    let rents: Vec<BaseRent> = right
        .iter()
        .filter_map(|value| if let FieldValue::Rent(rent) = value { Some(*rent) } else { None })
        .collect();
    let Some(first) = rents.first() else { return Vec::new() };
    if rents.iter().any(|rent| rent.period != first.period) {
        return Vec::new();
    }
    let months = Decimal::from(YEAR_MONTHS);
    let converted = rents.iter().filter_map(|rent| {
        let (amount, period) = match rent.period {
            RentPeriod::Monthly => (rent.amount.checked_mul(months)?, RentPeriod::Annual),
            RentPeriod::Annual => {
                let exact = rent.amount.checked_div(months)?;
                let rounded =
                    exact.round_dp_with_strategy(CENT_DIGITS, RoundingStrategy::MidpointAwayFromZero);
                (rounded, RentPeriod::Monthly)
            }
        };
        Some(FieldValue::Rent(BaseRent { amount, period, currency: rent.currency }))
    });
    converted.collect()
}

/// A key's values: none, one, or a list.
fn values(value: &Value) -> impl Iterator<Item = &Value> {
    let (one, many) = match value {
        Value::Null => (None, None),
        Value::Array(many) => (None, Some(many)),
        one => (Some(one), None),
    };
    one.into_iter().chain(many.into_iter().flatten())
}

fn value_of(
    field: Field,
    value: &Value,
    period: Option<RentPeriod>,
    currency: Currency,
) -> Result<FieldValue, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        other => return Err(format!("`{other}` is neither text nor a number")),
    };
    let amount = || Decimal::from_str_exact(&text).map_err(|_| format!("`{text}` is no decimal number"));
    Ok(match field {
        Field::TenantName | Field::LandlordName if folded(&text).is_empty() => {
            return Err(format!("`{text}` is no name"));
        }
        Field::TenantName | Field::LandlordName => FieldValue::Name(text),
        Field::LeaseStart | Field::LeaseEnd => {
            let day = text.parse().map_err(|_| format!("`{text}` is no date such as 2026-02-28"))?;
            FieldValue::Day(day)
        }
        Field::SecurityDeposit => FieldValue::Money(Money { amount: amount()?, currency }),
        Field::BaseRent => {
            let period = period.unwrap_or(RentPeriod::Monthly);
            FieldValue::Rent(BaseRent { amount: amount()?, period, currency })
        }
    })
}
