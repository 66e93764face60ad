//! The tool as people run it: the built binary on a state folder of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Why a scan goes to review where no program recognises text.
const WITHOUT_RECOGNISER: &str = "ocr_not_installed";

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
    // Versions of one key one after the other; the reason where there is one.
    let expected: &[(&str, &[(&str, &str)])] = &[
        ("harbor-point-suite-210.txt", &[("committed", ""), ("committed", "")]),
        ("juniper-court-unit-5.html", &[("committed", "")]),
        ("ironbridge-building-7.pdf", &[("committed", "")]),
        ("mill-race-unit-14.docx", &[("committed", "")]),
        ("kanaalkade-12.txt", &[("committed", "")]),
        ("cobalt-street-sublease.txt", &[("committed", "")]),
        ("linden-hall-floor-3.json", &[("committed", "")]),
        ("linden-hall-third-floor.json", &[("duplicate content", "")]),
        ("quarry-road-clinic.txt", &[("review", "lease_start_conditional")]),
        ("mill-race-unit-15.docx", &[("review", "tracked_changes")]),
        ("alder-street-form.docx", &[("review", "tenant_name_missing")]),
        // No program to recognise text with is in the environment of these calls.
        ("tannery-row-unit-3.png", &[("review", WITHOUT_RECOGNISER)]),
        ("tannery-row-unit-3-photocopy.jpg", &[("review", WITHOUT_RECOGNISER)]),
        ("saltworks-lot-9.tiff", &[("review", WITHOUT_RECOGNISER)]),
        ("orchard-mews-shop-2.pdf", &[("review", WITHOUT_RECOGNISER)]),
        ("damaged-scan.pdf", &[("rejected", "unsupported_type")]),
    ];
    let mut told: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for line in &first {
        let told = told.entry(line["document"].as_str().unwrap()).or_default();
        told.push((line["outcome"].as_str().unwrap(), line["reason"].as_str().unwrap_or("")));
    }
    assert_eq!(told, expected.iter().map(|(name, outcomes)| (*name, outcomes.to_vec())).collect());
    // The README says the same.
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let mut said: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in readme.lines().skip_while(|line| !line.starts_with("| outcome |")).skip(2) {
        let Some([outcome, document]) = row.strip_prefix("| ").map(|row| {
            let mut cells = row.split(" | ");
            [cells.next().unwrap(), cells.next().unwrap().trim_matches('`')]
        }) else {
            break;
        };
        said.entry(document).or_default().push(outcome);
    }
    let outcomes =
        |told: &[(&'static str, &str)]| told.iter().map(|(outcome, _)| *outcome).collect::<Vec<_>>();
    assert_eq!(said, expected.iter().map(|(name, told)| (*name, outcomes(told))).collect());
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
fn what_waits_for_review_is_shown_and_the_last_line_is_a_call_that_works() {
    let folder = tempfile::tempdir().unwrap();
    // The state folder, by its option, and the documents: one that is posted, one that is not, one without a rent.
    let documents = ["kanaalkade-12.txt", "mill-race-unit-15.docx", "quarry-road-clinic.txt"];
    for option in [&[][..], &["--state", "st"], &["--state", "my state"]] {
        let called = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_leasectl"));
            command.env_clear().env("TMPDIR", folder.path()).current_dir(folder.path()).args(arguments);
            run(&mut command)
        };
        let paths: Vec<String> =
            documents.iter().map(|name| samples().join(name).display().to_string()).collect();
        let mut arguments = vec!["ingest"];
        arguments.extend(option);
        arguments.extend(paths.iter().map(String::as_str));
        let (code, out, err) = called(&arguments);
        assert_eq!(code, Some(0), "{err}");
        let row = |name: &str| out.lines().find(|line| line.contains(name)).unwrap().to_owned();
        assert!(!row("kanaalkade-12.txt").contains('['), "{out}");
        assert!(row("mill-race-unit-15.docx").contains("USD monthly]"), "{out}");
        assert!(out.contains("In brackets: what was found and is not posted."), "{out}");
        // Some shell runs the line as it stands.
        let call = out.lines().last().unwrap().split_once(": ").unwrap().1;
        let mut shell = Command::new("sh");
        shell.env_clear().env("TMPDIR", folder.path()).current_dir(folder.path()).args(["-c", call]);
        let (code, shown, err) = run(&mut shell);
        assert_eq!(code, Some(0), "{call}: {err}");
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["claims"][0]["status"], "review", "{call}");

        let mut arguments = vec!["show", "nothing.txt"];
        arguments.extend(option);
        let (code, _, err) = called(&arguments);
        assert_eq!(code, Some(2), "{err}");
        let state = option.last().unwrap_or(&".lease-ingest");
        assert!(
            err.contains(&format!("nothing is known of such a document in the state folder {state};")),
            "{err}"
        );
        assert!(err.contains("lists the documents"), "{err}");
    }
    let (code, out, err) = run(leasectl(&folder.path().join("json"))
        .arg("ingest")
        .args(documents.map(|name| samples().join(name)))
        .arg("--json")
        .arg("--state")
        .arg(folder.path().join("json")));
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<Value> = serde_json::from_str(&out).unwrap();
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line["posted"] == true, line["base_rent"].is_null(), line["term"].is_null()))
        .collect();
    assert_eq!(told, [(true, false, false), (false, false, false), (false, false, true)], "{out}");
}

#[test]
fn a_document_is_what_its_bytes_are_whatever_its_name_says() {
    let folder = tempfile::tempdir().unwrap();
    // Every format under the ending of another.
    let renamed = [
        ("harbor-point-suite-210.txt", "a.pdf"),
        ("juniper-court-unit-5.html", "b.docx"),
        ("ironbridge-building-7.pdf", "c.docx"),
        ("mill-race-unit-14.docx", "d.pdf"),
        ("mill-race-unit-15.docx", "e.txt"),
        ("linden-hall-floor-3.json", "f.png"),
        ("kanaalkade-12.txt", "g.json"),
        ("tannery-row-unit-3.png", "h.jpg"),
        ("tannery-row-unit-3-photocopy.jpg", "i.tiff"),
        ("saltworks-lot-9.tiff", "j.pdf"),
        ("orchard-mews-shop-2.pdf", "k.png"),
        ("damaged-scan.pdf", "l"),
    ];
    let names = folder.path().join("renamed");
    std::fs::create_dir(&names).unwrap();
    for (sample, name) in renamed {
        std::fs::copy(samples().join(sample), names.join(name)).unwrap();
    }
    let own = ingest(&folder.path().join("own"));
    let state = folder.path().join("state");
    let (code, out, err) =
        run(leasectl(&state).arg("ingest").arg(&names).arg("--json").arg("--state").arg(&state));
    assert_eq!(code, Some(0), "{err}");
    let other: Vec<Value> = serde_json::from_str(&out).unwrap();
    let told = |lines: &[Value], document: &str| {
        let line = lines.iter().find(|line| line["document"] == document).unwrap();
        (line["outcome"].clone(), line["reason"].clone())
    };
    for (sample, name) in renamed {
        assert_eq!(told(&other, name), told(&own, sample), "{sample} as {name}");
    }
}

#[test]
fn labels_beside_leases_are_no_lease() {
    let folder = tempfile::tempdir().unwrap();
    let leases = folder.path().join("leases");
    std::fs::create_dir(&leases).unwrap();
    std::fs::copy(samples().join("kanaalkade-12.txt"), leases.join("a.txt")).unwrap();
    // What lies in the folder as labels, what is named, and how many documents there are.
    let table = [
        (r#"{ "format": 1, "documents": [] }"#, leases.clone(), 1),
        (r#"{ "format": 1, "documents": [] }"#, leases.join("labels.json"), 1),
        (r#"{ "tenant_name": "Fern LLC" }"#, leases.clone(), 2),
    ];
    for (nth, (content, named, expected)) in table.into_iter().enumerate() {
        std::fs::write(leases.join("labels.json"), content).unwrap();
        let state = folder.path().join(format!("state-{nth}"));
        let (code, out, err) =
            run(leasectl(&state).arg("ingest").arg(&named).arg("--json").arg("--state").arg(&state));
        assert_eq!(code, Some(0), "{err}");
        let lines: Vec<Value> = serde_json::from_str(&out).unwrap();
        assert_eq!(lines.len(), expected, "{content} in {}: {out}", named.display());
    }
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
