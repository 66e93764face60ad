//! JSON: an abstraction that was made elsewhere. It is validated and not read again by rules; its own
//! evidence is kept.

use std::collections::HashSet;
use std::fmt;

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde_json::{Value, json};

use super::clauses::names::folded;
use crate::lease::{
    AmendmentScope, Area, AreaUnit, BaseRent, Currency, DocumentKind, Evidence, LeaseAbstraction, Money,
    PASSAGE_MAX_CHARS, RentPeriod, RentStep, bounded, fault_of_amount, field,
};
use crate::ports::extractor::{Extraction, Incomplete};
use crate::posting::Reason;
use crate::posting::{Confidence, Fault, Posted};

/// How far the months of a term may be from those between its dates, in months: a first month may be short.
const TERM_TOLERANCE_MONTHS: i32 = 1;
/// Twelve months, in months.
const YEAR_MONTHS: i16 = 12;
/// Longest text of a member that is shown to a reviewer, in characters.
const SHOWN_MAX_CHARS: usize = 400;

/// The members of an object in order, with repeated names kept: a name given twice with two values is a
/// contradiction that an ordinary map would hide.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, Value>()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// What stands where nobody knows the name yet, in lower case and without punctuation.
const PLACEHOLDERS: [&str; 15] = [
    "",
    "tbd",
    "tba",
    "na",
    "none",
    "null",
    "unknown",
    "tenant",
    "landlord",
    "tobedetermined",
    "pending",
    "xxx",
    "vacant",
    "tenantname",
    "landlordname",
];

/// Words of a status by which a lease runs, in lower case. Any other status is for a person.
const IN_FORCE: [&str; 9] = [
    "active",
    "signed",
    "executed",
    "fully executed",
    "in force",
    "in effect",
    "current",
    "commenced",
    "occupied",
];

/// Members that say whether the document counts, and for whom. They are read for that alone.
const STANDING: [&str; 15] = [
    "status",
    "lease_status",
    "executed",
    "signed",
    "terminated",
    "expired",
    "draft",
    "void",
    "cancelled",
    "superseded",
    "superseded_by",
    "replaced_by",
    "co_tenant",
    "co_tenants",
    "amended_by",
];

/// The members of a lease abstraction.
const KNOWN: [&str; 19] = [
    field::PROPERTY_ID,
    field::TENANT_NAME,
    field::LANDLORD_NAME,
    field::BASE_RENT,
    field::LEASE_START,
    field::LEASE_END,
    field::EXTRACTION_CONFIDENCE,
    field::DOCUMENT_KIND,
    field::AMENDMENT_SCOPE,
    field::PREMISES,
    field::AREA,
    field::RENT_SCHEDULE,
    field::SECURITY_DEPOSIT,
    field::EXECUTION_DATE,
    field::RENT_COMMENCEMENT_DATE,
    field::TERM_MONTHS,
    field::RENEWAL,
    field::ESCALATION,
    EVIDENCE,
];
/// The member with the passages that support the others.
const EVIDENCE: &str = "evidence";
/// The member by which a writer says how the object is built; it says nothing of the lease.
const SCHEMA: &str = "$schema";

/// What the name of a member begins with that is the sender's own and carries no meaning here.
const OWN_PREFIXES: [&str; 2] = ["_", "x_"];

/// Longest name of a member that is told, in characters.
const MEMBER_SHOWN_MAX_CHARS: usize = 40;
/// Most members that are told to be unknown.
const UNKNOWN_TOLD_MAX_COUNT: usize = 8;

/// Whether a character takes no room or turns the direction of what follows, so that a name looks like another.
fn is_unseen(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Reads a JSON abstraction.
pub fn read(bytes: &[u8], filed_under: Option<&str>) -> Extraction<LeaseAbstraction> {
    let (text, _) = super::plain::decode(bytes, None);
    let members = match serde_json::from_str::<Members>(&text) {
        Ok(Members(members)) => members,
        Err(error) if error.is_data() => {
            return incomplete(
                "no_abstraction",
                "The JSON is no object with the members of a lease abstraction.".to_owned(),
                json!({}),
            );
        }
        Err(error) => {
            let detail = format!(
                "The JSON cannot be read (line {}, column {}): upload it again, whole.",
                error.line(),
                error.column()
            );
            return incomplete("unreadable_json", detail, json!({}));
        }
    };
    let mut reader = Reader { members: &members, faults: Vec::new() };
    for member in repeated_within(&text) {
        reader.fault(&member, "names one of its members twice; each is needed once");
    }
    reader.abstraction(filed_under)
}

/// The members of the outermost object within which a name is given twice. The text is known to be JSON, so that strings,
/// braces and colons tell all there is to know; the parser keeps the last of two and says nothing.
fn repeated_within(text: &str) -> Vec<String> {
    let mut open: Vec<HashSet<String>> = Vec::new();
    let (mut member, mut last_string, mut repeated) = (String::new(), String::new(), Vec::new());
    let mut rest = text.char_indices();
    while let Some((at, character)) = rest.next() {
        match character {
            '"' => {
                let mut end = text.len();
                while let Some((inner_at, inner)) = rest.next() {
                    match inner {
                        '\\' => drop(rest.next()),
                        '"' => {
                            end = inner_at + 1;
                            break;
                        }
                        _ => {}
                    }
                }
                last_string = serde_json::from_str(&text[at..end]).unwrap_or_default();
            }
            '{' => open.push(HashSet::new()),
            '}' => drop(open.pop()),
            ':' => {
                let depth = open.len();
                let Some(names) = open.last_mut() else { continue };
                let is_new = names.insert(last_string.clone());
                if depth == 1 {
                    member.clone_from(&last_string);
                } else if !is_new && !repeated.contains(&member) {
                    repeated.push(member.clone());
                }
            }
            _ => {}
        }
    }
    repeated
}

/// A bare calendar date: of a timestamp it is not certain which day is meant.
fn day_of(text: &str) -> Option<Date> {
    (text.len() == 10).then(|| text.parse().ok()).flatten()
}

fn incomplete(code: &str, detail: String, found: Value) -> Extraction<LeaseAbstraction> {
    Extraction::Incomplete(Incomplete { reason: Reason::new(code, detail), found })
}

/// Reads members one by one and notes each fault, so that a person sees all of them at once.
struct Reader<'a> {
    members: &'a [(String, Value)],
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, field: &str, problem: impl Into<String>) {
        self.faults.push(Fault { field: field.to_owned(), problem: problem.into() });
    }

    /// A member that is there and not null.
    fn member(&mut self, name: &str) -> Option<Value> {
        let mut values = self.members.iter().filter(|(member, _)| member == name).map(|(_, value)| value);
        let first = values.next()?.clone();
        if values.any(|other| *other != first) {
            self.fault(name, "is given twice with different values; one is needed");
            return None;
        }
        (!first.is_null()).then_some(first)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.member(name)? {
            Value::String(text) => Some(text.trim().to_owned()),
            // Identifiers are often written as numbers.
            Value::Number(number) if name == field::PROPERTY_ID => Some(number.to_string()),
            _ => {
                self.fault(name, "is no text; a JSON string is needed");
                None
            }
        }
    }

    fn date(&mut self, name: &str) -> Option<Date> {
        let text = self.text(name)?;
        let date = day_of(&text);
        if date.is_none() {
            self.fault(name, format!("is \"{}\"; a date such as 2024-03-01 is needed", bounded(&text, 40)));
        }
        date
    }

    fn parsed<T: DeserializeOwned>(&mut self, name: &str, wanted: &str) -> Option<T> {
        let value = self.member(name)?;
        match serde_json::from_value(value) {
            Ok(parsed) => Some(parsed),
            Err(_) => {
                self.fault(name, format!("cannot be read; {wanted} is needed"));
                None
            }
        }
    }

    /// An exact number from a JSON number or a string.
    fn decimal(&mut self, name: &str, value: Option<&Value>) -> Option<Decimal> {
        let raw = match value {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(text)) => text.trim().to_owned(),
            _ => {
                self.fault(name, "has no amount; a number or a string such as \"1250.00\" is needed");
                return None;
            }
        };
        // `from_scientific` rounds silently, so an exponent is only taken where nothing is lost by it.
        let exact = Decimal::from_str_exact(&raw).ok().or_else(|| {
            let short = raw.len() <= crate::lease::AMOUNT_MAX_DIGITS && raw.contains(['e', 'E']);
            short.then(|| Decimal::from_scientific(&raw).ok()).flatten()
        });
        if exact.is_none() {
            self.fault(
                name,
                format!(
                    "has the amount \"{}\"; a plain decimal number of at most {} digits is needed",
                    bounded(&raw, 60),
                    crate::lease::AMOUNT_MAX_DIGITS
                ),
            );
        }
        exact
    }

    fn currency(&mut self, name: &str, value: Option<&Value>) -> Option<Currency> {
        const NEEDED: &str = "three letters of ISO 4217 such as \"USD\" are needed";
        let currency = value.and_then(Value::as_str).and_then(Currency::parse);
        match value.filter(|value| !value.is_null()) {
            Some(_) if currency.is_some() => {}
            Some(other) => {
                let shown = bounded(&other.to_string(), MEMBER_SHOWN_MAX_CHARS);
                self.fault(name, format!("has the currency {shown}; {NEEDED}"));
            }
            None => self.fault(name, format!("has no currency; {NEEDED}")),
        }
        currency
    }

    /// Notes members of an amount that may make it another, such as a unit of cents or a rate for an area.
    fn no_more_than(&mut self, name: &str, value: &Value, known: &[&str]) {
        let more = value.as_object().into_iter().flatten().map(|(member, _)| member);
        if let Some(member) = more.into_iter().find(|member| !known.contains(&member.as_str())) {
            let shown = bounded(member, MEMBER_SHOWN_MAX_CHARS);
            self.fault(
                name,
                format!(
                    "has the member {shown:?}, which is not known; only {} may stand there",
                    known.join(", ")
                ),
            );
        }
    }

    fn rent_of(&mut self, name: &str, value: &Value) -> Option<BaseRent> {
        self.no_more_than(name, value, &["amount", "period", "currency"]);
        let amount = self.decimal(name, value.get("amount"));
        let period = value.get("period").filter(|period| !period.is_null());
        let period = match (period, period.and_then(Value::as_str)) {
            (_, Some("monthly")) => Some(RentPeriod::Monthly),
            (_, Some("annual")) => Some(RentPeriod::Annual),
            (Some(other), _) => {
                let shown = bounded(&other.to_string(), MEMBER_SHOWN_MAX_CHARS);
                self.fault(name, format!("has the period {shown}; permitted: \"monthly\", \"annual\""));
                None
            }
            (None, _) => {
                self.fault(name, "has no period; \"monthly\" or \"annual\" is needed");
                None
            }
        };
        let currency = self.currency(name, value.get("currency"));
        self.believe(name, amount, currency);
        Some(BaseRent { amount: amount?, period: period?, currency: currency? })
    }

    /// Notes an amount that nobody pays.
    fn believe(&mut self, name: &str, amount: Option<Decimal>, currency: Option<Currency>) {
        let (Some(amount), Some(currency)) = (amount, currency) else { return };
        if let Some(problem) = fault_of_amount(amount, currency) {
            self.fault(name, problem);
        }
    }

    /// Notes members that contradict each other or say that the abstraction does not count.
    fn contradictions(&mut self, draft: &LeaseAbstraction) {
        if draft.document_kind == Some(DocumentKind::Other) {
            self.fault(field::DOCUMENT_KIND, "is \"other\"; a lease, a sublease or an amendment is needed");
        }
        let yearly = |rent: &BaseRent| match rent.period {
            RentPeriod::Monthly => rent.amount.checked_mul(Decimal::from(YEAR_MONTHS)),
            RentPeriod::Annual => Some(rent.amount),
        };
        // Steps in which no rent is due come before the first that counts.
        let first = draft.rent_schedule.iter().find(|step| step.rent.amount > Decimal::ZERO);
        let agrees = |step: &RentStep| {
            let (step, base) = (yearly(&step.rent)?, yearly(&draft.base_rent)?);
            Some((step - base).abs() <= Decimal::ONE)
        };
        if first.is_some_and(|step| agrees(step) != Some(true)) {
            self.fault(field::RENT_SCHEDULE, "begins with another rent than base_rent; one is needed");
        }
        let after = draft.lease_end.checked_add(jiff::Span::new().days(1)).unwrap_or(draft.lease_end);
        let start = draft.lease_start;
        let years = i32::from(after.year()) - i32::from(start.year());
        let between = years * i32::from(YEAR_MONTHS) + i32::from(after.month()) - i32::from(start.month());
        let months = draft.term_months.and_then(|months| i32::try_from(months).ok());
        if let Some(months) = months
            && (between - months).abs() > TERM_TOLERANCE_MONTHS
        {
            let problem = format!("is {months}, and the dates are {between} months apart; one is needed");
            self.fault(field::TERM_MONTHS, problem);
        }
        for (name, party) in [
            (field::TENANT_NAME, Some(&draft.tenant_name)),
            (field::LANDLORD_NAME, draft.landlord_name.as_ref()),
        ] {
            let Some(party) = party else { continue };
            if party.contains(is_unseen) {
                self.fault(name, "holds characters that nobody sees; plain text is needed");
            }
            if PLACEHOLDERS.contains(&folded(party).as_str()) && !party.is_empty() {
                self.fault(name, "holds the place of a name; the name as the document gives it is needed");
            }
        }
        if draft.landlord_name.as_ref().is_some_and(|landlord| folded(landlord) == folded(&draft.tenant_name))
        {
            self.fault(field::TENANT_NAME, "is the landlord's name as well; nobody lets to himself");
        }
        let says = |name: &str, value: &Value| match name {
            "status" | "lease_status" => {
                let is_in_force =
                    |value: &str| IN_FORCE.contains(&value.trim().to_lowercase().replace('_', " ").as_str());
                !value.is_null() && !value.as_str().is_some_and(is_in_force)
            }
            // The day on which it was signed says that it was.
            "executed" | "signed" => {
                let is_a_day = value.as_str().is_some_and(|day| day_of(day).is_some());
                !matches!(value, Value::Null | Value::Bool(true)) && !is_a_day
            }
            "terminated" | "expired" | "draft" | "void" | "cancelled" | "superseded" => {
                !matches!(value, Value::Null | Value::Bool(false))
            }
            "superseded_by" | "replaced_by" | "amended_by" | "co_tenant" | "co_tenants" => {
                !value.is_null() && value.as_array().is_none_or(|listed| !listed.is_empty())
            }
            _ => false,
        };
        let told = self.members.iter().find(|(name, value)| says(name, value));
        if let Some(name) = told.map(|(name, _)| name.clone()) {
            self.fault(&name, "says that the document does not count, or not alone; what counts is needed");
        }
    }

    /// Notes members that nobody knows: what they say of the lease would be lost, or overrule what is posted.
    fn unknown_members(&mut self) {
        let is_known = |name: &str| {
            KNOWN.contains(&name)
                || STANDING.contains(&name)
                || name == SCHEMA
                || OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        };
        let unknown = self.members.iter().map(|(name, _)| name).filter(|name| !is_known(name));
        let mut told: Vec<String> = Vec::new();
        for name in unknown {
            let shown = bounded(name, MEMBER_SHOWN_MAX_CHARS);
            if !told.contains(&shown) {
                told.push(shown);
            }
            if told.len() >= UNKNOWN_TOLD_MAX_COUNT {
                break;
            }
        }
        for name in told {
            self.fault(
                &name,
                "is no member of a lease abstraction: remove it, or let its name begin with \"x_\" if it is \
                 your own and changes nothing",
            );
        }
    }

    fn base_rent(&mut self) -> Option<BaseRent> {
        let value = self.member(field::BASE_RENT)?;
        if !value.is_object() {
            self.fault(field::BASE_RENT, "is no object; one with amount, period and currency is needed");
            return None;
        }
        self.rent_of(field::BASE_RENT, &value)
    }

    /// The steps of the rent, each amount read as exactly as the base rent.
    fn rent_schedule(&mut self) -> Vec<RentStep> {
        let Some(value) = self.member(field::RENT_SCHEDULE) else { return Vec::new() };
        let Value::Array(steps) = value else {
            self.fault(field::RENT_SCHEDULE, "is no list; a list of steps with label and rent is needed");
            return Vec::new();
        };
        let mut read = Vec::new();
        for step in steps.iter().take(crate::lease::RENT_STEPS_MAX_COUNT + 1) {
            self.no_more_than(field::RENT_SCHEDULE, step, &["start", "end", "label", "rent"]);
            let (start, end) = (self.day_of_step(step, "start"), self.day_of_step(step, "end"));
            let Some(rent) = self.rent_of(field::RENT_SCHEDULE, step.get("rent").unwrap_or(&Value::Null))
            else {
                continue;
            };
            let label = step.get("label").and_then(Value::as_str).unwrap_or_default().to_owned();
            read.push(RentStep { start, end, label, rent });
        }
        read
    }

    /// A day of a step of the rent, which need not have one.
    fn day_of_step(&mut self, step: &Value, name: &str) -> Option<Date> {
        let written = step.get(name).filter(|written| !written.is_null())?;
        let day = written.as_str().and_then(day_of);
        if day.is_none() {
            self.fault(
                field::RENT_SCHEDULE,
                format!("has a step whose {name} is no date such as 2024-03-01"),
            );
        }
        day
    }

    fn area(&mut self) -> Option<Area> {
        let value = self.member(field::AREA)?;
        self.no_more_than(field::AREA, &value, &["size", "unit"]);
        let size = self.decimal(field::AREA, value.get("size"))?;
        let unit = value.get("unit").and_then(|unit| serde_json::from_value::<AreaUnit>(unit.clone()).ok());
        if unit.is_none() {
            self.fault(field::AREA, "has no unit; \"square_feet\", \"square_metres\" or \"acres\" is needed");
        }
        Some(Area { size, unit: unit? })
    }

    fn deposit(&mut self) -> Option<Money> {
        let value = self.member(field::SECURITY_DEPOSIT)?;
        self.no_more_than(field::SECURITY_DEPOSIT, &value, &["amount", "currency"]);
        let amount = self.decimal(field::SECURITY_DEPOSIT, value.get("amount"));
        let currency = self.currency(field::SECURITY_DEPOSIT, value.get("currency"));
        self.believe(field::SECURITY_DEPOSIT, amount, currency);
        Some(Money { amount: amount?, currency: currency? })
    }

    /// Absent counts as certain: whoever sends an abstraction without a figure for doubt has none.
    fn confidence(&mut self) -> Confidence {
        let Some(value) = self.member(field::EXTRACTION_CONFIDENCE) else { return Confidence::ONE };
        let number = self.decimal(field::EXTRACTION_CONFIDENCE, Some(&value));
        let confidence = number.and_then(Confidence::from_decimal);
        if confidence.is_none() && number.is_some() {
            self.fault(field::EXTRACTION_CONFIDENCE, "lies outside 0 to 1; a number between them is needed");
        }
        confidence.unwrap_or(Confidence::ZERO)
    }

    fn evidence(&mut self) -> Vec<Evidence> {
        let mut evidence: Vec<Evidence> = self
            .parsed(EVIDENCE, "a list of objects with field, passage, rule and confidence")
            .unwrap_or_default();
        evidence.truncate(crate::lease::EVIDENCE_MAX_COUNT);
        for piece in &mut evidence {
            piece.passage = bounded(&piece.passage, PASSAGE_MAX_CHARS);
        }
        evidence
    }

    fn abstraction(mut self, filed_under: Option<&str>) -> Extraction<LeaseAbstraction> {
        let known = [field::TENANT_NAME, field::BASE_RENT, field::LEASE_START, field::LEASE_END];
        if !self.members.iter().any(|(name, _)| known.contains(&name.as_str())) {
            let detail = "The JSON has none of the members of a lease abstraction.".to_owned();
            return incomplete("no_abstraction", detail, json!({}));
        }
        self.unknown_members();
        let property_id = match filed_under {
            Some(id) => Some(id.to_owned()),
            None => self.text(field::PROPERTY_ID).filter(|id| !id.is_empty()),
        };
        let tenant_name = self.text(field::TENANT_NAME);
        let base_rent = self.base_rent();
        let lease_start = self.date(field::LEASE_START);
        let lease_end = self.date(field::LEASE_END);
        let extraction_confidence = self.confidence();
        let document_kind =
            self.parsed::<DocumentKind>(field::DOCUMENT_KIND, "lease, sublease, amendment or other");
        let rent_schedule = self.rent_schedule();
        let mut draft = LeaseAbstraction {
            property_id: property_id.clone().unwrap_or_default(),
            tenant_name: tenant_name.clone().unwrap_or_default(),
            base_rent: base_rent.unwrap_or(BaseRent {
                amount: Decimal::ONE,
                period: RentPeriod::Monthly,
                currency: Currency::USD,
            }),
            lease_start: lease_start.unwrap_or(Date::MIN),
            lease_end: lease_end.unwrap_or(Date::MAX),
            extraction_confidence,
            document_kind,
            amendment_scope: self.parsed::<AmendmentScope>(
                field::AMENDMENT_SCOPE,
                "extension, expansion, extension_and_expansion, rent_change or other",
            ),
            landlord_name: self.text(field::LANDLORD_NAME),
            premises: self.text(field::PREMISES),
            area: self.area(),
            rent_schedule,
            security_deposit: self.deposit(),
            execution_date: self.date(field::EXECUTION_DATE),
            rent_commencement_date: self.date(field::RENT_COMMENCEMENT_DATE),
            term_months: self.parsed::<u32>(field::TERM_MONTHS, "a whole number of months"),
            renewal: self.text(field::RENEWAL),
            escalation: self.text(field::ESCALATION),
            evidence: self.evidence(),
        };
        let missing: Vec<&str> = [
            (field::TENANT_NAME, tenant_name.is_none()),
            (field::BASE_RENT, base_rent.is_none()),
            (field::LEASE_START, lease_start.is_none()),
            (field::LEASE_END, lease_end.is_none()),
        ]
        .into_iter()
        .filter_map(|(name, is_missing)| is_missing.then_some(name))
        .collect();
        for name in missing {
            if !self.faults.iter().any(|fault| fault.field == name) {
                self.fault(name, "is missing; it is required");
            }
        }
        if self.faults.is_empty() {
            self.contradictions(&draft);
        }
        // The whole is as sure as the evidence of its weakest required field.
        let required = [&known[..], &[field::PROPERTY_ID]].concat();
        let weakest = draft.evidence.iter().filter(|piece| required.contains(&piece.field.as_str()));
        if let Some(weakest) = weakest.map(|piece| piece.confidence).min() {
            draft.extraction_confidence = draft.extraction_confidence.min(weakest);
        }
        // The draft's own faults, but not those of the values that stand where a member is missing.
        let noted: Vec<String> = self.faults.iter().map(|fault| fault.field.clone()).collect();
        for fault in draft.faults() {
            let of_missing_property = fault.field == field::PROPERTY_ID && property_id.is_none();
            if !noted.contains(&fault.field) && !of_missing_property {
                self.faults.push(fault);
            }
        }
        if property_id.is_some() && self.faults.is_empty() {
            return Extraction::Complete(draft);
        }
        let reason = if self.faults.is_empty() {
            Reason::new(
                super::PROPERTY_ID_MISSING,
                "The abstraction names no property: add property_id, or file the object under one.",
            )
        } else {
            let listed: Vec<String> = self.faults.iter().map(ToString::to_string).collect();
            Reason::new("invalid_abstraction", bounded(&listed.join("; "), SHOWN_MAX_CHARS))
        };
        let found = self.shown(filed_under);
        Extraction::Incomplete(Incomplete { reason, found })
    }

    /// The members as they came, bounded, with the faults.
    fn shown(&self, filed_under: Option<&str>) -> Value {
        const SHOWN: &[&str] = &[
            field::PROPERTY_ID,
            field::TENANT_NAME,
            field::LANDLORD_NAME,
            field::BASE_RENT,
            field::LEASE_START,
            field::LEASE_END,
            field::EXTRACTION_CONFIDENCE,
            field::DOCUMENT_KIND,
            field::SECURITY_DEPOSIT,
        ];
        let mut shown = serde_json::Map::new();
        for name in SHOWN {
            if let Some((_, value)) = self.members.iter().find(|(member, _)| member == name) {
                let value = match value {
                    Value::String(text) => Value::String(bounded(text, SHOWN_MAX_CHARS)),
                    other => {
                        let written = other.to_string();
                        if written.len() <= SHOWN_MAX_CHARS {
                            other.clone()
                        } else {
                            Value::String(bounded(&written, SHOWN_MAX_CHARS))
                        }
                    }
                };
                shown.insert((*name).to_owned(), json!({ "value": value, "rule": "json_member" }));
            }
        }
        if let Some(id) = filed_under {
            shown.insert(field::PROPERTY_ID.to_owned(), json!({ "value": id, "rule": "filed_under" }));
        }
        let faults: Vec<Value> = self
            .faults
            .iter()
            .take(crate::lease::EVIDENCE_MAX_COUNT)
            .map(|fault| json!({ "field": fault.field, "problem": bounded(&fault.problem, SHOWN_MAX_CHARS) }))
            .collect();
        if !faults.is_empty() {
            shown.insert("faults".to_owned(), Value::Array(faults));
        }
        Value::Object(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r#"{"property_id":"HP-210","tenant_name":"Fern LLC","base_rent":{"amount":5000.00,"period":"monthly","currency":"USD"},"lease_start":"2024-03-01","lease_end":"2029-02-28"}"#;

    fn complete(text: &str) -> LeaseAbstraction {
        match read(text.as_bytes(), None) {
            Extraction::Complete(lease) => lease,
            other => panic!("{text} gave {other:?}"),
        }
    }

    fn reason(text: &str) -> (String, String) {
        match read(text.as_bytes(), None) {
            Extraction::Incomplete(Incomplete { reason, .. }) => (reason.code, reason.detail),
            other => panic!("{text} gave {other:?}"),
        }
    }

    #[test]
    fn a_sound_abstraction_is_taken_as_it_is() {
        let lease = complete(SOUND);
        assert_eq!(lease.tenant_name, "Fern LLC");
        assert_eq!(lease.base_rent.amount.to_string(), "5000.00");
        assert_eq!(lease.extraction_confidence, Confidence::ONE);
        assert_eq!(lease.filed_under(), "HP-210");
    }

    #[test]
    fn amounts_are_read_exactly_as_numbers_and_as_strings() {
        let rows = [
            ("5000.00", "5000.00"),
            ("\"5000.00\"", "5000.00"),
            ("123456789012.12", "123456789012.12"),
            ("\"123456789012.12\"", "123456789012.12"),
            ("0.1", "0.1"),
            ("5e3", "5000"),
        ];
        for (written, expected) in rows {
            let lease = complete(&SOUND.replace("5000.00", written));
            assert_eq!(lease.base_rent.amount.to_string(), expected, "{written}");
        }
    }

    #[test]
    fn every_fault_is_named() {
        let rows = [
            ("\"amount\":5000.00,", "", "base_rent: has no amount"),
            ("5000.00", "\"5,000.00\"", "base_rent: has the amount"),
            ("5000.00", "1.2345678901234567890123456789012345", "base_rent: has the amount"),
            ("5000.00", "0", "base_rent: is 0"),
            ("monthly", "weekly", "base_rent: has the period \"weekly\"; permitted: \"monthly\", \"annual\""),
            ("\"monthly\"", "12", "base_rent: has the period 12; permitted"),
            ("\"monthly\"", "null", "base_rent: has no period; \"monthly\" or"),
            ("\"period\":\"monthly\",", "", "base_rent: has no period; \"monthly\" or"),
            ("\"USD\"", "\"USD\",\"unit\":\"cents\"", "base_rent: has the member \"unit\""),
            ("Fern LLC", "[Tenant Name]", "tenant_name"),
            ("Fern LLC", "VACANT", "tenant_name"),
            ("USD", "dollars", "base_rent: has the currency \"dollars\"; three letters"),
            (",\"currency\":\"USD\"", "", "base_rent: has no currency; three letters"),
            ("2024-03-01", "03/01/2024", "lease_start: is \"03/01/2024\""),
            ("2024-03-01", "2030-03-01", "lease_end: is 2029-02-28, not after"),
            ("\"Fern LLC\"", "7", "tenant_name: is no text"),
            ("\"tenant_name\":\"Fern LLC\",", "", "tenant_name: is missing"),
            (
                "\"tenant_name\"",
                "\"tenant_name\":\"Moss LLC\",\"tenant_name\"",
                "tenant_name: is given twice",
            ),
            (
                "\"lease_end\"",
                "\"extraction_confidence\":1.5,\"lease_end\"",
                "extraction_confidence: lies outside",
            ),
        ];
        for (from, to, expected) in rows {
            let text = SOUND.replacen(from, to, 1);
            let (code, detail) = reason(&text);
            assert_eq!(code, "invalid_abstraction", "{text}");
            assert!(detail.contains(expected), "{text} gave {detail}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_not_posted() {
        let schedule = |amount: &str, period: &str| {
            format!(
                "\"rent_schedule\":[{{\"label\":\"free\",\"rent\":{{\"amount\":0,\"period\":\"monthly\",\"currency\":\"USD\"}}}},{{\"label\":\"then\",\"rent\":{{\"amount\":{amount},\"period\":\"{period}\",\"currency\":\"USD\"}}}}],\"lease_end\""
            )
        };
        // What is replaced, by what, and the fault it makes, if it makes one.
        let rows: Vec<(&str, String, Option<&str>)> = vec![
            ("\"lease_end\"", "\"document_kind\":\"lease\",\"lease_end\"".to_owned(), None),
            (
                "\"lease_end\"",
                "\"document_kind\":\"other\",\"lease_end\"".to_owned(),
                Some("document_kind: is \"other\""),
            ),
            (
                "\"amount\":5000.00",
                "\"amount\":5000.00,\"amount\":4800.00".to_owned(),
                Some("base_rent: names one of its members twice"),
            ),
            (
                "\"amount\":5000.00",
                "\"amount\":5000.00,\"am\\u006funt\":4800.00".to_owned(),
                Some("base_rent: names one of its members twice"),
            ),
            ("\"Fern LLC\"", "\"Fern \\\": {\\\" LLC\"".to_owned(), None),
            ("5000.00", "5000.001".to_owned(), Some("base_rent: is 5000.001")),
            ("5000.00", "1e-28".to_owned(), Some("base_rent: is 0.0000")),
            ("5000.00", "5000.0000".to_owned(), None),
            ("5000.00", "1000000000001".to_owned(), Some("base_rent: is 1000000000001")),
            ("\"lease_end\"", schedule("5000.00", "monthly"), None),
            ("\"lease_end\"", schedule("60000.00", "annual"), None),
            (
                "\"lease_end\"",
                schedule("5000.00", "monthly").replace("\"label\":\"then\"", "\"start\":\"June 2024\""),
                Some("rent_schedule: has a step whose start is no date"),
            ),
            (
                "\"lease_end\"",
                schedule("5000.00", "monthly").replace("\"label\":\"then\"", "\"start\":null"),
                None,
            ),
            (
                "\"lease_end\"",
                schedule("5000.00", "monthly").replace("\"label\":\"then\"", "\"percent_of_sales\":6"),
                Some("rent_schedule: has the member \"percent_of_sales\""),
            ),
            ("\"lease_end\"", schedule("5000.00", "annual"), Some("rent_schedule: begins with another rent")),
            (
                "\"lease_end\"",
                schedule("6000.00", "monthly"),
                Some("rent_schedule: begins with another rent"),
            ),
            ("\"lease_end\"", "\"term_months\":60,\"lease_end\"".to_owned(), None),
            ("\"lease_end\"", "\"term_months\":61,\"lease_end\"".to_owned(), None),
            ("\"lease_end\"", "\"term_months\":12,\"lease_end\"".to_owned(), Some("term_months: is 12")),
            (
                "Fern LLC",
                "\u{200b}\u{202e}Fern".to_owned(),
                Some("tenant_name: holds characters that nobody sees"),
            ),
            ("Fern LLC", "T.B.D.".to_owned(), Some("tenant_name: holds the place of a name")),
            ("\"lease_end\"", "\"status\":\"Superseded\",\"lease_end\"".to_owned(), Some("status: says")),
            ("\"lease_end\"", "\"status\":\"signed\",\"lease_end\"".to_owned(), None),
        ];
        for (from, to, fault) in rows {
            let text = SOUND.replacen(from, &to, 1);
            match fault {
                None => drop(complete(&text)),
                Some(fault) => {
                    let (code, detail) = reason(&text);
                    assert_eq!(code, "invalid_abstraction", "{text}");
                    assert!(detail.contains(fault), "{text} gave {detail}");
                }
            }
        }
    }

    #[test]
    fn numbers_beyond_what_a_field_holds_are_named_and_never_rounded() {
        let evidence = |page: &str, confidence: &str| {
            format!(
                "[{{\"field\":\"tenant_name\",\"page\":{page},\"passage\":\"Fern\",\"rule\":\"model\",\"confidence\":{confidence}}}]"
            )
        };
        let wide = "123456789012345678901234567890";
        // A member, its value, and the fault it makes or the value it is read as.
        let rows: &[(&str, String, Result<&str, &str>)] = &[
            ("term_months", "60".to_owned(), Ok("60")),
            ("term_months", "4294967296".to_owned(), Err("term_months: cannot be read")),
            ("term_months", "18446744073709551616".to_owned(), Err("term_months: cannot be read")),
            ("term_months", wide.to_owned(), Err("term_months: cannot be read")),
            ("term_months", format!("-{wide}"), Err("term_months: cannot be read")),
            ("term_months", "60.5".to_owned(), Err("term_months: cannot be read")),
            ("evidence", evidence("2", "0.9"), Ok("")),
            ("evidence", evidence("2", "1"), Ok("")),
            ("evidence", evidence("2", "0.123456789012345678901"), Ok("")),
            ("evidence", evidence(wide, "0.9"), Err("evidence: cannot be read")),
            ("evidence", evidence("2", wide), Err("evidence: cannot be read")),
            ("area", format!("{{\"size\":{wide},\"unit\":\"acres\"}}"), Err("area: ")),
            (
                "area",
                "{\"size\":5,\"unit\":\"acres\",\"of\":2}".to_owned(),
                Err("area: has the member \"of\""),
            ),
            ("x_row", wide.to_owned(), Ok("")),
            ("_source", "\"crm\"".to_owned(), Ok("")),
            ("$schema", "\"lease.json\"".to_owned(), Ok("")),
            ("unknown_member", wide.to_owned(), Err("unknown_member: is no member of a lease abstraction")),
            ("unknown_member", "null".to_owned(), Err("unknown_member: is no member")),
            ("Tenant_Name", "\"Moss LLC\"".to_owned(), Err("Tenant_Name: is no member")),
            ("tenant_name ", "\"Moss LLC\"".to_owned(), Err("tenant_name: is no member")),
            ("tenants", "[\"Fern LLC\"]".to_owned(), Err("tenants: is no member")),
            ("notes", "\"rent is 4,800\"".to_owned(), Err("notes: is no member")),
            ("xray", "1".to_owned(), Err("xray: is no member")),
            ("landlord_name", "\"FERN, L.L.C.\"".to_owned(), Err("tenant_name: is the landlord's name")),
            ("landlord_name", "\"Moss LLC\"".to_owned(), Ok("")),
            ("status", "\"terminated\"".to_owned(), Err("status: says")),
            ("status", "\"in negotiation\"".to_owned(), Err("status: says")),
            ("status", "3".to_owned(), Err("status: says")),
            ("status", "\"active\"".to_owned(), Ok("")),
            ("lease_status", "\"In_Force\"".to_owned(), Ok("")),
            ("executed", "\"no\"".to_owned(), Err("executed: says")),
            ("signed", "\"2024-01-15\"".to_owned(), Ok("")),
            ("amended_by", "[\"A-1\"]".to_owned(), Err("amended_by: says")),
            ("co_tenants", "[]".to_owned(), Ok("")),
            ("executed", "false".to_owned(), Err("executed: says")),
            ("executed", "true".to_owned(), Ok("")),
            ("superseded_by", "\"L-2\"".to_owned(), Err("superseded_by: says")),
            ("superseded_by", "null".to_owned(), Ok("")),
            ("terminated", "\"2026-08-31\"".to_owned(), Err("terminated: says")),
            ("co_tenant", "\"Moss LLC\"".to_owned(), Err("co_tenant: says")),
            (
                "security_deposit",
                "{\"amount\":1,\"currency\":\"USD\",\"unit\":\"cents\"}".to_owned(),
                Err("security_deposit: has the member \"unit\""),
            ),
        ];
        for (member, value, expected) in rows {
            let text = SOUND.replacen("\"lease_end\"", &format!("\"{member}\":{value},\"lease_end\""), 1);
            match expected {
                Ok(read) => {
                    let lease = complete(&text);
                    let months = lease.term_months.map(|months| months.to_string()).unwrap_or_default();
                    assert_eq!(months, *read, "{member}: {value}");
                }
                Err(fault) => {
                    let (code, detail) = reason(&text);
                    assert_eq!(code, "invalid_abstraction", "{member}: {value}");
                    assert!(detail.contains(fault), "{member}: {value} gave {detail}");
                }
            }
        }
        let numbered = SOUND.replacen("\"HP-210\"", wide, 1);
        assert_eq!(complete(&numbered).property_id, wide, "an identifier is no quantity");
    }

    #[test]
    fn the_readme_tells_every_member() {
        let text = include_str!("../../README.md");
        let table = text.split("| member | meaning |").nth(1).and_then(|rest| rest.split("\n\n").next());
        let told: Vec<&str> = table
            .expect("the table of members")
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('|').next())
            .flat_map(|cell| cell.split(['`', ',', ' ']).filter(|word| !word.is_empty()))
            .collect();
        let mut known: Vec<&str> = KNOWN.into_iter().chain(STANDING).collect();
        let mut listed = told.clone();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known);
    }

    #[test]
    fn what_is_no_abstraction_goes_to_a_person() {
        let rows = [
            ("{\"a\":1}", "no_abstraction"),
            ("[{\"tenant_name\":\"x\"}]", "no_abstraction"),
            ("{\"tenant_name\":", "unreadable_json"),
            ("{\"tenant_name\":\"x\"} trailing", "unreadable_json"),
        ];
        for (text, expected) in rows {
            assert_eq!(reason(text).0, expected, "{text}");
        }
        let (code, _) = reason(&SOUND.replace("\"property_id\":\"HP-210\",", ""));
        assert_eq!(code, "property_id_missing");
    }

    #[test]
    fn what_it_is_filed_under_outranks_the_member() {
        match read(SOUND.as_bytes(), Some("P-9")) {
            Extraction::Complete(lease) => assert_eq!(lease.property_id, "P-9"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn its_own_evidence_and_confidence_are_kept() {
        let text = SOUND.replace(
            "\"lease_end\"",
            "\"extraction_confidence\":\"0.75\",\"evidence\":[{\"field\":\"tenant_name\",\"page\":2,\"passage\":\"Fern\",\"rule\":\"model\",\"confidence\":0.75}],\"lease_end\"",
        );
        let lease = complete(&text);
        assert_eq!(lease.extraction_confidence, Confidence::percent(75));
        assert_eq!(lease.evidence.len(), 1);
        assert_eq!(lease.evidence[0].page, Some(2));
        let doubted = text.replace("\"model\",\"confidence\":0.75", "\"model\",\"confidence\":0.2");
        assert_eq!(complete(&doubted).extraction_confidence, Confidence::percent(20), "the weakest field's");
    }
}
