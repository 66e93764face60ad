//! What the ledger port promises, as rows that know nothing but the port: each method with its condition true and
//! with each reason for it to be false, repeats, and what is stored afterwards. The same rows run against every
//! ledger, so that what is proved on one engine holds on another.

mod claims;
mod commits;
mod held;
mod pointers;

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use lease_ingest::aws::clients::{ClientTimeouts, local_dynamodb};
use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::aws::tables::create_missing;
use lease_ingest::claim::{
    Claim, ClaimRecord, ClaimRequest, ClaimState, Ending, FencingToken, Finish, FinishedStatus, Purpose,
    TakeOver, Waits,
};
use lease_ingest::commit::{CommitPlan, CommitRow, RoundReply};
use lease_ingest::config::TableNames;
use lease_ingest::embedded::Embedded;
use lease_ingest::event::{Origin, Request};
use lease_ingest::identity::{
    ClaimKey, ContentHash, ETag, EpochMs, Generation, ObjectVersion, Sequencer, VersionId,
};
use lease_ingest::ports::ledger::{Existing, Ledger, LedgerError, Written};
use lease_ingest::posting::{Confidence, Reason};
use rust_decimal::Decimal;

use crate::support::ministack::Ministack;
use crate::support::slip::Slip;

/// When the rows play.
const NOW: EpochMs = EpochMs(1_780_000_000_123);
/// How long a claim of the rows is protected, in milliseconds.
const LEASE_MS: u64 = 90_000;
/// Attempts in a cycle.
const ATTEMPT_LIMIT: u32 = 5;
/// The tag of every version.
const ETAG: &str = "0123456789abcdef";
/// Fewest rows that the suite has.
const ROWS_MIN: usize = 100;

/// What a row found.
pub type Found = Result<(), String>;
/// Rows with what they found, in their order.
pub type Rows = Vec<(String, Found)>;

/// Runs every row. Keys are made of `fresh_key`, whose every answer must be new to this ledger.
pub async fn contract<L>(ledger: &L, fresh_key: &(dyn Fn() -> String + Sync)) -> Rows
where
    L: Ledger<Document = Slip>,
{
    let bench = Bench { ledger, fresh_key };
    let mut rows = claims::rows(&bench).await;
    rows.extend(held::rows(&bench).await);
    rows.extend(commits::rows(&bench).await);
    rows.extend(pointers::rows(&bench).await);
    rows
}

/// A ledger and what rows need to work on it.
struct Bench<'a, L> {
    ledger: &'a L,
    fresh_key: &'a (dyn Fn() -> String + Sync),
}

/// One object version that a row works on.
#[derive(Debug, Clone)]
struct Work {
    version: ObjectVersion,
    key: ClaimKey,
}

impl Work {
    fn of(key: String, version_id: &str) -> Self {
        let version = ObjectVersion {
            bucket: "contract".into(),
            key,
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new(ETAG),
        };
        Self { key: ClaimKey::of(&version).unwrap(), version }
    }

    /// Another version of the same object.
    fn sibling(&self, version_id: &str) -> Self {
        Self::of(self.version.key.clone(), version_id)
    }

    fn request(&self, token: &str, sequencer: &str) -> ClaimRequest {
        ClaimRequest {
            key: self.key.clone(),
            version: self.version.clone(),
            generation: Generation::FIRST,
            token: FencingToken(format!("{token} {}", self.key.as_str())),
            request: Request::Created,
            origin: Origin::Event,
            sequencer: Sequencer::new(sequencer),
            event_time: Some("2026-05-28T20:26:40.123Z".into()),
            envelope: format!("{{\"of\":\"{token}\"}}"),
            redriven_from_cycle: None,
            now: NOW,
            lease_expires_at: NOW.plus_ms(LEASE_MS),
            attempt_limit: ATTEMPT_LIMIT,
        }
    }

    /// What the version holds; every version of every key has bytes of its own.
    fn content(&self) -> ContentHash {
        ContentHash::of(self.key.as_str().as_bytes())
    }

    fn row(&self) -> CommitRow<Slip> {
        CommitRow {
            content_hash: self.content(),
            generation: Generation::FIRST,
            document: Slip {
                under: "P-1".into(),
                amount: Decimal::new(1_234_567_890_123_456_789, 4),
                confidence: Confidence::permille(987),
                waits: 0,
            },
            source: self.version.clone(),
            committed_at: NOW.plus_ms(77),
            extractor: "slip 1".into(),
        }
    }

    /// A plan to post what this version holds.
    fn plan(&self, claim: Claim) -> CommitPlan<Slip> {
        let token = uuid_like(&format!("{} {}", claim.token().0, self.key.as_str()));
        let receivers = vec!["desk".to_owned(), "events".to_owned()];
        CommitPlan::new(claim, self.row(), None, receivers, token)
    }
}

/// A request token of the length DynamoDB takes, at most 36 characters.
fn uuid_like(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()[..36].to_owned()
}

fn ending(status: FinishedStatus) -> Ending {
    Ending {
        status,
        reason: Reason::new("some_reason", "A person reads this, ü included."),
        content_hash: Some(ContentHash::of(b"read")),
        found: Some(
            serde_json::json!({"tenant": "Example", "rent": 1250.5, "empty": "", "list": [1, null, true]}),
        ),
    }
}

/// Says what two values should have been to each other.
fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Found {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}:\n  found    {found:?}\n  expected {expected:?}"))
}

fn told(error: LedgerError) -> String {
    format!("unexpected error {error:?}")
}

impl<L: Ledger<Document = Slip>> Bench<'_, L> {
    fn work(&self) -> Work {
        Work::of((self.fresh_key)(), "v1")
    }

    async fn read(&self, work: &Work) -> Result<Existing, String> {
        self.ledger.read_claim(&work.key, Generation::FIRST).await.map_err(told)
    }

    async fn record(&self, work: &Work) -> Result<ClaimRecord, String> {
        let read = self.read(work).await?;
        read.map(|record| *record).ok_or_else(|| "there is no claim".to_owned())
    }

    /// Puts a claim that nobody has.
    async fn put(&self, work: &Work, token: &str, sequencer: &str) -> Result<Claim, String> {
        let request = work.request(token, sequencer);
        let answer = self.ledger.put_claim(&request).await.map_err(told)?;
        answer.put(request).ok_or_else(|| "the claim is another's".to_owned())
    }

    /// Takes the claim over as it stands, for the same cycle.
    async fn take_over(&self, work: &Work, token: &str) -> Result<Claim, String> {
        let seen = self.record(work).await?;
        let request = work.request(token, "0C");
        let plan = TakeOver {
            attempt: seen.attempts + 1,
            cycle: seen.cycle,
            sequencer: seen.sequencer.clone(),
            purpose: Purpose::Process,
        };
        let answer = self.ledger.take_over(&seen, &plan, &request).await.map_err(told)?;
        answer.taken_over(seen, plan, request).ok_or_else(|| "the claim was not taken over".to_owned())
    }

    /// Ends a held claim in this state, as the pipeline would.
    async fn finish(&self, work: &Work, claim: Claim, status: FinishedStatus) -> Found {
        let plan = match status {
            FinishedStatus::Committed => work.plan(claim),
            FinishedStatus::DuplicateContent => {
                let filing = work.row().filing();
                let token = uuid_like(&claim.token().0);
                CommitPlan::of_known(claim, work.content(), filing, NOW, token)
            }
            _ => {
                let finish = claim.into_finish(ending(status), NOW.plus_ms(5));
                let answer = self.ledger.finish(&finish, &[]).await.map_err(told)?;
                return same("the set-up's finish", &answer, &Written::Yes);
            }
        };
        applied(&self.ledger.commit(&plan).await.map_err(told)?)
    }

    /// Posts the version as a new document and moves the pointer in order.
    async fn post(&self, work: &Work, token: &str, sequencer: &str) -> Found {
        let mut plan = work.plan(self.put(work, token, sequencer).await?);
        let _ = plan.order_pointer(&ETag::new(ETAG));
        applied(&self.ledger.commit(&plan).await.map_err(told)?)
    }
}

fn applied(reply: &RoundReply) -> Found {
    match reply {
        RoundReply::Applied => Ok(()),
        RoundReply::Cancelled(cancelled) => Err(format!("the commit was cancelled: {cancelled:?}")),
    }
}

/// The record that a claim has after it was put for this request.
fn as_put(request: &ClaimRequest) -> ClaimRecord {
    ClaimRecord {
        key: request.key.clone(),
        generation: request.generation,
        state: ClaimState::InProgress { lease_expires_at: request.lease_expires_at },
        token: request.token.clone(),
        attempts: 1,
        cycle: 0,
        first_claimed_at: request.now,
        claimed_at: request.now,
        sequencer: request.sequencer.clone(),
        event_time: request.event_time.clone(),
        not_found_since: None,
        failures: Vec::new(),
        envelope: None,
        found: None,
        purpose: Purpose::Process,
        waits: Waits::default(),
    }
}

/// The record that a claim has after this end.
fn as_finished(before: &ClaimRecord, finish: &Finish) -> ClaimRecord {
    ClaimRecord {
        state: ClaimState::Finished(lease_ingest::claim::Receipt {
            status: finish.end.status,
            finished_at: finish.finished_at,
            content_hash: finish.end.content_hash,
            reason: Some(finish.end.reason.clone()),
        }),
        failures: finish.failures.clone(),
        envelope: finish.envelope.clone().or_else(|| before.envelope.clone()),
        found: finish.end.found.clone(),
        ..before.clone()
    }
}

/// Holds a ledger to every row; `known` are differences of this ledger that are known, each with its reason.
pub async fn hold<L: Ledger<Document = Slip>>(engine: &str, ledger: &L, known: &[(&str, &str)]) {
    let (run, count) = (std::process::id(), AtomicU64::new(0));
    let fresh = move || format!("row {run}-{}", count.fetch_add(1, Ordering::Relaxed));
    let rows = contract(ledger, &fresh).await;
    assert!(rows.len() >= ROWS_MIN, "{} rows", rows.len());
    let mut names: Vec<_> = rows.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), rows.len(), "two rows have one name");
    let is_known = |name: &str| known.iter().any(|(row, _)| *row == name);
    let wrong: Vec<_> = rows
        .iter()
        .filter(|(name, found)| found.is_err() != is_known(name))
        .map(|(name, found)| {
            format!("{name}: {}", found.as_ref().err().map_or("holds, though listed", String::as_str))
        })
        .collect();
    println!("{engine}: {} rows, {} known differences", rows.len(), known.len());
    assert!(wrong.is_empty(), "{engine}: {} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[tokio::test]
async fn the_embedded_engine_keeps_the_contract() {
    let embedded = Embedded::memory().await.unwrap();
    let ledger = DynamoLedger::new(embedded.dynamodb().clone(), embedded.tables().clone(), None);
    hold("embedded engine", &ledger, &[]).await;
}

#[tokio::test]
async fn ministack_keeps_the_contract() {
    let Some(ministack) = Ministack::running().await else { return };
    let client = local_dynamodb(ministack.endpoint(), ClientTimeouts::default());
    let tables = TableNames::with_prefix("contract-");
    create_missing(&client, &tables).await.unwrap();
    hold("ministack", &DynamoLedger::new(client, tables, None), &[]).await;
}
