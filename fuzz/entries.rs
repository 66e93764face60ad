//! What each fuzz target does with its bytes, and what must hold of what comes out.
//!
//! Only what the crate offers to everybody is used, so that nothing of it is opened for the sake of fuzzing. The
//! project's own tests take this file in and run every seed through these same functions: a target that no longer
//! compiles, or a seed that fails, fails there.

#![allow(clippy::unwrap_used, reason = "a target fails by it, and so does the test that runs its seeds")]

use std::collections::HashMap;
use std::io::Write;

use aws_sdk_dynamodb::types::AttributeValue;
use lease_ingest::aws::item::{self, Item};
use lease_ingest::batch::{Delivery, Slot, Unit, messages, units};
use lease_ingest::claim::{ClaimRecord, ClaimRequest, ClaimState};
use lease_ingest::commit::{CommitRow, RowState};
use lease_ingest::event::{
    Ask, Benign, ENVELOPE_MAX_BYTES, EVENT_TIME_MAX_BYTES, EventPolicy, ObjectEvent, Origin, Record, Request,
    SEQUENCER_MAX_BYTES, Unreadable, parse, synthetic_body, unreadable,
};
use lease_ingest::extract::pictures::{PictureCaps, PictureKind, WantedPages, doubled, pages_of};
use lease_ingest::extract::text::{SourceText, TEXT_MAX_BYTES};
use lease_ingest::extract::{Caps, LeaseExtractor, docx, html, pdf, plain, sniff};
use lease_ingest::identity::{ClaimKey, ContentHash, EpochMs, Generation};
use lease_ingest::lease::{LeaseAbstraction, PASSAGE_MAX_CHARS};
use lease_ingest::pointer::{Pointer, PointerWrite};
use lease_ingest::ports::extractor::Extraction;
use lease_ingest::posting::{Posted, Reason};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::{Value, json};

/// What a target does with its bytes.
pub type Entry = fn(&[u8]);

/// Every target by its name, which is also that of its program and of the folder of its seeds.
pub const ENTRIES: &[(&str, Entry)] = &[
    ("message", message),
    ("key", key),
    ("item", item),
    ("text", text),
    ("html", html),
    ("docx", docx),
    ("pdf", pdf),
    ("json", json_abstraction),
    ("pictures", pictures),
];

/// The bucket whose events are work.
const BUCKET: &str = "leases-in";
/// Most that the sentence about an unreadable message may say, in bytes: it goes into a log.
const DETAIL_MAX_BYTES: usize = 300;
/// Most that may be kept of what was found for a reviewer, in bytes: a claim's item holds it beside an envelope.
const FOUND_MAX_BYTES: usize = 256 * 1024;
/// Most that may be kept of what casts doubt, in bytes.
const DOUBTS_MAX_BYTES: usize = 128 * 1024;
/// Most that is kept beside the running text, in bytes: what the text's builder allows, and a line's end.
const MARGINS_MAX_BYTES: usize = 64 * 1024 + 1;
/// Caps under which a document of a few KiB is read in a moment, whatever it says.
const CAPS: Caps = Caps { document_max_bytes: 1 << 20, pages_max_count: 20, glyphs_max_count: 50_000 };
/// The same for pictures.
const PICTURE_CAPS: PictureCaps =
    PictureCaps { pages_max_count: 4, page_max_pixels: 1 << 20, pictures_max_bytes: 4 << 20 };
/// What stays as it is in a key that S3 puts into a notification; the rest is escaped, and a space is a plus.
const KEPT_IN_KEYS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'/').remove(b'*');

fn policy() -> EventPolicy {
    EventPolicy { buckets: vec![BUCKET.to_owned()], extra_sources: vec!["minio:s3".to_owned()] }
}

/// A Lambda payload, or the body of one message.
pub fn message(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let payload = serde_json::from_str::<Value>(text).ok();
    if let Some(messages) = payload.and_then(|payload| messages(&payload).ok()) {
        let deliveries: Vec<_> =
            messages.into_iter().map(|message| Delivery::read(message, &policy())).collect();
        for delivery in &deliveries {
            assert_ne!(delivery.message.message_id.as_deref(), Some(""), "it would return the whole batch");
            assert!(delivery.message.receive_count >= 1);
            records_hold(&delivery.records);
        }
        units_hold(&deliveries);
    }
    match parse(text, &policy()) {
        Ok(records) => records_hold(&records),
        Err(unreadable) => unreadable_holds(&unreadable),
    }
}

fn is_work(record: &Result<Record, Unreadable>) -> bool {
    matches!(record, Ok(Record::Work(_)))
}

/// Each record with work stands in one unit, and none without work is run by itself.
fn units_hold(deliveries: &[Delivery]) {
    let works_of = |message: usize| {
        let records = deliveries[message].records.iter().enumerate().filter(|(_, record)| is_work(record));
        records.map(move |(record, _)| Slot { message, record })
    };
    let mut placed = Vec::new();
    for unit in units(deliveries) {
        match unit {
            Unit::Shared { represented_by, slots } => {
                assert!(slots.contains(&represented_by));
                placed.extend(slots);
            }
            // Whatever returns a message of a group holds back the rest, so that all of it is there.
            Unit::Group(messages) => placed.extend(messages.into_iter().flat_map(works_of)),
        }
    }
    placed.sort();
    assert_eq!(placed, (0..deliveries.len()).flat_map(works_of).collect::<Vec<_>>());
}

fn records_hold(records: &[Result<Record, Unreadable>]) {
    assert!(!records.is_empty(), "no message is without a record");
    for record in records {
        match record {
            Ok(Record::Work(event)) => event_holds(event),
            Ok(Record::Benign(benign)) => {
                assert!(benign.code().len() <= 64 && benign.code().is_ascii(), "{benign:?}");
            }
            Err(unreadable) => unreadable_holds(unreadable),
        }
    }
}

fn unreadable_holds(unreadable: &Unreadable) {
    assert!(unreadable.detail.len() <= DETAIL_MAX_BYTES && unreadable.detail.is_ascii(), "{unreadable}");
}

/// What every later stage takes for granted of an event.
fn event_holds(event: &ObjectEvent) {
    let version = &event.version;
    assert_eq!(version.bucket, BUCKET);
    assert!(!version.key.is_empty() && !version.key.contains('\0') && !version.is_folder_marker());
    let claim = ClaimKey::of(version).unwrap();
    assert_eq!(ClaimKey::parse(claim.as_str()), Some((claim, version.clone())), "its name says which it is");
    assert_eq!(version.document_key().split(), (BUCKET, version.key.as_str()));
    assert!(event.envelope.len() <= ENVELOPE_MAX_BYTES);
    serde_json::from_str::<Value>(&event.envelope).unwrap();
    if let Some(sequencer) = &event.sequencer {
        assert!(sequencer.as_str().len() <= SEQUENCER_MAX_BYTES);
        assert!(event.origin == Origin::Event && event.request != Request::Restored);
    }
    assert!(event.event_time.as_ref().is_none_or(|time| time.len() <= EVENT_TIME_MAX_BYTES));
    // The reconciler's message about the same version says the same.
    for (ask, request) in [(Ask::Ingest, Request::Created), (Ask::Look, Request::Removed)] {
        let asked = parse(&synthetic_body(version, ask, event.size_bytes), &policy()).unwrap();
        let [Ok(Record::Work(asked))] = asked.as_slice() else { panic!("{asked:?}") };
        assert_eq!((&asked.version, asked.request, asked.origin), (version, request, Origin::Reconciler));
        assert_eq!((&asked.sequencer, asked.size_bytes), (&None, event.size_bytes));
    }
}

/// An object's key: as an uploader may name it, and as a notification may spell it.
pub fn key(bytes: &[u8]) {
    let Ok(key) = std::str::from_utf8(bytes) else { return };
    let encoded = utf8_percent_encode(key, KEPT_IN_KEYS).to_string().replace("%20", "+");
    match only_record(&notified(&encoded)) {
        Ok(Record::Work(event)) => assert_eq!(event.version.key, key),
        Ok(Record::Benign(benign)) => assert!(benign == Benign::FolderMarker && key.ends_with('/')),
        Err(unreadable) if unreadable.kind == unreadable::KEY => {
            assert!(key.is_empty() || key.contains('\0'), "{unreadable}");
        }
        Err(unreadable) => {
            assert!(unreadable.kind == unreadable::CLAIM_KEY && key.len() > 1_500, "{unreadable}");
        }
    }
    // Verbatim, as EventBridge gives it.
    let verbatim = json!({"source": "aws.s3", "detail-type": "Object Created",
        "detail": {"bucket": {"name": BUCKET}, "object": {"key": key}}});
    if let Ok(Record::Work(event)) = only_record(&verbatim) {
        assert_eq!(event.version.key, key);
    }
    // The same text as what a notification spells: escapes only ever become shorter.
    match only_record(&notified(key)) {
        Ok(Record::Work(event)) => {
            event_holds(&event);
            assert!(event.version.key.len() <= key.len());
        }
        Ok(Record::Benign(benign)) => assert_eq!(benign, Benign::FolderMarker),
        Err(unreadable) => unreadable_holds(&unreadable),
    }
}

fn notified(key: &str) -> Value {
    json!({"Records": [{"eventVersion": "2.1", "eventSource": "aws:s3", "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": BUCKET}, "object": {"key": key, "eTag": "e", "versionId": "v"}}}]})
}

fn only_record(body: &Value) -> Result<Record, Unreadable> {
    let mut records = parse(&body.to_string(), &policy())?;
    assert_eq!(records.len(), 1);
    records.remove(0)
}

/// An item of any of the tables, as DynamoDB writes one in JSON: what can be read is written as it was read.
pub fn item(bytes: &[u8]) {
    let Ok(Value::Object(members)) = serde_json::from_slice(bytes) else { return };
    let stored: Option<Item> =
        members.iter().map(|(name, typed)| Some((name.clone(), attribute(typed)?))).collect();
    let Some(stored) = stored else { return };
    item::size_bytes(&stored);
    if let Ok(record) = item::read_claim(&stored) {
        claim_holds(&stored, &record);
    }
    if let Ok(row) = item::read_commit::<LeaseAbstraction>(&stored) {
        commit_holds(&row);
    }
    if let Ok(pointer) = item::read_pointer(&stored) {
        pointer_holds(&pointer);
    }
    // JSON that came out once stays as it is, for ever.
    for value in stored.values().filter_map(item::to_json) {
        let kept = item::to_json(&item::from_json(&value)).unwrap();
        assert_eq!(item::to_json(&item::from_json(&kept)), Some(kept));
    }
}

/// DynamoDB's own JSON of a value, for the kinds that are written here.
fn attribute(typed: &Value) -> Option<AttributeValue> {
    let (kind, value) = typed.as_object().filter(|typed| typed.len() == 1)?.iter().next()?;
    Some(match kind.as_str() {
        "S" => AttributeValue::S(value.as_str()?.to_owned()),
        "N" => AttributeValue::N(value.as_str()?.to_owned()),
        "BOOL" => AttributeValue::Bool(value.as_bool()?),
        "NULL" => AttributeValue::Null(value.as_bool()?),
        "SS" => AttributeValue::Ss(Vec::new()),
        "L" => AttributeValue::L(value.as_array()?.iter().map(attribute).collect::<Option<_>>()?),
        "M" => AttributeValue::M(
            value
                .as_object()?
                .iter()
                .map(|(name, value)| Some((name.clone(), attribute(value)?)))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    })
}

/// A claim that was read: put anew it says the same of what a first attempt says, and its failures are kept.
fn claim_holds(stored: &Item, record: &ClaimRecord) {
    let (key, version) = ClaimKey::parse(record.key.as_str()).unwrap();
    let request = ClaimRequest {
        key,
        version,
        generation: record.generation,
        token: record.token.clone(),
        request: Request::Created,
        origin: Origin::Event,
        sequencer: record.sequencer.clone(),
        event_time: record.event_time.clone(),
        envelope: String::new(),
        redriven_from_cycle: None,
        now: record.claimed_at,
        lease_expires_at: record.claimed_at.plus_ms(1),
        attempt_limit: 5,
    };
    let put = item::read_claim(&item::new_claim(&request)).unwrap();
    assert_eq!(
        put,
        ClaimRecord {
            state: ClaimState::InProgress { lease_expires_at: request.lease_expires_at },
            attempts: 1,
            cycle: 0,
            first_claimed_at: record.claimed_at,
            not_found_since: None,
            failures: Vec::new(),
            envelope: None,
            found: None,
            purpose: put.purpose,
            waits: put.waits.clone(),
            ..record.clone()
        }
    );
    let mut again = stored.clone();
    again.insert(item::name::FAILURES.to_owned(), item::failures(&record.failures));
    if let Some(found) = &record.found {
        again.insert(item::name::FOUND.to_owned(), item::from_json(found));
    }
    let again = item::read_claim(&again).unwrap();
    assert_eq!(again.failures, record.failures);
    assert_eq!((&again.state, &again.token, again.attempts), (&record.state, &record.token, record.attempts));
}

fn commit_holds(row: &CommitRow<LeaseAbstraction>) {
    let written = item::commit(row).unwrap();
    assert_eq!(item::read_commit::<LeaseAbstraction>(&written).as_ref(), Ok(row));
    let known = item::read_known(&written).unwrap();
    assert_eq!((known.filing, known.state), (row.filing(), RowState::Posted));
    assert!(!row.document.faults().is_empty() || item::size_bytes(&written) <= item::ITEM_MAX_BYTES);
}

fn pointer_holds(pointer: &Pointer) {
    let Some(read_revision) = pointer.revision.checked_sub(1) else { return };
    let write = PointerWrite {
        read_revision,
        names: pointer.names.clone(),
        sequencer: pointer.sequencer.clone(),
        order: pointer.order,
        state: pointer.state,
    };
    assert_eq!(item::read_pointer(&item::pointer(&pointer.key, &write)).as_ref(), Ok(pointer));
}

/// Plain text: its lines, and then all the rules that look for values in it.
pub fn text(bytes: &[u8]) {
    let text = plain::read(bytes);
    text_holds(&text);
    let answer = LeaseExtractor::new(CAPS).read(bytes, None);
    answer_holds(&answer);
    if let (sniff::Format::Text, Extraction::Complete(lease)) = (sniff::format_of(bytes), &answer) {
        for piece in &lease.evidence {
            assert!(text.flow().contains(&piece.passage), "{piece:?} stands in the text");
        }
    }
}

/// HTML: what a reader sees of it.
pub fn html(bytes: &[u8]) {
    sniff::format_of(bytes);
    text_holds(&html::read(bytes));
}

/// A Word document: an archive, or the parts of one, each ended by a NUL, so that a change in them is not lost in the
/// packing. The first part is the document; the others are its styles, lists, footnotes and a header.
pub fn docx(bytes: &[u8]) {
    let packed;
    let bytes = if bytes.starts_with(b"PK") {
        bytes
    } else {
        let mut parts = bytes.split(|byte| *byte == 0);
        let document = parts.next().unwrap_or_default();
        let beside: Vec<_> = WORD_PARTS.iter().copied().zip(parts).collect();
        packed = archive_of(&word_files(document, &beside));
        &packed
    };
    sniff::format_of(bytes);
    match docx::read(bytes) {
        Ok(text) => text_holds(&text),
        Err(fault) => reason_holds(&Reason::new(fault.code(), fault.detail())),
    }
}

/// Kinds of parts beside the document of a Word file, by which it finds them.
const WORD_PARTS: &[&str] = &["styles", "numbering", "footnotes", "header"];

/// The files of a Word document: its XML, and the parts beside it by their kinds.
pub fn word_files(document: &[u8], beside: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
    const TYPE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relationships = |lines: &str| {
        format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{lines}</Relationships>"
        )
    };
    let relationship = |kind: &str, target: &str| {
        format!("<Relationship Id=\"{kind}\" Type=\"{TYPE}/{kind}\" Target=\"{target}\"/>")
    };
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default \
        Extension=\"xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"\
        /></Types>";
    let named: String = beside.iter().map(|(kind, _)| relationship(kind, &format!("{kind}.xml"))).collect();
    let file = |name: &str, content: &[u8]| (name.to_owned(), content.to_vec());
    let mut files = vec![
        file("[Content_Types].xml", types.as_bytes()),
        file("_rels/.rels", relationships(&relationship("officeDocument", "word/document.xml")).as_bytes()),
        file("word/_rels/document.xml.rels", relationships(&named).as_bytes()),
        file("word/document.xml", document),
    ];
    files.extend(beside.iter().map(|(kind, part)| file(&format!("word/{kind}.xml"), part)));
    files
}

/// An archive of these files, not packed.
fn archive_of(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, content) in files {
        let (mut entry, config) =
            archive.new_file(name).compression_method(CompressionMethod::STORE).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(content).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// The text layer of a PDF. The interpreter is foreign, and what panics in it is caught and is a damaged file.
pub fn pdf(bytes: &[u8]) {
    sniff::format_of(bytes);
    if let Ok(read) = pdf::read(bytes, &CAPS, &[]) {
        text_holds(&read.text);
        assert!(read.picture_pages.iter().is_sorted() && !read.picture_pages.contains(&0));
        for (range, _) in &read.recognised {
            assert!(range.start <= range.end && range.end <= read.text.flow().len(), "{range:?}");
        }
    }
}

/// An abstraction that was made elsewhere.
pub fn json_abstraction(bytes: &[u8]) {
    for filed_under in [None, Some("P-1")] {
        let answer = lease_ingest::extract::json::read(bytes, filed_under);
        answer_holds(&answer);
        if let (Some(under), Extraction::Complete(lease)) = (filed_under, &answer) {
            assert_eq!(lease.property_id, under);
        }
    }
}

/// Pages as pictures. The decoders are foreign: what holds is what leaves for the recogniser.
pub fn pictures(bytes: &[u8]) {
    let kind = PictureKind::of(bytes).unwrap_or(PictureKind::Pdf);
    let Ok(pages) = pages_of(bytes, kind, &WantedPages::All, &PICTURE_CAPS) else { return };
    assert!(!pages.is_empty() && pages.len() <= PICTURE_CAPS.pages_max_count);
    assert!(pages.iter().map(|page| page.png.len()).sum::<usize>() <= PICTURE_CAPS.pictures_max_bytes);
    for page in &pages {
        assert!(
            (70..=600).contains(&page.dots_per_inch) && page.ink_per_million <= 1_000_000 && page.number > 0
        );
        // What leaves is a picture by the reader's own judgement too.
        let again =
            pages_of(&page.png, PictureKind::Png, &WantedPages::All, &PictureCaps::default()).unwrap();
        assert_eq!(again.len(), 1);
        doubled(page);
    }
}

/// What the rules take for granted of a text.
fn text_holds(text: &SourceText) {
    let (lined, flow) = (text.lined(), text.flow());
    assert!(lined.len() <= TEXT_MAX_BYTES && text.margins().len() <= MARGINS_MAX_BYTES);
    assert_eq!(flow, lined.replace(['\n', '\t'], " "), "the same offsets");
    let is_space = |character: char| matches!(character, '\n' | '\t' | ' ');
    assert!(lined.chars().all(|c| is_space(c) || !(c.is_whitespace() || c.is_control())));
    assert!(!lined.starts_with(is_space) && !lined.ends_with(is_space));
    assert!(!flow.contains("  "), "each run of white space is one byte");
    for (start, line) in text.lines() {
        assert_eq!(&lined[text.line_at(start)], line);
        assert!(text.page_at(start).is_none_or(|page| page > 0));
    }
    assert!(serde_json::to_vec(text.doubts()).unwrap().len() <= DOUBTS_MAX_BYTES);
}

/// What the pipeline takes for granted of an answer.
fn answer_holds(answer: &Extraction<LeaseAbstraction>) {
    // The child writes it and the parent reads it.
    let written = serde_json::to_vec(answer).unwrap();
    assert_eq!(serde_json::from_slice::<Extraction<LeaseAbstraction>>(&written).unwrap(), *answer);
    match answer {
        Extraction::Complete(lease) => {
            assert_eq!(lease.faults(), Vec::new(), "what is complete has no fault");
            assert!(lease.evidence.iter().all(|piece| piece.passage.chars().count() <= PASSAGE_MAX_CHARS));
            let (_, source) = ClaimKey::parse("leases-in/k@v#e").unwrap();
            commit_holds(&CommitRow {
                content_hash: ContentHash::of(&written),
                generation: Generation::FIRST,
                document: lease.clone(),
                source,
                committed_at: EpochMs(1),
                extractor: "fuzz".to_owned(),
            });
        }
        Extraction::Incomplete(incomplete) => {
            reason_holds(&incomplete.reason);
            let found = HashMap::from([("found".to_owned(), item::from_json(&incomplete.found))]);
            assert!(item::size_bytes(&found) <= FOUND_MAX_BYTES);
        }
        Extraction::Unusable(reason) => reason_holds(reason),
        Extraction::Waiting { .. } | Extraction::NotBegun | Extraction::Failed(_) => {
            panic!("reading alone never ends so: {answer:?}")
        }
    }
}

/// A code is counted and logged, so that nothing of a document stands in it.
fn reason_holds(reason: &Reason) {
    let is_code = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    assert!(
        !reason.code.is_empty() && reason.code.len() <= 64 && reason.code.bytes().all(is_code),
        "{reason:?}"
    );
    assert!(reason.detail.len() <= 16 * 1024, "{} bytes", reason.detail.len());
}
