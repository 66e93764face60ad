//! The active pointer of a key: which content is current. It moves only forward.
//!
//! Where both sides carry a sequencer, one condition orders them and no request is spent. Everywhere else the
//! store is asked what is current, and the answer is written only if the pointer is still the one that was read:
//! comparing a sequencer with a pointer that has none would move it backwards.

use crate::fetch::Current;
use crate::identity::{ContentHash, DocumentKey, ETag, Generation, ObjectVersion, Sequencer, VersionId};

/// What a pointer names: one version, its content, and how that content is filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The version.
    pub version_id: VersionId,
    /// Its entity tag.
    pub etag: ETag,
    /// Its content.
    pub content_hash: ContentHash,
    /// The generation that read it.
    pub generation: Generation,
    /// How the content is filed.
    pub filing: Filing,
}

/// The two parts of the index by what a document is filed under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filing {
    /// First part (a property).
    pub under: String,
    /// Second part (a date).
    pub order: String,
}

/// How a pointer came by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Set by a record with a sequencer, that one stored.
    Ordered,
    /// Set by what the store said was current; the last known sequencer is kept as a floor.
    Listed,
}

/// Whether there is something to point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerState {
    /// The key has a current version.
    Active,
    /// It has none; `names` is what it last named, if anything.
    Removed,
}

/// A pointer as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The key.
    pub key: DocumentKey,
    /// What it names.
    pub names: Option<Named>,
    /// The sequencer it stands at, or the floor.
    pub sequencer: Option<Sequencer>,
    /// How it came by its place.
    pub order: Order,
    /// Whether there is something to point at.
    pub state: PointerState,
    /// Raised by one at each change, from 1.
    pub revision: u64,
}

impl Pointer {
    /// Whether this is an active pointer that names this version.
    fn is_active_on(&self, version_id: &VersionId, etag: &ETag) -> bool {
        self.state == PointerState::Active
            && self
                .names
                .as_ref()
                .is_some_and(|names| same_version((&names.version_id, &names.etag), (version_id, etag)))
    }
}

/// Whether two names mean one version. The null version is told apart by its tag; without one nothing is known.
fn same_version(left: (&VersionId, &ETag), right: (&VersionId, &ETag)) -> bool {
    left.0 == right.0 && (!left.0.is_null() || (left.1 == right.1 && !left.1.is_empty()))
}

/// A change of a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PointerMove {
    /// Both sides ordered: moves if there is no pointer yet, or it is ordered and stands at an earlier sequencer,
    /// or at the same one in an earlier generation. Nothing is read before.
    InOrder {
        /// What to name.
        names: Named,
        /// The record's sequencer.
        sequencer: Sequencer,
    },
    /// The store was asked: moves if the pointer is still the one that was read.
    AsAsked(PointerWrite),
}

impl PointerMove {
    /// Files the named content as the content already posted is filed.
    pub fn refile(&mut self, filing: &Filing) {
        match self {
            Self::InOrder { names, .. } => names.filing = filing.clone(),
            Self::AsAsked(write) => {
                if let Some(names) = &mut write.names {
                    names.filing = filing.clone();
                }
            }
        }
    }
}

/// A whole pointer to write, conditional on the revision that was read. The stored revision becomes one more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointerWrite {
    /// Revision read; 0 when there was no pointer.
    pub read_revision: u64,
    /// What it names.
    pub names: Option<Named>,
    /// The sequencer it stands at, or the floor.
    pub sequencer: Option<Sequencer>,
    /// How it came by its place.
    pub order: Order,
    /// Whether there is something to point at.
    pub state: PointerState,
}

/// What a refused or impossible ordered move means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A newer version (or this one, in this or a later generation) is active: the record is historical.
    Historical,
    /// Sequencers cannot tell: ask the store.
    AskStore,
}

/// Reads the pointer that refused an ordered move to `names`.
///
/// The pointer may stand later than the version it names: a removal that left this version current has raised its
/// sequencer. A later generation of that same version is then refused, and only the store can tell.
pub fn read_refusal(existing: Option<&Pointer>, names: &Named) -> Refusal {
    match existing {
        Some(pointer) if pointer.order == Order::Ordered && pointer.sequencer.is_some() => {
            let read_before = pointer.is_active_on(&names.version_id, &names.etag)
                && pointer.names.as_ref().is_some_and(|named| named.generation < names.generation);
            if read_before { Refusal::AskStore } else { Refusal::Historical }
        }
        _ => Refusal::AskStore,
    }
}

/// Decides with the store's answer whether a record moves the pointer; `None` means it is historical, or named already.
///
/// A version that is active stays so when a later generation reads it, whatever the store says is current: a newer
/// version that was rejected, or is not read yet, has not taken its place. The same record would move the pointer in
/// order, and both ways have to agree.
pub fn decide_asked(
    pointer: Option<&Pointer>,
    names: Named,
    sequencer: Option<&Sequencer>,
    current: &Current,
) -> Option<PointerWrite> {
    let active = pointer.filter(|pointer| pointer.is_active_on(&names.version_id, &names.etag));
    let read_in = active.and_then(|pointer| pointer.names.as_ref()).map(|named| named.generation);
    let moves = match read_in {
        Some(generation) => generation < names.generation,
        None => matches!(current, Current::Version { version, .. }
            if same_version((&version.version_id, &version.etag), (&names.version_id, &names.etag))),
    };
    if !moves {
        return None;
    }
    let floor = pointer.and_then(|pointer| pointer.sequencer.as_ref());
    // A record that moves the pointer and is not earlier than the floor gives it an order again.
    let in_order = sequencer.is_some() && sequencer >= floor;
    let order = match active {
        _ if in_order => Order::Ordered,
        Some(pointer) => pointer.order,
        None => Order::Listed,
    };
    Some(PointerWrite {
        read_revision: pointer.map_or(0, |pointer| pointer.revision),
        sequencer: if in_order { sequencer.cloned() } else { floor.cloned() },
        names: Some(names),
        order,
        state: PointerState::Active,
    })
}

/// The write that leaves a pointer where it is, for a record whose version it names already.
///
/// The null version can be put again with the bytes that are named. Whoever asked the store before that upload would
/// still find the revision that it read, and move the pointer to what is not current any more; under a new revision it
/// must ask again. `None` where [`decide_asked`] has the word, or where a version can be put only once.
pub fn renew(
    pointer: Option<&Pointer>,
    names: &Named,
    sequencer: Option<&Sequencer>,
    current: &Current,
) -> Option<PointerWrite> {
    let pointer = pointer.filter(|pointer| pointer.is_active_on(&names.version_id, &names.etag))?;
    let Current::Version { version, .. } = current else { return None };
    if !names.version_id.is_null()
        || !same_version((&version.version_id, &version.etag), (&names.version_id, &names.etag))
    {
        return None;
    }
    let floor = pointer.sequencer.as_ref();
    let in_order = sequencer.is_some() && sequencer >= floor;
    Some(PointerWrite {
        read_revision: pointer.revision,
        names: pointer.names.clone(),
        sequencer: if in_order { sequencer.cloned() } else { floor.cloned() },
        order: if in_order { Order::Ordered } else { pointer.order },
        state: PointerState::Active,
    })
}

/// What a removal (or a look at a key) does once the store has said what is current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalPlan {
    /// The pointer to write first.
    pub write: Option<PointerWrite>,
    /// The version that is current and not named yet: it is handled like a record from the reconciler.
    pub then_ingest: Option<(ObjectVersion, Option<u64>)>,
}

/// Decides a removal. Its sequencer is kept as a floor either way, so that a late create cannot revive what was removed.
/// One without a sequencer raises nothing but the revision, and always that: whoever asked the store before it must ask
/// again.
pub fn decide_removal(
    pointer: Option<&Pointer>,
    sequencer: Option<&Sequencer>,
    current: &Current,
) -> RemovalPlan {
    let floor = pointer.and_then(|pointer| pointer.sequencer.as_ref());
    let later = sequencer.is_some() && sequencer > floor;
    let has_no_order = sequencer.is_none();
    let sequencer = if later { sequencer.cloned() } else { floor.cloned() };
    let read_revision = pointer.map_or(0, |pointer| pointer.revision);
    let names = pointer.and_then(|pointer| pointer.names.clone());
    match current {
        Current::Nothing => {
            let removed_already = pointer.is_some_and(|pointer| pointer.state == PointerState::Removed);
            let nothing_to_say = removed_already && !later && !has_no_order;
            let write = (!nothing_to_say).then_some(PointerWrite {
                read_revision,
                names,
                sequencer,
                order: match pointer {
                    _ if later => Order::Ordered,
                    Some(pointer) if removed_already => pointer.order,
                    _ => Order::Listed,
                },
                state: PointerState::Removed,
            });
            RemovalPlan { write, then_ingest: None }
        }
        Current::Version { version, size_bytes } => {
            let named =
                pointer.is_some_and(|pointer| pointer.is_active_on(&version.version_id, &version.etag));
            // A pointer that is listed already, at a sequencer that is not earlier, says all there is to say.
            let listed = pointer.is_some_and(|pointer| pointer.order == Order::Listed);
            let write = (later || has_no_order || !(named || listed)).then(|| PointerWrite {
                read_revision,
                names,
                sequencer,
                order: match pointer {
                    Some(pointer) if named => pointer.order,
                    _ => Order::Listed,
                },
                state: pointer.map_or(PointerState::Removed, |pointer| pointer.state),
            });
            RemovalPlan { write, then_ingest: (!named).then(|| (version.clone(), *size_bytes)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(version_id: &str, etag: &str, generation: u32) -> Named {
        Named {
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new(etag),
            content_hash: ContentHash::of(version_id.as_bytes()),
            generation: Generation::new(generation).unwrap(),
            filing: Filing { under: "P".into(), order: "2026-01-01".into() },
        }
    }

    fn pointer(names: Option<Named>, sequencer: &str, order: Order, state: PointerState) -> Pointer {
        Pointer {
            key: DocumentKey::new("b", "k"),
            names,
            sequencer: Sequencer::new(sequencer),
            order,
            state,
            revision: 4,
        }
    }

    fn current(version_id: &str, etag: &str) -> Current {
        let version = ObjectVersion {
            bucket: "b".into(),
            key: "k".into(),
            version_id: VersionId::from_optional(Some(version_id)),
            etag: ETag::new(etag),
        };
        Current::Version { version, size_bytes: Some(1) }
    }

    #[test]
    fn a_refused_ordered_move_is_historical_only_where_sequencers_can_tell() {
        use Order::{Listed, Ordered};
        let active =
            |sequencer, order| pointer(Some(named("V1", "e", 1)), sequencer, order, PointerState::Active);
        let removed = pointer(Some(named("V1", "e", 1)), "0B", Ordered, PointerState::Removed);
        let table = [
            (Some(active("0B", Ordered)), named("V0", "e", 1), Refusal::Historical),
            (Some(active("0B", Ordered)), named("V1", "e", 1), Refusal::Historical),
            (Some(active("0B", Ordered)), named("V0", "e", 2), Refusal::Historical),
            // The floor was raised over the version it names, which a later generation reads again.
            (Some(active("0B", Ordered)), named("V1", "e", 2), Refusal::AskStore),
            (Some(removed), named("V1", "e", 2), Refusal::Historical),
            (Some(active("0B", Listed)), named("V0", "e", 1), Refusal::AskStore),
            (Some(active("", Listed)), named("V0", "e", 1), Refusal::AskStore),
            (Some(active("", Ordered)), named("V0", "e", 1), Refusal::AskStore),
            (None, named("V0", "e", 1), Refusal::AskStore),
        ];
        for (existing, names, expected) in table {
            assert_eq!(read_refusal(existing.as_ref(), &names), expected, "{existing:?} {names:?}");
        }
    }

    #[test]
    fn the_store_decides_where_sequencers_cannot() {
        use Order::{Listed, Ordered};
        use PointerState::{Active, Removed};
        // name, pointer, record's version and tag, record's generation, record's sequencer, current, expected (sequencer, order)
        type Row =
            (&'static str, Option<Pointer>, Named, &'static str, Current, Option<(&'static str, Order)>);
        let on = |version: &str, generation, sequencer, order, state| {
            Some(pointer(Some(named(version, "e", generation)), sequencer, order, state))
        };
        let table: Vec<Row> = vec![
            ("no pointer, current", None, named("V1", "e", 1), "", current("V1", "e"), Some(("", Listed))),
            (
                "no pointer, current, ordered record",
                None,
                named("V1", "e", 1),
                "0B",
                current("V1", "e"),
                Some(("0B", Ordered)),
            ),
            ("no pointer, another is current", None, named("V1", "e", 1), "", current("V2", "e"), None),
            ("nothing is current", None, named("V1", "e", 1), "", Current::Nothing, None),
            (
                "pointer elsewhere, no sequencer: the floor stays",
                on("V1", 1, "0B", Ordered, Active),
                named("V2", "e", 1),
                "",
                current("V2", "e"),
                Some(("0B", Listed)),
            ),
            (
                "record at the floor gives an order again",
                on("V1", 1, "0B", Listed, Active),
                named("V2", "e", 1),
                "0B",
                current("V2", "e"),
                Some(("0B", Ordered)),
            ),
            (
                "record before the floor moves, but the order stays unknown",
                on("V1", 1, "0B", Listed, Active),
                named("V2", "e", 1),
                "0A",
                current("V2", "e"),
                Some(("0B", Listed)),
            ),
            (
                "named already",
                on("V1", 1, "0B", Ordered, Active),
                named("V1", "e", 1),
                "",
                current("V1", "e"),
                None,
            ),
            (
                "named in a later generation",
                on("V1", 2, "0B", Ordered, Active),
                named("V1", "e", 1),
                "",
                current("V1", "e"),
                None,
            ),
            (
                "named in an earlier generation",
                on("V1", 1, "0B", Ordered, Active),
                named("V1", "e", 2),
                "",
                current("V1", "e"),
                Some(("0B", Ordered)),
            ),
            (
                "a later generation of what is active, another is current",
                on("V1", 1, "0B", Ordered, Active),
                named("V1", "e", 2),
                "",
                current("V2", "e"),
                Some(("0B", Ordered)),
            ),
            (
                "a later generation of what is active and listed, another is current",
                on("V1", 1, "0B", Listed, Active),
                named("V1", "e", 2),
                "0A",
                current("V2", "e"),
                Some(("0B", Listed)),
            ),
            (
                "a later generation of what is active, nothing is current: its removal is still to be told",
                on("V1", 1, "0B", Ordered, Active),
                named("V1", "e", 2),
                "",
                Current::Nothing,
                Some(("0B", Ordered)),
            ),
            (
                "a later generation of what was removed, another is current",
                on("V1", 1, "0B", Ordered, Removed),
                named("V1", "e", 2),
                "",
                current("V2", "e"),
                None,
            ),
            (
                "a later generation of another version than the active one",
                on("V1", 1, "0B", Ordered, Active),
                named("V0", "e", 2),
                "",
                current("V2", "e"),
                None,
            ),
            (
                "removed, the same version is current again",
                on("V1", 1, "0B", Ordered, Removed),
                named("V1", "e", 1),
                "",
                current("V1", "e"),
                Some(("0B", Listed)),
            ),
            ("null, other tag is current", None, named("null", "e", 1), "", current("null", "f"), None),
            ("null, same tag", None, named("null", "e", 1), "", current("null", "e"), Some(("", Listed))),
            ("null, no tag: unknown is not equal", None, named("null", "", 1), "", current("null", ""), None),
        ];
        for (name, existing, names, sequencer, current, expected) in table {
            let sequencer = Sequencer::new(sequencer);
            let write = decide_asked(existing.as_ref(), names.clone(), sequencer.as_ref(), &current);
            let expected = expected.map(|(sequencer, order)| PointerWrite {
                read_revision: if existing.is_some() { 4 } else { 0 },
                names: Some(names),
                sequencer: Sequencer::new(sequencer),
                order,
                state: Active,
            });
            assert_eq!(write, expected, "{name}");
        }
    }

    #[test]
    fn bytes_put_again_under_the_null_version_renew_the_pointer_that_names_them() {
        use Order::{Listed, Ordered};
        use PointerState::{Active, Removed};
        let on = |version: &str, order, state| pointer(Some(named(version, "e", 2)), "0B", order, state);
        let null = || named("null", "e", 1);
        // Pointer, record, record's sequencer, current, expected sequencer and order.
        let table = [
            (on("null", Listed, Active), null(), "", current("null", "e"), Some(("0B", Listed))),
            (on("null", Listed, Active), null(), "0A", current("null", "e"), Some(("0B", Listed))),
            (on("null", Listed, Active), null(), "0C", current("null", "e"), Some(("0C", Ordered))),
            (on("null", Ordered, Active), null(), "", current("null", "e"), Some(("0B", Ordered))),
            (on("null", Listed, Removed), null(), "0C", current("null", "e"), None),
            (on("null", Listed, Active), null(), "0C", current("null", "f"), None),
            (on("null", Listed, Active), null(), "0C", Current::Nothing, None),
            (on("null", Listed, Active), named("null", "f", 1), "0C", current("null", "f"), None),
            (on("V1", Listed, Active), named("V1", "e", 1), "0C", current("V1", "e"), None),
        ];
        for (existing, names, sequencer, current, expected) in table {
            let write = renew(Some(&existing), &names, Sequencer::new(sequencer).as_ref(), &current);
            let expected = expected.map(|(sequencer, order)| PointerWrite {
                read_revision: 4,
                // What a later generation read stays named.
                names: existing.names.clone(),
                sequencer: Sequencer::new(sequencer),
                order,
                state: Active,
            });
            assert_eq!(write, expected, "{existing:?} {names:?} {sequencer}");
        }
        assert_eq!(renew(None, &null(), None, &current("null", "e")), None);
    }

    #[test]
    fn a_removal_asks_what_is_current_and_keeps_its_sequencer_as_a_floor() {
        use Order::{Listed, Ordered};
        use PointerState::{Active, Removed};
        type Written = Option<(&'static str, Order, PointerState)>;
        let on = |version: &str, sequencer, order, state| {
            Some(pointer(Some(named(version, "e", 1)), sequencer, order, state))
        };
        type Row = (&'static str, Option<Pointer>, &'static str, Current, Written, Option<&'static str>);
        let table: Vec<Row> = vec![
            ("gone, no pointer", None, "0B", Current::Nothing, Some(("0B", Ordered, Removed)), None),
            ("gone, no pointer, a look", None, "", Current::Nothing, Some(("", Listed, Removed)), None),
            (
                "gone before, a look",
                on("V1", "0B", Ordered, Removed),
                "",
                Current::Nothing,
                Some(("0B", Ordered, Removed)),
                None,
            ),
            (
                "named still, a look",
                on("V1", "0C", Ordered, Active),
                "",
                current("V1", "e"),
                Some(("0C", Ordered, Active)),
                None,
            ),
            (
                "another revived, a look",
                on("V2", "0C", Listed, Active),
                "",
                current("V1", "e"),
                Some(("0C", Listed, Active)),
                Some("V1"),
            ),
            (
                "gone, later",
                on("V1", "0A", Ordered, Active),
                "0B",
                Current::Nothing,
                Some(("0B", Ordered, Removed)),
                None,
            ),
            (
                "gone, earlier",
                on("V1", "0C", Ordered, Active),
                "0B",
                Current::Nothing,
                Some(("0C", Listed, Removed)),
                None,
            ),
            (
                "gone, a look",
                on("V1", "0C", Ordered, Active),
                "",
                Current::Nothing,
                Some(("0C", Listed, Removed)),
                None,
            ),
            ("gone before", on("V1", "0B", Ordered, Removed), "0B", Current::Nothing, None, None),
            ("named still", on("V1", "0C", Ordered, Active), "0B", current("V1", "e"), None, None),
            (
                "named still, later",
                on("V1", "0A", Ordered, Active),
                "0B",
                current("V1", "e"),
                Some(("0B", Ordered, Active)),
                None,
            ),
            (
                "another revived",
                on("V2", "0A", Ordered, Active),
                "0B",
                current("V1", "e"),
                Some(("0B", Listed, Active)),
                Some("V1"),
            ),
            (
                "another revived, delivered again",
                on("V2", "0B", Listed, Active),
                "0B",
                current("V1", "e"),
                None,
                Some("V1"),
            ),
            (
                "another, no pointer",
                None,
                "0B",
                current("V1", "e"),
                Some(("0B", Listed, Removed)),
                Some("V1"),
            ),
            (
                "revived after removal",
                on("V1", "0A", Ordered, Removed),
                "0B",
                current("V1", "e"),
                Some(("0B", Listed, Removed)),
                Some("V1"),
            ),
        ];
        for (name, existing, sequencer, current, written, ingest) in table {
            let plan = decide_removal(existing.as_ref(), Sequencer::new(sequencer).as_ref(), &current);
            let seen = plan.write.map(|write| (write.sequencer, write.order, write.state));
            assert_eq!(
                seen,
                written.map(|(seq, order, state)| (Sequencer::new(seq), order, state)),
                "{name}"
            );
            let then = plan.then_ingest.map(|(version, _)| version.version_id.as_str().to_owned());
            assert_eq!(then.as_deref(), ingest, "{name}");
        }
    }
}
