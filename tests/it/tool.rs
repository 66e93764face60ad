//! The tool as people run it: the built binary on a state folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

fn event(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("events").join(name)
}

/// A call of the tool, with nothing in its environment.
fn leasectl(state: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leasectl"));
    command.env_clear();
    command.env("TMPDIR", state.parent().unwrap()).current_dir(state.parent().unwrap());
    command
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn ingest(state: &Path) -> Vec<Value> {
    let (code, out, err) =
        run(leasectl(state).arg("ingest").arg(samples()).arg("--json").arg("--state").arg(state));
    assert_eq!(code, Some(0), "{err}");
    serde_json::from_str(&out).unwrap()
}

fn tables(state: &Path) -> Value {
    let (code, out, err) = run(leasectl(state).args(["show", "--json", "--state"]).arg(state));
    assert_eq!(code, Some(0), "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn the_samples_are_ingested_once_and_a_second_run_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let first = ingest(&state);
    let outcome = |document: &str| -> Vec<(&str, &str)> {
        first
            .iter()
            .filter(|line| line["document"] == document)
            .map(|line| (line["outcome"].as_str().unwrap(), line["reason"].as_str().unwrap_or("")))
            .collect()
    };
    assert_eq!(outcome("damaged-scan.pdf"), [("rejected", "unsupported_type")]);
    assert_eq!(outcome("quarry-road-clinic.txt"), [("review", "lease_start_conditional")]);
    assert_eq!(outcome("juniper-court-unit-5.html"), [("committed", "")]);
    assert_eq!(outcome("ironbridge-building-7.pdf"), [("committed", "")]);
    // Two versions of one key: the lease and its amendment, one after the other.
    assert_eq!(outcome("harbor-point-suite-210.txt"), [("committed", ""), ("committed", "")]);
    assert_eq!(outcome("linden-hall-floor-3.json"), [("committed", "")]);
    assert_eq!(outcome("linden-hall-third-floor.json"), [("duplicate content", "")]);
    let before = tables(&state);

    let second = ingest(&state);
    assert_eq!(second.len(), first.len());
    for line in &second {
        assert!(line["outcome"].as_str().unwrap().starts_with("no-op: duplicate event"), "{line}");
    }
    assert_eq!(tables(&state), before);

    let (code, out, err) =
        run(leasectl(&state).args(["show", "harbor-point-suite-210.txt", "--state"]).arg(&state));
    assert_eq!(code, Some(0), "{err}");
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(shown["claims"].as_array().unwrap().len(), 2);
    assert_eq!(shown["commit"]["document"]["document_kind"], "amendment", "the newer version is active");
    assert_eq!(shown["document"]["state"], "active");
}

#[test]
fn two_runs_at_once_on_one_state_folder_post_each_document_once() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let runs: Vec<_> = (0..2)
        .map(|_| {
            let mut command = leasectl(&state);
            command.arg("ingest").arg(samples()).arg("--json").arg("--state").arg(&state);
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut run in runs {
        assert_eq!(run.wait().unwrap().code(), Some(0));
    }
    let alone = tempfile::tempdir().unwrap();
    let alone = alone.path().join("state");
    ingest(&alone);
    assert_eq!(tables(&state)["commits"]["rows"], tables(&alone)["commits"]["rows"]);
}

#[test]
fn the_chain_of_credentials_and_regions_is_never_asked() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    // Everything that an AWS client would ask for credentials or a region is this listener.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let mut command = leasectl(&state);
    command.arg("ingest").arg(samples()).arg("--json").arg("--state").arg(&state);
    for variable in [
        "AWS_EC2_METADATA_SERVICE_ENDPOINT",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_ENDPOINT_URL",
        "HTTP_PROXY",
        "http_proxy",
    ] {
        command.env(variable, &address);
    }
    command.env("AWS_PROFILE", "nobody").env("AWS_REGION", "nowhere-1");
    let (code, _, err) = run(&mut command);
    assert_eq!(code, Some(0), "{err}");
    let asked = listener.accept().err().map(|error| error.kind());
    assert_eq!(asked, Some(std::io::ErrorKind::WouldBlock), "somebody asked");
}

#[test]
fn a_property_that_is_named_later_is_not_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let text = std::fs::read_to_string(samples().join("harbor-point-suite-210.txt")).unwrap();
    let lease = folder.path().join("lease.txt");
    let nameless: String =
        text.lines().filter(|line| !line.contains("Property ID")).map(|line| format!("{line}\n")).collect();
    assert_ne!(nameless.lines().count(), text.lines().count());
    std::fs::write(&lease, nameless).unwrap();
    let outcome = |property: Option<&str>| {
        let mut command = leasectl(&state);
        command.arg("ingest").arg(&lease).arg("--json").arg("--state").arg(&state);
        if let Some(property) = property {
            command.args(["--property", property]);
        }
        let (code, out, err) = run(&mut command);
        assert_eq!(code, Some(0), "{err}");
        let lines: Vec<Value> = serde_json::from_str(&out).unwrap();
        (
            lines[0]["outcome"].as_str().unwrap().to_owned(),
            lines[0]["reason"].as_str().unwrap_or("").to_owned(),
        )
    };
    assert_eq!(outcome(None), ("review".to_owned(), "property_id_missing".to_owned()));
    assert_eq!(outcome(None).0, "no-op: duplicate event (review)");
    assert_eq!(outcome(Some("P-7")).0, "committed");
    assert_eq!(outcome(Some("P-7")).0, "no-op: duplicate event (committed)");
    // The same bytes under another property are a question for a person.
    assert_eq!(outcome(Some("P-8")), ("review".to_owned(), "filed_elsewhere".to_owned()));
}

#[test]
fn an_event_is_handled_as_lambda_would_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let invoke = |name: &str, objects: bool| {
        let mut command = leasectl(&state);
        command.arg("invoke").arg(event(name)).arg("--state").arg(&state);
        if objects {
            command.arg("--objects").arg(samples());
        }
        run(&mut command)
    };
    // Without the object the message is returned, with it the document is posted, and then it is a duplicate.
    let (code, out, _) = invoke("s3-put.json", false);
    assert_eq!(code, Some(1));
    assert!(out.contains(r#""batchItemFailures":[{"itemIdentifier":"#), "{out}");
    let (code, out, err) = invoke("s3-put.json", true);
    assert_eq!((code, out.trim()), (Some(0), r#"{"batchItemFailures":[]}"#), "{err}");
    assert!(err.contains("Committed"), "{err}");
    let (_, _, err) = invoke("s3-put.json", true);
    assert!(err.contains("DuplicateEvent (committed)"), "{err}");

    // A recorded event is of the past: beside what was put in since, its version is historical, and the samples
    // are still all there.
    let state = folder.path().join("later");
    ingest(&state);
    let mut command = leasectl(&state);
    command
        .arg("invoke")
        .arg(event("s3-put.json"))
        .arg("--state")
        .arg(&state)
        .arg("--objects")
        .arg(samples());
    let (code, _, err) = run(&mut command);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("DuplicateContent (historical)"), "{err}");
    for line in ingest(&state) {
        assert!(line["outcome"].as_str().unwrap().starts_with("no-op"), "{line}");
    }
}

#[test]
fn a_persons_mistake_is_one_line_and_exit_code_two() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let newer = folder.path().join("newer");
    std::fs::create_dir(&newer).unwrap();
    std::fs::write(newer.join("format"), "lease-ingest state\n999\n").unwrap();
    let foreign = folder.path().join("foreign");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::write(foreign.join("thesis.txt"), "text").unwrap();
    let no_json = folder.path().join("event.json");
    std::fs::write(&no_json, "{").unwrap();
    let path = |path: &Path| path.display().to_string();
    // Arguments, and what the line must say.
    let table: Vec<(Vec<String>, &str)> = vec![
        (vec!["ingest".into(), "no-such-folder".into()], "no-such-folder: No such file"),
        (vec!["invoke".into(), "no-such.json".into()], "no-such.json: No such file"),
        (vec!["invoke".into(), path(&no_json)], "not JSON"),
        (vec!["invoke".into(), path(&event("not-sqs-scheduled.json"))], "not an SQS event"),
        (
            vec!["invoke".into(), path(&event("s3-put.json")), "--objects".into(), "nowhere".into()],
            "no such folder",
        ),
        (vec!["show".into()], "no such state folder"),
        (vec!["ingest".into(), path(&samples()), "--state".into(), path(&newer)], "newer version"),
        (vec!["ingest".into(), path(&samples()), "--state".into(), path(&foreign)], "not empty"),
    ];
    for (arguments, expected) in table {
        let mut command = leasectl(&state);
        command.args(&arguments);
        let (code, out, err) = run(&mut command);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{arguments:?}: {err}");
    }
    let (code, _, err) =
        run(leasectl(&state).env("LEASE_INGEST_GENERATION", "0").arg("ingest").arg(samples()));
    assert_eq!(code, Some(2));
    assert!(err.contains("LEASE_INGEST_GENERATION is `0`"), "{err}");
}
