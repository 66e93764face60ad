//! What Lambda and SQS do with what they are told, as far as it is documented: the template and the recorded cases
//! are both held against it.

use serde_json::Value;

/// The visibility timeout a queue needs: six times the function's timeout, so that Lambda can retry throttled
/// batches, and the batching window on top.
/// Source: "Configuring scaling behavior for SQS event source mappings", AWS Lambda developer guide.
fn visibility_needed_s(function_timeout_s: u64, batching_window_s: u64) -> u64 {
    6 * function_timeout_s + batching_window_s
}

/// The receive limit a queue needs: answers of "in flight" and throttled polls use receives up beside the attempts,
/// and Lambda advises at least 5 in any case. A wait for a job that runs elsewhere comes back by a receive as well.
pub fn receives_needed(attempt_limit: u64, wait_limit: u64) -> u64 {
    2 * (attempt_limit + wait_limit) + 5
}

/// The smallest `MaximumMessageSize` that lets every notification through, in bytes.
const MESSAGE_SIZE_NEEDED_BYTES: u64 = 64 * 1024;

/// Why settings of a queue and its event source mapping are not good enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Lambda refuses the mapping: a batch would be visible again while it is worked on.
    VisibilityBelowTimeout,
    /// Throttled batches would be visible again too early.
    VisibilityTooShort { needed_s: u64 },
    /// The mapping deletes what its filter does not match.
    FilterDropsMessages,
    /// Large notifications would be refused by the queue.
    MessagesTooSmall { needed_bytes: u64 },
}

/// Judges settings as the recorded cases write them; what is absent is not judged.
pub fn judge(config: &Value) -> Result<(), Fault> {
    let number = |name: &str| config.get(name).and_then(Value::as_u64);
    if config.get("filter").is_some_and(|filter| !filter.is_null()) {
        return Err(Fault::FilterDropsMessages);
    }
    if number("maximum_message_size").is_some_and(|bytes| bytes < MESSAGE_SIZE_NEEDED_BYTES) {
        return Err(Fault::MessagesTooSmall { needed_bytes: MESSAGE_SIZE_NEEDED_BYTES });
    }
    if let (Some(timeout_s), Some(visibility_s)) =
        (number("function_timeout_s"), number("visibility_timeout_s"))
    {
        let needed_s = visibility_needed_s(timeout_s, number("batching_window_s").unwrap_or(0));
        if visibility_s < timeout_s {
            return Err(Fault::VisibilityBelowTimeout);
        }
        if visibility_s < needed_s {
            return Err(Fault::VisibilityTooShort { needed_s });
        }
    }
    Ok(())
}

/// Which messages the event source mapping keeps after an answer; the others it deletes.
///
/// A member under another name is one that Lambda does not know, so such an answer counts as one without failures.
/// Source: "Handling errors for an SQS event source in Lambda", AWS Lambda developer guide.
pub fn kept(answer: &Value, delivered: &[String], response_types: &[String]) -> Vec<String> {
    if !response_types.iter().any(|kind| kind == "ReportBatchItemFailures") {
        return vec![];
    }
    let failures = match answer.get("batchItemFailures") {
        None | Some(Value::Null) => return vec![],
        Some(Value::Array(failures)) => failures,
        Some(_) => return delivered.to_vec(),
    };
    let ids: Option<Vec<String>> = failures
        .iter()
        .map(|failure| failure.get("itemIdentifier")?.as_str().map(str::to_owned))
        .map(|id| id.filter(|id| delivered.contains(id)))
        .collect();
    ids.unwrap_or_else(|| delivered.to_vec())
}
