//! `leasectl show`.

use std::collections::BTreeSet;

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
            Some(content) => commit(&world, content, &args.state).await,
            None => document(&world, name, &args.state).await,
        },
    };
    world.embedded.stop().await;
    shown.map(|()| Done::Well)
}

/// Counts and digests the tables: equal digests are equal tables.
async fn tables(world: &LocalWorld, as_json: bool) -> Result<(), Mistake> {
    let names = world.embedded.tables();
    let mut answer = Map::new();
    let (mut claims, mut documents) = (Vec::new(), Vec::new());
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
        match role {
            "claims" => claims = items,
            "documents" => documents = items,
            _ => {}
        }
    }
    if as_json {
        say(Value::Object(answer))?;
        return Ok(());
    }
    for line in claim_lines(&claims, &documents) {
        say(line)?;
    }
    Ok(())
}

/// A line for each claim: its status, whether its version is the current one, its key, and its reason.
fn claim_lines(claims: &[Item], documents: &[Item]) -> Vec<String> {
    let current: BTreeSet<(String, String)> = documents
        .iter()
        .filter(|item| text(item, "state").as_deref() == Some("active"))
        .filter_map(|item| Some((text(item, "document_key")?, text(item, "version_id")?)))
        .collect();
    let mut lines: Vec<(String, String)> = claims
        .iter()
        .filter_map(|item| {
            let (_, version) = ClaimKey::parse(&text(item, "claim_key")?)?;
            let name = (version.document_key().as_str().to_owned(), version.version_id.as_str().to_owned());
            let mark = if current.contains(&name) { "current" } else { "" };
            let status = text(item, "status")?;
            let reason = text(item, "reason").map(|reason| format!("  ({reason})")).unwrap_or_default();
            Some((version.key.clone(), format!("{status:18} {mark:8} {}{reason}", version.key)))
        })
        .collect();
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
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
async fn document(world: &LocalWorld, key: &str, state: &StateArgs) -> Result<(), Mistake> {
    let names = world.embedded.tables();
    let bucket = &world.pipeline.settings().policy.buckets[0];
    let generation = world.pipeline.settings().generation;
    // The key as it was printed with its bucket is meant too.
    let key = key.strip_prefix(bucket.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(key);
    let document_key = DocumentKey::new(bucket, key);
    let pointer = get(world, &names.documents, lease_ingest::aws::item::pointer_key(&document_key)).await?;
    let mut claims = Vec::new();
    for stored in world.objects.receipts(bucket, key).await? {
        let claim = ClaimKey::of(&stored.receipt.version)?;
        let item = get(world, &names.claims, lease_ingest::aws::item::claim_key(&claim, generation)).await?;
        claims.extend(item.as_ref().map(as_json));
    }
    if pointer.is_none() && claims.is_empty() {
        return Err(format!("{key}: nothing is known of such a document {}", looked_in(state)).into());
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
async fn commit(world: &LocalWorld, content: ContentHash, state: &StateArgs) -> Result<(), Mistake> {
    let generation = world.pipeline.settings().generation;
    let row = world.pipeline.world().ledger().read_commit(content, generation).await?;
    let row = row.ok_or_else(|| format!("{content}: no such content is posted {}", looked_in(state)))?;
    say(serde_json::to_string_pretty(&row.document)?)?;
    Ok(())
}

/// Where was looked, and how to see what is there.
fn looked_in(state: &StateArgs) -> String {
    format!(
        "in the state folder {}; `{}` lists the documents, and `--state` names another folder",
        state.state.display(),
        state.show_command(None)
    )
}

async fn get(world: &LocalWorld, table: &str, key: Item) -> Result<Option<Item>, Mistake> {
    let answer = world.embedded.dynamodb().get_item().table_name(table).set_key(Some(key)).send().await?;
    Ok(answer.item)
}

fn as_json(item: &Item) -> Value {
    to_json(&AttributeValue::M(item.clone())).unwrap_or_default()
}
