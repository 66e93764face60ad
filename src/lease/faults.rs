//! What makes an abstraction unfit to be posted. Each fault names the field, its value, and the passage that the
//! value was read from, so that a person sees at once what to mend.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::posting::Fault;

use super::{
    ABSTRACTION_MAX_BYTES, Area, CLAUSE_MAX_CHARS, Currency, EVIDENCE_MAX_COUNT, LeaseAbstraction, Money,
    NAME_MAX_CHARS, PASSAGE_MAX_CHARS, QUOTED_MAX_CHARS, RENT_STEPS_MAX_COUNT, TERM_MAX_MONTHS, YEAR_MAX,
    YEAR_MIN, bounded, fault_of_amount, field,
};

/// Collects faults in the order in which a reader meets the fields.
struct Faults<'a> {
    lease: &'a LeaseAbstraction,
    found: Vec<Fault>,
}

impl Faults<'_> {
    /// Adds a fault, with the passage of the field where there is one.
    fn add(&mut self, field: &str, problem: impl Into<String>) {
        let mut problem = problem.into();
        let passage = self.lease.evidence.iter().find(|evidence| evidence.field == field);
        if let Some(evidence) = passage.filter(|evidence| !evidence.passage.is_empty()) {
            problem = format!("{problem} (read from: {})", bounded(&evidence.passage, QUOTED_MAX_CHARS));
        }
        self.found.push(Fault { field: field.to_owned(), problem });
    }

    fn name(&mut self, field: &str, value: &str) {
        if value.trim().is_empty() {
            self.add(field, "is empty; the name as the document gives it is needed");
        }
        self.text(field, value, NAME_MAX_CHARS);
    }

    fn text(&mut self, field: &str, value: &str, limit_chars: usize) {
        let length_chars = value.chars().count();
        if length_chars > limit_chars {
            self.add(field, format!("is {length_chars} characters long; at most {limit_chars} are stored"));
        }
        if value.chars().any(char::is_control) {
            self.add(field, "holds control characters; plain text is needed");
        }
    }

    fn count(&mut self, field: &str, count: usize, limit_count: usize) {
        if count > limit_count {
            self.add(field, format!("has {count} entries; at most {limit_count} are stored"));
        }
    }

    fn day(&mut self, field: &str, day: Date) {
        if !(YEAR_MIN..=YEAR_MAX).contains(&day.year()) {
            self.add(field, format!("is {day}; a year from {YEAR_MIN} to {YEAR_MAX} is believed"));
        }
    }

    fn currency(&mut self, field: &str, currency: Currency) {
        if !currency.is_known() {
            self.add(field, format!("is in {currency}; a currency of ISO 4217 such as USD is needed"));
        }
    }
}

/// Everything that is wrong with an abstraction; empty when it may be posted.
pub(super) fn of(lease: &LeaseAbstraction) -> Vec<Fault> {
    let mut faults = Faults { lease, found: Vec::new() };
    faults.name(field::PROPERTY_ID, &lease.property_id);
    faults.name(field::TENANT_NAME, &lease.tenant_name);
    if let Some(landlord_name) = &lease.landlord_name {
        faults.name(field::LANDLORD_NAME, landlord_name);
    }
    rent(lease, &mut faults);
    term(lease, &mut faults);
    if let Some(Area { size, .. }) = lease.area
        && size <= Decimal::ZERO
    {
        faults.add(field::AREA, format!("is {size}; an area is above zero"));
    }
    if let Some(Money { amount, currency }) = lease.security_deposit {
        if amount < Decimal::ZERO {
            faults.add(field::SECURITY_DEPOSIT, format!("is {amount}; a deposit is not negative"));
        }
        faults.currency(field::SECURITY_DEPOSIT, currency);
    }
    for (name, clause) in [
        (field::PREMISES, &lease.premises),
        (field::RENEWAL, &lease.renewal),
        (field::ESCALATION, &lease.escalation),
    ] {
        if let Some(text) = clause {
            faults.text(name, text, CLAUSE_MAX_CHARS);
        }
    }
    evidence(lease, &mut faults);
    // Each text is bounded in characters, of which one may take four bytes; the whole is bounded in bytes.
    let size_bytes = serde_json::to_vec(lease).map_or(usize::MAX, |json| json.len());
    if size_bytes > ABSTRACTION_MAX_BYTES {
        faults.add(
            "evidence",
            format!(
                "makes the abstraction {size_bytes} bytes long; at most {ABSTRACTION_MAX_BYTES} are stored"
            ),
        );
    }
    faults.found
}

fn rent(lease: &LeaseAbstraction, faults: &mut Faults<'_>) {
    let rent = lease.base_rent;
    if rent.amount <= Decimal::ZERO {
        let problem = format!("is {}; the rent of the first fully paid period is above zero", rent.amount);
        faults.add(field::BASE_RENT, problem);
    }
    if let Some(problem) = fault_of_amount(rent.amount, rent.currency) {
        faults.add(field::BASE_RENT, problem);
    }
    faults.currency(field::BASE_RENT, rent.currency);
    faults.count(field::RENT_SCHEDULE, lease.rent_schedule.len(), RENT_STEPS_MAX_COUNT);
    for step in &lease.rent_schedule {
        if step.rent.amount < Decimal::ZERO {
            faults.add(field::RENT_SCHEDULE, format!("a step is {}; rent is not negative", step.rent.amount));
        }
        if step.rent.currency != rent.currency {
            let problem =
                format!("a step is in {}, the rent in {}; one is needed", step.rent.currency, rent.currency);
            faults.add(field::RENT_SCHEDULE, problem);
        }
        if let (Some(start), Some(end)) = (step.start, step.end)
            && end < start
        {
            faults.add(
                field::RENT_SCHEDULE,
                format!("a step ends {end}, before it starts {start}; a step ends later"),
            );
        }
        faults.text(field::RENT_SCHEDULE, &step.label, NAME_MAX_CHARS);
    }
}

fn term(lease: &LeaseAbstraction, faults: &mut Faults<'_>) {
    faults.day(field::LEASE_START, lease.lease_start);
    faults.day(field::LEASE_END, lease.lease_end);
    if lease.lease_end <= lease.lease_start {
        faults.add(
            field::LEASE_END,
            format!(
                "is {}, not after the start {}; a term ends after it starts",
                lease.lease_end, lease.lease_start
            ),
        );
    }
    if let Some(day) = lease.execution_date {
        faults.day(field::EXECUTION_DATE, day);
    }
    if let Some(day) = lease.rent_commencement_date
        && day > lease.lease_end
    {
        let problem = format!("is {day}, after the end {}; rent is due within the term", lease.lease_end);
        faults.add(field::RENT_COMMENCEMENT_DATE, problem);
    }
    match lease.term_months {
        Some(0) => faults.add(field::TERM_MONTHS, "is 0; a term has at least one month"),
        Some(months) if months > TERM_MAX_MONTHS => {
            faults.add(field::TERM_MONTHS, format!("is {months}; at most {TERM_MAX_MONTHS} is believed"));
        }
        _ => {}
    }
}

fn evidence(lease: &LeaseAbstraction, faults: &mut Faults<'_>) {
    faults.count("evidence", lease.evidence.len(), EVIDENCE_MAX_COUNT);
    // A `Confidence` lies between 0 and 1 by its type.
    for evidence in &lease.evidence {
        faults.text("evidence", &evidence.passage, PASSAGE_MAX_CHARS);
        faults.text("evidence", &evidence.rule, NAME_MAX_CHARS);
        faults.text("evidence", &evidence.field, NAME_MAX_CHARS);
    }
}
