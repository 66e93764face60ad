//! `leasectl show`.

use aws_sdk_dynamodb::types::AttributeValue;
use clap::Args;
use lease_ingest::aws::item::{Item, canonical_item, to_json};
use lease_ingest::embedded::world::LocalWorld;
use lease_ingest::identity::{ClaimKey, ContentHash, DocumentKey};
use lease_ingest::pipeline::World;
use lease_ingest::ports::ledger::Ledger;
use serde_json::{Map, Value, json};

use crate::{Done, Mistake, StateArgs, say};

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Key of a document, or the SHA-256 of a content. Without it, the four tables are counted and digested.
    #[arg(value_name = "KEY")]
    document: Option<String>,
    #[command(flatten)]
    state: StateArgs,
}

pub async fn run(args: ShowArgs) -> Result<Done, Mistake> {
    if !args.state.state.is_dir() {
        let folder = args.state.state.display();
        return Err(format!("{folder}: there is no such state folder; `leasectl ingest` makes one").into());
    }
    let world = crate::open(&args.state).await?;
    let shown = match &args.document {
        None => tables(&world, args.state.json).await,
        Some(name) => match ContentHash::parse(name) {
            Some(content) => commit(&world, content).await,
            None => document(&world, name).await,
        },
    };
    world.embedded.stop().await;
    shown.map(|()| Done::Well)
}

/// Counts and digests the tables: equal digests are equal tables.
async fn tables(world: &LocalWorld, as_json: bool) -> Result<(), Mistake> {
    let names = world.embedded.tables();
    let mut answer = Map::new();
    let mut documents = Vec::new();
    for (role, table) in [
        ("claims", &names.claims),
        ("commits", &names.commits),
        ("documents", &names.documents),
        ("effects", &names.effects),
    ] {
        let items = scan(world, table).await?;
        let mut texts: Vec<String> = items.iter().map(canonical_item).collect();
        texts.sort();
        let digest = ContentHash::of(texts.join("\n").as_bytes()).to_string();
        if !as_json {
            say(format!("{role:10} {:6} rows  {digest}", items.len()))?;
        }
        answer.insert(role.to_owned(), json!({ "rows": items.len(), "sha256": digest }));
        if role == "documents" {
            documents = items;
        }
    }
    if as_json {
        say(Value::Object(answer))?;
        return Ok(());
    }
    let mut keys: Vec<String> = documents.iter().filter_map(|item| text(item, "document_key")).collect();
    keys.sort();
    for key in keys {
        say(key.split_once('/').map_or(key.as_str(), |(_, key)| key))?;
    }
    Ok(())
}

fn text(item: &Item, name: &str) -> Option<String> {
    item.get(name)?.as_s().ok().cloned()
}

async fn scan(world: &LocalWorld, table: &str) -> Result<Vec<Item>, Mistake> {
    let mut items = Vec::new();
    let mut pages = world.embedded.dynamodb().scan().table_name(table).into_paginator().items().send();
    while let Some(item) = pages.next().await {
        items.push(item?);
    }
    Ok(items)
}

/// Shows a document: its pointer, each version's claim, and the commit of the current content.
async fn document(world: &LocalWorld, key: &str) -> Result<(), Mistake> {
    let names = world.embedded.tables();
    let bucket = &world.pipeline.settings().policy.buckets[0];
    let generation = world.pipeline.settings().generation;
    let document_key = DocumentKey::new(bucket, key);
    let pointer = get(world, &names.documents, lease_ingest::aws::item::pointer_key(&document_key)).await?;
    let mut claims = Vec::new();
    for stored in world.objects.receipts(bucket, key).await? {
        let claim = ClaimKey::of(&stored.receipt.version)?;
        let item = get(world, &names.claims, lease_ingest::aws::item::claim_key(&claim, generation)).await?;
        claims.extend(item.as_ref().map(as_json));
    }
    if pointer.is_none() && claims.is_empty() {
        return Err(format!("{key}: nothing is known of such a document").into());
    }
    let content = pointer.as_ref().and_then(|item| ContentHash::parse(&text(item, "content_hash")?));
    let commit = match content {
        Some(content) => {
            get(world, &names.commits, lease_ingest::aws::item::commit_key(content, generation)).await?
        }
        None => None,
    };
    let shown = json!({
        "document": pointer.as_ref().map(as_json),
        "claims": claims,
        "commit": commit.as_ref().map(as_json),
    });
    say(serde_json::to_string_pretty(&shown)?)?;
    Ok(())
}

/// Shows a commit by its content.
async fn commit(world: &LocalWorld, content: ContentHash) -> Result<(), Mistake> {
    let generation = world.pipeline.settings().generation;
    let row = world.pipeline.world().ledger().read_commit(content, generation).await?;
    let row = row.ok_or_else(|| format!("{content}: no such content is posted"))?;
    say(serde_json::to_string_pretty(&row.document)?)?;
    Ok(())
}

async fn get(world: &LocalWorld, table: &str, key: Item) -> Result<Option<Item>, Mistake> {
    let answer = world.embedded.dynamodb().get_item().table_name(table).set_key(Some(key)).send().await?;
    Ok(answer.item)
}

fn as_json(item: &Item) -> Value {
    to_json(&AttributeValue::M(item.clone())).unwrap_or_default()
}
