//! `leasectl ingest`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use lease_ingest::embedded::objects::PutReceipt;
use lease_ingest::embedded::queue::{lambda_event, notification};
use lease_ingest::embedded::world::LocalWorld;
use lease_ingest::eval::Labels;
use lease_ingest::handler::handle;
use lease_ingest::identity::{ClaimKey, ContentHash};
use lease_ingest::lease::{LeaseAbstraction, field};
use lease_ingest::outcome::RecordOutcome;
use lease_ingest::pipeline::FILED_UNDER_MAX_BYTES;
use lease_ingest::ports::clock::{Clock, SystemClock};
use lease_ingest::ports::ledger::Ledger;
use serde_json::{Value, json};

use crate::{Done, FUNCTION_TIMEOUT_MS, Mistake, StateArgs, say};

/// Ending of a folder that stands for one object with several versions.
const VERSIONS_ENDING: &str = ".versions";
/// Name under which labels lie beside the documents that they are about.
const LABELS_NAME: &str = "labels.json";
/// Messages in a batch.
const BATCH_SIZE: usize = 10;
/// Longest text in a cell of the table, in characters.
const CELL_MAX_CHARS: usize = 48;

#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Files, or folders of files.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Property id to file all of them under, as object metadata. It overrules what a document says of itself.
    #[arg(long, value_name = "ID", value_parser = property_id)]
    property: Option<String>,
    #[command(flatten)]
    state: StateArgs,
}

/// What can be an object's metadata, and an index key.
fn property_id(raw: &str) -> Result<String, String> {
    let id = raw.trim();
    if id.is_empty()
        || id.len() > FILED_UNDER_MAX_BYTES
        || !id.chars().all(|c| c.is_ascii_graphic() || c == ' ')
    {
        return Err(format!("a property id has 1 to {FILED_UNDER_MAX_BYTES} printable ASCII characters"));
    }
    Ok(id.to_owned())
}

/// A file, and the key whose version it is.
struct Upload {
    key: String,
    path: PathBuf,
}

/// One line of the table.
struct Row {
    outcome: RecordOutcome,
    key: String,
    claim: ClaimKey,
}

pub async fn run(args: IngestArgs) -> Result<Done, Mistake> {
    let (mut uploads, mut left_out) = (Vec::new(), Vec::new());
    for path in &args.paths {
        collect(path, &mut uploads, &mut left_out)?;
    }
    if uploads.is_empty() {
        return Err("there are no files in what was named".into());
    }
    let world = crate::open(&args.state).await?;
    for file in left_out {
        eprintln!("leasectl: {}: labels for `eval`, not put in", file.display());
    }
    let waves = put_all(&world, uploads, args.property.as_deref()).await?;
    let rows = drain(&world, waves, args.state.json).await?;

    let mut lines = Vec::new();
    for row in &rows {
        lines.push(describe(&world, row).await?);
    }
    if args.state.json {
        say(serde_json::to_string_pretty(&lines)?)?;
    } else {
        print_table(&lines)?;
        print_summary(&lines, &args.state)?;
    }
    world.embedded.stop().await;
    let unsettled = rows.iter().any(|row| matches!(row.outcome, RecordOutcome::DeadLettered { .. }));
    Ok(if unsettled { Done::NeedsAttention } else { Done::Well })
}

/// Finds the files and their keys: the path below the folder that was named.
fn collect(path: &Path, uploads: &mut Vec<Upload>, left_out: &mut Vec<PathBuf>) -> Result<(), Mistake> {
    let kind = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let root = if kind.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let mut files = Vec::new();
    walk(path, &mut files)?;
    files.sort_by_cached_key(|file| natural_order(file));
    for file in files {
        // What a folder's labels say of its leases is no lease itself. Named alone, any file is put in.
        if kind.is_dir() && is_labels(&file) {
            left_out.push(file);
            continue;
        }
        let below = file.strip_prefix(root).unwrap_or(&file);
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        let version_of = parts.iter().position(|part| part.ends_with(VERSIONS_ENDING));
        let key = match version_of {
            Some(at) => {
                let name = parts[at].strip_suffix(VERSIONS_ENDING).unwrap_or(&parts[at]);
                [&parts[..at], &[name.into()]].concat().join("/")
            }
            None => parts.join("/"),
        };
        uploads.push(Upload { key, path: file });
    }
    Ok(())
}

fn walk(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Mistake> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", path.display());
    if !fs::metadata(path).map_err(unreadable)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // Hidden files are an editor's or a system's, not a landlord's.
        if !entry.file_name().to_string_lossy().starts_with('.') {
            walk(&entry.path(), files)?;
        }
    }
    Ok(())
}

/// Whether a file holds labels of the files beside it, by its name and by what it says.
fn is_labels(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == LABELS_NAME)
        && fs::read_to_string(file).is_ok_and(|source| Labels::parse(&source).is_ok())
}

/// Paths as people number them: `2-amendment` before `10-amendment`.
fn natural_order(path: &Path) -> Vec<(u64, String)> {
    path.iter()
        .map(|part| {
            let name = part.to_string_lossy().into_owned();
            let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
            (digits.parse().unwrap_or(u64::MAX), name)
        })
        .collect()
}

/// Puts the files in and sends their notifications. What the store holds already is not put again: its own
/// event is told again, as a queue that delivers at least once would.
async fn put_all(
    world: &LocalWorld,
    uploads: Vec<Upload>,
    property: Option<&str>,
) -> Result<Vec<Vec<PutReceipt>>, Mistake> {
    let bucket = &world.pipeline.settings().policy.buckets[0];
    let metadata: BTreeMap<String, String> = property
        .map(|property| (lease_ingest::pipeline::PROPERTY_METADATA.to_owned(), property.to_owned()))
        .into_iter()
        .collect();
    let mut by_key: Vec<(String, Vec<PathBuf>)> = Vec::new();
    for Upload { key, path } in uploads {
        match by_key.iter_mut().find(|(known, _)| *known == key) {
            Some((_, paths)) => paths.push(path),
            None => by_key.push((key, vec![path])),
        }
    }
    let mut waves: Vec<Vec<PutReceipt>> = Vec::new();
    let mut by_content = HashMap::new();
    for (key, paths) in by_key {
        let mut contents = Vec::new();
        for path in &paths {
            contents.push(fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?);
        }
        let told = |error| format!("{key}: {error}");
        let stored = world.objects.receipts(bucket, &key).await.map_err(told)?;
        let hashes: Vec<ContentHash> = contents.iter().map(|bytes| ContentHash::of(bytes)).collect();
        // The newest versions are exactly these files, filed alike: nothing new was said.
        let newest = &stored[stored.len().saturating_sub(hashes.len())..];
        let same_bytes = newest.iter().map(|stored| &stored.hash).eq(&hashes);
        let known = same_bytes && newest.iter().all(|stored| stored.metadata == metadata);
        let mut receipts: Vec<PutReceipt> = Vec::new();
        if known {
            receipts.extend(newest.iter().map(|stored| stored.receipt.clone()));
        } else {
            for bytes in contents {
                receipts.push(world.objects.put(bucket, &key, bytes, metadata.clone()).await.map_err(told)?);
            }
        }
        for (nth, (receipt, hash)) in receipts.into_iter().zip(hashes).enumerate() {
            // Versions of one key go one after the other, and so do equal contents: what comes of each is then the
            // same in every run. The queue of a deployment promises no such thing, and none is needed.
            let copies = by_content.entry(hash).or_insert(0_usize);
            let wave = nth.max(*copies);
            *copies = wave + 1;
            if waves.len() <= wave {
                waves.resize_with(wave + 1, Vec::new);
            }
            waves[wave].push(receipt);
        }
    }
    Ok(waves)
}

/// Sends the notifications, wave by wave, and handles batches until every message has an outcome that is not returned.
async fn drain(world: &LocalWorld, waves: Vec<Vec<PutReceipt>>, quiet: bool) -> Result<Vec<Row>, Mistake> {
    let clock = SystemClock;
    let total: usize = waves.iter().map(Vec::len).sum();
    let progress = if quiet { ProgressBar::hidden() } else { ProgressBar::new(total as u64) };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} documents  {msg}") {
        progress.set_style(style);
    }
    let mut rows = Vec::new();
    let mut said = false;
    for wave in waves {
        let send = |receipt: PutReceipt| (world.queue.send(notification(&receipt)), receipt);
        let mut waiting: HashMap<String, PutReceipt> = wave.into_iter().map(send).collect();
        while !waiting.is_empty() {
            let received = world.queue.receive(BATCH_SIZE)?;
            if received.is_empty() {
                let Some(at) = world.queue.next_visible_at() else {
                    return Err(format!("{} messages were given up on by the queue", waiting.len()).into());
                };
                if !said {
                    let most_s = FUNCTION_TIMEOUT_MS / 1000;
                    progress.suspend(|| {
                        eprintln!("waiting for another run, or up to {most_s} s for one that was interrupted, or for another attempt");
                    });
                    said = true;
                }
                clock.sleep_ms(clock.now().until_ms(at).max(1)).await;
                continue;
            }
            let deadline = clock.now().plus_ms(FUNCTION_TIMEOUT_MS);
            let answer = handle(&world.pipeline, &lambda_event(&received), deadline).await?;
            for (message, report) in received.iter().zip(&answer.messages) {
                if report.returned {
                    continue;
                }
                world.queue.delete(&message.receipt_handle);
                let (Some(receipt), Some(record)) =
                    (waiting.remove(&message.message_id), report.records.first())
                else {
                    continue;
                };
                rows.push(Row {
                    outcome: record.outcome.clone(),
                    key: receipt.version.key.clone(),
                    claim: ClaimKey::of(&receipt.version)?,
                });
                progress.inc(1);
            }
        }
    }
    progress.finish_and_clear();
    rows.sort_by(|left, right| left.key.cmp(&right.key));
    Ok(rows)
}

/// What is known of a document, for a line of the table.
async fn describe(world: &LocalWorld, row: &Row) -> Result<Value, Mistake> {
    use lease_ingest::pipeline::World;
    let ledger = world.pipeline.world().ledger();
    let generation = world.pipeline.settings().generation;
    let claim = ledger.read_claim(&row.claim, generation).await?;
    let receipt = claim.as_ref().and_then(|claim| claim.receipt());
    let lease = match receipt.and_then(|receipt| receipt.content_hash) {
        Some(content) => ledger.read_commit(content, generation).await?.map(|row| row.document),
        None => None,
    };
    let found = claim.as_ref().and_then(|claim| claim.found.as_ref());
    let reason = receipt.and_then(|receipt| receipt.reason.as_ref());
    let from_lease = |read: fn(&LeaseAbstraction) -> String| lease.as_ref().map(read);
    Ok(json!({
        "outcome": outcome_text(&row.outcome),
        "document": row.key,
        // A reason says why a document is not posted, whatever else is known of its bytes.
        "posted": lease.is_some() && reason.is_none(),
        "tenant": from_lease(|lease| lease.tenant_name.clone())
            .or_else(|| found_text(found, field::TENANT_NAME)),
        "base_rent": from_lease(|lease| {
            let rent = &lease.base_rent;
            format!("{} {} {}", rent.amount, rent.currency, rent.period)
        })
        .or_else(|| found_rent(found)),
        "term": from_lease(|lease| format!("{} to {}", lease.lease_start, lease.lease_end))
            .or_else(|| found_term(found)),
        "confidence": from_lease(|lease| lease.extraction_confidence.to_string()),
        "reason": reason.map(|reason| reason.code.clone()),
        "detail": reason.map(|reason| reason.detail.clone()).filter(|detail| !detail.is_empty()),
    }))
}

/// What an extractor found of a field that was not posted, without its evidence.
fn found_value<'a>(found: Option<&'a Value>, field: &str) -> Option<&'a Value> {
    let value = found?.get(field)?;
    Some(value.get("value").unwrap_or(value))
}

/// What it found, where that is text.
fn found_text(found: Option<&Value>, field: &str) -> Option<String> {
    found_value(found, field)?.as_str().map(str::to_owned)
}

/// The rent that was found, as far as it was.
fn found_rent(found: Option<&Value>) -> Option<String> {
    let rent = found_value(found, field::BASE_RENT)?;
    let parts = ["amount", "currency", "period"].map(|part| match rent.get(part)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let is_known = parts[0].is_some();
    is_known.then(|| parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The term that was found; a question mark stands for the day that was not.
fn found_term(found: Option<&Value>) -> Option<String> {
    let days = [field::LEASE_START, field::LEASE_END].map(|name| found_text(found, name));
    let is_known = days.iter().any(Option::is_some);
    is_known.then(|| days.map(|day| day.unwrap_or_else(|| "?".to_owned())).join(" to "))
}

/// An outcome in words; a no-op says which kind it is.
fn outcome_text(outcome: &RecordOutcome) -> String {
    match outcome {
        RecordOutcome::Committed { active: true } => "committed".into(),
        RecordOutcome::Committed { active: false } => "committed (historical)".into(),
        RecordOutcome::DuplicateEvent(status) => format!("no-op: duplicate event ({})", status.as_str()),
        RecordOutcome::DuplicateContent { .. } => "duplicate content".into(),
        RecordOutcome::Review { .. } => "review".into(),
        RecordOutcome::Rejected { .. } => "rejected".into(),
        RecordOutcome::DeadLettered { .. } => "dead-lettered".into(),
        other => other.metric().to_lowercase(),
    }
}

fn print_table(lines: &[Value]) -> Result<(), Mistake> {
    /// Columns of what a document says, which may be found and not posted.
    const VALUES: [&str; 3] = ["tenant", "base_rent", "term"];
    const COLUMNS: [&str; 7] = ["outcome", "document", "tenant", "base_rent", "term", "confidence", "reason"];
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(COLUMNS.map(|column| column.replace('_', " ")));
    for line in lines {
        table.add_row(COLUMNS.map(|column| {
            let text = cell(line[column].as_str().unwrap_or(""));
            let is_only_found = VALUES.contains(&column) && line["posted"] == false && !text.is_empty();
            if is_only_found { format!("[{text}]") } else { text }
        }));
    }
    say(table)
}

/// Text out of a document may hold anything; a terminal is shown only what prints.
fn cell(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.chars().count() <= CELL_MAX_CHARS {
        return clean;
    }
    clean.chars().take(CELL_MAX_CHARS - 1).chain(['…']).collect()
}

/// Counts the outcomes, and says in a sentence why what was not posted was not.
fn print_summary(lines: &[Value], state: &StateArgs) -> Result<(), Mistake> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        *counts.entry(line["outcome"].as_str().unwrap_or("")).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    say(format!("{}: {}", plural(lines.len()), counts.join(", ")))?;
    for line in lines {
        if let (Some(document), Some(detail)) = (line["document"].as_str(), line["detail"].as_str()) {
            say(format!("{document}: {detail}"))?;
        }
    }
    if lines.iter().any(|line| line["posted"] == false && !line["tenant"].is_null()) {
        say("In brackets: what was found and is not posted.")?;
    }
    if let Some(line) = lines.iter().find(|line| line["outcome"] == "review") {
        say(format!(
            "What was found of a document that waits for review, with its passages, such as: {}",
            state.show_command(line["document"].as_str())
        ))?;
    }
    Ok(())
}

fn plural(documents: usize) -> String {
    if documents == 1 { "1 document".to_owned() } else { format!("{documents} documents") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rent_and_term_are_shown_as_far_as_they_were_found() {
        // What was found, and the rent and the term of it.
        let table = [
            (json!({}), None, None),
            (
                json!({
                    "base_rent": { "value": { "amount": "5000.00", "currency": "USD", "period": "monthly" }, "rule": "r" },
                    "lease_start": { "value": "2024-03-01" }, "lease_end": { "value": "2029-02-28" },
                }),
                Some("5000.00 USD monthly"),
                Some("2024-03-01 to 2029-02-28"),
            ),
            (
                json!({ "base_rent": { "amount": 5000, "period": "weekly" }, "lease_end": "2029-02-28" }),
                Some("5000 weekly"),
                Some("? to 2029-02-28"),
            ),
            (
                json!({
                    "base_rent": { "abstained": "values_of_equal_weight", "candidates": [] },
                    "lease_start": { "abstained": "conditional", "candidates": [] },
                }),
                None,
                None,
            ),
            (json!({ "base_rent": { "currency": "USD" }, "lease_start": 7 }), None, None),
        ];
        for (found, rent, term) in table {
            assert_eq!(found_rent(Some(&found)).as_deref(), rent, "{found}");
            assert_eq!(found_term(Some(&found)).as_deref(), term, "{found}");
        }
        assert_eq!((found_rent(None), found_term(None)), (None, None));
    }
}
