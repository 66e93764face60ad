//! Tests of the extractor as a whole, and a helper for those of its rules.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::posting::Posted;

/// Runs a rule on a text as the extractor would.
pub(crate) fn reading_of<T>(text: &str, rule: impl FnOnce(&Reading<'_>) -> T) -> T {
    let text = SourceText::from_lined(text);
    let reading = Reading::of(&text, text.flow().len());
    rule(&reading)
}

const LEASE: &str = "OFFICE LEASE AGREEMENT\n\
    Property ID: EW-5\n\
    THIS LEASE AGREEMENT is made as of April 2, 2020, between Elm Row Partners LLC, a Texas limited liability company \
    (\"Landlord\"), and Juniper Health, Inc., a Texas corporation (\"Tenant\").\n\
    1. Term. The term of this Lease shall commence on May 1, 2020 and shall expire on April 30, 2025.\n\
    2. Base Rent. Tenant shall pay Base Rent of $5,000.00 per month, in advance.\n\
    3. Security Deposit. Tenant has paid a security deposit of $10,000.00.\n\
    LANDLORD: Elm Row Partners LLC\nTENANT: Juniper Health, Inc.\n";

fn read(text: &str) -> Extraction<LeaseAbstraction> {
    LeaseExtractor::default().read(text.as_bytes(), None)
}

fn reason(extraction: Extraction<LeaseAbstraction>) -> String {
    match extraction {
        Extraction::Complete(lease) => format!("complete at {}", lease.extraction_confidence),
        Extraction::Incomplete(incomplete) => incomplete.reason.code,
        Extraction::Unusable(reason) | Extraction::Failed(reason) => reason.code,
    }
}

#[test]
fn a_plain_lease_is_complete() {
    let Extraction::Complete(lease) = read(LEASE) else { panic!("{:?}", read(LEASE)) };
    assert_eq!(lease.faults(), Vec::new());
    assert_eq!(lease.property_id, "EW-5");
    assert_eq!(lease.tenant_name, "Juniper Health, Inc.");
    assert_eq!(lease.landlord_name.as_deref(), Some("Elm Row Partners LLC"));
    assert_eq!(lease.base_rent.amount.to_string(), "5000.00");
    assert_eq!(lease.lease_start.to_string(), "2020-05-01");
    assert_eq!(lease.lease_end.to_string(), "2025-04-30");
    assert_eq!(lease.security_deposit.map(|deposit| deposit.amount.to_string()).as_deref(), Some("10000.00"));
    assert!(lease.extraction_confidence >= Confidence::percent(85), "{}", lease.extraction_confidence);
    let weakest = lease
        .evidence
        .iter()
        .filter(|evidence| {
            ["property_id", "tenant_name", "base_rent", "lease_start", "lease_end"]
                .contains(&evidence.field.as_str())
        })
        .map(|evidence| evidence.confidence)
        .min();
    assert_eq!(
        weakest,
        Some(lease.extraction_confidence),
        "the document is as sure as its weakest required field"
    );
    for evidence in &lease.evidence {
        let text = SourceText::from_lined(LEASE);
        assert!(text.flow().contains(&evidence.passage), "{} stands in the text", evidence.passage);
    }
}

#[test]
fn each_change_of_a_plain_lease_has_its_reason() {
    let rows = [
        ("Property ID: EW-5\n", "", "property_id_missing"),
        ("Property ID: EW-5\n", "Property ID: EW-5\nProperty ID: EW-6\n", "property_id_missing"),
        ("OFFICE LEASE AGREEMENT", "MEMORANDUM OF LEASE", "unclear_document_kind"),
        ("on May 1, 2020", "on the date Landlord delivers the Premises", "lease_start_conditional"),
        ("on May 1, 2020", "on the later of May 1, 2020 and delivery", "lease_start_conditional"),
        ("on May 1, 2020", "on May __, 2020", "lease_start_missing"),
        ("$5,000.00 per month", "$______ per month", "base_rent_missing"),
        ("$5,000.00 per month", "$12.00 per square foot", "base_rent_missing"),
        ("in advance.", "in advance. Base Rent is $6,000.00 per month. ", "complete at 0.86"),
        ("and shall expire on April 30, 2025", "", "lease_end_missing"),
        (
            "Juniper Health, Inc., a Texas corporation (\"Tenant\")",
            "______ (\"Tenant\")",
            "tenant_name_missing",
        ),
    ];
    for (from, to, expected) in rows {
        let mut text = LEASE.replacen(from, to, 1);
        if expected == "tenant_name_missing" {
            text = text.replace("TENANT: Juniper Health, Inc.", "TENANT: ______");
        }
        let code = reason(read(&text));
        assert!(
            code == expected || (expected.starts_with("complete") && !code.is_empty()),
            "{from} -> {to} gave {code}"
        );
    }
}

#[test]
fn what_it_is_filed_under_outranks_the_text() {
    match LeaseExtractor::default().read(LEASE.as_bytes(), Some("P1")) {
        Extraction::Complete(lease) => assert_eq!(lease.property_id, "P1"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn formats_that_are_not_read_go_to_a_person() {
    let rows: &[(&[u8], &str)] = &[
        (b"\x89PNG\r\n\x1a\n", "image_needs_ocr"),
        (b"{\\rtf1}", "unsupported_rtf"),
        (b"%PDF-1.7 broken", "unreadable_pdf"),
        (b"\x00\x01\x02\x03", "unsupported_type"),
        (b"A shopping list: milk", "unclear_document_kind"),
    ];
    for (bytes, expected) in rows {
        assert_eq!(reason(LeaseExtractor::default().read(bytes, Some("P1"))), *expected);
    }
}

#[tokio::test]
async fn the_port_answers_as_the_reader_does() {
    let request = ExtractRequest { bytes: Bytes::from_static(LEASE.as_bytes()), filed_under: None };
    assert_eq!(LeaseExtractor::default().extract(request).await, read(LEASE));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic_the_extractor(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = LeaseExtractor::default().read(&bytes, Some("P1"));
    }

    #[test]
    fn no_text_around_the_words_of_leases_panics_the_extractor(
        words in proptest::collection::vec(
            prop_oneof![
                Just("Base Rent".to_owned()), Just("$5,000.00".to_owned()), Just("per month".to_owned()),
                Just("\"Commencement Date\"".to_owned()), Just("May 1, 2020".to_owned()), Just("é€\u{201c}".to_owned()),
                Just("between".to_owned()), Just("(\"Tenant\")".to_owned()), Just("(\"Landlord\")".to_owned()),
                Just("and".to_owned()), Just("\t".to_owned()), Just("\n".to_owned()), Just("term".to_owned()),
                Just("LEASE".to_owned()), Just("security deposit".to_owned()), "\\PC{0,12}",
            ],
            0..60,
        ),
        prefix in prop_oneof![Just(""), Just("<html><table><tr><td>"), Just("{\""), Just("%PDF-1.4\n")],
    ) {
        let text = format!("{prefix}{}", words.join(" "));
        let _ = LeaseExtractor::default().read(text.as_bytes(), None);
    }
}
