//! `leasectl eval` as people run it, on the samples and on labels made up here.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::sample;

fn eval(labels: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_leasectl"))
        .env_clear()
        .current_dir(labels.parent().unwrap())
        .arg("eval")
        .arg("--labels")
        .arg(labels)
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Labels of the HTML sample, with one wrong on purpose, and of the sample that is for a person.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |below: &str, name: &str, bytes: Vec<u8>| {
        std::fs::create_dir_all(folder.path().join(below)).unwrap();
        std::fs::write(folder.path().join(below).join(name), bytes).unwrap();
    };
    put("html", "shop.htm", sample("juniper-court-unit-5.html"));
    put("html", "clinic.htm", sample("quarry-road-clinic.txt"));
    // The twins are other documents: what is measured must be them.
    put("docx", "shop.docx", sample("mill-race-unit-14.docx"));
    put("docx", "clinic.docx", sample("damaged-scan.pdf"));
    let stated = |value: &str| json!({ "status": "stated", "value": value });
    let labels = json!({ "format": 1, "documents": [
        { "file": "html/shop.htm", "kind": "lease", "fields": {
            "tenant_name": stated("Copper Kettle Bakeries LLC"),
            "landlord_name": stated("Juniper Court Partners LP"),
            "base_rent_monthly": stated("7200.00"),
            "lease_start": stated("2023-09-15"),
            "lease_end": stated("2028-09-14"),
            "security_deposit": { "status": "stated", "value": "7000.00", "tempting": ["7200"] },
        } },
        { "file": "html/clinic.htm", "kind": "lease", "fields": {
            "tenant_name": stated("Ferndale Family Clinic, P.C."),
            "lease_start": { "status": "conditional" },
            "lease_end": { "status": "conditional" },
        } },
    ] });
    std::fs::write(folder.path().join("labels.json"), labels.to_string()).unwrap();
    folder
}

#[test]
fn a_labelled_folder_is_measured_with_its_twins() {
    let folder = folder();
    let labels = folder.path().join("labels.json");
    let (code, out, err) = eval(&labels, &["--json", "--also", "docx"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let measured: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(measured["threshold"].to_string(), "0.85");
    let counts = |of: &str, view: &str, field: &str| {
        let lines = measured["reports"][of][view].as_array().unwrap().clone();
        let line = lines.into_iter().find(|line| line["field"] == field).unwrap();
        ["right", "wrong", "given_against", "tempted", "missed", "abstained"]
            .map(|key| line[key].as_u64().unwrap())
    };
    let own = "as labelled";
    assert_eq!(counts(own, "posted", "tenant_name"), [1, 0, 0, 0, 1, 0]);
    assert_eq!(counts(own, "in_review", "tenant_name"), [1, 0, 0, 0, 0, 0]);
    assert_eq!(counts(own, "together", "tenant_name"), [2, 0, 0, 0, 0, 0]);
    assert_eq!(counts(own, "posted", "base_rent"), [1, 0, 0, 0, 0, 0]);
    assert_eq!(counts(own, "posted", "security_deposit"), [0, 1, 0, 1, 0, 0]);
    assert_eq!(counts(own, "together", "lease_start"), [1, 0, 0, 0, 0, 1]);
    let documents = &measured["reports"][own]["documents"];
    assert_eq!(documents["posted_with_wrong_optional"], 1);
    assert_eq!(documents["reviewed_rightly"], 1);
    let finding = &measured["reports"][own]["findings"][0];
    assert_eq!(finding["field"], "security_deposit");
    assert_eq!(finding["given"], "7200.00 USD");
    assert!(finding["passage"].as_str().unwrap().contains("7,200.00"), "{finding}");
    // The twins: a lease that is posted and wrong in everything, and bytes that are no document.
    assert_eq!(counts("docx", "posted", "tenant_name"), [0, 1, 0, 0, 1, 0]);
    let documents = &measured["reports"]["docx"]["documents"];
    assert_eq!(documents["posted_with_wrong_required"], 1);
    assert_eq!(documents["rejected"], 1);

    // Above what the extractor is sure of, nothing is posted.
    let (code, out, err) = eval(&labels, &["--threshold", "1"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("0 posted and right"), "{out}");
    assert!(out.contains("1 sent to review though plain, 1 sent to review rightly"), "{out}");
    let (_, out, _) = eval(&labels, &[]);
    assert!(out.contains("html/shop.htm: security_deposit wrong, POSTED, as the labels warn"), "{out}");
}

#[test]
fn every_sample_is_labelled_and_none_is_posted_wrong() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let labels: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("labels.json")).unwrap()).unwrap();
    let labelled: Vec<&str> = labels["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|document| document["file"].as_str().unwrap())
        .collect();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // Bytes that are no document, the same bytes under another name, a folder of versions, and the labels.
        let is_none =
            ["damaged-scan.pdf", "linden-hall-third-floor.json", "labels.json"].contains(&name.as_str());
        assert!(is_none || name.ends_with(".versions") || labelled.contains(&name.as_str()), "{name}");
    }
    // With nothing in its environment no scan is recognised: each goes to a person.
    let (code, out, err) = eval(&folder.join("labels.json"), &["--json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let measured: Value = serde_json::from_str(&out).unwrap();
    let report = &measured["reports"]["as labelled"];
    let documents = &report["documents"];
    assert_eq!(documents["documents"], labelled.len());
    assert_eq!(documents["posted_right"], 8, "{documents}");
    for wrong in ["posted_with_wrong_required", "posted_with_wrong_optional", "rejected"] {
        assert_eq!(documents[wrong], 0, "{wrong}: {}", report["findings"]);
    }
}

#[test]
fn labels_that_cannot_be_meant_are_a_mistake_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels.json");
    let document = |file: &str, label: &str| {
        format!("{{\"documents\":[{{\"file\":\"{file}\",\n\"fields\":{{\"lease_end\":{label}}}}}]}}")
    };
    let rows = [
        ("{\n{".to_owned(), "line 2"),
        ("{\"documents\":[]}".to_owned(), "labels no documents"),
        (
            document("a.htm", "{\"status\":\"stated\",\"value\":\"soon\"}"),
            "a.htm: lease_end.value: `soon` is no date",
        ),
        (document("a.htm", "{\"status\":\"perhaps\"}"), "unknown variant `perhaps`"),
        (document("gone.htm", "{\"status\":\"absent\"}"), "gone.htm: No such file"),
        (
            document("a.htm", "{\"status\":\"absent\",\"acept\":[]}"),
            "a.htm: lease_end.acept is no key of a label",
        ),
        (
            document("a.htm", "{\"status\":\"absent\"},\"tenant\":{\"status\":\"absent\"}"),
            "a.htm: tenant is no field that is measured, tenant_name,",
        ),
    ];
    for (source, expected) in rows {
        std::fs::write(&labels, &source).unwrap();
        let (code, out, err) = eval(&labels, &[]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{source}: {err}");
        assert!(err.contains(expected), "{source}: {err}");
        assert_eq!(err.lines().count(), 1, "{source}: {err}");
    }
    // A twin that is not there is told before anything is read; a field that is not measured is only told.
    let label = "{\"status\":\"absent\"},\"area\":{\"status\":\"absent\"}";
    std::fs::write(&labels, document("a.htm", label)).unwrap();
    std::fs::write(folder.path().join("a.htm"), sample("juniper-court-unit-5.html")).unwrap();
    let (code, out, err) = eval(&labels, &["--also", "pdf"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("`--also pdf` reads it as the twin of a.htm"), "{err}");
    let (code, _, err) = eval(&labels, &[]);
    assert_eq!((code, err.lines().count()), (Some(0), 1), "{err}");
    assert!(err.contains("a.htm: area is not measured"), "{err}");

    let (code, _, err) = eval(&labels, &["--threshold", "85"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("from 0 to 1"), "{err}");
}
