//! Logs and metrics, without customer data: claims are named by a short hash, outcomes by fixed words.

use serde_json::{Map, Value, json};
use tracing_subscriber::EnvFilter;

use crate::handler::{BatchAnswer, BatchFigures};
use crate::identity::EpochMs;
use crate::outcome::RecordOutcome;

/// Namespace of the metrics.
pub const METRICS_NAMESPACE: &str = "LeaseIngest";
/// The only dimension, so that what metrics cost does not grow with tenants.
const DIMENSION: &str = "service";

/// Starts logging: one JSON object a line on stdout, where Lambda collects it.
pub fn start_logging(level: &str) {
    // Libraries are heard from `warn` upwards only, whatever the level: below it, HTTP clients print request
    // addresses, and so object keys. Of the embedded engine a refusal is no warning: it is how a claim answers.
    let own = format!("warn,dynoxide=error,lambda_runtime=error,lease_ingest={level},ingest={level}");
    let filter = EnvFilter::try_new(own).unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines =
        tracing_subscriber::fmt().json().flatten_event(true).with_target(false).with_current_span(false);
    // A second start in one process keeps the first.
    let _ = lines.with_env_filter(filter).try_init();
    log_panics_without_their_text();
}

/// Logs where a panic happened and nothing of what it says: its text can quote what was being read (a cut within a
/// character prints the passage around it), and the default goes to stderr, where Lambda collects it too.
fn log_panics_without_their_text() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| (place.file(), place.line()));
        let (file, line) = place.unwrap_or_default();
        tracing::error!(file, line, "a panic");
    }));
}

/// Logs one line for each record.
pub fn log_outcomes(request_id: &str, answer: &BatchAnswer) {
    for message in &answer.messages {
        for record in &message.records {
            tracing::info!(
                request_id,
                message_id = message.message_id,
                claim = record.claim,
                outcome = record.outcome.metric(),
                detail = record.outcome.detail(),
                attempt = record.attempt,
                took_over = record.took_over,
                bytes = record.bytes,
                fetch_ms = record.fetch_ms,
                extract_ms = record.extract_ms,
                commit_ms = record.commit_ms,
                returned = message.returned,
                "record"
            );
        }
    }
}

/// The figures of a batch as one line of CloudWatch's embedded metric format.
/// Source: "Embedded metric format specification", Amazon CloudWatch user guide.
pub fn metrics_line(service: &str, figures: &BatchFigures, now: EpochMs) -> String {
    let mut values: Vec<(&str, u64)> = vec![
        ("MessagesReceived", figures.messages),
        ("RecordsReceived", figures.records),
        ("BatchItemFailures", figures.failures),
        ("ClaimTakeovers", figures.takeovers),
    ];
    values.extend(
        RecordOutcome::METRICS.iter().map(|name| (*name, figures.outcomes.get(name).copied().unwrap_or(0))),
    );
    let definitions: Vec<Value> =
        values.iter().map(|(name, _)| json!({ "Name": name, "Unit": "Count" })).collect();
    let mut line: Map<String, Value> =
        values.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    line.insert(DIMENSION.to_owned(), json!(service));
    line.insert(
        "_aws".to_owned(),
        json!({
            "Timestamp": now.0,
            "CloudWatchMetrics": [{
                "Namespace": METRICS_NAMESPACE,
                "Dimensions": [[DIMENSION]],
                "Metrics": definitions,
            }],
        }),
    );
    Value::Object(line).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metrics_line_defines_every_value_it_carries() {
        let mut figures = BatchFigures { messages: 3, records: 4, failures: 1, ..BatchFigures::default() };
        figures.outcomes.insert("Committed", 2);
        let line: Value = serde_json::from_str(&metrics_line("ingest", &figures, EpochMs(7))).unwrap();
        assert_eq!(line["Committed"], json!(2));
        assert_eq!(line["Fenced"], json!(0));
        assert_eq!(line["BatchItemFailures"], json!(1));
        assert_eq!(line["service"], json!("ingest"));
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(directive["Namespace"], json!("LeaseIngest"));
        let defined: Vec<&str> = directive["Metrics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|metric| metric["Name"].as_str().unwrap())
            .collect();
        // CloudWatch takes at most 100 metrics a directive.
        assert!(defined.len() <= 100);
        for name in &defined {
            assert!(line[*name].is_u64(), "{name}");
        }
        assert_eq!(line.as_object().unwrap().len(), defined.len() + 2);
    }
}
