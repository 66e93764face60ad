//! From bytes to a lease abstraction, or to the reason why a person must look.
//!
//! bytes → [`sniff`] (by content, never by name) → [`text`] with positions → candidates from [`clauses`] →
//! [`verify`] → an abstraction with evidence and confidence, or what was found for review. A rule can be
//! wrong; the verifier can only lower. No figure is posted that the document does not support, nor one beside which the
//! document says something that the values leave [`unexplained`].
//!
//! What is read is what the document shows. What it hides, strikes out or leaves open is no text, but a [`doubt`],
//! and sends it to review.

pub mod around;
pub mod choices;
pub mod clauses;
pub mod colour;
pub mod currency;
pub mod dates;
pub mod docx;
pub mod doubt;
pub mod html;
pub mod json;
pub mod money;
pub mod pdf;
pub mod pictures;
pub mod plain;
pub mod reader;
pub mod recognised;
pub mod sizes;
pub mod sniff;
pub mod text;
pub mod unexplained;
pub mod verify;
mod witness;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::lease::{
    AmendmentScope, CLAUSE_MAX_CHARS, DocumentKind, EVIDENCE_MAX_COUNT, Evidence, LeaseAbstraction,
    NAME_MAX_CHARS, RENT_STEPS_MAX_COUNT, bounded, field,
};
use crate::ports::extractor::{ExtractRequest, Extraction, Extractor, Incomplete};
use crate::ports::ocr::RecognisedPage;
use crate::posting::Confidence;
use crate::posting::Reason;

use clauses::names::folded;
use clauses::{Candidate, Reading};
use doubt::{DoubtKind, Doubts};
use pdf::PdfFault;
use pictures::{PictureKind, WantedPages};
use recognised::{RecognisedText, Scan};
use sniff::Format;
use text::SourceText;
use unexplained::Unexplained;
use verify::Settled;
use witness::Seconded;

/// Reason code of a document that states everything but what it is filed under.
pub const PROPERTY_ID_MISSING: &str = "property_id_missing";
/// Least confidence at which an optional field is kept: one that no rule requires is left out rather than guessed.
const OPTIONAL_MIN: Confidence = Confidence::percent(85);
/// Most amounts and dates of a document that is read.
const FIGURES_MAX_COUNT: usize = 10_000;
/// Most candidates shown to a reviewer for a field on which the verifier abstained.
const SHOWN_CANDIDATES_MAX_COUNT: usize = 3;

/// Limits of what is read. A document beyond them goes to a person: what was not read may change what was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Largest document, in bytes.
    pub document_max_bytes: usize,
    /// Most pages of a PDF.
    pub pages_max_count: usize,
    /// Most glyphs of a PDF.
    pub glyphs_max_count: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { document_max_bytes: 64 * 1024 * 1024, pages_max_count: 2_000, glyphs_max_count: 8_000_000 }
    }
}

/// What a first look at a document gives.
#[derive(Debug, Clone, PartialEq)]
pub enum FirstLook {
    /// All that there is to say.
    Read(Extraction<LeaseAbstraction>),
    /// Pages of it are pictures whose text must be recognised first.
    NeedsRecognition {
        /// How the pictures are got.
        kind: PictureKind,
        /// Which pages.
        wanted: WantedPages,
        /// What is to be said where nothing can be recognised.
        without: Extraction<LeaseAbstraction>,
    },
}

/// Extracts leases from JSON, plain text, HTML, DOCX and PDF, and from what was recognised on pictures. It holds no
/// threshold: it says how sure it is, and the pipeline decides what is sure enough.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeaseExtractor {
    caps: Caps,
}

impl LeaseExtractor {
    /// An extractor with limits.
    pub fn new(caps: Caps) -> Self {
        Self { caps }
    }

    /// Reads a document on the calling thread, without recognising pictures. `filed_under` outranks what the text says.
    pub fn read(&self, bytes: &[u8], filed_under: Option<&str>) -> Extraction<LeaseAbstraction> {
        match self.look(bytes, filed_under) {
            FirstLook::Read(answer) => answer,
            FirstLook::NeedsRecognition { without, .. } => without,
        }
    }

    /// Reads what can be read without a recogniser, on the calling thread, and says which pages need one.
    pub fn look(&self, bytes: &[u8], filed_under: Option<&str>) -> FirstLook {
        let filed_under = given(filed_under);
        if bytes.len() > self.caps.document_max_bytes {
            return FirstLook::Read(incomplete(
                "document_too_large",
                "The document exceeds the size that is read: a person must read it.",
            ));
        }
        let text = match sniff::format_of(bytes) {
            Format::Json => return FirstLook::Read(json::read(bytes, filed_under)),
            Format::Text => plain::read(bytes),
            Format::Html => html::read(bytes),
            Format::Pdf => return self.look_at_pdf(bytes, filed_under),
            Format::Docx => match docx::read(bytes) {
                Ok(text) => text,
                Err(fault) => return FirstLook::Read(incomplete(fault.code(), fault.detail())),
            },
            Format::Picture(kind) => {
                let detail =
                    "The document is a picture whose text is not recognised here: a person must read it.";
                let without = incomplete("image_needs_ocr", detail);
                return FirstLook::NeedsRecognition { kind, wanted: WantedPages::All, without };
            }
            Format::Unread(code) => {
                return FirstLook::Read(incomplete(
                    code,
                    "Files of this kind are not read: a person must read it, or upload it as PDF with text.",
                ));
            }
            Format::Unknown => {
                return FirstLook::Read(Extraction::Unusable(Reason::new(
                    "unsupported_type",
                    "The bytes are no PDF, HTML, text, JSON, Word document or picture: upload the document itself.",
                )));
            }
        };
        FirstLook::Read(read_text(&text, filed_under))
    }

    fn look_at_pdf(&self, bytes: &[u8], filed_under: Option<&str>) -> FirstLook {
        let kind = PictureKind::Pdf;
        match pdf::read(bytes, &self.caps, &[]) {
            Ok(pdf) => {
                let recognised = RecognisedText::with_parts(pdf.text, pdf.recognised);
                let answer = read_recognised_text(&recognised, &[], filed_under);
                if pdf.picture_pages.is_empty() {
                    return FirstLook::Read(answer);
                }
                let without = for_review_because_of_pictures(answer, &pdf.picture_pages);
                FirstLook::NeedsRecognition { kind, wanted: WantedPages::Only(pdf.picture_pages), without }
            }
            Err(fault) => {
                let without = incomplete(pdf_code(fault), pdf_detail(fault));
                match fault {
                    PdfFault::NoTextLayer => {
                        FirstLook::NeedsRecognition { kind, wanted: WantedPages::All, without }
                    }
                    PdfFault::Encrypted | PdfFault::Unreadable | PdfFault::TooLarge => {
                        FirstLook::Read(without)
                    }
                }
            }
        }
    }

    /// Reads a document of which pages were recognised, on the calling thread. The bytes are only looked at where they
    /// are a PDF.
    pub fn read_recognised(
        &self,
        bytes: &[u8],
        scan: &Scan,
        filed_under: Option<&str>,
    ) -> Extraction<LeaseAbstraction> {
        let recognised = if scan.in_pdf {
            match pdf::read(bytes, &self.caps, &scan.pages) {
                Ok(pdf) => RecognisedText::with_parts(pdf.text, pdf.recognised),
                Err(fault) => return incomplete(pdf_code(fault), pdf_detail(fault)),
            }
        } else {
            RecognisedText::of(&scan.pages)
        };
        let answer = read_recognised_text(&recognised, &scan.pages, given(filed_under));
        if scan.unread_pages.is_empty() {
            answer
        } else {
            for_review_because_of_pictures(answer, &scan.unread_pages)
        }
    }
}

impl Extractor for LeaseExtractor {
    type Document = LeaseAbstraction;

    fn name_and_version(&self) -> String {
        concat!("clauses/", env!("CARGO_PKG_VERSION")).to_owned()
    }

    async fn extract(&self, request: ExtractRequest) -> Extraction<LeaseAbstraction> {
        let extractor = *self;
        let work = move || extractor.read(&request.bytes, request.filed_under.as_deref());
        match tokio::task::spawn_blocking(work).await {
            Ok(extraction) => extraction,
            // A panic is a defect of ours that the same bytes would meet again; the runtime shutting down is not.
            Err(error) if error.is_panic() => incomplete(
                "extractor_panicked",
                "The extractor failed on this document: a person must read it.",
            ),
            Err(_) => Extraction::Failed(Reason::new(
                "extractor_stopped",
                "The extractor was stopped before it was done.",
            )),
        }
    }
}

/// What a document is filed under, if anything is said.
fn given(filed_under: Option<&str>) -> Option<&str> {
    filed_under.map(str::trim).filter(|id| !id.is_empty())
}

fn incomplete(code: &str, detail: &str) -> Extraction<LeaseAbstraction> {
    Extraction::Incomplete(Incomplete { reason: Reason::new(code, detail), found: json!({}) })
}

fn pdf_code(fault: PdfFault) -> &'static str {
    match fault {
        PdfFault::Encrypted => "encrypted_pdf",
        PdfFault::Unreadable => "unreadable_pdf",
        PdfFault::NoTextLayer => "no_text_layer",
        PdfFault::TooLarge => "document_too_large",
    }
}

fn pdf_detail(fault: PdfFault) -> &'static str {
    match fault {
        PdfFault::Encrypted => "The PDF is encrypted: upload it without a password.",
        PdfFault::Unreadable => "The PDF is damaged: upload it again.",
        PdfFault::NoTextLayer => {
            "The PDF's pages are pictures or hold no readable text: they need text recognition or a person."
        }
        PdfFault::TooLarge => "The PDF exceeds the limits of what is read: a person must read it.",
    }
}

/// A page that is a picture can say anything, so that nothing of the document is certain.
fn for_review_because_of_pictures(
    answer: Extraction<LeaseAbstraction>,
    pages: &[u32],
) -> Extraction<LeaseAbstraction> {
    let found = match answer {
        Extraction::Complete(lease) => serde_json::to_value(&lease).unwrap_or_default(),
        Extraction::Incomplete(incomplete) => incomplete.found,
        other => return other,
    };
    let listed: Vec<String> = pages.iter().take(20).map(u32::to_string).collect();
    let detail = format!(
        "Pages {} are pictures whose text is not read: a person must look at them.",
        listed.join(", ")
    );
    Extraction::Incomplete(Incomplete { reason: Reason::new("pages_without_text", detail), found })
}

/// An expression that a rule is written with: one that cannot be meant fails the first test that uses it.
///
/// The edge of a word is that of ASCII: with Unicode's a text that holds one letter beyond ASCII is searched by the
/// slowest engine there is, which takes ten times as long. Source: "Unicode word boundaries", the `regex` crate.
fn expression(pattern: &str) -> regex::Regex {
    let mut written = String::with_capacity(pattern.len() * 2);
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            written.push(character);
            continue;
        }
        match characters.next() {
            Some('b') => written.push_str(r"(?-u:\b)"),
            escaped => written.extend(std::iter::once(character).chain(escaped)),
        }
    }
    regex::Regex::new(&written).expect("a rule's own expression is valid")
}

/// Reasons that outrank a doubt about the text: they say that it is no agreement that counts.
const REASONS_BEFORE_DOUBTS: &[&str] = &["unclear_document_kind", "draft_document"];

/// Sends a document on whose text doubt is cast to review, with what was read and with what casts it.
fn doubted(answer: Extraction<LeaseAbstraction>, doubts: &Doubts) -> Extraction<LeaseAbstraction> {
    let Some(gravest) = doubts.gravest() else { return answer };
    let reason = Reason::new(gravest.kind.code(), gravest.kind.detail());
    let (reason, mut found) = match answer {
        Extraction::Complete(lease) => (reason, serde_json::to_value(&lease).unwrap_or_default()),
        Extraction::Incomplete(incomplete)
            if REASONS_BEFORE_DOUBTS.contains(&incomplete.reason.code.as_str()) =>
        {
            (incomplete.reason, incomplete.found)
        }
        // Of a form that is not filled in, it says more what is missing than that there are boxes.
        Extraction::Incomplete(incomplete) if gravest.kind == DoubtKind::CheckBoxes => {
            (incomplete.reason, incomplete.found)
        }
        Extraction::Incomplete(incomplete) => (reason, incomplete.found),
        other => return other,
    };
    if let Value::Object(found) = &mut found {
        found.insert("doubts".to_owned(), serde_json::to_value(doubts).unwrap_or_default());
    }
    Extraction::Incomplete(Incomplete { reason, found })
}

/// Everything that was settled about a document.
struct Findings<'a> {
    reading: Reading<'a>,
    kind: Settled<DocumentKind>,
    several: Option<(usize, DocumentKind)>,
    front_paper: Option<std::ops::Range<usize>>,
    /// What the values do not account for.
    unexplained: Option<Unexplained>,
    amendment_scope: Settled<AmendmentScope>,
    property_id: Settled<String>,
    tenant: Settled<String>,
    landlord: Settled<String>,
    term: verify::SettledTerm,
    rent: Settled<clauses::rent::Figures>,
    schedule: Vec<crate::lease::RentStep>,
    deposit: Settled<crate::lease::Money>,
    execution_date: Settled<jiff::civil::Date>,
    area: Settled<crate::lease::Area>,
    premises: Settled<String>,
    renewal: Settled<String>,
    escalation: Settled<String>,
    /// Which fields other passages give as well.
    seconded: Seconded,
    /// Required fields that were recognised in one place alone.
    unwitnessed: Vec<&'static str>,
    /// Whether a page of a scan was hardly made out.
    has_unreadable_page: bool,
}

/// Reads a lease from its text.
fn read_text(text: &SourceText, filed_under: Option<&str>) -> Extraction<LeaseAbstraction> {
    refused(text).unwrap_or_else(|| find(text).conclude(filed_under))
}

/// Reads a lease from a text of which parts were recognised, on these pages and maybe on others by somebody else.
fn read_recognised_text(
    recognised: &RecognisedText,
    pages: &[RecognisedPage],
    filed_under: Option<&str>,
) -> Extraction<LeaseAbstraction> {
    refused(&recognised.text).unwrap_or_else(|| {
        let mut findings = find(&recognised.text);
        findings.hold_to_two_witnesses(recognised, pages);
        findings.conclude(filed_under)
    })
}

/// Why a text is too much to be read, if it is.
fn refused(text: &SourceText) -> Option<Extraction<LeaseAbstraction>> {
    if text.is_truncated() {
        return Some(incomplete(
            "document_too_large",
            "The document exceeds the text that is read: a person must read it.",
        ));
    }
    // Each figure is looked at with its surroundings; the longest lease seen, of 394 pages, has some hundreds.
    let figures =
        money::find(text.flow(), None).len() + dates::find(text.flow(), dates::DateOrder::Unproven).len();
    (figures > FIGURES_MAX_COUNT).then(|| {
        incomplete(
            "document_too_large",
            "The document holds more figures than are read: a person must read it.",
        )
    })
}

fn find(text: &SourceText) -> Findings<'_> {
    let kind_candidates = clauses::kind::propose(text);
    let second = clauses::kind::second_agreement(text);
    // Where a cover and the opening words differ, these are the document's own.
    let first_kind = kind_candidates.last().map_or(DocumentKind::Other, |candidate| candidate.value);
    // Behind a sublease stands the lease that it is under; its parties and rents are not those of the sublease.
    let (scope_end, several) = match (first_kind, second) {
        (DocumentKind::Sublease, Some((at, DocumentKind::Lease))) => (at, None),
        (_, Some(second)) => (second.0, Some(second)),
        (_, None) => (text.flow().len(), None),
    };
    let reading = Reading::of(text, scope_end);
    let kind = verify::settle(&reading, kind_candidates, |a, b| a == b);
    let document_kind = kind.found().map_or(first_kind, |found| found.value);
    let parties = clauses::parties::propose(&reading, document_kind);
    let dates = clauses::term::propose(&reading, document_kind);
    let (starts, ends) = (dates.start.clone(), dates.end.clone());
    let mut term = verify::settle_term(&reading, dates);
    let execution_date = verify::settle(&reading, clauses::extras::execution_date(&reading), |a, b| a == b);
    if matches!(document_kind, DocumentKind::Lease | DocumentKind::Sublease)
        && let (Some(start), Some(executed)) = (term.start.found(), execution_date.found())
        && !around::fits_execution(start.value, executed.value)
    {
        // One of the two years is misprinted or misread.
        term.start.cap(verify::DOUBT_LIMIT);
    }
    let rent = clauses::rent::propose(&reading, document_kind);
    let mut settled_rent = verify::settle_rent(&reading, rent.base.clone(), &term);
    let mut tenant = verify::settle_name(&reading, parties.tenant.clone());
    let mut landlord = verify::settle_name(&reading, parties.landlord.clone());
    let properties = clauses::property::propose(&reading);
    let property_id = verify::settle(&reading, properties.clone(), |a, b| a == b);
    let deposits = clauses::deposit::propose_from_text(&reading);
    let mut deposit = verify::settle(&reading, deposits.clone(), |a, b| a == b);
    if deposit.found().is_some_and(|found| reading.dollar.assumes(found.value.currency)) {
        deposit.cap(verify::DOUBT_LIMIT);
    }
    for party in [&mut tenant, &mut landlord] {
        // Of a trustee the trust is missing, which is the party.
        if party.found().is_some_and(|found| clauses::names::is_trustee_alone(&found.value)) {
            party.cap(verify::DOUBT_LIMIT);
        }
    }
    let is_named_again = |party: &Settled<String>| {
        party
            .found()
            .is_some_and(|found| clauses::names::stands_again(text.lined(), &found.value, &found.range))
    };
    let same_name = |a: &String, b: &String| folded(a) == folded(b);
    let seconded = Seconded {
        property_id: verify::is_seconded(&property_id, &properties, |a, b| a == b),
        tenant: verify::is_seconded(&tenant, &parties.tenant, same_name) || is_named_again(&tenant),
        landlord: verify::is_seconded(&landlord, &parties.landlord, same_name) || is_named_again(&landlord),
        start: verify::is_seconded(&term.start, &starts, |a, b| a == b),
        end: verify::is_seconded(&term.end, &ends, |a, b| a == b),
        rent: verify::is_seconded(&settled_rent, &rent.base, |a, b| a.is_same_rent(&b.rent)),
        deposit: verify::is_seconded(&deposit, &deposits, |a, b| a == b),
    };
    let rent_schedule = rent.schedule;
    let front_paper = clauses::kind::front_paper(text);
    // A paper about a lease only tells of its figures.
    let tells_only = kind.found().is_some_and(|found| found.value == DocumentKind::Other);
    let is_amended = several.is_some_and(|(_, kind)| kind == DocumentKind::Amendment);
    if front_paper.is_some() || tells_only || is_amended {
        // What is bound in front or behind may have changed each of them.
        tenant.cap(verify::DOUBT_LIMIT);
        landlord.cap(verify::DOUBT_LIMIT);
        term.start.cap(verify::DOUBT_LIMIT);
        term.end.cap(verify::DOUBT_LIMIT);
        settled_rent.cap(verify::DOUBT_LIMIT);
        deposit.cap(verify::DOUBT_LIMIT);
    }
    let unexplained = rent_and_term(&settled_rent, &term).and_then(|(rent, start, end)| {
        let days = [Some(start), Some(end), execution_date.found(), term.rent_commencement.found()];
        let steps = rent.value.first_day.into_iter().chain(rent.value.free_from).chain(rent.value.last_day);
        let scheduled = rent_schedule.iter().flat_map(|step| step.start.into_iter().chain(step.end));
        let known = unexplained::Known {
            days: days.into_iter().flatten().map(|day| day.value).chain(steps).chain(scheduled).collect(),
            executed: execution_date.found().map(|day| day.value),
            rent,
            term: [start, end],
            kind: document_kind,
            amounts: deposit.found().map(|found| found.value.amount).into_iter().collect(),
            tenant: tenant.found().map(|found| found.value.as_str()),
            parties: [&tenant, &landlord]
                .into_iter()
                .filter_map(|party| Some(folded(&party.found()?.value)))
                .collect(),
        };
        unexplained::find(&reading, &known)
    });
    Findings {
        unexplained,
        property_id,
        tenant,
        landlord,
        deposit,
        seconded,
        unwitnessed: Vec::new(),
        has_unreadable_page: false,
        execution_date,
        area: verify::settle(&reading, clauses::extras::area(&reading), |a, b| a == b),
        premises: verify::settle(&reading, clauses::extras::premises(&reading), |a, b| a == b),
        renewal: verify::settle(&reading, clauses::extras::renewal(&reading, document_kind), |a, b| a == b),
        escalation: verify::settle(&reading, clauses::extras::escalation(&reading), |a, b| a == b),
        rent: settled_rent,
        schedule: rent_schedule,
        term,
        amendment_scope: verify::settle(
            &reading,
            clauses::scope::propose(&reading, document_kind),
            |a, b| a == b,
        ),
        front_paper,
        kind,
        several,
        reading,
    }
}

/// Rent, first and last day, where all three were found: without them there is nothing that a passage could contradict.
fn rent_and_term<'a>(
    rent: &'a Settled<clauses::rent::Figures>,
    term: &'a verify::SettledTerm,
) -> Option<(
    &'a Candidate<clauses::rent::Figures>,
    &'a Candidate<jiff::civil::Date>,
    &'a Candidate<jiff::civil::Date>,
)> {
    Some((rent.found()?, term.start.found()?, term.end.found()?))
}

impl Findings<'_> {
    fn conclude(&self, filed_under: Option<&str>) -> Extraction<LeaseAbstraction> {
        let answer = match self.abstraction(filed_under) {
            Ok(lease) => Extraction::Complete(lease),
            Err(reason) => Extraction::Incomplete(Incomplete { reason, found: self.shown(filed_under) }),
        };
        let mut doubts = self.reading.text.doubts().clone();
        if let Some(passage) = choices::undecided(self.reading.text) {
            doubts.note(DoubtKind::CheckBoxes, &passage);
        }
        doubted(answer, &doubts)
    }

    /// The abstraction, or the first reason against it in the order in which a reviewer would settle them.
    fn abstraction(&self, filed_under: Option<&str>) -> Result<LeaseAbstraction, Reason> {
        let kind = match self.kind.found() {
            Some(found) if found.value != DocumentKind::Other => found,
            _ => {
                return Err(Reason::new(
                    "unclear_document_kind",
                    "The document is not plainly a lease, a sublease or an amendment: upload one with its title, or a JSON \
                     abstraction of it.",
                ));
            }
        };
        let text = self.reading.text;
        let beside = SourceText::from_lined(text.margins());
        if clauses::kind::draft_mark(text).is_some() || clauses::kind::margin_mark(&beside).is_some() {
            return Err(Reason::new(
                "draft_document",
                "The document is marked as a draft or as not in force: upload what was signed.",
            ));
        }
        if self.several.is_some() {
            return Err(Reason::new(
                "several_agreements",
                "The file holds more than one agreement, or words that overrule others: upload each by itself, or a \
                 JSON abstraction of what counts.",
            ));
        }
        if self.front_paper.is_some() {
            return Err(Reason::new(
                "paper_in_front",
                "A letter or a certificate about the lease is bound in front of it and may change it: upload the lease \
                 by itself, or a JSON abstraction of what counts.",
            ));
        }
        let tenant = required(&self.tenant, field::TENANT_NAME)?;
        let start = required(&self.term.start, field::LEASE_START)?;
        let end = required(&self.term.end, field::LEASE_END)?;
        let rent = required(&self.rent, field::BASE_RENT)?;
        let property = self.property_id.found();
        let property_id = match (filed_under, property) {
            (Some(id), _) => id.to_owned(),
            (None, Some(found)) => found.value.clone(),
            (None, None) => {
                return Err(Reason::new(
                    PROPERTY_ID_MISSING,
                    "The document names no property: file it under one, by --property, by the metadata property-id or by \
                     a pattern for its key.",
                ));
            }
        };
        if self.reading.dollar.assumes(rent.value.rent.currency) {
            return Err(Reason::new(
                "currency_not_stated",
                "Amounts are in $, and the document names neither a currency nor a country: upload one that names it, \
                 or a JSON abstraction.",
            ));
        }
        if self.has_unreadable_page {
            return Err(Reason::new(
                "pages_not_readable",
                "A page of the scan was hardly made out, and may change what the others say: scan it again, or read it \
                 and upload a JSON abstraction.",
            ));
        }
        if self.unexplained.is_some() {
            return Err(Reason::new(
                "unexplained_statement",
                "The document says something of the rent, the term or the parties that the values read from it do not \
                 account for: compare them with the passage that is shown, and upload a JSON abstraction of what counts.",
            ));
        }
        let mut alone = self.unwitnessed.clone();
        alone.retain(|name| *name != field::PROPERTY_ID || filed_under.is_none());
        if !alone.is_empty() {
            return Err(Reason::new(
                "one_witness",
                format!(
                    "On the scan {} can be read in one place alone, and figures are misread without notice: compare \
                     them with the picture, and upload a JSON abstraction of what it says.",
                    alone.join(", ")
                ),
            ));
        }
        // What kind of document it is decides what its figures mean.
        let mut confidences =
            vec![kind.confidence, tenant.confidence, start.confidence, end.confidence, rent.confidence];
        if filed_under.is_none() {
            confidences.extend(property.map(|found| found.confidence));
        }
        let landlord = optional(&self.landlord);
        let deposit = optional(&self.deposit);
        let months = optional(&self.term.months);
        let rent_commencement = optional(&self.term.rent_commencement);
        let execution_date = optional(&self.execution_date);
        let area = optional(&self.area);
        let premises = optional(&self.premises);
        let renewal = optional(&self.renewal);
        let escalation = optional(&self.escalation);
        let scope = optional(&self.amendment_scope);
        let mut evidence = Vec::new();
        match filed_under {
            Some(id) => evidence.push(Evidence {
                field: field::PROPERTY_ID.to_owned(),
                page: None,
                passage: bounded(id, NAME_MAX_CHARS),
                rule: "filed_under".to_owned(),
                confidence: Confidence::ONE,
            }),
            None => evidence.extend(property.map(|found| self.evidence(field::PROPERTY_ID, found))),
        }
        evidence.push(self.evidence(field::TENANT_NAME, tenant));
        evidence.push(self.evidence(field::BASE_RENT, rent));
        evidence.push(self.evidence(field::LEASE_START, start));
        evidence.push(self.evidence(field::LEASE_END, end));
        evidence.extend(self.kind.found().map(|found| self.evidence(field::DOCUMENT_KIND, found)));
        evidence.extend(scope.map(|found| self.evidence(field::AMENDMENT_SCOPE, found)));
        evidence.extend(landlord.map(|found| self.evidence(field::LANDLORD_NAME, found)));
        evidence.extend(deposit.map(|found| self.evidence(field::SECURITY_DEPOSIT, found)));
        evidence.extend(months.map(|found| self.evidence(field::TERM_MONTHS, found)));
        evidence.extend(rent_commencement.map(|found| self.evidence(field::RENT_COMMENCEMENT_DATE, found)));
        evidence.extend(execution_date.map(|found| self.evidence(field::EXECUTION_DATE, found)));
        evidence.extend(area.map(|found| self.evidence(field::AREA, found)));
        evidence.extend(premises.map(|found| self.evidence(field::PREMISES, found)));
        evidence.extend(renewal.map(|found| self.evidence(field::RENEWAL, found)));
        evidence.extend(escalation.map(|found| self.evidence(field::ESCALATION, found)));
        evidence.truncate(EVIDENCE_MAX_COUNT);
        // A schedule has steps, and belongs to the rent only if it begins with it.
        let begins_with_rent = self.schedule.len() > 1
            && self.schedule.first().is_some_and(|step| rent.value.is_same_rent(&step.rent));
        let schedule = if begins_with_rent { &self.schedule[..] } else { &[] };
        Ok(LeaseAbstraction {
            property_id,
            tenant_name: tenant.value.clone(),
            base_rent: rent.value.rent,
            lease_start: start.value,
            lease_end: end.value,
            extraction_confidence: confidences.into_iter().min().unwrap_or_default(),
            document_kind: Some(kind.value),
            amendment_scope: scope.map(|found| found.value),
            landlord_name: landlord.map(|found| found.value.clone()),
            premises: premises.map(|found| found.value.clone()),
            area: area.map(|found| found.value),
            rent_schedule: schedule.iter().take(RENT_STEPS_MAX_COUNT).cloned().collect(),
            security_deposit: deposit.map(|found| found.value),
            execution_date: execution_date.map(|found| found.value),
            rent_commencement_date: rent_commencement.map(|found| found.value),
            term_months: months.map(|found| found.value),
            renewal: renewal.map(|found| found.value.clone()),
            escalation: escalation.map(|found| found.value.clone()),
            evidence,
        })
    }

    fn evidence<T>(&self, name: &str, candidate: &Candidate<T>) -> Evidence {
        Evidence {
            field: name.to_owned(),
            page: self.reading.text.page_at(candidate.range.start),
            passage: self.reading.text.passage(&candidate.range),
            rule: candidate.rule.to_owned(),
            confidence: candidate.confidence,
        }
    }

    /// What was found, for the review screen.
    fn shown(&self, filed_under: Option<&str>) -> Value {
        let mut shown = Map::new();
        if let Some(id) = filed_under {
            let id = bounded(id, NAME_MAX_CHARS);
            shown.insert(
                field::PROPERTY_ID.to_owned(),
                json!({ "value": id, "rule": "filed_under", "confidence": Confidence::ONE }),
            );
        } else {
            self.show(&mut shown, field::PROPERTY_ID, &self.property_id, Clone::clone);
        }
        self.show(&mut shown, field::DOCUMENT_KIND, &self.kind, |kind| *kind);
        self.show(&mut shown, field::AMENDMENT_SCOPE, &self.amendment_scope, |scope| *scope);
        self.show(&mut shown, field::TENANT_NAME, &self.tenant, Clone::clone);
        self.show(&mut shown, field::LANDLORD_NAME, &self.landlord, Clone::clone);
        self.show(&mut shown, field::BASE_RENT, &self.rent, |figures| figures.rent);
        self.show(&mut shown, field::LEASE_START, &self.term.start, |date| *date);
        self.show(&mut shown, field::LEASE_END, &self.term.end, |date| *date);
        self.show(&mut shown, field::TERM_MONTHS, &self.term.months, |months| *months);
        self.show(&mut shown, field::RENT_COMMENCEMENT_DATE, &self.term.rent_commencement, |date| *date);
        self.show(&mut shown, field::SECURITY_DEPOSIT, &self.deposit, |money| *money);
        self.show(&mut shown, field::EXECUTION_DATE, &self.execution_date, |date| *date);
        if let Some(range) = &self.front_paper {
            let passage = self.reading.text.passage(range);
            let page = self.reading.text.page_at(range.start);
            shown.insert("paper_in_front".to_owned(), json!({ "page": page, "passage": passage }));
        }
        if let Some(unexplained) = &self.unexplained {
            let passage = self.reading.text.passage(&unexplained.range);
            let page = self.reading.text.page_at(unexplained.range.start);
            shown.insert(
                "unexplained".to_owned(),
                json!({ "page": page, "passage": passage, "rule": unexplained.rule }),
            );
        }
        if let Some((at, kind)) = self.several {
            let passage = bounded(self.reading.text.after(at, CLAUSE_MAX_CHARS), CLAUSE_MAX_CHARS);
            shown.insert(
                "second_agreement".to_owned(),
                json!({ "kind": kind, "page": self.reading.text.page_at(at), "passage": passage }),
            );
        }
        Value::Object(shown)
    }

    fn show<T, S: Serialize>(
        &self,
        shown: &mut Map<String, Value>,
        name: &str,
        settled: &Settled<T>,
        value: fn(&T) -> S,
    ) {
        let of = |candidate: &Candidate<T>| {
            let evidence = self.evidence(name, candidate);
            json!({
                "value": serde_json::to_value(value(&candidate.value)).unwrap_or_default(),
                "confidence": candidate.confidence,
                "passage": evidence.passage,
                "page": evidence.page,
                "rule": candidate.rule,
            })
        };
        let entry = match settled {
            Settled::Found(candidate) => of(candidate),
            Settled::Abstained { why, candidates } => {
                let listed: Vec<Value> = candidates.iter().take(SHOWN_CANDIDATES_MAX_COUNT).map(of).collect();
                json!({ "abstained": why, "candidates": listed })
            }
            Settled::Absent => return,
        };
        shown.insert(name.to_owned(), entry);
    }
}

/// A required field's value, or the reason why it is not there: `{field}_missing` or `{field}_{why}`.
fn required<'a, T: Clone>(settled: &'a Settled<T>, name: &str) -> Result<&'a Candidate<T>, Reason> {
    match settled {
        Settled::Found(candidate) => Ok(candidate),
        Settled::Abstained { why, .. } => Err(Reason::new(
            format!("{name}_{why}"),
            match *why {
                "conditional" => {
                    format!(
                        "The document makes {name} depend on an event: upload the paper that states the date, or a \
                         JSON abstraction with it."
                    )
                }
                "values_of_equal_weight" => {
                    format!(
                        "The document gives {name} more than once and not alike: upload one that gives it once, or a \
                         JSON abstraction with what counts."
                    )
                }
                "blank" => format!("The document leaves {name} blank: upload one that is filled in."),
                _ => format!(
                    "The document does not give {name} with certainty: read it and upload a JSON abstraction."
                ),
            },
        )),
        Settled::Absent => Err(Reason::new(
            format!("{name}_missing"),
            format!(
                "No passage that states {name} was found: upload a document that states it, or a JSON abstraction."
            ),
        )),
    }
}

fn optional<T: Clone>(settled: &Settled<T>) -> Option<&Candidate<T>> {
    settled.found().filter(|candidate| candidate.confidence >= OPTIONAL_MIN)
}

#[cfg(test)]
pub(crate) mod tests;
