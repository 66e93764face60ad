//! Event files as other projects publish them. They lie beside the repository and may be absent; every S3 record in
//! them must be readable, wherever in the file it stands.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use lease_ingest::event::{EventPolicy, Record, parse};
use serde_json::{Value, json};

/// Calls `visit` with every object in a value, also inside text that is JSON itself.
fn walk(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| walk(value, visit)),
        Value::Object(members) => {
            visit(value);
            members.values().for_each(|value| walk(value, visit));
        }
        Value::String(text) => {
            if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                walk(&inner, visit);
            }
        }
        _ => {}
    }
}

/// What a message with this body comes to, when its bucket is allowed.
fn verdict(body: &Value, bucket: &Value) -> Option<String> {
    let policy = EventPolicy { buckets: vec![bucket.as_str()?.to_owned()], extra_sources: vec![] };
    let records = parse(&body.to_string(), &policy).unwrap_or_else(|unreadable| vec![Err(unreadable)]);
    assert_eq!(records.len(), 1, "{body}");
    Some(match &records[0] {
        Ok(Record::Work(event)) => format!("{:?}", event.request),
        Ok(Record::Benign(benign)) => format!("{benign:?}"),
        Err(unreadable) => format!("unreadable: {unreadable}"),
    })
}

#[test]
fn every_published_record_is_readable() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/events");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("{} is absent: published events are not tried", folder.display());
        return;
    };
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a file");
        let file: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        walk(&file, &mut |found| {
            let verdict = if found["eventSource"] == "aws:s3" {
                verdict(&json!({ "Records": [found] }), &found["s3"]["bucket"]["name"])
            } else if found["source"] == "aws.s3" && found["detail-type"].is_string() {
                verdict(found, &found["detail"]["bucket"]["name"])
            } else {
                None
            };
            if let Some(verdict) = verdict {
                assert!(!verdict.starts_with("unreadable"), "{}: {verdict}", path.display());
                *verdicts.entry(verdict).or_default() += 1;
            }
        });
    }
    for kind in ["Created", "Removed", "Restored"] {
        assert!(verdicts.contains_key(kind), "no record of this kind: {kind}");
    }
}
