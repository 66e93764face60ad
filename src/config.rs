//! Settings as data. They are read from the environment once, at start, and every value is checked there.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use regex::Regex;
use rust_decimal::Decimal;

use crate::event::EventPolicy;
use crate::identity::Generation;
use crate::posting::Confidence;

/// Name of the group in the property pattern that holds what a document is filed under.
pub const PROPERTY_GROUP: &str = "property";

/// How many receivers can be told. A transaction takes 100 actions, and three of them are the commit's own.
/// Source: `TransactWriteItems`, Amazon DynamoDB API reference.
const RECEIVERS_MAX: usize = 97;

/// How the names of this project's variables begin.
const OWN_PREFIX: &str = "LEASE_INGEST_";
/// How the names of its tests' variables begin.
const TEST_PREFIX: &str = "LEASE_INGEST_TEST_";
/// Names the folder of the stores on this machine, which the function runs on in place of those of AWS. It is no setting
/// of what the function does.
pub const EMBEDDED_DIR: &str = "LEASE_INGEST_EMBEDDED_DIR";

/// The levels that can be logged.
const LOG_LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// One setting: its name, what it is, its unit and its default. The README's table is this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Environment variable.
    pub name: &'static str,
    /// Default as it would be written; `None` means that it must be given.
    pub default: Option<&'static str>,
    /// What it is, with its unit.
    pub meaning: &'static str,
}

macro_rules! settings {
    ($($constant:ident = $name:literal, $default:expr, $meaning:literal;)*) => {
        mod setting {
            $(pub(super) const $constant: &str = $name;)*
        }
        /// Every setting of the `ingest` function.
        pub const SETTINGS: &[Setting] = &[
            $(Setting { name: $name, default: $default, meaning: $meaning },)*
        ];
    };
}

settings! {
    BUCKETS = "LEASE_INGEST_BUCKETS", None, "Buckets whose events are work, separated by commas. Events of any other bucket end in the dead-letter queue.";
    CLAIMS_TABLE = "LEASE_INGEST_CLAIMS_TABLE", None, "Name of the claims table.";
    COMMITS_TABLE = "LEASE_INGEST_COMMITS_TABLE", None, "Name of the commits table.";
    DOCUMENTS_TABLE = "LEASE_INGEST_DOCUMENTS_TABLE", None, "Name of the documents table.";
    EFFECTS_TABLE = "LEASE_INGEST_EFFECTS_TABLE", None, "Name of the effects table.";
    QUEUE_URL = "LEASE_INGEST_QUEUE_URL", None, "URL of the queue that feeds the function.";
    DEAD_LETTER_QUEUE_URL = "LEASE_INGEST_DEAD_LETTER_QUEUE_URL", None, "URL of the dead-letter queue.";
    GENERATION = "LEASE_INGEST_GENERATION", Some("1"), "Processing generation, 1 or more. Raise it when an improved extractor should read documents again.";
    ATTEMPT_LIMIT = "LEASE_INGEST_ATTEMPT_LIMIT", Some("5"), "Attempts at one object version before it is dead-lettered, 1 to 100.";
    WAIT_LIMIT = "LEASE_INGEST_WAIT_LIMIT", Some("6"), "How often one object version may be left waiting for a job that recognises its text, 0 to 100; each wait is twice as long as the one before, and after the last each further one uses an attempt.";
    MAX_RECEIVE_COUNT = "LEASE_INGEST_MAX_RECEIVE_COUNT", Some("30"), "The queue's own maxReceiveCount; at least 2 × (the attempt limit + the wait limit) + 5, since in-flight answers and throttled polls use receives up.";
    CONFIDENCE_THRESHOLD = "LEASE_INGEST_CONFIDENCE_THRESHOLD", Some("0.85"), "Confidence from 0 to 1 under which a document goes to review.";
    PROPERTY_KEY_PATTERN = "LEASE_INGEST_PROPERTY_KEY_PATTERN", Some(""), "Regular expression over the object key whose group `property` is the property id; empty for none. Object metadata `property-id` outranks it.";
    EFFECT_RECEIVERS = "LEASE_INGEST_EFFECT_RECEIVERS", Some("events"), "Names of those who are told of commits, reviews and dead letters, separated by commas; an intent is recorded for each.";
    EVENT_SOURCES = "LEASE_INGEST_EXTRA_EVENT_SOURCES", Some(""), "Event sources accepted beside `aws:s3`, separated by commas, for S3-compatible stores.";
    MAX_OBJECT_BYTES = "LEASE_INGEST_MAX_OBJECT_BYTES", Some("33554432"), "Largest object that is read, in bytes; a larger one goes to review.";
    IN_MEMORY_BYTES = "LEASE_INGEST_IN_MEMORY_BYTES", Some("134217728"), "Sum of the objects in memory at once, in bytes; at least the largest object.";
    CONCURRENCY = "LEASE_INGEST_CONCURRENCY", Some("8"), "Records worked on at once, 1 to 256.";
    LEASE_MARGIN_MS = "LEASE_INGEST_LEASE_MARGIN_MS", Some("30000"), "How long a claim outlives the invocation's deadline, in milliseconds, for clocks that differ.";
    START_MARGIN_MS = "LEASE_INGEST_START_MARGIN_MS", Some("25000"), "Time that must be left before the deadline for a record to be begun, in milliseconds; more than the 20 s that reading a document without pictures may take.";
    RESPONSE_MARGIN_MS = "LEASE_INGEST_RESPONSE_MARGIN_MS", Some("2000"), "How long before the deadline the response is given, in milliseconds, whatever still runs.";
    BACKOFF_BASE_MS = "LEASE_INGEST_BACKOFF_BASE_MS", Some("15000"), "Pause after a first transient failure, in milliseconds; it doubles with each attempt.";
    BACKOFF_MAX_MS = "LEASE_INGEST_BACKOFF_MAX_MS", Some("900000"), "Longest such pause, in milliseconds.";
    CLAIM_RETENTION_S = "LEASE_INGEST_CLAIM_RETENTION_S", Some("0"), "How long finished claims are kept, in seconds; 0 keeps them for ever. Open items and commits are always kept.";
    RECOGNISER = "LEASE_INGEST_RECOGNISER", Some("textract"), "What recognises the text of scans: `textract`, which AWS charges for by the page, or `none`, which sends scans to review.";
    LOG_LEVEL = "LOG_LEVEL", Some("info"), "Least level that is logged: error, warn, info, debug or trace.";
}

/// What the pipeline works by, whatever the adapters.
#[derive(Debug, Clone)]
pub struct IngestSettings {
    /// What may arrive.
    pub policy: EventPolicy,
    /// Processing generation.
    pub generation: Generation,
    /// Attempts in a cycle.
    pub attempt_limit: u32,
    /// Waits for a recogniser's job in a cycle that use no attempt.
    pub wait_limit: u32,
    /// The queue's own limit on receives.
    pub max_receive_count: u32,
    /// Under it, review.
    pub confidence_threshold: Confidence,
    /// Finds what a document is filed under in its key.
    pub property_key_pattern: Option<Regex>,
    /// Who is told.
    pub effect_receivers: Vec<String>,
    /// Largest object, in bytes.
    pub max_object_bytes: u64,
    /// Sum of the objects in memory, in bytes.
    pub in_memory_bytes: u64,
    /// Records at once.
    pub concurrency: usize,
    /// Lease beyond the deadline, in milliseconds.
    pub lease_margin_ms: u64,
    /// Time a record needs to be begun, in milliseconds.
    pub start_margin_ms: u64,
    /// Time kept for the response, in milliseconds.
    pub response_margin_ms: u64,
    /// First pause, in milliseconds.
    pub backoff_base_ms: u64,
    /// Longest pause, in milliseconds.
    pub backoff_max_ms: u64,
}

impl IngestSettings {
    /// The defaults, for these buckets.
    pub fn for_buckets(buckets: &[&str]) -> Self {
        Self::read(Vec::new(), buckets).expect("the defaults are valid")
    }

    /// Reads the settings out of an environment that may name no bucket; then these are meant. Every fault is told.
    pub fn read(
        environment: impl IntoIterator<Item = (String, String)>,
        buckets: &[&str],
    ) -> Result<Self, ConfigError> {
        let mut given: BTreeMap<String, String> = environment.into_iter().collect();
        given.entry(setting::BUCKETS.to_owned()).or_insert_with(|| buckets.join(","));
        Reader::new(given).ingest()
    }
}

/// What the four tables are called in this deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableNames {
    /// The right to process, per object version and generation.
    pub claims: String,
    /// What was posted, per content and generation.
    pub commits: String,
    /// The active pointer, per key.
    pub documents: String,
    /// What is to be done outside the tables.
    pub effects: String,
}

impl TableNames {
    /// The four roles behind a common prefix, such as `lease-ingest-`.
    pub fn with_prefix(prefix: &str) -> Self {
        Self {
            claims: format!("{prefix}claims"),
            commits: format!("{prefix}commits"),
            documents: format!("{prefix}documents"),
            effects: format!("{prefix}effects"),
        }
    }
}

/// The process's environment, as far as it is text: a variable that is not is none of this project's.
pub fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// Settings of the deployed function.
#[derive(Debug, Clone)]
pub struct FunctionSettings {
    /// What the pipeline works by.
    pub ingest: IngestSettings,
    /// The tables.
    pub tables: TableNames,
    /// The queue.
    pub queue_url: String,
    /// The dead-letter queue.
    pub dead_letter_queue_url: String,
    /// How long finished claims are kept, in seconds.
    pub claim_retention_s: Option<u64>,
    /// What recognises the text of scans.
    pub recogniser: RecogniserChoice,
    /// Least level that is logged.
    pub log_level: String,
}

/// What recognises the text of scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecogniserChoice {
    /// Amazon Textract.
    Textract,
    /// Nothing: scans go to review.
    None,
}

/// All that is wrong with the settings, one fault a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Each names the variable, what is wrong, and what would be right.
    pub faults: Vec<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the settings are not usable: {}", self.faults.join("; "))
    }
}

impl std::error::Error for ConfigError {}

impl FunctionSettings {
    /// Reads the settings out of an environment. Every fault is told, not only the first.
    pub fn read(environment: impl IntoIterator<Item = (String, String)>) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(environment.into_iter().collect());
        let tables = TableNames {
            claims: reader.text(setting::CLAIMS_TABLE),
            commits: reader.text(setting::COMMITS_TABLE),
            documents: reader.text(setting::DOCUMENTS_TABLE),
            effects: reader.text(setting::EFFECTS_TABLE),
        };
        let queue_url = reader.text(setting::QUEUE_URL);
        let dead_letter_queue_url = reader.text(setting::DEAD_LETTER_QUEUE_URL);
        let retention_s = reader.number(setting::CLAIM_RETENTION_S, 0, u64::MAX / 2);
        let recogniser = reader.recogniser();
        let log_level = reader.log_level();
        let ingest = reader.ingest()?;
        Ok(Self {
            ingest,
            tables,
            queue_url,
            dead_letter_queue_url,
            claim_retention_s: (retention_s > 0).then_some(retention_s),
            recogniser,
            log_level,
        })
    }
}

/// What is wrong with an expression, in one line, and at which character where the parser points at one.
fn fault_of(error: &regex::Error) -> String {
    let told = error.to_string();
    let problem = told.lines().last().unwrap_or_default().trim_start_matches("error: ");
    // The parser prints the expression behind four spaces, and below it a mark at the place.
    // Of one that takes up several lines it prints their numbers too, and the place is not told.
    let mark = told
        .lines()
        .filter(|_| !told.contains("\n1:"))
        .find(|line| line.contains('^') && line.trim_matches([' ', '^']).is_empty());
    match mark.and_then(|line| line.find('^')?.checked_sub(3)) {
        Some(character) => format!("{problem}, at character {character}"),
        None => problem.to_owned(),
    }
}

struct Reader {
    given: BTreeMap<String, String>,
    faults: Vec<String>,
}

/// The least confidence that is not under a threshold. Confidences are cut to thousandths, so what is finer in a
/// threshold counts upwards: cutting it too would let pass what it forbids.
fn least_confidence(threshold: Decimal) -> Confidence {
    const THOUSAND: Decimal = Decimal::ONE_THOUSAND;
    Confidence::from_decimal((threshold * THOUSAND).ceil() / THOUSAND).unwrap_or(Confidence::ONE)
}

/// The level that is logged, for a program that needs no other setting.
pub fn log_level(environment: impl IntoIterator<Item = (String, String)>) -> Result<String, ConfigError> {
    let mut reader = Reader::new(environment.into_iter().collect());
    let level = reader.log_level();
    if reader.faults.is_empty() { Ok(level) } else { Err(ConfigError { faults: reader.faults }) }
}

impl Reader {
    fn recogniser(&mut self) -> RecogniserChoice {
        match self.text(setting::RECOGNISER).as_str() {
            "textract" => RecogniserChoice::Textract,
            "none" => RecogniserChoice::None,
            other => {
                self.fault(setting::RECOGNISER, format!("is `{other}`, it must be textract or none"));
                RecogniserChoice::None
            }
        }
    }

    fn log_level(&mut self) -> String {
        let level = self.text(setting::LOG_LEVEL).to_ascii_lowercase();
        if !LOG_LEVELS.contains(&level.as_str()) {
            let problem = format!("is `{level}`, it must be one of {}", LOG_LEVELS.join(", "));
            self.fault(setting::LOG_LEVEL, problem);
        }
        level
    }

    fn new(given: BTreeMap<String, String>) -> Self {
        Self { given, faults: Vec::new() }
    }

    fn fault(&mut self, name: &str, problem: impl fmt::Display) {
        self.faults.push(format!("{name} {problem}"));
    }

    fn raw(&mut self, name: &str) -> Option<String> {
        let given =
            self.given.get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let default =
            SETTINGS.iter().find(|setting| setting.name == name).and_then(|setting| setting.default);
        given.or_else(|| default.map(str::to_owned))
    }

    fn text(&mut self, name: &str) -> String {
        match self.raw(name) {
            Some(value) => value,
            None => {
                self.fault(name, "must be set");
                String::new()
            }
        }
    }

    fn list(&mut self, name: &str) -> Vec<String> {
        let raw = self.text(name);
        // Each name once: two intents for one receiver would be one item twice, which no transaction takes.
        let mut names: Vec<String> = Vec::new();
        for part in raw.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            if !names.iter().any(|name| name == part) {
                names.push(part.to_owned());
            }
        }
        names
    }

    fn parsed<T: FromStr + PartialOrd + fmt::Display + Copy>(&mut self, name: &str, least: T, most: T) -> T {
        let raw = self.text(name);
        match raw.parse() {
            Ok(value) if value >= least && value <= most => value,
            _ => {
                self.fault(name, format!("is `{raw}`, it must be a number from {least} to {most}"));
                least
            }
        }
    }

    fn number(&mut self, name: &str, least: u64, most: u64) -> u64 {
        self.parsed(name, least, most)
    }

    /// Notes variables that look like settings and are none: a misspelt one would leave its default in force.
    fn refuse_unknown(&mut self) {
        let is_known = |name: &str| {
            !name.starts_with(OWN_PREFIX)
                || name.starts_with(TEST_PREFIX)
                || name == EMBEDDED_DIR
                || SETTINGS.iter().any(|setting| setting.name == name)
        };
        let unknown: Vec<String> = self.given.keys().filter(|name| !is_known(name)).cloned().collect();
        for name in unknown {
            self.fault(&name, "is no setting; the README lists them");
        }
    }

    fn ingest(mut self) -> Result<IngestSettings, ConfigError> {
        self.refuse_unknown();
        const DAY_MS: u64 = 24 * 60 * 60 * 1000;
        // Lambda ends an invocation after a quarter of an hour: a longer margin would begin nothing, ever.
        const INVOCATION_MAX_MS: u64 = 15 * 60 * 1000;
        // A message can stay hidden for twelve hours counted from its receipt; the invocation's own time comes off that.
        const HIDE_MAX_MS: u64 = DAY_MS / 2 - INVOCATION_MAX_MS;
        let buckets = self.list(setting::BUCKETS);
        if buckets.is_empty() && !self.faults.iter().any(|fault| fault.starts_with(setting::BUCKETS)) {
            self.fault(setting::BUCKETS, "names no bucket");
        }
        let extra_sources = self.list(setting::EVENT_SOURCES);
        let generation = self.parsed(setting::GENERATION, 1u32, u32::MAX);
        let attempt_limit = self.parsed(setting::ATTEMPT_LIMIT, 1u32, 100);
        let max_receive_count = self.parsed(setting::MAX_RECEIVE_COUNT, 1u32, 1000);
        let wait_limit = self.parsed(setting::WAIT_LIMIT, 0u32, 100);
        let receives_needed = 2 * (attempt_limit + wait_limit) + 5;
        if max_receive_count < receives_needed {
            self.fault(
                setting::MAX_RECEIVE_COUNT,
                format!(
                    "is {max_receive_count}, with {attempt_limit} attempts and {wait_limit} waits it must be at least \
                     {receives_needed}"
                ),
            );
        }
        let threshold = self.parsed(setting::CONFIDENCE_THRESHOLD, Decimal::ZERO, Decimal::ONE);
        let property_key_pattern = self.pattern();
        let effect_receivers = self.list(setting::EFFECT_RECEIVERS);
        if effect_receivers.len() > RECEIVERS_MAX {
            let count = effect_receivers.len();
            self.fault(setting::EFFECT_RECEIVERS, format!("names {count}, at most {RECEIVERS_MAX} are told"));
        }
        let max_object_bytes = self.number(setting::MAX_OBJECT_BYTES, 1, 1 << 32);
        let in_memory_bytes = self.number(setting::IN_MEMORY_BYTES, 1, 1 << 34);
        if in_memory_bytes < max_object_bytes {
            self.fault(setting::IN_MEMORY_BYTES, "must be at least the largest object");
        }
        let concurrency = self.parsed(setting::CONCURRENCY, 1usize, 256);
        let lease_margin_ms = self.number(setting::LEASE_MARGIN_MS, 0, DAY_MS);
        let start_margin_ms = self.number(setting::START_MARGIN_MS, 0, INVOCATION_MAX_MS / 2);
        let response_margin_ms = self.number(setting::RESPONSE_MARGIN_MS, 0, INVOCATION_MAX_MS / 2);
        if self.faults.is_empty() && start_margin_ms < response_margin_ms {
            // A record would be claimed and cut off at once, which costs an attempt and a lease each time.
            self.fault(setting::START_MARGIN_MS, "must be at least the time kept for the response");
        }
        let backoff_base_ms = self.number(setting::BACKOFF_BASE_MS, 0, HIDE_MAX_MS);
        let backoff_max_ms = self.number(setting::BACKOFF_MAX_MS, 0, HIDE_MAX_MS);
        if self.faults.is_empty() && backoff_max_ms < backoff_base_ms {
            self.fault(setting::BACKOFF_MAX_MS, "must be at least the first pause");
        }
        if !self.faults.is_empty() {
            return Err(ConfigError { faults: self.faults });
        }
        Ok(IngestSettings {
            policy: EventPolicy { buckets, extra_sources },
            generation: Generation::new(generation).unwrap_or(Generation::FIRST),
            attempt_limit,
            wait_limit,
            max_receive_count,
            confidence_threshold: least_confidence(threshold),
            property_key_pattern,
            effect_receivers,
            max_object_bytes,
            in_memory_bytes,
            concurrency,
            lease_margin_ms,
            start_margin_ms,
            response_margin_ms,
            backoff_base_ms,
            backoff_max_ms,
        })
    }

    fn pattern(&mut self) -> Option<Regex> {
        let raw = self.text(setting::PROPERTY_KEY_PATTERN);
        if raw.is_empty() {
            return None;
        }
        match Regex::new(&raw) {
            Ok(pattern) if pattern.capture_names().flatten().any(|name| name == PROPERTY_GROUP) => {
                Some(pattern)
            }
            Ok(_) => {
                let problem = format!(
                    "is `{}`, it must have a group `{PROPERTY_GROUP}`, such as `^(?<{PROPERTY_GROUP}>[^/]+)/`",
                    raw.escape_debug()
                );
                self.fault(setting::PROPERTY_KEY_PATTERN, problem);
                None
            }
            Err(error) => {
                let problem = format!(
                    "is `{}`, which is no regular expression: {}",
                    raw.escape_debug(),
                    fault_of(&error)
                );
                self.fault(setting::PROPERTY_KEY_PATTERN, problem);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(changes: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut given: BTreeMap<String, String> = SETTINGS
            .iter()
            .filter(|setting| setting.default.is_none())
            .map(|setting| (setting.name.to_owned(), format!("x-{}", setting.name.to_lowercase())))
            .collect();
        given.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        given.into_iter().collect()
    }

    #[test]
    fn the_required_ones_are_enough() {
        let read = FunctionSettings::read(environment(&[])).unwrap();
        assert_eq!(read.ingest.generation, Generation::FIRST);
        assert_eq!(read.ingest.confidence_threshold, Confidence::percent(85));
        assert_eq!(read.claim_retention_s, None);
        assert!(read.ingest.property_key_pattern.is_none());
        assert_eq!(read.ingest.effect_receivers, ["events"]);
    }

    #[test]
    fn every_fault_names_its_variable() {
        let many = (0..=RECEIVERS_MAX).map(|number| format!("r{number}")).collect::<Vec<_>>().join(",");
        let table = [
            ("LEASE_INGEST_BUCKETS", " , "),
            ("LEASE_INGEST_BUCKETS", ""),
            ("LEASE_INGEST_CLAIMS_TABLE", ""),
            ("LEASE_INGEST_QUEUE_URL", " "),
            ("LEASE_INGEST_RECOGNISER", "Textract"),
            ("LEASE_INGEST_WAIT_LIMIT", "101"),
            ("LEASE_INGEST_GENERATION", "0"),
            ("LEASE_INGEST_GENERATION", "two"),
            ("LEASE_INGEST_ATTEMPT_LIMIT", "0"),
            ("LEASE_INGEST_MAX_RECEIVE_COUNT", "14"),
            ("LEASE_INGEST_CONFIDENCE_THRESHOLD", "1.01"),
            ("LEASE_INGEST_CONFIDENCE_THRESHOLD", "85%"),
            ("LEASE_INGEST_PROPERTY_KEY_PATTERN", "("),
            ("LEASE_INGEST_PROPERTY_KEY_PATTERN", "^([^/]+)/"),
            ("LEASE_INGEST_EFFECT_RECEIVERS", many.as_str()),
            ("LEASE_INGEST_IN_MEMORY_BYTES", "1000"),
            ("LEASE_INGEST_CONCURRENCY", "0"),
            ("LEASE_INGEST_CONCURRENCY", "-1"),
            ("LEASE_INGEST_LEASE_MARGIN_MS", "1.5"),
            ("LEASE_INGEST_START_MARGIN_MS", "1999"),
            ("LEASE_INGEST_START_MARGIN_MS", "450001"),
            ("LEASE_INGEST_BACKOFF_MAX_MS", "99999999999"),
            ("LEASE_INGEST_BACKOFF_MAX_MS", "14999"),
            ("LOG_LEVEL", "loud"),
            ("LEASE_INGEST_TRESHOLD", "0.9"),
        ];
        for (name, value) in table {
            let error = FunctionSettings::read(environment(&[(name, value)])).unwrap_err();
            assert_eq!(error.faults.len(), 1, "{name}={value}: {error}");
            assert!(error.faults[0].starts_with(name), "{name}={value}: {error}");
        }
        let all = FunctionSettings::read(Vec::new()).unwrap_err();
        let required = SETTINGS.iter().filter(|setting| setting.default.is_none()).count();
        assert_eq!(all.faults.len(), required, "{all}");
    }

    #[test]
    fn what_is_no_setting_is_not_refused() {
        for name in [EMBEDDED_DIR, "LEASE_INGEST_TEST_SCHEDULES", "LEASES", "PATH"] {
            assert!(FunctionSettings::read(environment(&[(name, "x")])).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_pattern_that_cannot_be_meant_is_told_with_its_place() {
        let table = [
            ("(", "is `(`, which is no regular expression: unclosed group, at character 1"),
            ("^a/[z-a]", "is `^a/[z-a]`, which is no regular expression: invalid character class range"),
            ("a{99999}{99999}", "is `a{99999}{99999}`, which is no regular expression: "),
            ("a\n(", "is `a\\n(`, which is no regular expression: unclosed group"),
            ("^([^/]+)/", "is `^([^/]+)/`, it must have a group `property`"),
        ];
        for (pattern, expected) in table {
            let name = "LEASE_INGEST_PROPERTY_KEY_PATTERN";
            let error = FunctionSettings::read(environment(&[(name, pattern)])).unwrap_err();
            assert!(error.faults[0].starts_with(&format!("{name} {expected}")), "{error}");
            assert!(!error.faults[0].contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_threshold_finer_than_a_confidence_counts_upwards() {
        for (written, permille) in [("0.85", 850), ("0.8501", 851), ("0.9999", 1000), ("0", 0), ("1.0", 1000)]
        {
            let read = FunctionSettings::read(environment(&[("LEASE_INGEST_CONFIDENCE_THRESHOLD", written)]))
                .unwrap();
            assert_eq!(read.ingest.confidence_threshold, Confidence::permille(permille), "{written}");
        }
    }

    #[test]
    fn the_pattern_finds_its_group() {
        let pattern = r"^properties/(?<property>[^/]+)/";
        let read =
            FunctionSettings::read(environment(&[("LEASE_INGEST_PROPERTY_KEY_PATTERN", pattern)])).unwrap();
        let found = read.ingest.property_key_pattern.unwrap();
        assert_eq!(&found.captures("properties/P-7/lease.pdf").unwrap()[PROPERTY_GROUP], "P-7");
    }
}
