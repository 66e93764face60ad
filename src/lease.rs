//! A lease in abstract: the fields that are posted, each with the passage that supports it, and what makes
//! an abstraction fit to be posted.

use std::fmt;

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::posting::{Confidence, Fault, Indexed, Posted};

mod faults;

/// Longest name of a party or a property, in characters. Longer texts are clauses, not names.
pub const NAME_MAX_CHARS: usize = 200;
/// Longest free text kept of a clause (premises, renewal, escalation), in characters.
pub const CLAUSE_MAX_CHARS: usize = 400;
/// Longest passage kept as evidence, in characters.
pub const PASSAGE_MAX_CHARS: usize = 280;
/// Most pieces of evidence kept.
pub const EVIDENCE_MAX_COUNT: usize = 24;
/// Most steps of a rent schedule kept.
pub const RENT_STEPS_MAX_COUNT: usize = 48;
/// Largest abstraction as JSON, in bytes. A DynamoDB item ends at 400 KB and holds more than the abstraction,
/// so this leaves ample room.
pub const ABSTRACTION_MAX_BYTES: usize = 32 * 1024;
/// Earliest year of a date that is believed.
pub const YEAR_MIN: i16 = 1900;
/// Latest year: there are leases for 999 years.
pub const YEAR_MAX: i16 = 2999;
/// Longest term that is believed, in months.
pub const TERM_MAX_MONTHS: u32 = 999 * 12;
/// Longest passage that a fault quotes, in characters.
const QUOTED_MAX_CHARS: usize = 120;
/// Largest amount of money that is stored exactly, in significant digits: what a [`Decimal`] holds. DynamoDB holds 38.
pub const AMOUNT_MAX_DIGITS: usize = 28;

/// Largest amount of money that is believed, in units of the currency.
const AMOUNT_MAX_UNITS: i64 = 1_000_000_000_000;
/// Decimal places of an amount of money, and of one in a currency that is divided by a thousand. Source: ISO 4217.
const AMOUNT_MAX_PLACES: (u32, u32) = (2, 3);

/// What is wrong with an amount of money that nobody pays, if anything: fractions of the least coin, and sums beyond
/// belief, come of a slip of whoever wrote them.
pub(crate) fn fault_of_amount(amount: Decimal, currency: Currency) -> Option<String> {
    const BY_THOUSANDTHS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];
    let is_by_thousandths = BY_THOUSANDTHS.contains(&currency.as_str());
    let places = if is_by_thousandths { AMOUNT_MAX_PLACES.1 } else { AMOUNT_MAX_PLACES.0 };
    if amount.normalize().scale() > places {
        return Some(format!("is {amount}; an amount in {currency} has at most {places} decimal places"));
    }
    (amount > Decimal::from(AMOUNT_MAX_UNITS))
        .then(|| format!("is {amount}; at most {AMOUNT_MAX_UNITS} is believed"))
}

/// Names of the fields, as they stand in JSON, in evidence and in faults.
pub mod field {
    /// What the lease is filed under.
    pub const PROPERTY_ID: &str = "property_id";
    /// Who rents.
    pub const TENANT_NAME: &str = "tenant_name";
    /// Who lets.
    pub const LANDLORD_NAME: &str = "landlord_name";
    /// Rent of the first period that is paid in full.
    pub const BASE_RENT: &str = "base_rent";
    /// First day of the term.
    pub const LEASE_START: &str = "lease_start";
    /// Last day of the term.
    pub const LEASE_END: &str = "lease_end";
    /// Confidence of the weakest required field.
    pub const EXTRACTION_CONFIDENCE: &str = "extraction_confidence";
    /// Lease, sublease, amendment or other.
    pub const DOCUMENT_KIND: &str = "document_kind";
    /// What an amendment changes.
    pub const AMENDMENT_SCOPE: &str = "amendment_scope";
    /// What is let, in words.
    pub const PREMISES: &str = "premises";
    /// How much is let.
    pub const AREA: &str = "area";
    /// Steps of the rent.
    pub const RENT_SCHEDULE: &str = "rent_schedule";
    /// Deposit held by the landlord.
    pub const SECURITY_DEPOSIT: &str = "security_deposit";
    /// Date of the document.
    pub const EXECUTION_DATE: &str = "execution_date";
    /// First day for which rent is due.
    pub const RENT_COMMENCEMENT_DATE: &str = "rent_commencement_date";
    /// Length of the term.
    pub const TERM_MONTHS: &str = "term_months";
    /// Options to renew or extend, in words.
    pub const RENEWAL: &str = "renewal";
    /// How the rent rises, in words.
    pub const ESCALATION: &str = "escalation";
}

/// What kind of document the abstraction was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// A lease of its own.
    Lease,
    /// A lease by a tenant to a subtenant.
    Sublease,
    /// A change to an earlier lease.
    Amendment,
    /// Something else that concerns leases.
    Other,
}

/// What an amendment changes of the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AmendmentScope {
    /// The term goes on, and the dates are those of the term that is granted.
    Extension,
    /// Space is added, and rent and dates are those of the added space.
    Expansion,
    /// Both.
    ExtensionAndExpansion,
    /// The rent is another one; term and space stay.
    RentChange,
    /// None of these.
    Other,
}

/// The period that an amount of rent covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RentPeriod {
    /// A calendar month.
    Monthly,
    /// Twelve months.
    Annual,
}

impl fmt::Display for RentPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Monthly => "monthly",
            Self::Annual => "annual",
        })
    }
}

/// An ISO 4217 currency code: three capital letters. It says which currency the document names; it is never assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The euro.
    pub const EUR: Self = Self(*b"EUR");
    /// The pound sterling.
    pub const GBP: Self = Self(*b"GBP");
    /// The dollar of the United States.
    pub const USD: Self = Self(*b"USD");
    /// The dollar of Canada.
    pub const CAD: Self = Self(*b"CAD");
    /// The dollar of Australia.
    pub const AUD: Self = Self(*b"AUD");
    /// The dollar of New Zealand.
    pub const NZD: Self = Self(*b"NZD");
    /// The dollar of Hong Kong.
    pub const HKD: Self = Self(*b"HKD");
    /// The dollar of Singapore.
    pub const SGD: Self = Self(*b"SGD");
    /// The Indian rupee.
    pub const INR: Self = Self(*b"INR");
    /// The Swiss franc.
    pub const CHF: Self = Self(*b"CHF");

    /// Reads three ASCII letters of either case.
    pub fn parse(raw: &str) -> Option<Self> {
        let letters: [u8; 3] = raw.trim().as_bytes().try_into().ok()?;
        letters
            .iter()
            .all(u8::is_ascii_alphabetic)
            .then(|| Self(letters.map(|letter| letter.to_ascii_uppercase())))
    }

    /// Whether some country pays in it, by ISO 4217.
    pub fn is_known(&self) -> bool {
        const KNOWN: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN \
            BZD CAD CDF CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF \
            GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD \
            LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR \
            PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY \
            TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL";
        KNOWN.split_whitespace().any(|known| known == self.as_str())
    }

    /// The three letters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        Self::parse(&raw)
            .ok_or_else(|| serde::de::Error::custom("a currency is three letters of ISO 4217, such as USD"))
    }
}

/// An amount in a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    /// How much, exact, in units of the currency.
    #[serde(with = "rust_decimal::serde::arbitrary_precision")]
    pub amount: Decimal,
    /// Of what.
    pub currency: Currency,
}

/// Rent for a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BaseRent {
    /// How much for one period, exact, in units of the currency; above zero.
    #[serde(with = "rust_decimal::serde::arbitrary_precision")]
    pub amount: Decimal,
    /// For how long.
    pub period: RentPeriod,
    /// In which currency.
    pub currency: Currency,
}

/// One step of a rent schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RentStep {
    /// First day of the step, where the schedule gives dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Date>,
    /// Last day of the step, where the schedule gives dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Date>,
    /// The step as the schedule words it ("Months 5-16"), bounded.
    pub label: String,
    /// Rent of the step; zero where it is abated.
    pub rent: BaseRent,
}

/// A unit of area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AreaUnit {
    /// Square feet.
    SquareFeet,
    /// Square metres.
    SquareMetres,
    /// Acres.
    Acres,
}

/// An area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Area {
    /// How much, in units.
    #[serde(with = "rust_decimal::serde::arbitrary_precision")]
    pub size: Decimal,
    /// Of what.
    pub unit: AreaUnit,
}

/// The passage that supports a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the field, see [`field`].
    pub field: String,
    /// Page of the document, from 1; absent where the format has no pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The text itself, at most [`PASSAGE_MAX_CHARS`].
    pub passage: String,
    /// Name of the rule that read it.
    pub rule: String,
    /// How sure that rule is of this field.
    pub confidence: Confidence,
}

/// What is posted of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseAbstraction {
    /// What the lease is filed under.
    pub property_id: String,
    /// Who rents, as the document names them.
    pub tenant_name: String,
    /// Rent of the first period that is paid in full.
    pub base_rent: BaseRent,
    /// First day of the term; of an amendment, of the term it grants.
    pub lease_start: Date,
    /// Last day of the term, later than its start.
    pub lease_end: Date,
    /// Confidence of the weakest required field, never the mean.
    pub extraction_confidence: Confidence,
    /// What kind of document this was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_kind: Option<DocumentKind>,
    /// What it changes, if it is an amendment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amendment_scope: Option<AmendmentScope>,
    /// Who lets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landlord_name: Option<String>,
    /// What is let, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premises: Option<String>,
    /// How much is let.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<Area>,
    /// Steps of the rent, in the order of the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rent_schedule: Vec<RentStep>,
    /// Deposit held by the landlord.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_deposit: Option<Money>,
    /// Date of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_date: Option<Date>,
    /// First day for which rent is due, where it is stated apart from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rent_commencement_date: Option<Date>,
    /// Length of the term in months.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term_months: Option<u32>,
    /// Options to renew or extend, in the document's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewal: Option<String>,
    /// How the rent rises, in the document's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<String>,
    /// The passages that support the fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

impl Posted for LeaseAbstraction {
    const KIND: &'static str = "lease";
    const SCHEMA_VERSION: u32 = 2;

    fn faults(&self) -> Vec<Fault> {
        faults::of(self)
    }

    fn confidence(&self) -> Confidence {
        self.extraction_confidence
    }

    fn field_confidences(&self) -> Vec<(&str, Confidence)> {
        // What kind of document it is decides what its figures mean, so that it counts as they do.
        const NEEDED: [&str; 6] = [
            field::PROPERTY_ID,
            field::TENANT_NAME,
            field::BASE_RENT,
            field::LEASE_START,
            field::LEASE_END,
            field::DOCUMENT_KIND,
        ];
        self.evidence
            .iter()
            .filter(|evidence| NEEDED.contains(&evidence.field.as_str()))
            .map(|evidence| (evidence.field.as_str(), evidence.confidence))
            .collect()
    }

    fn filed_under(&self) -> &str {
        &self.property_id
    }

    fn filing_order(&self) -> String {
        self.lease_start.to_string()
    }

    fn indexed(&self) -> Vec<(&'static str, Indexed)> {
        vec![
            ("tenant_name", Indexed::Text(self.tenant_name.clone())),
            ("base_rent_amount", Indexed::Number(self.base_rent.amount)),
            ("base_rent_period", Indexed::Text(self.base_rent.period.to_string())),
            ("base_rent_currency", Indexed::Text(self.base_rent.currency.to_string())),
            ("lease_end", Indexed::Text(self.lease_end.to_string())),
        ]
    }
}

/// Cuts a text to a number of characters, at a character boundary, and turns control characters into spaces.
pub fn bounded(text: &str, limit_chars: usize) -> String {
    text.chars()
        .take(limit_chars)
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::from_str_exact(text).expect("the test's own number")
    }

    fn sound() -> LeaseAbstraction {
        LeaseAbstraction {
            property_id: "HP-210".to_owned(),
            tenant_name: "Tidewater Robotics, Inc.".to_owned(),
            base_rent: BaseRent {
                amount: decimal("12500.00"),
                period: RentPeriod::Monthly,
                currency: Currency::USD,
            },
            lease_start: date(2024, 3, 1),
            lease_end: date(2029, 2, 28),
            extraction_confidence: Confidence::percent(91),
            document_kind: Some(DocumentKind::Lease),
            amendment_scope: None,
            landlord_name: None,
            premises: None,
            area: None,
            rent_schedule: Vec::new(),
            security_deposit: None,
            execution_date: None,
            rent_commencement_date: None,
            term_months: None,
            renewal: None,
            escalation: None,
            evidence: Vec::new(),
        }
    }

    #[test]
    fn a_sound_abstraction_has_no_faults() {
        assert_eq!(sound().faults(), Vec::new());
    }

    #[test]
    fn only_fields_that_must_be_right_are_weak() {
        let piece = |field: &str, percent: u16| Evidence {
            field: field.to_owned(),
            page: None,
            passage: "passage".to_owned(),
            rule: "rule".to_owned(),
            confidence: Confidence::percent(percent),
        };
        let lease = LeaseAbstraction {
            extraction_confidence: Confidence::percent(80),
            evidence: vec![piece("tenant_name", 80), piece("landlord_name", 50), piece("lease_end", 90)],
            ..sound()
        };
        let fields = [("tenant_name", Confidence::percent(80)), ("lease_end", Confidence::percent(90))];
        assert_eq!(lease.field_confidences(), fields);
    }

    #[test]
    fn every_fault_is_reported_with_its_field() {
        type Change = fn(&mut LeaseAbstraction);
        let rows: [(&str, Change, &[&str]); 21] = [
            ("empty property", |lease| lease.property_id = " ".to_owned(), &["property_id"]),
            ("empty tenant", |lease| lease.tenant_name = String::new(), &["tenant_name"]),
            ("long tenant", |lease| lease.tenant_name = "x".repeat(NAME_MAX_CHARS + 1), &["tenant_name"]),
            ("control character", |lease| lease.tenant_name = "A\u{7}B".to_owned(), &["tenant_name"]),
            (
                "more bytes than a row has room for",
                |lease| {
                    let step = RentStep {
                        start: None,
                        end: None,
                        label: "\u{1f3e0}".repeat(NAME_MAX_CHARS),
                        rent: lease.base_rent,
                    };
                    lease.rent_schedule = vec![step; RENT_STEPS_MAX_COUNT];
                },
                &["evidence"],
            ),
            ("no rent", |lease| lease.base_rent.amount = Decimal::ZERO, &["base_rent"]),
            ("a fraction of a cent", |lease| lease.base_rent.amount = decimal("5250.001"), &["base_rent"]),
            (
                "a rent beyond belief",
                |lease| lease.base_rent.amount = decimal("1000000000000.01"),
                &["base_rent"],
            ),
            ("negative rent", |lease| lease.base_rent.amount = decimal("-1"), &["base_rent"]),
            ("ends as it starts", |lease| lease.lease_end = lease.lease_start, &["lease_end"]),
            ("empty landlord", |lease| lease.landlord_name = Some(String::new()), &["landlord_name"]),
            ("no term", |lease| lease.term_months = Some(0), &["term_months"]),
            ("a term of ages", |lease| lease.term_months = Some(TERM_MAX_MONTHS + 1), &["term_months"]),
            ("a year of no lease", |lease| lease.lease_start = date(1024, 3, 1), &["lease_start"]),
            ("an end of no lease", |lease| lease.lease_end = date(9024, 3, 1), &["lease_end"]),
            ("signed in no year", |lease| lease.execution_date = Some(date(24, 3, 1)), &["execution_date"]),
            (
                "rent from behind the end",
                |lease| lease.rent_commencement_date = Some(date(2030, 1, 1)),
                &["rent_commencement_date"],
            ),
            (
                "no country's money",
                |lease| lease.base_rent.currency = Currency::parse("QQQ").expect("three letters"),
                &["base_rent"],
            ),
            (
                "negative deposit",
                |lease| {
                    lease.security_deposit = Some(Money { amount: decimal("-5"), currency: Currency::USD });
                },
                &["security_deposit"],
            ),
            ("long clause", |lease| lease.renewal = Some("y".repeat(CLAUSE_MAX_CHARS + 1)), &["renewal"]),
            (
                "two at once",
                |lease| {
                    lease.base_rent.amount = Decimal::ZERO;
                    lease.lease_end = date(2020, 1, 1);
                },
                &["base_rent", "lease_end"],
            ),
        ];
        for (case, change, expected) in rows {
            let mut lease = sound();
            change(&mut lease);
            let fields: Vec<String> = lease.faults().into_iter().map(|fault| fault.field).collect();
            assert_eq!(fields, expected, "{case}");
        }
    }

    #[test]
    fn a_fault_names_field_value_and_passage() {
        let mut lease = sound();
        lease.base_rent.amount = decimal("-7");
        lease.evidence = vec![Evidence {
            field: field::BASE_RENT.to_owned(),
            page: Some(2),
            passage: "Base Rent: $-7".to_owned(),
            rule: "rule".to_owned(),
            confidence: Confidence::percent(95),
        }];
        let told: Vec<String> = lease.faults().iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        for part in ["base_rent", "-7", "Base Rent: $-7"] {
            assert!(told[0].contains(part), "{part} in {}", told[0]);
        }
    }

    #[test]
    fn money_round_trips_exactly() {
        for text in ["12345678901234567890.12", "0.01", "1000", "1000.00", "99999999999999999999999999.99"] {
            let mut lease = sound();
            lease.base_rent.amount = decimal(text);
            let json = serde_json::to_string(&lease).expect("an abstraction serialises");
            assert!(
                json.contains(&format!("\"amount\":{text},")),
                "{text} is an exact JSON number in {json}"
            );
            let back: LeaseAbstraction = serde_json::from_str(&json).expect("it reads back");
            assert_eq!(back.base_rent.amount.to_string(), text);
            assert_eq!(back, lease);
            let value = serde_json::to_value(&lease).expect("an abstraction is a value");
            let through_value: LeaseAbstraction = serde_json::from_value(value).expect("it reads back");
            assert_eq!(through_value, lease, "{text} by way of a value");
        }
    }

    #[test]
    fn an_abstraction_of_full_size_stays_within_its_limit() {
        let mut lease = sound();
        lease.property_id = "p".repeat(NAME_MAX_CHARS);
        lease.tenant_name = "t".repeat(NAME_MAX_CHARS);
        lease.landlord_name = Some("l".repeat(NAME_MAX_CHARS));
        for clause in [&mut lease.premises, &mut lease.renewal, &mut lease.escalation] {
            *clause = Some("é".repeat(CLAUSE_MAX_CHARS));
        }
        lease.rent_schedule = vec![
            RentStep {
                start: Some(lease.lease_start),
                end: Some(lease.lease_end),
                label: "m".repeat(64),
                rent: lease.base_rent,
            };
            RENT_STEPS_MAX_COUNT
        ];
        lease.evidence = vec![
            Evidence {
                field: field::RENT_COMMENCEMENT_DATE.to_owned(),
                page: Some(394),
                passage: "é".repeat(PASSAGE_MAX_CHARS),
                rule: "r".repeat(40),
                confidence: Confidence::percent(91),
            };
            EVIDENCE_MAX_COUNT
        ];
        assert_eq!(lease.faults(), Vec::new());
        let bytes = serde_json::to_vec(&lease).expect("an abstraction serialises").len();
        assert!(bytes <= ABSTRACTION_MAX_BYTES, "{bytes} bytes");
    }

    #[test]
    fn currencies_are_three_letters() {
        for (raw, expected) in [
            ("USD", Some("USD")),
            ("eur", Some("EUR")),
            ("US", None),
            ("DOLLAR", None),
            ("U$D", None),
            ("", None),
        ] {
            assert_eq!(
                Currency::parse(raw).map(|currency| currency.to_string()).as_deref(),
                expected,
                "{raw}"
            );
        }
    }

    #[test]
    fn the_row_carries_what_an_index_needs() {
        let lease = sound();
        assert_eq!(lease.filing_order(), "2024-03-01");
        assert_eq!(lease.filed_under(), "HP-210");
        assert_eq!(
            lease.indexed(),
            [
                ("tenant_name", Indexed::Text("Tidewater Robotics, Inc.".to_owned())),
                ("base_rent_amount", Indexed::Number(decimal("12500.00"))),
                ("base_rent_period", Indexed::Text("monthly".to_owned())),
                ("base_rent_currency", Indexed::Text("USD".to_owned())),
                ("lease_end", Indexed::Text("2029-02-28".to_owned())),
            ]
        );
    }
}
