//! Rows about claims: putting, taking over, and ends that are told twice.

use lease_ingest::claim::{
    Claim, ClaimRecord, ClaimState, FinishedStatus, Purpose, Receipt, ReleaseCause, TakeOver,
};
use lease_ingest::effect;
use lease_ingest::identity::{Generation, Sequencer};
use lease_ingest::ports::ledger::{Ledger, Written};

use super::{Bench, Found, NOW, Rows, Work, as_finished, as_put, ending, same, told};
use crate::support::slip::Slip;

/// How a claim stands when a write comes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stands {
    /// There is none.
    Absent,
    /// It is in another generation only.
    OtherGeneration,
    /// In progress under the writer's token.
    Mine,
    /// Given up by the writer.
    Released,
    /// Left to wait by the writer.
    Waiting,
    /// Taken over by another.
    Others,
    /// Taken over by another and ended.
    OthersEnd,
    /// Ended by the writer.
    Ended(FinishedStatus),
}

impl Stands {
    pub(super) fn all() -> Vec<Self> {
        use Stands::{Absent, Ended, Mine, OtherGeneration, Others, OthersEnd, Released, Waiting};
        let mut all = vec![Absent, OtherGeneration, Mine, Released, Waiting, Others, OthersEnd];
        all.extend(FinishedStatus::ALL.map(Ended));
        all
    }

    /// Whether the first holder may still write.
    pub(super) fn is_held(self) -> bool {
        matches!(self, Self::Mine | Self::Released | Self::Waiting)
    }
}

pub async fn rows<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Rows {
    let mut rows = Rows::new();
    for stands in Stands::all() {
        rows.push((format!("put when {stands:?}"), put(bench, stands).await));
        rows.push((format!("take over as read when {stands:?}"), take_over_as_read(bench, stands).await));
    }
    rows.push(("put without sequencer and time".into(), put_bare(bench).await));
    rows.push(("put again after a lost reply".into(), put_again(bench).await));
    rows.push(("two puts of one claim, one wins".into(), put_race(bench).await));
    rows.push(("take over when the token has changed".into(), stale_take_over(bench, Stale::Token).await));
    rows.push(("take over when the status has changed".into(), stale_take_over(bench, Stale::Status).await));
    rows.push(("take over when the claim is gone".into(), stale_take_over(bench, Stale::Gone).await));
    rows.push(("take over again after a lost reply".into(), take_over_again(bench).await));
    rows.push(("two take-overs of one claim, one wins".into(), take_over_race(bench).await));
    rows.push(("take over for a person, then for work".into(), take_over_purposes(bench).await));
    rows.push(("finish with notices that are on record".into(), notices_on_record(bench).await));
    rows.push(("finish with some notices on record".into(), some_notices_on_record(bench).await));
    for (name, receivers) in [
        ("finish again after a lost reply", vec![]),
        ("finish with notices again after a lost reply", vec!["desk".to_owned()]),
    ] {
        rows.push((name.into(), finish_again(bench, &receivers).await));
    }
    rows.push(("release and wait again after a lost reply".into(), release_again(bench).await));
    rows
}

impl<L: Ledger<Document = Slip>> Bench<'_, L> {
    /// Brings a claim to where it stands; answers the right that its first holder believes to have.
    pub(super) async fn stand(&self, work: &Work, stands: Stands) -> Result<Claim, String> {
        let believed = Written::Yes.put(work.request("mine", "0B")).unwrap();
        match stands {
            Stands::Absent => return Ok(believed),
            Stands::OtherGeneration => {
                let mut request = work.request("mine", "0B");
                request.generation = Generation::new(7).unwrap();
                let answer = self.ledger.put_claim(&request).await.map_err(told)?;
                same("the put in another generation", &answer, &Written::Yes)?;
                return Ok(believed);
            }
            _ => {}
        }
        let mine = self.put(work, "mine", "0B").await?;
        match stands {
            Stands::Absent | Stands::OtherGeneration | Stands::Mine => return Ok(mine),
            Stands::Released => {
                let release =
                    mine.into_release("s3_503_SlowDown", "it said: later", ReleaseCause::Failed, NOW);
                same("the release", &self.ledger.release(&release).await.map_err(told)?, &Written::Yes)?;
            }
            Stands::Waiting => {
                let wait = mine.into_wait("job 1".into(), NOW.plus_ms(9));
                same("the wait", &self.ledger.wait(&wait).await.map_err(told)?, &Written::Yes)?;
            }
            Stands::Others => drop(self.take_over(work, "other").await?),
            Stands::OthersEnd => {
                let other = self.take_over(work, "other").await?;
                self.finish(work, other, FinishedStatus::Rejected).await?;
            }
            Stands::Ended(status) => self.finish(work, mine, status).await?,
        }
        Ok(believed)
    }
}

async fn put<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, stands: Stands) -> Found {
    let work = bench.work();
    let _ = bench.stand(&work, stands).await?;
    let before = bench.read(&work).await?;
    let request = work.request("late", "0A");
    let answer = bench.ledger.put_claim(&request).await.map_err(told)?;
    let after = bench.record(&work).await?;
    match before {
        None => {
            same("the answer", &answer, &Written::Yes)?;
            same("the claim", &after, &as_put(&request))
        }
        Some(standing) => {
            same("the claim", &after, &standing)?;
            same("the answer", &answer, &Written::Refused(standing))
        }
    }
}

async fn put_bare<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let mut request = work.request("mine", "");
    request.event_time = None;
    same("the answer", &bench.ledger.put_claim(&request).await.map_err(told)?, &Written::Yes)?;
    same("the claim", &bench.record(&work).await?, &as_put(&request))
}

async fn put_again<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let request = work.request("mine", "0B");
    same("the first", &bench.ledger.put_claim(&request).await.map_err(told)?, &Written::Yes)?;
    let answer = bench.ledger.put_claim(&request).await.map_err(told)?;
    same("the second", &answer, &Written::Refused(Box::new(as_put(&request))))?;
    let own = answer.put(request).ok_or("the refusal does not give the claim to its own attempt")?;
    bench.finish(&work, own, FinishedStatus::Rejected).await
}

async fn put_race<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let requests = ["a", "b", "c", "d"].map(|token| work.request(token, "0B"));
    let answers =
        futures_util::future::join_all(requests.iter().map(|request| bench.ledger.put_claim(request))).await;
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>().map_err(told)?;
    let winners: Vec<_> = answers
        .iter()
        .zip(&requests)
        .filter(|(answer, _)| **answer == Written::Yes)
        .map(|(_, request)| request)
        .collect();
    same("winners", &winners.len(), &1)?;
    let stored = bench.record(&work).await?;
    same("the claim", &stored, &as_put(winners[0]))?;
    let refused =
        answers.iter().filter(|answer| **answer == Written::Refused(Box::new(stored.clone()))).count();
    same("refusals that carry the winner's claim", &refused, &3)
}

/// The record after a take-over.
fn as_taken_over(seen: &ClaimRecord, plan: &TakeOver, work: &Work, token: &str) -> ClaimRecord {
    let request = work.request(token, "0C");
    let reopened = plan.cycle != seen.cycle;
    ClaimRecord {
        state: ClaimState::InProgress { lease_expires_at: request.lease_expires_at },
        token: request.token,
        attempts: plan.attempt,
        cycle: plan.cycle,
        claimed_at: request.now,
        sequencer: plan.sequencer.clone().or_else(|| seen.sequencer.clone()),
        event_time: request.event_time,
        not_found_since: seen.not_found_since.filter(|_| !reopened),
        waits: if reopened { Default::default() } else { seen.waits.clone() },
        purpose: plan.purpose,
        envelope: None,
        found: None,
        ..seen.clone()
    }
}

async fn take_over_as_read<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, stands: Stands) -> Found {
    let work = bench.work();
    let _ = bench.stand(&work, stands).await?;
    let Some(seen) = bench.read(&work).await? else {
        let imagined = as_put(&work.request("mine", "0B"));
        let plan = again(&imagined);
        let answer = bench.ledger.take_over(&imagined, &plan, &work.request("late", "0C")).await;
        same("the answer", &answer.map_err(told)?, &Written::Refused(None))?;
        return same("no claim is made", &bench.read(&work).await?, &None);
    };
    let reopened = seen.receipt().is_some();
    let plan = TakeOver {
        attempt: if reopened { 1 } else { seen.attempts + 1 },
        cycle: seen.cycle + u32::from(reopened),
        sequencer: Sequencer::new("0C"),
        purpose: Purpose::Process,
    };
    let answer = bench.ledger.take_over(&seen, &plan, &work.request("late", "0C")).await.map_err(told)?;
    same("the answer", &answer, &Written::Yes)?;
    same("the claim", &bench.record(&work).await?, &as_taken_over(&seen, &plan, &work, "late"))
}

fn again(seen: &ClaimRecord) -> TakeOver {
    TakeOver {
        attempt: seen.attempts + 1,
        cycle: seen.cycle,
        sequencer: seen.sequencer.clone(),
        purpose: Purpose::Process,
    }
}

/// What has happened between a read and the take-over that rests on it.
enum Stale {
    Token,
    Status,
    Gone,
}

async fn stale_take_over<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, stale: Stale) -> Found {
    let work = bench.work();
    let (mut seen, standing) = match stale {
        Stale::Gone => (as_put(&work.request("mine", "0B")), None),
        Stale::Token => {
            let _ = bench.put(&work, "mine", "0B").await?;
            let seen = bench.record(&work).await?;
            let _ = bench.take_over(&work, "other").await?;
            (seen, bench.read(&work).await?)
        }
        Stale::Status => {
            let mine = bench.put(&work, "mine", "0B").await?;
            let seen = bench.record(&work).await?;
            bench.finish(&work, mine, FinishedStatus::Review).await?;
            (seen, bench.read(&work).await?)
        }
    };
    let request = work.request("late", "0C");
    let answer = bench.ledger.take_over(&seen, &again(&seen), &request).await.map_err(told)?;
    same("the answer", &answer, &Written::Refused(standing.clone()))?;
    same("the claim", &bench.read(&work).await?, &standing)?;
    // Seen as ended otherwise than it is: the status alone refuses, too.
    if let Some(record) = standing {
        seen = *record;
        seen.state = ClaimState::Finished(Receipt {
            status: FinishedStatus::Missing,
            finished_at: NOW,
            content_hash: None,
            reason: None,
        });
        let standing = bench.read(&work).await?;
        let answer = bench.ledger.take_over(&seen, &again(&seen), &request).await.map_err(told)?;
        same("the answer to another status", &answer, &Written::Refused(standing))?;
    }
    Ok(())
}

async fn take_over_again<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let _ = bench.put(&work, "mine", "0B").await?;
    let seen = bench.record(&work).await?;
    let (plan, request) = (again(&seen), work.request("late", "0C"));
    same("the first", &bench.ledger.take_over(&seen, &plan, &request).await.map_err(told)?, &Written::Yes)?;
    let standing = bench.read(&work).await?;
    let answer = bench.ledger.take_over(&seen, &plan, &request).await.map_err(told)?;
    same("the second carries the own claim", &answer, &Written::Refused(standing))
}

async fn take_over_race<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let _ = bench.put(&work, "mine", "0B").await?;
    let seen = bench.record(&work).await?;
    let plan = again(&seen);
    let requests = ["a", "b", "c", "d"].map(|token| work.request(token, "0C"));
    let answers = futures_util::future::join_all(
        requests.iter().map(|request| bench.ledger.take_over(&seen, &plan, request)),
    )
    .await;
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>().map_err(told)?;
    let won = answers.iter().zip(&requests).filter(|(answer, _)| **answer == Written::Yes);
    let won: Vec<_> = won.map(|(_, request)| request.token.clone()).collect();
    same("winners", &won, &vec![bench.record(&work).await?.token])
}

async fn take_over_purposes<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let mine = bench.put(&work, "mine", "0B").await?;
    bench.finish(&work, mine, FinishedStatus::Committed).await?;
    for (cycle, token, purpose) in
        [(1, "a", Purpose::AskPerson), (1, "b", Purpose::AskPerson), (2, "c", Purpose::Process)]
    {
        let seen = bench.record(&work).await?;
        let plan = TakeOver { attempt: 1, cycle, sequencer: None, purpose };
        let answer = bench.ledger.take_over(&seen, &plan, &work.request(token, "0C")).await.map_err(told)?;
        same("the answer", &answer, &Written::Yes)?;
        same("the claim", &bench.record(&work).await?, &as_taken_over(&seen, &plan, &work, token))?;
    }
    Ok(())
}

async fn notices_on_record<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let receivers = ["desk".to_owned(), "events".to_owned()];
    let finish = bench.put(&work, "mine", "0B").await?.into_finish(ending(FinishedStatus::Review), NOW);
    let notices = effect::notices(&finish, &receivers);
    same("the first", &bench.ledger.finish(&finish, &notices).await.map_err(told)?, &Written::Yes)?;
    // Another claim asks for the very same notices, as after a wiped claims table.
    let other = bench.work();
    let finish = bench.put(&other, "mine", "0B").await?.into_finish(ending(FinishedStatus::Review), NOW);
    let before = bench.record(&other).await?;
    same("the second", &bench.ledger.finish(&finish, &notices).await.map_err(told)?, &Written::Yes)?;
    same("the claim", &bench.record(&other).await?, &as_finished(&before, &finish))
}

async fn some_notices_on_record<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let (work, other) = (bench.work(), bench.work());
    let finish = bench.put(&work, "mine", "0B").await?.into_finish(ending(FinishedStatus::Review), NOW);
    let notices = effect::notices(&finish, &["desk".to_owned(), "events".to_owned(), "post".to_owned()]);
    same("one", &bench.ledger.finish(&finish, &notices[1..2]).await.map_err(told)?, &Written::Yes)?;
    let finish = bench.put(&other, "mine", "0B").await?.into_finish(ending(FinishedStatus::Review), NOW);
    let before = bench.record(&other).await?;
    same("all three", &bench.ledger.finish(&finish, &notices).await.map_err(told)?, &Written::Yes)?;
    same("the claim", &bench.record(&other).await?, &as_finished(&before, &finish))
}

async fn finish_again<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, receivers: &[String]) -> Found {
    let work = bench.work();
    let finish = bench.put(&work, "mine", "0B").await?.into_finish(ending(FinishedStatus::Review), NOW);
    let notices = effect::notices(&finish, receivers);
    same("the first", &bench.ledger.finish(&finish, &notices).await.map_err(told)?, &Written::Yes)?;
    let standing = bench.read(&work).await?;
    let answer = bench.ledger.finish(&finish, &notices).await.map_err(told)?;
    same("the second carries the own end", &answer, &Written::Refused(standing.clone()))?;
    same("the claim", &bench.read(&work).await?, &standing)
}

async fn release_again<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    let release =
        bench.put(&work, "mine", "0B").await?.into_release("timeout", "late", ReleaseCause::NotFound, NOW);
    let mut standing = None;
    for _ in 0..2 {
        same("a release", &bench.ledger.release(&release).await.map_err(told)?, &Written::Yes)?;
        let now = bench.read(&work).await?;
        same("the claim", &now, &standing.or_else(|| now.clone()))?;
        standing = now;
    }
    let other = bench.work();
    let wait = bench.put(&other, "mine", "0B").await?.into_wait("job".into(), NOW.plus_ms(1));
    for _ in 0..2 {
        same("a wait", &bench.ledger.wait(&wait).await.map_err(told)?, &Written::Yes)?;
        same("the waits", &bench.record(&other).await?.waits.count, &1)?;
    }
    Ok(())
}
