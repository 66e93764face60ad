//! How right the extractor is, measured on labelled documents. Pure: labels and extractions in, counts out.
//!
//! A value is *accepted* as the pipeline would post it: in a complete document without faults, at or above the
//! threshold. What a reviewer would be shown at or above the threshold is counted apart, since most leases go to
//! review. Names are equal without regard to case, punctuation and spacing (so `L.L.C.` is `LLC`, and `&` is
//! `and`), money as exact decimals with its currency, dates as calendar days.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::civil::Date;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::lease::{BaseRent, Currency, LeaseAbstraction, Money, RentPeriod, field};
use crate::ports::extractor::{Extraction, Incomplete};
use crate::posting::{Confidence, Posted};

/// The format of labels that is read.
pub const LABELS_FORMAT: u32 = 1;
/// Thresholds of the confidence curve, in percent.
const CURVE_PERCENT: [u16; 11] = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 99];
/// Months in a year.
const YEAR_MONTHS: i64 = 12;
/// Digits of a currency's smallest unit.
const CENT_DIGITS: u32 = 2;
/// How sure the bound beside a ratio is, as the probability of being misled.
const MISLED_PROBABILITY: f64 = 0.05;
/// Keys of a label that are for its reader alone.
const REMARK_KEYS: &[&str] = &["note", "notes", "scope"];
/// Keys of a label that count.
const LABEL_KEYS: &[&str] =
    &["status", "value", "accept", "optional", "abstain_ok", "original", "tempting", "currency"];

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
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(a), Self::Name(b)) => folded(a) == folded(b),
            (a, b) => a == b,
        }
    }

    /// Whether this is a value that tempts: the same, or for amounts the same figure whatever its period and currency.
    fn is_tempted_by(&self, tempting: &Self) -> bool {
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
    /// Keys that mean nothing here, by the place where they stand: a misspelt one would change a count.
    pub ignored: Vec<String>,
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
        let mut labels = Self { documents: Vec::new(), ignored: ignored_keys(source) };
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

/// Keys that are neither read nor remarks.
fn ignored_keys(source: &str) -> Vec<String> {
    let labels: Value = serde_json::from_str(source).unwrap_or_default();
    let known: Vec<&str> =
        Field::ALL.iter().flat_map(|field| field.labels()).map(|(name, _)| *name).collect();
    let mut ignored = Vec::new();
    for document in labels["documents"].as_array().into_iter().flatten() {
        let file = document["file"].as_str().unwrap_or_default();
        for (name, label) in document["fields"].as_object().into_iter().flatten() {
            if !known.contains(&name.as_str()) {
                ignored.push(format!("{file}: {name}"));
                continue;
            }
            for key in label.as_object().into_iter().flat_map(Map::keys) {
                if !LABEL_KEYS.contains(&key.as_str()) && !REMARK_KEYS.contains(&key.as_str()) {
                    ignored.push(format!("{file}: {name}.{key}"));
                }
            }
        }
    }
    ignored.sort();
    ignored
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

/// A value that the extractor gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The value.
    pub value: FieldValue,
    /// How sure the extractor is.
    pub confidence: Confidence,
    /// The passage it was read from.
    pub passage: String,
    /// The rule that read it.
    pub rule: String,
    /// Whether it is right.
    pub is_right: bool,
    /// Whether it is one of those that tempt.
    pub is_tempting: bool,
}

/// A field of a document, with what is right and what was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldReading {
    /// The field.
    pub field: Field,
    /// What is right.
    pub expected: Expected,
    /// What was given, if anything.
    pub answer: Option<Answer>,
    /// Why nothing was given, and the best passage that a reviewer would be shown.
    pub remark: Option<String>,
}

/// A document, with what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentReading {
    /// Its path.
    pub file: String,
    /// How sure the extractor is of the whole, where it is complete and sound; else it cannot be posted.
    pub postable_at: Option<Confidence>,
    /// Why it is not complete.
    pub reason: Option<String>,
    /// Whether it could not be read at all, so that no person would find anything of it in review.
    pub is_rejected: bool,
    /// The fields that have a label.
    pub fields: Vec<FieldReading>,
}

impl DocumentReading {
    /// Compares an extraction with the labels.
    pub fn of(document: &LabelledDocument, extraction: &Extraction<LeaseAbstraction>) -> Self {
        let (found, postable_at, reason) = match extraction {
            Extraction::Complete(lease) => {
                let found = serde_json::to_value(lease).unwrap_or_default();
                let faults = lease.faults();
                let reason = faults.first().map(|fault| format!("invalid_document ({fault})"));
                (found, faults.is_empty().then_some(lease.extraction_confidence), reason)
            }
            Extraction::Incomplete(Incomplete { reason, found }) => {
                (found.clone(), None, Some(reason.code.clone()))
            }
            Extraction::Unusable(reason) | Extraction::Failed(reason) => {
                (json!({}), None, Some(reason.code.clone()))
            }
            Extraction::Waiting { .. } | Extraction::NotBegun => {
                (json!({}), None, Some("recognition_not_awaited".to_owned()))
            }
        };
        let fields = document.expected.iter().map(|(field, expected)| {
            let answer = answer_of(*field, &found, expected);
            let remark = if answer.is_none() { remark_of(*field, &found) } else { None };
            FieldReading { field: *field, expected: expected.clone(), answer, remark }
        });
        Self {
            file: document.file.clone(),
            postable_at,
            reason,
            is_rejected: matches!(
                extraction,
                Extraction::Unusable(_)
                    | Extraction::Failed(_)
                    | Extraction::Waiting { .. }
                    | Extraction::NotBegun
            ),
            fields: fields.collect(),
        }
    }

    fn is_posted_at(&self, threshold: Confidence) -> bool {
        self.postable_at.is_some_and(|confidence| confidence >= threshold)
    }

    /// Whether a careful person would post it: every required field is there and none is one to ask about.
    fn is_plain(&self) -> bool {
        self.required().all(|reading| reading.expected.is_answerable && !reading.expected.may_be_asked)
    }

    fn required(&self) -> impl Iterator<Item = &FieldReading> {
        self.fields.iter().filter(|reading| reading.field.is_required())
    }
}

/// What was given for a field, in an abstraction or among what was found for review.
fn answer_of(field: Field, found: &Value, expected: &Expected) -> Option<Answer> {
    let entry = found.get(field.name())?;
    let is_shown = entry.get("value").is_some();
    let evidence = if is_shown {
        Some(entry)
    } else {
        found["evidence"].as_array().into_iter().flatten().find(|evidence| evidence["field"] == field.name())
    };
    let raw = if is_shown { entry["value"].clone() } else { entry.clone() };
    let value = match field {
        Field::TenantName | Field::LandlordName => FieldValue::Name(raw.as_str()?.to_owned()),
        Field::BaseRent => FieldValue::Rent(serde_json::from_value(raw).ok()?),
        Field::SecurityDeposit => FieldValue::Money(serde_json::from_value(raw).ok()?),
        Field::LeaseStart | Field::LeaseEnd => FieldValue::Day(serde_json::from_value(raw).ok()?),
    };
    let text =
        |key: &str| evidence.and_then(|evidence| evidence[key].as_str()).unwrap_or_default().to_owned();
    // An abstraction made elsewhere may hold no evidence; it is as sure of a field as of the whole.
    let confidence =
        evidence.map_or(&found[field::EXTRACTION_CONFIDENCE], |evidence| &evidence["confidence"]);
    let is_right = expected.right.iter().any(|right| right.is_same(&value));
    Some(Answer {
        confidence: serde_json::from_value(confidence.clone()).unwrap_or_default(),
        passage: text("passage"),
        rule: text("rule"),
        is_right,
        is_tempting: !is_right && expected.tempting.iter().any(|tempting| value.is_tempted_by(tempting)),
        value,
    })
}

/// Why a field has no value: the verifier's word, and the best of the values between which it did not choose.
fn remark_of(field: Field, found: &Value) -> Option<String> {
    let entry = found.get(field.name())?;
    let why = entry["abstained"].as_str()?;
    let candidate = &entry["candidates"][0];
    Some(match candidate["passage"].as_str() {
        Some(passage) => {
            format!("{why}; {} at {} in: {passage}", short(&candidate["value"]), candidate["confidence"])
        }
        None => why.to_owned(),
    })
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(rent) => rent.values().map(short).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Which values are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Those that are posted; what went to review gives none.
    Posted,
    /// Those that a reviewer is shown, in the documents that are not posted.
    InReview,
    /// Both.
    Together,
}

/// What became of a field at a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A right value was given.
    Right,
    /// A wrong value was given where there is a right one.
    Wrong,
    /// A value was given where the right answer is to give none.
    GivenAgainst,
    /// No value was given though there is one.
    Missed,
    /// No value was given, and the label says that this is as good.
    LeftOut,
    /// No value was given, rightly.
    Abstained,
}

impl FieldReading {
    fn accepted(&self, threshold: Confidence, view: View, is_posted: bool) -> Option<&Answer> {
        let answer = self.answer.as_ref()?;
        let counts = match view {
            View::Posted => is_posted,
            View::InReview => !is_posted && answer.confidence >= threshold,
            View::Together => is_posted || answer.confidence >= threshold,
        };
        counts.then_some(answer)
    }

    fn verdict(&self, threshold: Confidence, view: View, is_posted: bool) -> Verdict {
        match self.accepted(threshold, view, is_posted) {
            Some(answer) if answer.is_right => Verdict::Right,
            Some(_) if self.expected.is_answerable => Verdict::Wrong,
            Some(_) => Verdict::GivenAgainst,
            None if !self.expected.is_answerable => Verdict::Abstained,
            None if self.expected.may_be_left_out => Verdict::LeftOut,
            None => Verdict::Missed,
        }
    }
}

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
    right_of_answerable: usize,
}

impl Counts {
    fn add(&mut self, reading: &FieldReading, verdict: Verdict) {
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

/// A field's counts with its ratios.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldLine {
    /// The field's name; `all` for the sum.
    pub field: &'static str,
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// Right of what was given.
    pub precision: Ratio,
    /// Right of what could be given.
    pub coverage: Ratio,
}

/// Counts of whole documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DocumentCounts {
    /// All that were read.
    pub documents: usize,
    /// Posted, and every labelled field that was posted is right.
    pub posted_right: usize,
    /// Posted with every required field right and another one wrong.
    pub posted_with_wrong_optional: usize,
    /// Posted with a required field that is wrong, or that should have been asked about.
    pub posted_with_wrong_required: usize,
    /// For a person, though each required field is plainly there.
    pub reviewed_though_plain: usize,
    /// For a person, rightly.
    pub reviewed_rightly: usize,
    /// Of those that were sent to a person, the ones of which nothing could be read.
    pub rejected: usize,
}

/// A point of the confidence curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CurvePoint {
    /// The threshold.
    pub threshold: Confidence,
    /// Values at or above it, posted or shown, and how many of them are right.
    pub fields: Ratio,
    /// Documents that it would post, and how many of them are right in all that was posted.
    pub documents: Ratio,
}

/// A value or a gap to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The document.
    pub file: String,
    /// The field.
    pub field: &'static str,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether the value was posted; else it is what a reviewer is shown.
    pub is_posted: bool,
    /// Whether the labels warned of this value.
    pub is_tempting: bool,
    /// What would be right; empty where no value is.
    pub expected: Vec<String>,
    /// What was given, also where it was not sure enough.
    pub given: Option<String>,
    /// How sure the extractor was of it.
    pub confidence: Option<Confidence>,
    /// The rule that gave it.
    pub rule: Option<String>,
    /// The passage it was read from, or why there is none.
    pub passage: Option<String>,
}

/// What came of each document, for a line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentLine {
    /// The document.
    pub file: String,
    /// What came of it: `posted_right`, `posted_with_wrong_optional`, `posted_with_wrong_required`,
    /// `reviewed_though_plain` or `reviewed_rightly`.
    pub fate: &'static str,
    /// Why it was not posted.
    pub reason: Option<String>,
}

/// The measurement of a set of documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The threshold at which values count as given.
    pub threshold: Confidence,
    /// Fields as they are posted.
    pub posted: Vec<FieldLine>,
    /// Fields as a reviewer is shown them.
    pub in_review: Vec<FieldLine>,
    /// Both.
    pub together: Vec<FieldLine>,
    /// Whole documents.
    pub documents: DocumentCounts,
    /// Each document.
    pub document_lines: Vec<DocumentLine>,
    /// How right the values are from each confidence on.
    pub curve: Vec<CurvePoint>,
    /// Each miss and each wrong value.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Counts.
    pub fn of(readings: &[DocumentReading], threshold: Confidence) -> Self {
        let document_lines: Vec<DocumentLine> = readings
            .iter()
            .map(|document| DocumentLine {
                file: document.file.clone(),
                fate: fate(document, threshold),
                reason: document.reason.clone().or_else(|| {
                    let low = document.postable_at.filter(|confidence| *confidence < threshold)?;
                    Some(format!("low_confidence ({low})"))
                }),
            })
            .collect();
        let with = |sought: &str| document_lines.iter().filter(|line| line.fate == sought).count();
        Self {
            threshold,
            posted: field_lines(readings, threshold, View::Posted),
            in_review: field_lines(readings, threshold, View::InReview),
            together: field_lines(readings, threshold, View::Together),
            documents: DocumentCounts {
                documents: readings.len(),
                posted_right: with(POSTED_RIGHT),
                posted_with_wrong_optional: with(POSTED_WITH_WRONG_OPTIONAL),
                posted_with_wrong_required: with(POSTED_WITH_WRONG_REQUIRED),
                reviewed_though_plain: with(REVIEWED_THOUGH_PLAIN),
                reviewed_rightly: with(REVIEWED_RIGHTLY),
                rejected: readings.iter().filter(|document| document.is_rejected).count(),
            },
            curve: CURVE_PERCENT
                .iter()
                .map(|percent| curve_point(readings, Confidence::percent(*percent)))
                .collect(),
            findings: readings.iter().flat_map(|document| findings(document, threshold)).collect(),
            document_lines,
        }
    }
}

const POSTED_RIGHT: &str = "posted_right";
const POSTED_WITH_WRONG_OPTIONAL: &str = "posted_with_wrong_optional";
const POSTED_WITH_WRONG_REQUIRED: &str = "posted_with_wrong_required";
const REVIEWED_THOUGH_PLAIN: &str = "reviewed_though_plain";
const REVIEWED_RIGHTLY: &str = "reviewed_rightly";

fn fate(document: &DocumentReading, threshold: Confidence) -> &'static str {
    if !document.is_posted_at(threshold) {
        return if document.is_plain() { REVIEWED_THOUGH_PLAIN } else { REVIEWED_RIGHTLY };
    }
    let is_wrong = |reading: &FieldReading| {
        matches!(reading.verdict(threshold, View::Posted, true), Verdict::Wrong | Verdict::GivenAgainst)
    };
    if document.required().any(is_wrong) {
        POSTED_WITH_WRONG_REQUIRED
    } else if document.fields.iter().any(is_wrong) {
        POSTED_WITH_WRONG_OPTIONAL
    } else {
        POSTED_RIGHT
    }
}

fn field_lines(readings: &[DocumentReading], threshold: Confidence, view: View) -> Vec<FieldLine> {
    let mut by_field: BTreeMap<Field, Counts> =
        Field::ALL.into_iter().map(|field| (field, Counts::default())).collect();
    let mut all = Counts::default();
    for document in readings {
        let is_posted = document.is_posted_at(threshold);
        if view == View::InReview && is_posted {
            continue;
        }
        for reading in &document.fields {
            let verdict = reading.verdict(threshold, view, is_posted);
            all.add(reading, verdict);
            by_field.entry(reading.field).or_default().add(reading, verdict);
        }
    }
    let line = |field: &'static str, counts: Counts| FieldLine {
        field,
        counts,
        precision: counts.precision(),
        coverage: counts.coverage(),
    };
    let mut lines: Vec<FieldLine> = Field::ALL
        .iter()
        .map(|field| line(field.name(), by_field.get(field).copied().unwrap_or_default()))
        .collect();
    lines.push(line("all", all));
    lines
}

fn curve_point(readings: &[DocumentReading], threshold: Confidence) -> CurvePoint {
    let (mut fields, mut documents) = (Ratio::default(), Ratio::default());
    for document in readings {
        for reading in &document.fields {
            if let Some(answer) = reading.accepted(threshold, View::Together, false) {
                fields.of += 1;
                fields.count += usize::from(answer.is_right);
            }
        }
        if document.is_posted_at(threshold) {
            documents.of += 1;
            documents.count += usize::from(fate(document, threshold) == POSTED_RIGHT);
        }
    }
    CurvePoint { threshold, fields, documents }
}

fn findings(document: &DocumentReading, threshold: Confidence) -> impl Iterator<Item = Finding> {
    let is_posted = document.is_posted_at(threshold);
    document.fields.iter().filter_map(move |reading| {
        let verdict = reading.verdict(threshold, View::Together, is_posted);
        if !matches!(verdict, Verdict::Wrong | Verdict::GivenAgainst | Verdict::Missed) {
            return None;
        }
        let answer = reading.answer.as_ref();
        Some(Finding {
            file: document.file.clone(),
            field: reading.field.name(),
            verdict,
            is_posted: is_posted && answer.is_some(),
            is_tempting: answer.is_some_and(|answer| answer.is_tempting),
            expected: reading.expected.right.iter().map(ToString::to_string).collect(),
            given: answer.map(|answer| answer.value.to_string()),
            confidence: answer.map(|answer| answer.confidence),
            rule: answer.map(|answer| answer.rule.clone()),
            passage: answer.map(|answer| answer.passage.clone()).or_else(|| reading.remark.clone()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posting::Reason;

    const THRESHOLD: Confidence = Confidence::percent(85);

    /// A document's labels from the JSON of its fields.
    fn labelled(fields: Value) -> LabelledDocument {
        let source =
            json!({ "format": 1, "documents": [{ "file": "a.htm", "kind": "lease", "fields": fields }] });
        let labels = Labels::parse(&source.to_string()).expect("the test's own labels");
        assert_eq!(labels.ignored, Vec::<String>::new());
        labels.documents.into_iter().next().expect("there is one")
    }

    /// The labels of a document in which everything is stated.
    fn all_stated() -> Value {
        json!({
            "tenant_name": { "status": "stated", "value": "Wren Tools, L.L.C." },
            "landlord_name": { "status": "stated", "value": "Mill & Race" },
            "base_rent_monthly": { "status": "stated", "value": "100.00" },
            "base_rent_annual": { "status": "stated", "value": "1200.00" },
            "lease_start": { "status": "stated", "value": "2020-01-01" },
            "lease_end": { "status": "stated", "value": "2021-12-31" },
            "security_deposit": { "status": "stated", "value": "300" },
        })
    }

    /// A complete extraction in which everything is right, changed.
    fn complete(percent: u16, change: impl FnOnce(&mut Value)) -> Extraction<LeaseAbstraction> {
        let evidence: Vec<Value> = Field::ALL
            .iter()
            .map(|field| {
                let confidence = Confidence::percent(percent);
                let passage = format!("passage of {}", field.name());
                json!({ "field": field.name(), "passage": passage, "rule": "rule", "confidence": confidence })
            })
            .collect();
        let mut lease = json!({
            "property_id": "P", "tenant_name": "WREN TOOLS LLC", "landlord_name": "Mill and Race",
            "base_rent": { "amount": 100, "currency": "USD", "period": "monthly" },
            "lease_start": "2020-01-01", "lease_end": "2021-12-31",
            "security_deposit": { "amount": 300, "currency": "USD" },
            "extraction_confidence": Confidence::percent(percent), "evidence": evidence,
        });
        change(&mut lease);
        Extraction::Complete(serde_json::from_value(lease).expect("the test's own abstraction"))
    }

    /// What is found of a document for review.
    fn for_review(found: Value) -> Extraction<LeaseAbstraction> {
        Extraction::Incomplete(Incomplete {
            reason: Reason::new("lease_start_missing", "It is not there."),
            found,
        })
    }

    fn shown(value: Value, percent: u16) -> Value {
        json!({ "value": value, "confidence": Confidence::percent(percent), "passage": "p", "page": 1, "rule": "r" })
    }

    fn line(lines: &[FieldLine], name: &str) -> Counts {
        lines.iter().find(|line| line.field == name).expect("each field has a line").counts
    }

    #[test]
    fn each_outcome_of_a_field_is_told_from_the_others() {
        let stated = json!({ "status": "stated", "value": "2021-12-31", "tempting": ["2019-12-31"], "original": "2018-12-31" });
        let derived = json!({ "status": "derived", "value": "2021-12-31", "optional": true });
        let asked = json!({ "status": "derived", "value": "2021-12-31", "abstain_ok": true });
        let accepting = json!({ "status": "stated", "value": "2021-12-31", "accept": ["2022-01-01"] });
        let conditional = json!({ "status": "conditional", "tempting": "2019-12-31" });
        let absent = json!({ "status": "absent", "value": null });
        let rows = [
            ("right", &stated, Some(("2021-12-31", 90)), Verdict::Right, false),
            ("right at the threshold", &stated, Some(("2021-12-31", 85)), Verdict::Right, false),
            ("another that is right", &accepting, Some(("2022-01-01", 90)), Verdict::Right, false),
            ("wrong", &stated, Some(("2022-12-31", 90)), Verdict::Wrong, false),
            ("tempted", &stated, Some(("2019-12-31", 90)), Verdict::Wrong, true),
            ("taken from the original", &stated, Some(("2018-12-31", 90)), Verdict::Wrong, true),
            ("given against", &conditional, Some(("2021-12-31", 90)), Verdict::GivenAgainst, false),
            ("given against, tempted", &conditional, Some(("2019-12-31", 90)), Verdict::GivenAgainst, true),
            ("given where there is none", &absent, Some(("2021-12-31", 90)), Verdict::GivenAgainst, false),
            ("missed", &stated, None, Verdict::Missed, false),
            ("not sure enough", &stated, Some(("2021-12-31", 84)), Verdict::Missed, false),
            ("wrong but not sure enough", &stated, Some(("2022-12-31", 84)), Verdict::Missed, false),
            ("left out", &derived, None, Verdict::LeftOut, false),
            ("better asked", &asked, None, Verdict::LeftOut, false),
            ("not left out, and right", &derived, Some(("2021-12-31", 90)), Verdict::Right, false),
            ("abstained", &conditional, None, Verdict::Abstained, false),
            ("abstained where there is none", &absent, Some(("2021-12-31", 84)), Verdict::Abstained, false),
        ];
        for (case, label, given, expected, tempted) in rows {
            let document = labelled(json!({ "lease_end": label }));
            let found =
                given.map_or(json!({}), |(day, percent)| json!({ "lease_end": shown(json!(day), percent) }));
            let reading = DocumentReading::of(&document, &for_review(found));
            let verdict = reading.fields[0].verdict(THRESHOLD, View::InReview, false);
            assert_eq!(verdict, expected, "{case}");
            assert_eq!(reading.fields[0].verdict(THRESHOLD, View::Together, false), expected, "{case}");
            let counts = line(&Report::of(&[reading], THRESHOLD).in_review, "lease_end");
            let of = |sought: Verdict| usize::from(expected == sought);
            assert_eq!(
                counts,
                Counts {
                    right: of(Verdict::Right),
                    wrong: of(Verdict::Wrong),
                    given_against: of(Verdict::GivenAgainst),
                    tempted: usize::from(tempted),
                    missed: of(Verdict::Missed),
                    left_out: of(Verdict::LeftOut),
                    abstained: of(Verdict::Abstained),
                    right_of_answerable: of(Verdict::Right),
                },
                "{case}"
            );
        }
    }

    #[test]
    fn values_are_equal_as_the_rules_say() {
        let name = |raw: &str| json!({ "tenant_name": { "status": "stated", "value": raw } });
        let rent = |monthly: Value, annual: Value| json!({ "base_rent_monthly": monthly, "base_rent_annual": annual });
        let stated = |raw: &str| json!({ "status": "stated", "value": raw });
        let euros = json!({ "status": "stated", "value": "100", "currency": "EUR" });
        let absent = json!({ "status": "absent" });
        let paid = |amount: &str, period: &str, currency: &str| {
            let amount: Decimal = amount.parse().expect("the test's own number");
            let amount = Money { amount, currency: Currency::USD };
            let amount = serde_json::to_value(amount).expect("it serialises")["amount"].clone();
            json!({ "amount": amount, "period": period, "currency": currency })
        };
        let rows = [
            (name("Wren Tools, L.L.C."), "tenant_name", json!("WREN TOOLS LLC"), true),
            (name("Wren & Sons"), "tenant_name", json!("Wren and Sons"), true),
            (name("Wren Tools, Inc."), "tenant_name", json!("Wren Tools"), false),
            (name("Wren Tools"), "tenant_name", json!("Wrens Tools"), false),
            (rent(stated("100.00"), stated("1200.00")), "base_rent", paid("100", "monthly", "USD"), true),
            (rent(stated("100.00"), stated("1200.00")), "base_rent", paid("1200.000", "annual", "USD"), true),
            (rent(stated("100.00"), stated("1200.00")), "base_rent", paid("1200", "monthly", "USD"), false),
            (rent(stated("100.00"), stated("1200.00")), "base_rent", paid("100", "monthly", "EUR"), false),
            (rent(stated("100.00"), stated("1200.00")), "base_rent", paid("100.01", "monthly", "USD"), false),
            (rent(stated("100.00"), stated("1199.99")), "base_rent", paid("1200", "annual", "USD"), false),
            (rent(stated("100.00"), absent.clone()), "base_rent", paid("1200", "annual", "USD"), true),
            (rent(absent.clone(), stated("1000.00")), "base_rent", paid("83.33", "monthly", "USD"), true),
            (rent(absent.clone(), stated("1000.00")), "base_rent", paid("83.34", "monthly", "USD"), false),
            (rent(euros.clone(), absent), "base_rent", paid("100", "monthly", "EUR"), true),
            (
                json!({ "security_deposit": euros }),
                "security_deposit",
                json!({ "amount": 100, "currency": "EUR" }),
                true,
            ),
            (
                json!({ "security_deposit": stated("100") }),
                "security_deposit",
                json!({ "amount": 100, "currency": "EUR" }),
                false,
            ),
            (json!({ "lease_start": stated("2020-01-01") }), "lease_start", json!("2020-01-01"), true),
        ];
        for (fields, name, given, expected) in rows {
            let document = labelled(fields.clone());
            let reading =
                DocumentReading::of(&document, &for_review(json!({ name: shown(given.clone(), 90) })));
            let answer = reading.fields[0].answer.as_ref().expect("a value was given");
            assert_eq!(answer.is_right, expected, "{given} for {fields}");
        }
    }

    #[test]
    fn an_amount_tempts_in_whatever_period() {
        let document = labelled(json!({
            "base_rent_monthly": { "status": "stated", "value": "100", "tempting": ["90", 1200] },
        }));
        for (amount, period, expected) in
            [(90, "monthly", true), (90, "annual", true), (1200, "monthly", true), (80, "monthly", false)]
        {
            let given = json!({ "amount": amount, "period": period, "currency": "USD" });
            let reading =
                DocumentReading::of(&document, &for_review(json!({ "base_rent": shown(given, 90) })));
            let answer = reading.fields[0].answer.as_ref().expect("a value was given");
            assert_eq!((answer.is_right, answer.is_tempting), (false, expected), "{amount} {period}");
        }
    }

    /// Six documents, one of each fate, and one that cannot be read.
    fn readings() -> Vec<DocumentReading> {
        let plain = labelled(all_stated());
        let mut conditional = all_stated();
        conditional["lease_start"] = json!({ "status": "conditional" });
        let conditional = labelled(conditional);
        let mut asked = all_stated();
        asked["lease_end"]["abstain_ok"] = json!(true);
        let asked = labelled(asked);
        [
            (&plain, complete(90, |_| {})),
            (&plain, complete(95, |lease| lease["security_deposit"]["amount"] = json!(1))),
            (&conditional, complete(92, |_| {})),
            (&plain, complete(80, |lease| lease["lease_end"] = json!("2022-12-31"))),
            (&conditional, for_review(json!({
                "tenant_name": shown(json!("Wren Tools LLC"), 90),
                "landlord_name": shown(json!("Somebody Else"), 86),
                "lease_start": { "abstained": "conditional", "candidates": [] },
                "lease_end": {
                    "abstained": "values_of_equal_weight",
                    "candidates": [{ "value": "2021-12-31", "confidence": 0.8, "passage": "ends", "rule": "r" }],
                },
            }))),
            (&asked, Extraction::Unusable(Reason::new("unsupported_type", "It is no document."))),
        ]
        .into_iter()
        .map(|(document, extraction)| DocumentReading::of(document, &extraction))
        .collect()
    }

    #[test]
    fn documents_are_counted_by_their_fate() {
        let report = Report::of(&readings(), THRESHOLD);
        assert_eq!(
            report.documents,
            DocumentCounts {
                documents: 6,
                posted_right: 1,
                posted_with_wrong_optional: 1,
                posted_with_wrong_required: 1,
                reviewed_though_plain: 1,
                reviewed_rightly: 2,
                rejected: 1,
            }
        );
        let lines: Vec<(&str, Option<&str>)> =
            report.document_lines.iter().map(|line| (line.fate, line.reason.as_deref())).collect();
        assert_eq!(
            lines,
            [
                (POSTED_RIGHT, None),
                (POSTED_WITH_WRONG_OPTIONAL, None),
                (POSTED_WITH_WRONG_REQUIRED, None),
                (REVIEWED_THOUGH_PLAIN, Some("low_confidence (0.8)")),
                (REVIEWED_RIGHTLY, Some("lease_start_missing")),
                (REVIEWED_RIGHTLY, Some("unsupported_type")),
            ]
        );
        // A lower threshold posts what was held back, with its wrong end.
        let lower = Report::of(&readings(), Confidence::percent(80)).documents;
        assert_eq!((lower.posted_with_wrong_required, lower.reviewed_though_plain), (2, 0));
        // An abstraction with a fault is never posted, however sure it is.
        let broken = complete(99, |lease| lease["lease_end"] = json!("2019-01-01"));
        let reading = DocumentReading::of(&labelled(all_stated()), &broken);
        assert_eq!(Report::of(&[reading], THRESHOLD).documents.reviewed_though_plain, 1);
    }

    #[test]
    fn fields_are_counted_as_posted_as_shown_and_together() {
        let report = Report::of(&readings(), THRESHOLD);
        // Name, then right, wrong, given against, missed, left out and abstained, of posted and of in review.
        let rows = [
            ("tenant_name", [3, 0, 0, 3, 0, 0], [1, 0, 0, 2, 0, 0]),
            ("landlord_name", [3, 0, 0, 3, 0, 0], [0, 1, 0, 2, 0, 0]),
            ("base_rent", [3, 0, 0, 3, 0, 0], [0, 0, 0, 3, 0, 0]),
            ("lease_start", [2, 0, 1, 2, 0, 1], [0, 0, 0, 2, 0, 1]),
            ("lease_end", [3, 0, 0, 2, 1, 0], [0, 0, 0, 2, 1, 0]),
            ("security_deposit", [2, 1, 0, 3, 0, 0], [0, 0, 0, 3, 0, 0]),
            ("all", [16, 1, 1, 16, 1, 1], [1, 1, 0, 14, 1, 1]),
        ];
        for (name, posted, in_review) in rows {
            for (view, lines, expected) in
                [("posted", &report.posted, posted), ("in review", &report.in_review, in_review)]
            {
                let counts = line(lines, name);
                let found = [
                    counts.right,
                    counts.wrong,
                    counts.given_against,
                    counts.missed,
                    counts.left_out,
                    counts.abstained,
                ];
                assert_eq!(found, expected, "{name} {view}");
            }
        }
        let all = line(&report.together, "all");
        assert_eq!(all.precision(), Ratio { count: 17, of: 20 });
        // Of what is there, without the end that may be left out, and the start of which none is right.
        assert_eq!(all.coverage(), Ratio { count: 17, of: 17 + 2 + 14 });
    }

    #[test]
    fn the_curve_counts_from_each_confidence_on() {
        let report = Report::of(&readings(), THRESHOLD);
        let at = |percent: u16| {
            let threshold = Confidence::percent(percent);
            report.curve.iter().find(|point| point.threshold == threshold).expect("a point of the curve")
        };
        for (percent, fields, documents) in [
            (50, (17 + 5, 20 + 6), (1, 4)),
            (80, (17 + 5, 20 + 6), (1, 4)),
            (85, (17, 20), (1, 3)),
            (90, (17, 19), (1, 3)),
            (95, (5, 6), (0, 1)),
            (99, (0, 0), (0, 0)),
        ] {
            let point = at(percent);
            assert_eq!((point.fields.count, point.fields.of), fields, "{percent}");
            assert_eq!((point.documents.count, point.documents.of), documents, "{percent}");
        }
    }

    #[test]
    fn each_miss_and_each_wrong_value_is_told_with_its_passage() {
        let report = Report::of(&readings()[1..5], THRESHOLD);
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|finding| {
                (finding.field, finding.verdict, finding.is_posted, finding.passage.as_deref().unwrap_or(""))
            })
            .collect();
        let wrong = |field, passage| (field, Verdict::Missed, false, passage);
        assert_eq!(
            found,
            [
                ("security_deposit", Verdict::Wrong, true, "passage of security_deposit"),
                ("lease_start", Verdict::GivenAgainst, true, "passage of lease_start"),
                wrong("tenant_name", "passage of tenant_name"),
                wrong("base_rent", "passage of base_rent"),
                wrong("lease_start", "passage of lease_start"),
                wrong("lease_end", "passage of lease_end"),
                wrong("landlord_name", "passage of landlord_name"),
                wrong("security_deposit", "passage of security_deposit"),
                wrong("base_rent", ""),
                wrong("lease_end", "values_of_equal_weight; 2021-12-31 at 0.8 in: ends"),
                ("landlord_name", Verdict::Wrong, false, "p"),
                wrong("security_deposit", ""),
            ]
        );
        assert_eq!(report.findings[0].given.as_deref(), Some("1 USD"));
        assert_eq!(report.findings[0].expected, ["300 USD"]);
    }

    #[test]
    fn an_abstraction_without_evidence_is_as_sure_of_a_field_as_of_the_whole() {
        let made_elsewhere = complete(90, |lease| lease["evidence"] = json!([]));
        let reading = DocumentReading::of(&labelled(all_stated()), &made_elsewhere);
        for field in &reading.fields {
            assert_eq!(field.answer.as_ref().map(|answer| answer.confidence), Some(Confidence::percent(90)));
        }
    }

    #[test]
    fn labels_that_cannot_be_meant_are_named_by_their_place() {
        let document =
            |fields: &str| format!("{{\"documents\":[{{\"file\":\"a.htm\",\"fields\":{{{fields}}}}}]}}");
        let rows = [
            ("{\n \"documents\": [\n  {]\n}".to_owned(), "line 3"),
            ("{\"documents\": 1}".to_owned(), "line 1"),
            ("{}".to_owned(), "documents"),
            ("{\"format\": 2, \"documents\": []}".to_owned(), "format: 2"),
            ("{\"documents\":[\n{\"fields\":{}}]}".to_owned(), "`file` at line 2"),
            (document("\"lease_end\":\n{\"status\":\"said\"}"), "unknown variant `said`"),
            (document("\"lease_end\":\n{\"status\":\"stated\",\"currency\":\"euro\"}"), "line 2"),
            (document("\"lease_end\":{\"status\":\"stated\"}"), "a.htm: lease_end.value"),
            (
                document("\"lease_end\":{\"status\":\"stated\",\"value\":[\"2020-01-01\",\"2021-01-01\"]}"),
                "lease_end.value",
            ),
            (
                document("\"lease_end\":{\"status\":\"absent\",\"value\":\"2020-01-01\"}"),
                "a.htm: lease_end.value",
            ),
            (
                document("\"lease_end\":{\"status\":\"stated\",\"value\":\"2020-02-30\"}"),
                "`2020-02-30` is no date",
            ),
            (
                document("\"lease_end\":{\"status\":\"absent\",\"tempting\":[true]}"),
                "lease_end.tempting: `true`",
            ),
            (
                document("\"base_rent_annual\":{\"status\":\"stated\",\"value\":\"1,200\"}"),
                "base_rent_annual.value: `1,200`",
            ),
            (document("\"tenant_name\":{\"status\":\"stated\",\"value\":\" - \"}"), "is no name"),
            (
                "{\"documents\":[{\"file\":\"a\",\"fields\":{}},{\"file\":\"a\",\"fields\":{}}]}".to_owned(),
                "a: file: is labelled twice",
            ),
        ];
        for (source, expected) in rows {
            let fault = Labels::parse(&source).expect_err(&source).to_string();
            assert!(fault.contains(expected), "{source}: {fault}");
        }
    }

    #[test]
    fn keys_that_mean_nothing_are_told() {
        let source = json!({ "documents": [{ "file": "a.htm", "notes": {}, "fields": {
            "tenant": { "status": "absent" },
            "lease_end": { "status": "absent", "optoinal": true, "note": "n", "scope": "s" },
        } }] });
        let labels = Labels::parse(&source.to_string()).expect("these are labels");
        assert_eq!(labels.ignored, ["a.htm: lease_end.optoinal", "a.htm: tenant"]);
        assert_eq!(labels.documents[0].expected.len(), 1);
    }

    #[test]
    fn few_documents_prove_little() {
        for (count, of, percent, at_least) in [
            (20, 20, "100", "86.1"),
            (1, 1, "100", "5.0"),
            (0, 5, "0", "0.0"),
            (19, 20, "95", "78.4"),
            (5, 10, "50", "22.2"),
            (2000, 2000, "100", "99.9"),
            (1000, 2000, "50", "48.1"),
        ] {
            let ratio = Ratio { count, of };
            let number = |text: &str| text.parse::<Decimal>().ok();
            assert_eq!(ratio.percent(), number(percent), "{count} of {of}");
            assert_eq!(ratio.at_least_percent(), number(at_least), "{count} of {of}");
        }
        assert_eq!((Ratio::default().percent(), Ratio::default().at_least_percent()), (None, None));
    }
}
