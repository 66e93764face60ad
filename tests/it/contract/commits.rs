//! Rows about the commit: every set of reasons to refuse it, the rounds that follow, request tokens, and what is read
//! afterwards.

use lease_ingest::claim::{Claim, FinishedStatus};
use lease_ingest::commit::{Cancelled, CommitPlan, KnownContent, Narrowed, ROUNDS_MAX, RoundReply, RowState};
use lease_ingest::identity::{ETag, EpochMs, Generation};
use lease_ingest::ports::ledger::{Ledger, LedgerErrorKind, Written};
use rust_decimal::Decimal;

use super::{Bench, ETAG, Found, NOW, Rows, Work, applied, ending, same, told, uuid_like};
use crate::support::slip::Slip;

/// More than a table holds in one item, in bytes.
const TOO_LARGE_BYTES: usize = 420_000;

pub async fn rows<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Rows {
    let mut rows = Rows::new();
    for number in 0..24 {
        let refusal = Refusal {
            known: number & 1 > 0,
            lost: number & 2 > 0,
            later: number & 4 > 0,
            intents: number >> 3,
        };
        rows.push((format!("commit with {refusal:?}"), refused(bench, refusal).await));
    }
    rows.push(("a committed row is read as it was".into(), read_back(bench).await));
    rows.push(("what was just committed is known".into(), known_at_once(bench).await));
    rows.push(("nothing is known of what nobody posted".into(), unknown(bench).await));
    rows.push(("content is known in its generation only".into(), other_generation(bench).await));
    rows.push(("a commit repeated under its token is one".into(), repeated(bench).await));
    rows.push(("a commit repeated under another token is refused by itself".into(), renamed(bench).await));
    rows.push(("a token used for another commit is an error".into(), token_reused(bench).await));
    rows.push((
        "a cancelled round is decided anew under its token".into(),
        cancelled_then_again(bench).await,
    ));
    rows.push(("two commits of one content, one row".into(), race(bench).await));
    rows.push(("known content adds no row and no intent".into(), known(bench).await));
    rows.push(("content of another filing is told with its filing".into(), filed_elsewhere(bench).await));
    rows.push(("a row too large is refused before it is sent".into(), too_large(bench).await));
    rows
}

/// The reasons that a commit meets.
#[derive(Debug, Clone, Copy)]
struct Refusal {
    /// The content has a row.
    known: bool,
    /// The claim was taken over.
    lost: bool,
    /// A later version is active.
    later: bool,
    /// So many of its two intents are on record.
    intents: usize,
}

/// A commit of this row under another version's claim, so that the row is there and nothing else is.
async fn row_only<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, work: &Work) -> Found {
    let other = bench.work();
    let claim = bench.put(&other, "other", "0B").await?;
    let token = uuid_like(&format!("row of {}", work.key.as_str()));
    let plan = CommitPlan::new(claim, work.row(), None, Vec::new(), token);
    applied(&bench.ledger.commit(&plan).await.map_err(told)?)
}

async fn refused<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, refusal: Refusal) -> Found {
    let work = bench.work();
    let document = work.version.document_key();
    if refusal.later {
        bench.post(&work.sibling("v2"), "later", "0F").await?;
    }
    if refusal.known {
        row_only(bench, &work).await?;
    }
    let mut plan = work.plan(bench.put(&work, "mine", "0B").await?);
    let _ = plan.order_pointer(&ETag::new(ETAG));
    let recorded = plan.intents()[..refusal.intents].to_vec();
    if !recorded.is_empty() {
        let teller = bench.work();
        let finish =
            bench.put(&teller, "teller", "0B").await?.into_finish(ending(FinishedStatus::Rejected), NOW);
        same("the set-up", &bench.ledger.finish(&finish, &recorded).await.map_err(told)?, &Written::Yes)?;
    }
    if refusal.lost {
        let _ = bench.take_over(&work, "other").await?;
    }

    let claim_before = bench.read(&work).await?;
    let pointer_before = bench.ledger.read_pointer(&document).await.map_err(told)?;
    let row_before = bench.ledger.read_commit(work.content(), Generation::FIRST).await.map_err(told)?;
    let expected = Cancelled {
        known: refusal.known.then(|| KnownContent { filing: work.row().filing(), state: RowState::Posted }),
        claim: refusal.lost.then(|| claim_before.clone()),
        pointer: refusal.later.then(|| pointer_before.clone().map(Box::new)),
        recorded: recorded.into_iter().map(|intent| intent.id).collect(),
        conflict: false,
    };
    let cancelled = match bench.ledger.commit(&plan).await.map_err(told)? {
        RoundReply::Applied if expected == Cancelled::default() => {
            return landed(bench, &work, refusal).await;
        }
        RoundReply::Applied => return Err("it was applied".into()),
        RoundReply::Cancelled(cancelled) => cancelled,
    };
    same("the reasons", &cancelled, &expected)?;
    same("the claim", &bench.read(&work).await?, &claim_before)?;
    same("the pointer", &bench.ledger.read_pointer(&document).await.map_err(told)?, &pointer_before)?;
    let row = bench.ledger.read_commit(work.content(), Generation::FIRST).await.map_err(told)?;
    same("the row", &row, &row_before)?;

    let mut narrowed = plan.narrow(cancelled);
    for round in 0..ROUNDS_MAX {
        let plan = match narrowed {
            Narrowed::Fenced if refusal.lost => return Ok(()),
            Narrowed::Again(plan) => plan.renamed(uuid_like(&format!("{round} {}", work.key.as_str()))),
            other => return Err(format!("the round leads to {other:?}")),
        };
        match bench.ledger.commit(&plan).await.map_err(told)? {
            RoundReply::Applied => return landed(bench, &work, refusal).await,
            RoundReply::Cancelled(cancelled) => narrowed = plan.narrow(cancelled),
        }
    }
    Err("it takes too many rounds".into())
}

/// After its rounds a commit that was not fenced has landed, as far as its reasons left anything to write.
async fn landed<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, work: &Work, refusal: Refusal) -> Found {
    let record = bench.record(work).await?;
    let status = if refusal.known { FinishedStatus::DuplicateContent } else { FinishedStatus::Committed };
    same("the status", &record.receipt().map(|receipt| receipt.status), &Some(status))?;
    let content = record.receipt().and_then(|receipt| receipt.content_hash);
    same("the content", &content, &Some(work.content()))?;
    let row = bench.ledger.read_commit(work.content(), Generation::FIRST).await.map_err(told)?;
    same("the row", &row, &Some(work.row()))?;
    let pointer = bench.ledger.read_pointer(&work.version.document_key()).await.map_err(told)?;
    let named = pointer.and_then(|pointer| pointer.names).map(|names| names.content_hash);
    let active = if refusal.later { work.sibling("v2").content() } else { work.content() };
    same("what is active", &named, &Some(active))
}

async fn read_back<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    // The largest and the finest amount, a text beyond ASCII, and a null version without a tag.
    let amounts = [Decimal::MAX, Decimal::new(1, 28), Decimal::new(1_250_000, 2), Decimal::new(-1, 0)];
    for amount in amounts {
        let work = bench.work();
        let mut row = work.row();
        row.document.amount = amount;
        row.document.under = "Straße 7 🏢".into();
        row.source = Work::of(work.version.key.clone(), "null").version;
        row.source.etag = ETag::new("");
        let claim = bench.put(&work, "mine", "0B").await?;
        let token = uuid_like(&work.version.key);
        let plan = CommitPlan::new(claim, row.clone(), None, Vec::new(), token);
        applied(&bench.ledger.commit(&plan).await.map_err(told)?)?;
        let read = bench.ledger.read_commit(work.content(), Generation::FIRST).await.map_err(told)?;
        same("the row", &read, &Some(row))?;
    }
    Ok(())
}

/// Whatever may read late must say so where the contract is held: this is a hint, and the commit's condition decides.
async fn known_at_once<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    for under in ["P-1", "Straße 7 🏢"] {
        let work = bench.work();
        let mut row = work.row();
        row.document.under = under.into();
        let claim = bench.put(&work, "mine", "0B").await?;
        let token = uuid_like(&work.version.key);
        let plan = CommitPlan::new(claim, row.clone(), None, Vec::new(), token);
        applied(&bench.ledger.commit(&plan).await.map_err(told)?)?;
        let known = bench.ledger.known_content(work.content(), Generation::FIRST).await.map_err(told)?;
        same("what is known", &known, &Some(KnownContent { filing: row.filing(), state: RowState::Posted }))?;
    }
    Ok(())
}

async fn unknown<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let content = work.content();
    same("known", &bench.ledger.known_content(content, Generation::FIRST).await.map_err(told)?, &None)?;
    same("row", &bench.ledger.read_commit(content, Generation::FIRST).await.map_err(told)?, &None)?;
    same("claim", &bench.read(&work).await?, &None)?;
    let pointer = bench.ledger.read_pointer(&work.version.document_key()).await.map_err(told)?;
    same("pointer", &pointer, &None)
}

async fn other_generation<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    bench.post(&work, "mine", "0B").await?;
    let second = Generation::new(2).unwrap();
    same("known", &bench.ledger.known_content(work.content(), second).await.map_err(told)?, &None)?;
    same("row", &bench.ledger.read_commit(work.content(), second).await.map_err(told)?, &None)?;
    same("claim", &bench.ledger.read_claim(&work.key, second).await.map_err(told)?, &None)
}

async fn posting<L: Ledger<Document = Slip>>(
    bench: &Bench<'_, L>,
    work: &Work,
) -> Result<CommitPlan<Slip>, String> {
    let mut plan = work.plan(bench.put(work, "mine", "0B").await?);
    let _ = plan.order_pointer(&ETag::new(ETAG));
    Ok(plan)
}

async fn repeated<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let plan = posting(bench, &work).await?;
    for _ in 0..3 {
        applied(&bench.ledger.commit(&plan).await.map_err(told)?)?;
        let pointer = bench.ledger.read_pointer(&work.version.document_key()).await.map_err(told)?;
        same("the pointer's revision", &pointer.map(|pointer| pointer.revision), &Some(1))?;
    }
    Ok(())
}

async fn renamed<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let plan = posting(bench, &work).await?;
    applied(&bench.ledger.commit(&plan).await.map_err(told)?)?;
    let intents: Vec<_> = plan.intents().into_iter().map(|intent| intent.id).collect();
    let plan = plan.renamed(uuid_like(&format!("second {}", work.key.as_str())));
    let pointer = bench.ledger.read_pointer(&work.version.document_key()).await.map_err(told)?;
    let expected = Cancelled {
        known: Some(KnownContent { filing: work.row().filing(), state: RowState::Posted }),
        claim: Some(bench.read(&work).await?),
        pointer: Some(pointer.map(Box::new)),
        recorded: intents,
        conflict: false,
    };
    let RoundReply::Cancelled(cancelled) = bench.ledger.commit(&plan).await.map_err(told)? else {
        return Err("it was applied twice".into());
    };
    same("the reasons", &cancelled, &expected)?;
    match plan.narrow(cancelled) {
        Narrowed::Landed(landed) => {
            same("landed", &(landed.status, landed.active), &(FinishedStatus::Committed, true))
        }
        other => Err(format!("it leads to {other:?}")),
    }
}

async fn token_reused<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let (work, other) = (bench.work(), bench.work());
    let plan = posting(bench, &work).await?;
    applied(&bench.ledger.commit(&plan).await.map_err(told)?)?;
    let second = posting(bench, &other).await?.renamed(plan.request_token().to_owned());
    let error = match bench.ledger.commit(&second).await {
        Ok(reply) => return Err(format!("it was answered with {reply:?}")),
        Err(error) => error,
    };
    same("the kind", &error.kind, &LedgerErrorKind::Invalid)?;
    let row = bench.ledger.read_commit(other.content(), Generation::FIRST).await.map_err(told)?;
    same("the row", &row, &None)?;
    same("the claim's end", &bench.record(&other).await?.receipt(), &None)
}

async fn cancelled_then_again<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let believed: Claim = Written::Yes.put(work.request("mine", "0B")).unwrap();
    let plan = work.plan(believed);
    let RoundReply::Cancelled(cancelled) = bench.ledger.commit(&plan).await.map_err(told)? else {
        return Err("it was applied without a claim".into());
    };
    same("the reasons", &cancelled, &Cancelled { claim: Some(None), ..Cancelled::default() })?;
    let _ = bench.put(&work, "mine", "0B").await?;
    applied(&bench.ledger.commit(&plan).await.map_err(told)?)
}

async fn race<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let content = bench.work();
    let mut plans = Vec::new();
    for _ in 0..4 {
        let work = bench.work();
        let claim = bench.put(&work, "mine", "0B").await?;
        let token = uuid_like(&work.version.key);
        plans.push(CommitPlan::new(claim, content.row(), None, vec!["events".to_owned()], token));
    }
    let replies = futures_util::future::join_all(plans.iter().map(|plan| bench.ledger.commit(plan))).await;
    // What lost to a transaction that was still running is asked again, as the pipeline does.
    let mut won = 0;
    for (plan, reply) in plans.into_iter().zip(replies) {
        let mut reply = reply.map_err(told)?;
        if matches!(&reply, RoundReply::Cancelled(cancelled) if cancelled.conflict) {
            reply = bench.ledger.commit(&plan).await.map_err(told)?;
        }
        match reply {
            RoundReply::Applied => won += 1,
            RoundReply::Cancelled(cancelled) => {
                same("known", &cancelled.known.is_some(), &true)?;
                same("claim", &cancelled.claim, &None)?;
            }
        }
    }
    same("winners", &won, &1)
}

async fn known<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let (work, copy) = (bench.work(), bench.work());
    bench.post(&work, "mine", "0B").await?;
    let claim = bench.put(&copy, "mine", "0B").await?;
    let filing = work.row().filing();
    let token = uuid_like(&copy.version.key);
    let mut plan = CommitPlan::<Slip>::of_known(claim, work.content(), filing, EpochMs(NOW.0 + 9), token);
    let _ = plan.order_pointer(&ETag::new(ETAG));
    applied(&bench.ledger.commit(&plan).await.map_err(told)?)?;
    let receipt = bench.record(&copy).await?.receipt().cloned().ok_or("the claim has not ended")?;
    same("status", &receipt.status, &FinishedStatus::DuplicateContent)?;
    same("time", &receipt.finished_at, &EpochMs(NOW.0 + 9))?;
    let row = bench.ledger.read_commit(copy.content(), Generation::FIRST).await.map_err(told)?;
    same("a row of the copy", &row, &None)?;
    let pointer = bench.ledger.read_pointer(&copy.version.document_key()).await.map_err(told)?;
    same("the pointer", &pointer.and_then(|pointer| pointer.names), &Some(plan.names(&ETag::new(ETAG))))
}

async fn filed_elsewhere<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let (work, copy) = (bench.work(), bench.work());
    bench.post(&work, "mine", "0B").await?;
    let claim = bench.put(&copy, "mine", "0B").await?;
    let mut row = work.row();
    row.document.under = "P-2".into();
    let plan = CommitPlan::new(claim, row, Some("P-2".into()), Vec::new(), uuid_like(&copy.version.key));
    let RoundReply::Cancelled(cancelled) = bench.ledger.commit(&plan).await.map_err(told)? else {
        return Err("it was posted twice".into());
    };
    match plan.narrow(cancelled) {
        Narrowed::FiledElsewhere(_, under) => same("under", &under.as_str(), &"P-1"),
        other => Err(format!("it leads to {other:?}")),
    }
}

async fn too_large<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let claim = bench.put(&work, "mine", "0B").await?;
    let mut row = work.row();
    row.extractor = "x".repeat(TOO_LARGE_BYTES);
    let plan = CommitPlan::new(claim, row, None, Vec::new(), uuid_like(&work.version.key));
    let error = bench.ledger.commit(&plan).await.err().ok_or("it was answered")?;
    same("the error", &(error.kind, error.may_have_happened), &(LedgerErrorKind::TooLarge, false))?;
    same("the claim's end", &bench.record(&work).await?.receipt(), &None)
}
