//! Documents and what becomes of them: each with its settings, its set-up, and what the books must say in the end.

use std::collections::BTreeMap;
use std::io::Cursor;

use crate::support::sample;
use lease_ingest::ports::clock::{Clock, SystemClock};
use tiff::encoder::TiffEncoder;
use tiff::encoder::colortype::Gray8;

use super::place::{Books, Document, Place};
use super::proxy::{Deed, Planned, When};
use super::textract::JOB_PAGES;
use super::{Setup, Told, Worker};

/// Width and height of a page of a scan, in pixels: what it says, the recogniser's stand-in knows.
const PAGE_SIDE_PX: u32 = 200;
/// What an undisturbed invocation is given, in milliseconds.
const ALLOWED_MS: u64 = 16_000;
/// Deliveries after which a message must have been acknowledged.
const DELIVERIES_MAX: u32 = 200;
/// Pause between two deliveries, in milliseconds.
const PAUSE_MS: u64 = 200;

/// What the document is, and what becomes of it in the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scenario {
    /// A lease that nobody has posted.
    New,
    /// The bytes of a lease that is posted, under another name.
    SameBytes,
    /// A lease that cannot be fetched at first.
    DeniedAtFirst,
    /// A lease that can never be fetched, with one attempt.
    Denied,
    /// A lease that a person must look at.
    Review,
    /// Bytes that are no document.
    Unusable,
    /// The removal of a lease that is posted.
    Removal,
    /// A scan whose text a job recognises, for which the message waits.
    LongScan,
}

/// A sample with a line that makes its bytes its own.
fn own_copy(name: &str, of: &str) -> Vec<u8> {
    let mut bytes = sample(name);
    bytes.extend(format!("\nReference: {of}\n").bytes());
    bytes
}

impl Scenario {
    /// Puts the document, or does to it what its event tells of, under keys below `name`.
    pub async fn document(self, place: &Place, name: &str) -> Result<Document, String> {
        let bytes = self.bytes(name);
        let document = place.put(&format!("{name}/lease.txt"), bytes.clone()).await;
        if !matches!(self, Self::Removal | Self::SameBytes) {
            return Ok(document);
        }
        deliver(&mut Worker::start(place, &self.setup().undisturbed()).await, &document).await?;
        if self == Self::Removal {
            return Ok(place.remove(&document).await);
        }
        Ok(place.put(&format!("{name}/copy.txt"), bytes).await)
    }

    /// Holds the books to what they must say once the message is acknowledged; one more delivery changes nothing.
    pub async fn is_over(
        self,
        place: &Place,
        worker: &mut Worker,
        document: &Document,
    ) -> Result<(), String> {
        let (books, letters) = (place.books(document).await, place.letters(document).await);
        let faults = self.faults(document, &books, &letters);
        if !faults.is_empty() {
            return Err(format!("{faults:?} in {books:#?} with {letters:?}"));
        }
        deliver(worker, document).await?;
        if place.books(document).await != books || place.letters(document).await != letters {
            return Err("one more delivery changes the books".into());
        }
        Ok(())
    }

    /// Its bytes; those of each name are its own.
    pub fn bytes(self, of: &str) -> Vec<u8> {
        match self {
            Self::Review => own_copy("quarry-road-clinic.txt", of),
            Self::Unusable => own_copy("damaged-scan.pdf", of),
            Self::LongScan => {
                let mut scan = Cursor::new(Vec::new());
                let mut pages = TiffEncoder::new(&mut scan).unwrap();
                for _ in 0..JOB_PAGES {
                    let white = vec![u8::MAX; (PAGE_SIDE_PX * PAGE_SIDE_PX) as usize];
                    pages.write_image::<Gray8>(PAGE_SIDE_PX, PAGE_SIDE_PX, &white).unwrap();
                }
                let mut scan = scan.into_inner();
                scan.extend(of.bytes());
                scan
            }
            _ => own_copy("harbor-point-suite-210.txt", of),
        }
    }

    /// How a worker meets it.
    pub fn setup(self) -> Setup {
        let attempts = |limit: &str| vec![("LEASE_INGEST_ATTEMPT_LIMIT", limit.to_owned())];
        let denied = Deed::Answer(403, "AccessDenied");
        let planned = match self {
            Self::DeniedAtFirst => vec![Planned::first("get object", When::Before, denied)],
            Self::Denied => vec![Planned::every("get object", When::Before, denied)],
            _ => Vec::new(),
        };
        let settings = match self {
            Self::Denied => attempts("1"),
            Self::LongScan => vec![
                ("LEASE_INGEST_RECOGNISER", "textract".to_owned()),
                ("LEASE_INGEST_WAIT_LIMIT", "6".to_owned()),
            ],
            _ => Vec::new(),
        };
        Setup { settings, planned, ..Setup::default() }
    }

    /// What is wrong with the books in the end.
    fn faults(self, document: &Document, books: &Books, letters: &[String]) -> Vec<String> {
        let status = match self {
            Self::New | Self::DeniedAtFirst | Self::Removal | Self::LongScan => "committed",
            Self::SameBytes => "duplicate_content",
            Self::Denied => "dead_lettered",
            Self::Review => "review",
            Self::Unusable => "rejected",
        };
        let posted = matches!(
            self,
            Self::New | Self::DeniedAtFirst | Self::SameBytes | Self::Removal | Self::LongScan
        );
        let operation = match self {
            Self::Denied => "dead_lettered",
            Self::Review => "review_asked",
            _ => "posted",
        };
        let mut faults = Vec::new();
        let mut check = |what: &str, holds: bool| {
            if !holds {
                faults.push(what.to_owned());
            }
        };
        check("one claim", books.claims.len() == 1);
        check("it has ended as it should", books.claims.iter().all(|claim| claim["status"] == status));
        check("no lease is left", books.claims.iter().all(|claim| !claim.contains_key("lease_expires_at")));
        check("one commit, if any", books.commits.len() == usize::from(posted));
        check("one pointer, if any", books.documents.len() == usize::from(posted));
        let state = if self == Self::Removal { "removed" } else { "active" };
        check("the pointer's state", books.documents.iter().all(|pointer| pointer["state"] == state));
        let names = |pointer: &BTreeMap<String, String>| {
            pointer["content_hash"] == document.content.to_string()
                && pointer["version_id"] == document.version.version_id.as_str()
        };
        check("the pointer names the version", books.documents.iter().all(names));
        let mut told: Vec<_> = books
            .effects
            .iter()
            .map(|effect| (effect["operation"].as_str(), effect["receiver"].as_str()))
            .collect();
        told.sort_unstable();
        let expected = [(operation, "desk"), (operation, "events")];
        check("one intent a receiver", told == if self == Self::Unusable { &[][..] } else { &expected[..] });
        check("a dead letter, if any", letters.is_empty() == (self != Self::Denied));
        let job_ids: Vec<_> = books.claims.iter().filter_map(|claim| claim.get("job_id")).collect();
        check("the claim names its job, if any", job_ids.len() == usize::from(self == Self::LongScan));
        faults
    }
}

/// Delivers until the message is acknowledged.
pub async fn deliver(worker: &mut Worker, document: &Document) -> Result<u32, String> {
    for delivery in 1..=DELIVERIES_MAX {
        match worker.invoke(document, ALLOWED_MS).await {
            Told::Answered { returned: false, .. } => return Ok(delivery),
            Told::Answered { returned: true, .. } => SystemClock.sleep_ms(PAUSE_MS).await,
            other => return Err(format!("{other:?}: {:#?}", worker.lines())),
        }
    }
    Err(format!("it is never acknowledged: {:#?}", worker.lines()))
}
