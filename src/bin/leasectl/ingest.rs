//! `leasectl ingest`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use lease_ingest::embedded::objects::PutReceipt;
use lease_ingest::embedded::queue::{lambda_event, notification};
use lease_ingest::embedded::world::LocalWorld;
use lease_ingest::handler::{BatchFigures, handle};
use lease_ingest::identity::{ClaimKey, ContentHash};
use lease_ingest::lease::LeaseAbstraction;
use lease_ingest::outcome::RecordOutcome;
use lease_ingest::ports::clock::{Clock, SystemClock};
use lease_ingest::ports::ledger::Ledger;
use serde_json::{Value, json};

use crate::{Done, FUNCTION_TIMEOUT_MS, Mistake, StateArgs, say};

/// Ending of a folder that stands for one object with several versions.
const VERSIONS_ENDING: &str = ".versions";
/// Messages in a batch.
const BATCH_SIZE: usize = 10;
/// Longest text in a cell of the table, in characters.
const CELL_MAX_CHARS: usize = 48;

#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Files, or folders of files.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Property id to file all of them under, as object metadata.
    #[arg(long, value_name = "ID")]
    property: Option<String>,
    #[command(flatten)]
    state: StateArgs,
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
    let mut uploads = Vec::new();
    for path in &args.paths {
        collect(path, &mut uploads)?;
    }
    if uploads.is_empty() {
        return Err("there are no files in what was named".into());
    }
    let world = crate::open(&args.state).await?;
    let waiting = put_all(&world, uploads, args.property.as_deref()).await?;
    let (rows, figures) = drain(&world, waiting, args.state.json).await?;

    let mut lines = Vec::new();
    for row in &rows {
        lines.push(describe(&world, row).await?);
    }
    if args.state.json {
        say(serde_json::to_string_pretty(&lines)?)?;
    } else {
        print_table(&lines)?;
        print_summary(&figures, &rows)?;
    }
    world.embedded.stop().await;
    let unsettled = rows.iter().any(|row| matches!(row.outcome, RecordOutcome::DeadLettered { .. }));
    Ok(if unsettled { Done::NeedsAttention } else { Done::Well })
}

/// Finds the files and their keys: the path below the folder that was named.
fn collect(path: &Path, uploads: &mut Vec<Upload>) -> Result<(), Mistake> {
    let unreadable = |error| format!("{}: {error}", path.display());
    let kind = fs::metadata(path).map_err(unreadable)?;
    let root = if kind.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let mut files = Vec::new();
    walk(path, &mut files).map_err(unreadable)?;
    files.sort();
    for file in files {
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

fn walk(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            // Hidden files are an editor's or a system's, not a landlord's.
            if !entry.file_name().to_string_lossy().starts_with('.') {
                walk(&entry.path(), files)?;
            }
        }
    } else {
        files.push(path.to_owned());
    }
    Ok(())
}

/// Puts the files in and sends their notifications. What the store holds already is not put again: its own
/// event is told again, as a queue that delivers at least once would.
async fn put_all(
    world: &LocalWorld,
    uploads: Vec<Upload>,
    property: Option<&str>,
) -> Result<HashMap<String, PutReceipt>, Mistake> {
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
    let mut waiting = HashMap::new();
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
        for receipt in receipts {
            waiting.insert(world.queue.send(notification(&receipt)), receipt);
        }
    }
    Ok(waiting)
}

/// Handles batches until every message has an outcome that is not returned.
async fn drain(
    world: &LocalWorld,
    mut waiting: HashMap<String, PutReceipt>,
    quiet: bool,
) -> Result<(Vec<Row>, BatchFigures), Mistake> {
    let clock = SystemClock;
    let progress = if quiet { ProgressBar::hidden() } else { ProgressBar::new(waiting.len() as u64) };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} documents  {msg}") {
        progress.set_style(style);
    }
    let mut rows = Vec::new();
    let mut figures = BatchFigures::default();
    while !waiting.is_empty() {
        let received = world.queue.receive(BATCH_SIZE)?;
        if received.is_empty() {
            let Some(at) = world.queue.next_visible_at() else {
                return Err(format!("{} messages were given up on by the queue", waiting.len()).into());
            };
            progress.set_message(format!("{} wait for another run or another attempt", waiting.len()));
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
            let (Some(receipt), Some(record)) = (waiting.remove(&message.message_id), report.records.first())
            else {
                continue;
            };
            *figures.outcomes.entry(record.outcome.metric()).or_default() += 1;
            rows.push(Row {
                outcome: record.outcome.clone(),
                key: receipt.version.key.clone(),
                claim: ClaimKey::of(&receipt.version)?,
            });
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    rows.sort_by(|left, right| left.key.cmp(&right.key));
    Ok((rows, figures))
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
        "tenant": from_lease(|lease| lease.tenant_name.clone()).or_else(|| found_text(found, "tenant_name")),
        "base_rent": from_lease(|lease| {
            let rent = &lease.base_rent;
            format!("{} {} {}", rent.amount, rent.currency, rent.period)
        }),
        "term": from_lease(|lease| format!("{} to {}", lease.lease_start, lease.lease_end)),
        "confidence": from_lease(|lease| lease.extraction_confidence.to_string()),
        "reason": reason.map(|reason| reason.code.clone()),
        "detail": reason.map(|reason| reason.detail.clone()).filter(|detail| !detail.is_empty()),
    }))
}

/// What an extractor found of a field that was not posted.
fn found_text(found: Option<&Value>, field: &str) -> Option<String> {
    let value = found?.get(field)?;
    value.get("value").unwrap_or(value).as_str().map(str::to_owned)
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
    const COLUMNS: [&str; 7] = ["outcome", "document", "tenant", "base_rent", "term", "confidence", "reason"];
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(COLUMNS.map(|column| column.replace('_', " ")));
    for line in lines {
        table.add_row(COLUMNS.map(|column| cell(line[column].as_str().unwrap_or(""))));
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

fn print_summary(figures: &BatchFigures, rows: &[Row]) -> Result<(), Mistake> {
    let counts: Vec<String> =
        figures.outcomes.iter().map(|(name, count)| format!("{name} {count}")).collect();
    say(format!("{} documents: {}", rows.len(), counts.join(", ")))?;
    if rows.iter().any(|row| matches!(row.outcome, RecordOutcome::Review { .. })) {
        say("`leasectl show KEY` shows what was found of a document that waits for review.")?;
    }
    Ok(())
}
