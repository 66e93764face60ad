//! Rows about the pointer: the ordered move against every pointer that can stand there, and writes by revision.

use lease_ingest::commit::{CommitPlan, RoundReply};
use lease_ingest::identity::{ETag, Generation, Sequencer};
use lease_ingest::pointer::{Named, Order, Pointer, PointerState, PointerWrite};
use lease_ingest::ports::ledger::{Ledger, Written};

use super::{Bench, ETAG, Found, Rows, Work, applied, same, told, uuid_like};
use crate::support::slip::Slip;

/// The sequencer of the moves.
const SEQUENCER: &str = "0055AED6DCD90281E5";

/// A pointer that stands there before: its sequencer, its order, its state, the generation of what it names, and
/// whether a move in order at [`SEQUENCER`] in generation 2 goes ahead.
const STANDING: [(&str, Order, PointerState, u32, bool); 19] = [
    ("0055AED6DCD90281E4", Order::Ordered, PointerState::Active, 1, true),
    ("0055AED6DCD90281E4", Order::Ordered, PointerState::Active, 3, true),
    ("0055AED6DCD90281E5", Order::Ordered, PointerState::Active, 1, true),
    ("0055AED6DCD90281E5", Order::Ordered, PointerState::Active, 2, false),
    ("0055AED6DCD90281E5", Order::Ordered, PointerState::Active, 3, false),
    ("0055AED6DCD90281E6", Order::Ordered, PointerState::Active, 1, false),
    // Shorter and longer ones are ordered as if the shorter had zeros at its end.
    ("0055AED6DCD9", Order::Ordered, PointerState::Active, 1, true),
    ("0055AED6DCD90281E50", Order::Ordered, PointerState::Active, 1, true),
    ("0055AED6DCD90281E501", Order::Ordered, PointerState::Active, 1, false),
    ("0055AED6DCDA", Order::Ordered, PointerState::Active, 1, false),
    ("1", Order::Ordered, PointerState::Active, 1, false),
    // A removed document is revived by a later upload only.
    ("0055AED6DCD90281E4", Order::Ordered, PointerState::Removed, 1, true),
    ("0055AED6DCD90281E6", Order::Ordered, PointerState::Removed, 1, false),
    // Whatever has no order is not compared.
    ("0055AED6DCD90281E4", Order::Listed, PointerState::Active, 1, false),
    ("0055AED6DCD90281E5", Order::Listed, PointerState::Active, 1, false),
    ("0055AED6DCD90281E4", Order::Listed, PointerState::Removed, 1, false),
    ("", Order::Listed, PointerState::Active, 1, false),
    ("", Order::Ordered, PointerState::Active, 1, false),
    ("", Order::Listed, PointerState::Removed, 1, false),
];

/// Whether a write by revision finds the pointer that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reading {
    NoneAndStillNone,
    NoneAndNowOne,
    OneAndStillThat,
    OneAndNowAnother,
    OneAndNowNone,
}

const READINGS: [Reading; 5] = [
    Reading::NoneAndStillNone,
    Reading::NoneAndNowOne,
    Reading::OneAndStillThat,
    Reading::OneAndNowAnother,
    Reading::OneAndNowNone,
];

pub async fn rows<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Rows {
    let mut rows = Rows::new();
    rows.push(("move in order where no pointer is".into(), move_in_order(bench, None).await));
    for standing in STANDING {
        let (sequencer, order, state, generation, _) = standing;
        let name = format!("move in order past {sequencer:?} {order:?} {state:?} of generation {generation}");
        rows.push((name, move_in_order(bench, Some(standing)).await));
    }
    for reading in READINGS {
        rows.push((format!("write a pointer, read {reading:?}"), write(bench, reading, false).await));
        rows.push((format!("commit with a pointer, read {reading:?}"), write(bench, reading, true).await));
    }
    for (name, names) in [("names nothing", false), ("remembers what it named", true)] {
        rows.push((format!("a removed pointer {name}"), removed(bench, names).await));
    }
    rows.push(("a commit without a pointer leaves it alone".into(), left_alone(bench).await));
    rows
}

fn named(work: &Work, generation: u32) -> Named {
    Named {
        version_id: work.version.version_id.clone(),
        etag: ETag::new(ETAG),
        content_hash: work.content(),
        generation: Generation::new(generation).unwrap(),
        filing: work.row().filing(),
    }
}

fn as_written(work: &Work, write: &PointerWrite) -> Pointer {
    Pointer {
        key: work.version.document_key(),
        names: write.names.clone(),
        sequencer: write.sequencer.clone(),
        order: write.order,
        state: write.state,
        revision: write.read_revision + 1,
    }
}

impl<L: Ledger<Document = Slip>> Bench<'_, L> {
    async fn pointer(&self, work: &Work) -> Result<Option<Pointer>, String> {
        self.ledger.read_pointer(&work.version.document_key()).await.map_err(told)
    }

    async fn write(&self, work: &Work, write: &PointerWrite) -> Result<Written<()>, String> {
        self.ledger.write_pointer(&work.version.document_key(), write).await.map_err(told)
    }
}

async fn move_in_order<L: Ledger<Document = Slip>>(
    bench: &Bench<'_, L>,
    standing: Option<(&str, Order, PointerState, u32, bool)>,
) -> Found {
    let work = bench.work();
    let mut moves = true;
    if let Some((sequencer, order, state, generation, goes_ahead)) = standing {
        let write = PointerWrite {
            read_revision: 0,
            names: Some(named(&work.sibling("v0"), generation)),
            sequencer: Sequencer::new(sequencer),
            order,
            state,
        };
        same("the set-up", &bench.write(&work, &write).await?, &Written::Yes)?;
        same("the pointer", &bench.pointer(&work).await?, &Some(as_written(&work, &write)))?;
        moves = goes_ahead;
    }
    let before = bench.pointer(&work).await?;
    let mut request = work.request("mine", SEQUENCER);
    request.generation = Generation::new(2).unwrap();
    let answer = bench.ledger.put_claim(&request).await.map_err(told)?;
    let claim = answer.put(request).ok_or("the claim is another's")?;
    let row = lease_ingest::commit::CommitRow { generation: Generation::new(2).unwrap(), ..work.row() };
    let mut plan = CommitPlan::new(claim, row, None, Vec::new(), uuid_like(&work.version.key));
    let _ = plan.order_pointer(&ETag::new(ETAG));
    match bench.ledger.commit(&plan).await.map_err(told)? {
        RoundReply::Applied if moves => {
            let expected = Pointer {
                key: work.version.document_key(),
                names: Some(named(&work, 2)),
                sequencer: Sequencer::new(SEQUENCER),
                order: Order::Ordered,
                state: PointerState::Active,
                revision: before.map_or(1, |pointer| pointer.revision + 1),
            };
            same("the pointer", &bench.pointer(&work).await?, &Some(expected))
        }
        RoundReply::Cancelled(cancelled) if !moves => {
            same("the reason", &cancelled.pointer, &Some(before.clone().map(Box::new)))?;
            same("other reasons", &(cancelled.known, cancelled.claim), &(None, None))?;
            same("the pointer", &bench.pointer(&work).await?, &before)
        }
        other => Err(format!("it was answered with {other:?}")),
    }
}

async fn write<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, reading: Reading, in_commit: bool) -> Found {
    let work = bench.work();
    let stand = |read_revision| PointerWrite {
        read_revision,
        names: Some(named(&work.sibling("v0"), 1)),
        sequencer: Sequencer::new("0A"),
        order: Order::Ordered,
        state: PointerState::Active,
    };
    let writes = match reading {
        Reading::NoneAndStillNone | Reading::OneAndNowNone => 0,
        Reading::NoneAndNowOne | Reading::OneAndStillThat => 1,
        Reading::OneAndNowAnother => 2,
    };
    for revision in 0..writes {
        same("the set-up", &bench.write(&work, &stand(revision)).await?, &Written::Yes)?;
    }
    let before = bench.pointer(&work).await?;
    let write = PointerWrite {
        read_revision: u64::from(!matches!(reading, Reading::NoneAndStillNone | Reading::NoneAndNowOne)),
        names: Some(named(&work, 1)),
        sequencer: Sequencer::new("09"),
        order: Order::Listed,
        state: PointerState::Active,
    };
    let goes_ahead = matches!(reading, Reading::NoneAndStillNone | Reading::OneAndStillThat);
    let after = if goes_ahead { Some(as_written(&work, &write)) } else { before.clone() };
    if in_commit {
        let mut plan = work.plan(bench.put(&work, "mine", "09").await?);
        plan.set_pointer(Some(write));
        match bench.ledger.commit(&plan).await.map_err(told)? {
            RoundReply::Applied => same("applied", &true, &goes_ahead)?,
            RoundReply::Cancelled(cancelled) => {
                same("applied", &false, &goes_ahead)?;
                same("the reason", &cancelled.pointer, &Some(before.map(Box::new)))?;
            }
        }
    } else {
        let answer = bench.write(&work, &write).await?;
        same("the answer", &answer, &if goes_ahead { Written::Yes } else { Written::Refused(()) })?;
        // Written again, as after a lost reply, it finds a newer revision.
        same("the answer to a repeat", &bench.write(&work, &write).await?, &Written::Refused(()))?;
    }
    same("the pointer", &bench.pointer(&work).await?, &after)
}

async fn removed<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>, names: bool) -> Found {
    let work = bench.work();
    for (read_revision, state) in
        [PointerState::Removed, PointerState::Active, PointerState::Removed].iter().enumerate()
    {
        let names = (names || *state == PointerState::Active).then(|| named(&work, 1));
        let write = PointerWrite {
            read_revision: read_revision as u64,
            names,
            sequencer: (read_revision > 0).then(|| Sequencer::new("0B")).flatten(),
            order: Order::Listed,
            state: *state,
        };
        same("the answer", &bench.write(&work, &write).await?, &Written::Yes)?;
        same("the pointer", &bench.pointer(&work).await?, &Some(as_written(&work, &write)))?;
    }
    Ok(())
}

async fn left_alone<L: Ledger<Document = Slip>>(bench: &Bench<'_, L>) -> Found {
    let work = bench.work();
    bench.post(&work.sibling("v0"), "other", "0B").await?;
    let before = bench.pointer(&work).await?;
    let plan = work.plan(bench.put(&work, "mine", "0C").await?);
    applied(&bench.ledger.commit(&plan).await.map_err(told)?)?;
    same("the pointer", &bench.pointer(&work).await?, &before)
}
