//! Tests of the measurement as a whole.

use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::report::{
    POSTED_RIGHT, POSTED_WITH_WRONG_OPTIONAL, POSTED_WITH_WRONG_REQUIRED, REVIEWED_RIGHTLY,
    REVIEWED_THOUGH_PLAIN,
};
use super::*;
use crate::lease::{Currency, LeaseAbstraction, Money};
use crate::ports::extractor::{Extraction, Incomplete};
use crate::posting::{Confidence, Reason};

const THRESHOLD: Confidence = Confidence::percent(85);

/// A document's labels from the JSON of its fields.
fn labelled(fields: Value) -> LabelledDocument {
    let source =
        json!({ "format": 1, "documents": [{ "file": "a.htm", "kind": "lease", "fields": fields }] });
    let labels = Labels::parse(&source.to_string()).expect("the test's own labels");
    assert_eq!((labels.unknown, labels.unmeasured), (Vec::new(), Vec::new()));
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
    let rent =
        |monthly: Value, annual: Value| json!({ "base_rent_monthly": monthly, "base_rent_annual": annual });
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
        let reading = DocumentReading::of(&document, &for_review(json!({ name: shown(given.clone(), 90) })));
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
        let reading = DocumentReading::of(&document, &for_review(json!({ "base_rent": shown(given, 90) })));
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
        (document("\"lease_end\":{\"status\":\"absent\",\"tempting\":[true]}"), "lease_end.tempting: `true`"),
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
fn names_that_are_not_permitted_are_told_with_those_that_are() {
    let source = json!({ "documents": [{ "file": "a.htm", "notes": {}, "fields": {
        "tenant": { "status": "absent" },
        "base_rent": { "status": "absent" },
        "area": { "status": "absent", "unit": "acres" },
        "property_id": { "status": "absent" },
        "lease_end": { "status": "absent", "optoinal": true, "note": "n", "scope": "s" },
    } }] });
    let labels = Labels::parse(&source.to_string()).expect("these are labels");
    let fields = "tenant_name, base_rent_monthly, base_rent_annual, lease_start, lease_end, landlord_name, \
                  security_deposit are";
    let keys =
        "status, value, accept, optional, abstain_ok, original, tempting, currency, note, notes, scope are";
    let expected = [
        format!("a.htm: base_rent is no field that is measured, {fields}"),
        format!("a.htm: lease_end.optoinal is no key of a label, {keys}"),
        format!("a.htm: tenant is no field that is measured, {fields}"),
    ];
    assert_eq!(labels.unknown, expected);
    assert_eq!(labels.unmeasured, ["a.htm: area", "a.htm: property_id"]);
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
