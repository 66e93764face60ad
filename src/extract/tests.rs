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
    (\"Landlord\"), and Juniper Health, Inc., a Texas corporation (\"Tenant\"), for Suite 4, Austin, Texas.\n\
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
        Extraction::Waiting { job_id, .. } => format!("waits for {job_id}"),
        Extraction::NotBegun => "not begun".to_owned(),
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
        ("in advance.", "in advance. Base Rent is $6,000.00 per month. ", "base_rent_values_of_equal_weight"),
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
        assert_eq!(code, expected, "{from} -> {to}");
    }
}

#[test]
fn what_is_bound_in_front_of_a_lease_or_behind_it_is_noticed() {
    let letter = "January 5, 2021\nDear Ms. Elm:\nJuniper Health, Inc. is exercising its option to extend the term of the lease of May 1, 2020. \
        It has paid the rent as it fell due, keeps the premises in repair, and looks forward to the years to come. Nothing else is changed, and \
        the keys stay where they are. Please countersign.\nVery truly yours,\nJuniper Health, Inc.\n";
    let estoppel = "ESTOPPEL CERTIFICATE\nThe undersigned hereby certifies to Oak Bank that the lease described below is in force, that rent is \
        paid through June 30, 2021, that no default is known to it on either side, that the security deposit is held by the landlord, and that \
        nobody has an option to purchase the building or a part of it.\nJuniper Health, Inc.\n";
    let behind = |words: &str| format!("{LEASE}{}{words}", "Tenant keeps the premises clean. ".repeat(120));
    let rows = [
        (LEASE.to_owned(), "complete"),
        (format!("{letter}{LEASE}"), "paper_in_front"),
        (format!("{estoppel}{LEASE}"), "paper_in_front"),
        (format!("ASSIGNMENT AND ASSUMPTION OF LEASE\n{LEASE}"), "unclear_document_kind"),
        (
            behind(
                "THIS FIRST AMENDMENT TO LEASE is made May 1, 2021 between Elm Row Partners LLC (\"Landlord\") and Juniper Health, Inc. (\"Tenant\").",
            ),
            "several_agreements",
        ),
        (
            behind(
                "THIS LEASE AGREEMENT is made May 1, 2018 between Oak LLC (\"Landlord\") and Elm Row Partners LLC (\"Tenant\"). Base Rent is $9,000.00 per month.",
            ),
            "several_agreements",
        ),
        (
            behind(
                "THIS GUARANTY OF LEASE is made May 1, 2020 by Ada Fern, for the lease between Elm Row Partners LLC (\"Landlord\") and Juniper Health, Inc. (\"Tenant\").",
            ),
            "complete",
        ),
    ];
    for (text, expected) in rows {
        let code = reason(read(&text));
        assert!(code.starts_with(expected), "{code} and not {expected}: {}", &text[..80]);
    }
}

#[test]
fn of_a_sublease_and_the_lease_bound_behind_it_the_sublease_is_read() {
    let text = format!(
        "SUBLEASE\nProperty ID: EW-5\nTHIS SUBLEASE is made as of May 2, 2021 between Juniper Health, Inc., a Texas corporation (\"Sublandlord\"), and \
         Fern Optics LLC, a Texas limited liability company (\"Subtenant\"), for Suite 4, Austin, Texas.\n1. Term. The term of this Sublease shall commence on June 1, 2021 and \
         shall expire on April 29, 2025.\n2. Rent. Subtenant shall pay Base Rent of $2,500.00 per month.\n{}EXHIBIT A\n{LEASE}",
        "Subtenant keeps the premises clean. ".repeat(120)
    );
    let Extraction::Complete(lease) = read(&text) else { panic!("{:?}", read(&text)) };
    assert_eq!(lease.document_kind, Some(DocumentKind::Sublease));
    assert_eq!(lease.tenant_name, "Fern Optics LLC");
    assert_eq!(lease.base_rent.amount.to_string(), "2500.00");
    assert_eq!(
        (lease.lease_start.to_string(), lease.lease_end.to_string()),
        ("2021-06-01".to_owned(), "2025-04-29".to_owned())
    );
}

#[test]
fn an_amendment_says_what_it_changes() {
    let text = "FIRST AMENDMENT TO LEASE\nProperty ID: EW-5\nTHIS FIRST AMENDMENT TO LEASE is made as of March 2, 2025, between Elm Row Partners LLC, a Texas \
        limited liability company (\"Landlord\"), and Juniper Health, Inc., a Texas corporation (\"Tenant\"), of Austin, Texas.\nRECITALS\nA. The term ends on April 30, 2025 \
        and Base Rent is $5,000.00 per month.\nNOW, THEREFORE\n1. Term. The term is hereby extended, commencing on May 1, 2025 and ending on April 30, 2030.\n\
        2. Base Rent. Base Rent shall be $6,000.00 per month.\n";
    let Extraction::Complete(lease) = read(text) else { panic!("{:?}", read(text)) };
    assert_eq!(lease.amendment_scope, Some(crate::lease::AmendmentScope::Extension));
    assert_eq!(lease.base_rent.amount.to_string(), "6000.00");
    assert_eq!(lease.lease_end.to_string(), "2030-04-30");
    assert!(
        lease
            .evidence
            .iter()
            .any(|evidence| evidence.field == "amendment_scope" && !evidence.passage.is_empty())
    );
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
        (b"PK\x03\x04 [Content_Types].xml word/document.xml", "unreadable_docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 WordDocument", "unsupported_doc"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0",
            "encrypted_docx",
        ),
        (b"\x00\x01\x02\x03", "unsupported_type"),
        (b"A shopping list: milk", "unclear_document_kind"),
    ];
    for (bytes, expected) in rows {
        assert_eq!(reason(LeaseExtractor::default().read(bytes, Some("P1"))), *expected);
    }
}

#[test]
fn a_document_of_nothing_but_figures_is_not_read() {
    let few = format!("{LEASE}{}", "$1.00 ".repeat(100));
    assert!(reason(read(&few)).starts_with("complete"));
    let many = format!("{LEASE}{}", "$1.00 ".repeat(FIGURES_MAX_COUNT));
    assert_eq!(reason(read(&many)), "document_too_large");
}

#[tokio::test]
async fn the_port_answers_as_the_reader_does() {
    let request = ExtractRequest::of_bytes(Bytes::from_static(LEASE.as_bytes()), None);
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

/// A sample's bytes.
fn sample(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{} is a sample: {error}", path.display()))
}

#[test]
fn samples_that_can_be_posted_are_read_as_their_table_says() {
    struct Row {
        name: &'static str,
        property: &'static str,
        tenant: &'static str,
        landlord: &'static str,
        kind: DocumentKind,
        rent: &'static str,
        start: &'static str,
        end: &'static str,
        deposit: Option<&'static str>,
        months: Option<u32>,
        steps: &'static [&'static str],
        executed: Option<&'static str>,
    }
    let rows = [
        Row {
            name: "harbor-point-suite-210.txt",
            property: "HP-210",
            tenant: "TIDEWATER ROBOTICS, INC.",
            landlord: "HARBOR POINT HOLDINGS LLC",
            kind: DocumentKind::Lease,
            rent: "12500.00 USD monthly",
            start: "2024-03-01",
            end: "2029-02-28",
            deposit: Some("25000.00"),
            months: Some(60),
            steps: &[],
            executed: Some("2024-02-12"),
        },
        Row {
            name: "harbor-point-suite-210.txt.versions/2-amendment.txt",
            property: "HP-210",
            tenant: "TIDEWATER ROBOTICS, INC.",
            landlord: "HARBOR POINT HOLDINGS LLC",
            kind: DocumentKind::Amendment,
            rent: "14000.00 USD monthly",
            start: "2029-03-01",
            end: "2032-02-29",
            deposit: None,
            months: Some(36),
            steps: &["14000.00", "14420.00", "14852.60"],
            executed: Some("2028-11-03"),
        },
        Row {
            name: "juniper-court-unit-5.html",
            property: "JC-0005",
            tenant: "Copper Kettle Bakeries, LLC",
            landlord: "Juniper Court Partners, L.P.",
            kind: DocumentKind::Lease,
            rent: "7200.00 USD monthly",
            start: "2023-09-15",
            end: "2028-09-14",
            deposit: Some("7200.00"),
            months: None,
            steps: &["7200.00", "7400.00", "7600.00", "7800.00", "8000.00"],
            executed: Some("2023-06-18"),
        },
        Row {
            name: "ironbridge-building-7.pdf",
            property: "IB-0007",
            tenant: "SABLE & FINCH FREIGHT, INC.",
            landlord: "IRONBRIDGE LOGISTICS PARK LP",
            kind: DocumentKind::Lease,
            rent: "22000.00 USD monthly",
            start: "2021-11-01",
            end: "2029-05-31",
            deposit: Some("44000.00"),
            months: Some(91),
            steps: &["22000.00", "23000.00", "24000.00"],
            executed: Some("2021-10-04"),
        },
        Row {
            name: "kanaalkade-12.txt",
            property: "KK-12",
            tenant: "Atelier Cr\u{e8}megeel B.V.",
            landlord: "Kanaalkade Vastgoed B.V.",
            kind: DocumentKind::Lease,
            rent: "4000.00 EUR monthly",
            start: "2022-04-01",
            end: "2027-03-31",
            deposit: None,
            months: None,
            steps: &[],
            executed: Some("2022-03-14"),
        },
        Row {
            name: "mill-race-unit-14.docx",
            property: "MR-014",
            tenant: "Larkspur Cycle Works, Inc.",
            landlord: "Mill Race Properties, LLC",
            kind: DocumentKind::Lease,
            rent: "5950.00 USD monthly",
            start: "2022-10-01",
            end: "2026-09-30",
            deposit: Some("11900.00"),
            months: Some(48),
            steps: &["5950.00", "6100.00", "6250.00", "6400.00"],
            executed: Some("2022-08-22"),
        },
        Row {
            name: "cobalt-street-sublease.txt",
            property: "CS-30B",
            tenant: "GREBE MAPPING LLC",
            landlord: "PARHELION OPTICS, INC.",
            kind: DocumentKind::Sublease,
            rent: "9800.00 USD monthly",
            start: "2024-07-01",
            end: "2027-06-30",
            deposit: Some("19600.00"),
            months: Some(36),
            steps: &[],
            executed: Some("2024-05-20"),
        },
        Row {
            name: "linden-hall-floor-3.json",
            property: "LH-03",
            tenant: "Blue Heron Analytics Ltd.",
            landlord: "Linden Hall Estates plc",
            kind: DocumentKind::Lease,
            rent: "118750.50 GBP annual",
            start: "2025-01-06",
            end: "2030-01-05",
            deposit: Some("29687.63"),
            months: None,
            steps: &[],
            executed: None,
        },
    ];
    for row in rows {
        let name = row.name;
        let lease = match LeaseExtractor::default().read(&sample(name), None) {
            Extraction::Complete(lease) => lease,
            other => panic!("{name} gave {other:?}"),
        };
        assert_eq!(lease.faults(), Vec::new(), "{name}");
        assert!(
            lease.extraction_confidence >= Confidence::percent(85),
            "{name}: {}",
            lease.extraction_confidence
        );
        assert_eq!(lease.property_id, row.property, "{name}");
        assert_eq!(lease.tenant_name, row.tenant, "{name}");
        assert_eq!(lease.landlord_name.as_deref(), Some(row.landlord), "{name}");
        assert_eq!(lease.document_kind, Some(row.kind), "{name}");
        let rent = lease.base_rent;
        assert_eq!(format!("{} {} {}", rent.amount, rent.currency, rent.period), row.rent, "{name}");
        assert_eq!(lease.lease_start.to_string(), row.start, "{name}");
        assert_eq!(lease.lease_end.to_string(), row.end, "{name}");
        let deposit = lease.security_deposit.map(|deposit| deposit.amount.to_string());
        assert_eq!(deposit.as_deref(), row.deposit, "{name}");
        assert_eq!(lease.term_months, row.months, "{name}");
        let steps: Vec<String> =
            lease.rent_schedule.iter().map(|step| step.rent.amount.to_string()).collect();
        assert_eq!(steps, row.steps, "{name}");
        assert_eq!(lease.execution_date.map(|date| date.to_string()).as_deref(), row.executed, "{name}");
        assert!(!lease.evidence.is_empty(), "{name}");
        let is_pdf = name.ends_with(".pdf");
        let pages_known = lease.evidence.iter().all(|evidence| evidence.page.is_some() == is_pdf);
        assert!(
            pages_known || name.ends_with(".json"),
            "{name}: a page where there are pages, and only there"
        );
    }
}

#[test]
fn samples_for_people_say_why() {
    match LeaseExtractor::default().read(&sample("quarry-road-clinic.txt"), None) {
        Extraction::Incomplete(Incomplete { reason, found }) => {
            assert_eq!(reason.code, "lease_start_conditional");
            assert_eq!(found["property_id"]["value"], "QR-17");
            assert_eq!(found["tenant_name"]["value"], "FERNDALE FAMILY CLINIC, P.C.");
            assert_eq!(found["base_rent"]["value"]["amount"].to_string(), "8525.00");
            assert_eq!(found["term_months"]["value"], 84);
            assert_eq!(found["lease_start"]["abstained"], "conditional");
        }
        other => panic!("{other:?}"),
    }
    // What is a picture is read by whoever has a recogniser; the extractor alone has none.
    let rows = [
        ("mill-race-unit-15.docx", "tracked_changes"),
        ("alder-street-form.docx", "tenant_name_missing"),
        ("tannery-row-unit-3.png", "image_needs_ocr"),
        ("tannery-row-unit-3-photocopy.jpg", "image_needs_ocr"),
        ("saltworks-lot-9.tiff", "image_needs_ocr"),
        ("orchard-mews-shop-2.pdf", "no_text_layer"),
        ("damaged-scan.pdf", "unsupported_type"),
    ];
    for (name, expected) in rows {
        assert_eq!(reason(LeaseExtractor::default().read(&sample(name), None)), expected, "{name}");
    }
    assert_eq!(sample("linden-hall-floor-3.json"), sample("linden-hall-third-floor.json"));
}

/// A Word document with the plain lease's paragraphs, of which one was changed.
fn word(change: impl Fn(&str) -> String) -> Vec<u8> {
    let body: String =
        LEASE.lines().map(|line| format!("<w:p>{}</w:p>", change(&line.replace('&', "&amp;")))).collect();
    docx::tests::Parts::of_body(&body).archive()
}

#[test]
fn what_casts_doubt_outranks_what_is_complete() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let html = |from: &str, to: &str| {
        let lines: String = LEASE.lines().map(|line| format!("<p>{line}</p>\n")).collect();
        format!("<html>{}</html>", lines.replacen(from, to, 1)).into_bytes()
    };
    let plain = |from: &str, to: &str| LEASE.replacen(from, to, 1).into_bytes();
    let wide: Vec<u8> = LEASE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let rows: Vec<(&str, Vec<u8>, &str)> = vec![
        ("Word, as it is", word(run), "complete"),
        (
            "Word, an amount inserted",
            word(|line| {
                run(line).replace(
                    "$5,000.00",
                    "</w:t></w:r><w:ins><w:r><w:t>$5,000.00</w:t></w:r></w:ins><w:r><w:t>",
                )
            }),
            "tracked_changes",
        ),
        (
            "Word, an amount struck out",
            word(|line| {
                run(line).replace(
                    "$5,000.00",
                    "</w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t>$5,000.00</w:t></w:r><w:r><w:t>",
                )
            }),
            "base_rent_missing",
        ),
        (
            "Word, an amount hidden",
            word(|line| {
                run(line).replace(
                    "in advance",
                    "</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>$4,000.00</w:t></w:r><w:r><w:t>",
                )
            }),
            "hidden_text",
        ),
        ("HTML, as it is", html("", ""), "complete"),
        ("HTML, an amount struck out", html("$5,000.00", "<s>$6,000.00</s> $5,000.00"), "complete"),
        (
            "HTML, an amount changed",
            html("$5,000.00", "<del>$6,000.00</del> <ins>$5,000.00</ins>"),
            "tracked_changes",
        ),
        ("HTML, an amount hidden", html("$5,000.00", "<b hidden>$6,000.00</b> $5,000.00"), "hidden_text"),
        (
            "HTML, a page as a picture",
            html("1. Term.", "<img width=816 height=1056> 1. Term."),
            "pictures_without_text",
        ),
        ("text, boxes", plain("Base Rent of $5,000.00", "[x] Base Rent of $5,000.00"), "check_boxes"),
        (
            "text, boxes and no start",
            plain("on May 1, 2020", "on May __, 2020 [x] fee of $5.00"),
            "lease_start_missing",
        ),
        ("text, UTF-16 without a mark", wide, "complete"),
        ("text, a draft", plain("OFFICE LEASE", "DRAFT\nOFFICE LEASE"), "draft_document"),
    ];
    for (case, bytes, expected) in rows {
        // What casts doubt is shown whether or not it is the reason.
        let doubt = match expected {
            "complete" | "base_rent_missing" | "draft_document" => None,
            "lease_start_missing" => Some("check_boxes"),
            code => Some(code),
        };
        let answer = LeaseExtractor::default().read(&bytes, None);
        let told = reason(answer.clone());
        assert!(told.starts_with(expected), "{case}: {told}");
        if let Extraction::Incomplete(incomplete) = answer {
            let shown = incomplete.found["doubts"][0]["kind"].as_str();
            assert_eq!(shown, doubt, "{case}: {}", incomplete.found);
        }
    }
}

#[test]
fn a_mark_beside_the_text_makes_a_draft() {
    let body: String = LEASE.lines().map(|line| format!("<w:p><w:r><w:t>{line}</w:t></w:r></w:p>")).collect();
    for (header, expected) in [
        ("Elm Row", "complete"),
        ("DRAFT", "draft_document"),
        ("Landlord's Draft of May 1", "draft_document"),
    ] {
        let parts = docx::tests::Parts::of_body(&body).with_header(header);
        let told = reason(LeaseExtractor::default().read(&parts.archive(), None));
        assert!(told.starts_with(expected), "{header}: {told}");
    }
}
