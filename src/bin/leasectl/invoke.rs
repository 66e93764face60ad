//! `leasectl invoke`.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use lease_ingest::batch::{Delivery, messages};
use lease_ingest::embedded::objects::PutOptions;
use lease_ingest::embedded::world::LocalWorld;
use lease_ingest::event::{Record, Request};
use lease_ingest::handler::handle;
use lease_ingest::identity::ObjectVersion;
use lease_ingest::ports::clock::{Clock, SystemClock};
use serde_json::Value;

use crate::{Done, FUNCTION_TIMEOUT_MS, Mistake, StateArgs, say};

#[derive(Debug, Args)]
pub struct InvokeArgs {
    /// A Lambda event, as JSON; `-` reads it from standard input.
    #[arg(value_name = "EVENT")]
    event: PathBuf,
    /// Put objects that the event names and the local store lacks in from this folder, under the version id and
    /// the ETag that the event names.
    #[arg(long, value_name = "FOLDER")]
    objects: Option<PathBuf>,
    #[command(flatten)]
    state: StateArgs,
}

pub async fn run(args: InvokeArgs) -> Result<Done, Mistake> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", args.event.display());
    let bytes = read(&args.event).map_err(|error| told(&error))?;
    let payload: Value =
        serde_json::from_slice(&bytes).map_err(|error| told(&format!("it is not JSON: {error}")))?;
    if let Err(error) = messages(&payload) {
        return Err(told(&error).into());
    }
    if let Some(folder) = args.objects.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(format!("{}: there is no such folder", folder.display()).into());
    }
    let world = crate::open(&args.state).await?;
    if let Some(folder) = &args.objects {
        put_what_is_named(&world, &payload, folder).await?;
    }
    let deadline = SystemClock.now().plus_ms(FUNCTION_TIMEOUT_MS);
    let answered = handle(&world.pipeline, &payload, deadline).await;
    world.embedded.stop().await;
    let answer = answered.map_err(|error| told(&error))?;
    for message in &answer.messages {
        for record in &message.records {
            let id = message.message_id.as_deref().unwrap_or("(no message id)");
            let detail = record.outcome.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            eprintln!("{id}: {}{detail}", record.outcome.metric());
        }
    }
    say(serde_json::to_string(&answer.response)?)?;
    Ok(if answer.response.batch_item_failures.is_empty() { Done::Well } else { Done::NeedsAttention })
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

async fn put_what_is_named(world: &LocalWorld, payload: &Value, folder: &Path) -> Result<(), Mistake> {
    let policy = &world.pipeline.settings().policy;
    for message in messages(payload)? {
        for record in Delivery::read(message, policy).records {
            if let Ok(Record::Work(event)) = record
                && event.request != Request::Removed
            {
                put(world, &event.version, folder).await?;
            }
        }
    }
    Ok(())
}

async fn put(world: &LocalWorld, version: &ObjectVersion, folder: &Path) -> Result<(), Mistake> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", version.key);
    let stored = world.objects.receipts(&version.bucket, &version.key).await.map_err(|error| told(&error))?;
    let is_there = stored.iter().map(|stored| &stored.receipt.version).any(|there| {
        there.version_id == version.version_id
            && (!version.version_id.is_null() || there.etag == version.etag)
    });
    // A key is a name in a bucket, not a path: only its last part names a file, and only in this folder.
    let Some(name) = Path::new(&version.key).file_name() else { return Ok(()) };
    let path = folder.join(name);
    if is_there || !path.is_file() {
        return Ok(());
    }
    let bytes = fs::read(&path).map_err(|error| told(&error))?;
    let options = PutOptions {
        identity: Some((version.version_id.clone(), version.etag.clone())),
        ..PutOptions::default()
    };
    world
        .objects
        .put_with(&version.bucket, &version.key, bytes, options)
        .await
        .map_err(|error| told(&error))?;
    Ok(())
}
