//! Rows about the writes that only a holder may make: each of them with the claim in every state it can be in.

use lease_ingest::claim::{Claim, ClaimRecord, ClaimState, Failure, FinishedStatus, Receipt, ReleaseCause};
use lease_ingest::commit::{CommitPlan, RoundReply};
use lease_ingest::effect;
use lease_ingest::identity::{ETag, EpochMs, Generation};
use lease_ingest::ports::ledger::{Existing, Ledger, Written};

use super::claims::Stands;
use super::{
    Bench, ETAG, Found, NOW, Rows, Work, applied, as_finished, as_put, ending, same, told, uuid_like,
};
use crate::support::slip::Slip;

/// The writes that only a holder may make.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Write {
    Release,
    ReleaseNotFound,
    Wait,
    FinishQuietly,
    FinishWithNotices,
    CommitNew,
    CommitKnown,
}

impl Write {
    const ALL: [Self; 7] = [
        Self::Release,
        Self::ReleaseNotFound,
        Self::Wait,
        Self::FinishQuietly,
        Self::FinishWithNotices,
        Self::CommitNew,
        Self::CommitKnown,
    ];
}

pub async fn rows<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Rows {
    let mut rows = Rows::new();
    for stands in Stands::all() {
        for write in Write::ALL {
            rows.push((format!("{write:?} when {stands:?}"), held_write(bench, stands, write).await));
        }
    }
    rows
}

fn failure(attempt: u32) -> Failure {
    Failure {
        at: EpochMs(NOW.0 + 3),
        attempt,
        kind: "s3_503_SlowDown".into(),
        message: "it said: later".into(),
    }
}

/// What a claim is after this write of its holder.
struct Expected {
    answer: Result<Written<Existing>, String>,
    after: ClaimRecord,
}

async fn held_write<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, stands: Stands, write: Write) -> Found {
    let work = bench.work();
    let claim = bench.stand(&work, stands).await?;
    let before = bench.read(&work).await?;
    let pointer_before = bench.ledger.read_pointer(&work.version.document_key()).await.map_err(told)?;
    let row_before = bench.ledger.read_commit(work.content(), Generation::FIRST).await.map_err(told)?;
    let imagined = before.as_deref().cloned().unwrap_or_else(|| as_put(&work.request("mine", "0B")));
    let expected = match write {
        Write::Release | Write::ReleaseNotFound => {
            let not_found = write == Write::ReleaseNotFound;
            let cause = if not_found { ReleaseCause::NotFound } else { ReleaseCause::Failed };
            let release = claim.into_release("s3_503_SlowDown", "it said: later", cause, NOW.plus_ms(3));
            let after = ClaimRecord {
                state: ClaimState::InProgress { lease_expires_at: EpochMs(0) },
                attempts: u32::from(!not_found),
                failures: vec![failure(1)],
                not_found_since: not_found.then(|| NOW.plus_ms(3)),
                ..imagined
            };
            Expected { answer: bench.ledger.release(&release).await.map_err(told), after }
        }
        Write::Wait => {
            let wait = claim.into_wait("job 2".into(), NOW.plus_ms(8));
            let after = ClaimRecord {
                state: ClaimState::InProgress { lease_expires_at: NOW.plus_ms(8) },
                attempts: 0,
                waits: wait.waits.clone(),
                ..imagined
            };
            Expected { answer: bench.ledger.wait(&wait).await.map_err(told), after }
        }
        Write::FinishQuietly | Write::FinishWithNotices => {
            let quiet = write == Write::FinishQuietly;
            let status = if quiet { FinishedStatus::Superseded } else { FinishedStatus::DeadLettered };
            let finish = claim.with_failure("kind", "why", NOW).into_finish(ending(status), NOW.plus_ms(6));
            let notices = effect::notices(&finish, &["desk".to_owned(), "events".to_owned()]);
            same("notices", &notices.len(), &(if quiet { 0 } else { 2 }))?;
            let answer = bench.ledger.finish(&finish, &notices).await.map_err(told);
            Expected { answer, after: as_finished(&imagined, &finish) }
        }
        Write::CommitNew | Write::CommitKnown => {
            return held_commit(bench, &work, claim, stands, write).await;
        }
    };
    let answer = expected.answer?;
    if stands.is_held() {
        same("the answer", &answer, &Written::Yes)?;
        same("the claim", &bench.record(&work).await?, &expected.after)?;
    } else {
        same("the answer", &answer, &Written::Refused(before.clone()))?;
        same("the claim", &bench.read(&work).await?, &before)?;
    }
    let pointer = bench.ledger.read_pointer(&work.version.document_key()).await.map_err(told)?;
    same("the pointer", &pointer, &pointer_before)?;
    let row = bench.ledger.read_commit(work.content(), Generation::FIRST).await.map_err(told)?;
    same("the row", &row, &row_before)
}

async fn held_commit<L: Ledger<Document = Slip>>(
    bench: &Bench<'_, L>,
    work: &Work,
    claim: Claim,
    stands: Stands,
    write: Write,
) -> Found {
    let before = bench.read(work).await?;
    // A version that was posted in the set-up is committed as another content here: the claim alone refuses.
    let content = work.sibling("content of its own");
    let mut plan = if write == Write::CommitNew {
        content.plan(claim)
    } else {
        let token = uuid_like(&format!("known {}", work.key.as_str()));
        CommitPlan::of_known(claim, content.content(), work.row().filing(), NOW.plus_ms(77), token)
    };
    let _ = plan.order_pointer(&ETag::new(ETAG));
    let reply = bench.ledger.commit(&plan).await.map_err(told)?;
    let row = bench.ledger.read_commit(content.content(), Generation::FIRST).await.map_err(told)?;
    let pointer = bench.ledger.read_pointer(&work.version.document_key()).await.map_err(told)?;
    if !stands.is_held() {
        let RoundReply::Cancelled(cancelled) = reply else { return Err("it was applied".into()) };
        same("the refusal's claim", &cancelled.claim, &Some(before.clone()))?;
        same(
            "other reasons",
            &(cancelled.known, cancelled.pointer, cancelled.recorded.len()),
            &(None, None, 0),
        )?;
        same("the claim", &bench.read(work).await?, &before)?;
        same("the row", &row, &None)?;
        same("the pointer", &pointer, &None)?;
        // No intent was recorded either: the same content is posted later without such a reason.
        let other = bench.work();
        let plan = content.plan(bench.put(&other, "other", "0B").await?);
        return applied(&bench.ledger.commit(&plan).await.map_err(told)?);
    }
    applied(&reply)?;
    let imagined = before.map_or_else(|| as_put(&work.request("mine", "0B")), |record| *record);
    let receipt = Receipt {
        status: plan.status(),
        finished_at: NOW.plus_ms(77),
        content_hash: Some(content.content()),
        reason: None,
    };
    let after = ClaimRecord { state: ClaimState::Finished(receipt), ..imagined };
    same("the claim", &bench.record(work).await?, &after)?;
    same("the row", &row, &plan.row().cloned())?;
    same("the pointer's revision", &pointer.map(|pointer| pointer.revision), &Some(1))
}
