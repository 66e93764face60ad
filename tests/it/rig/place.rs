//! Where a function works: its engines with their tables, its bucket and its queues, and the books that it keeps there.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_s3::config::{Credentials, Region};
use aws_sdk_s3::types::{BucketVersioningStatus, VersioningConfiguration};
use aws_smithy_http_client::Builder;
use lease_ingest::aws::clients::{ClientTimeouts, local_dynamodb};
use lease_ingest::aws::tables::create_missing;
use lease_ingest::config::TableNames;
use lease_ingest::embedded::Embedded;
use lease_ingest::embedded::objects::{FolderObjects, PutReceipt, RemovalKind, Versioning};
use lease_ingest::embedded::queue::notification;
use lease_ingest::identity::{ClaimKey, ContentHash, ETag, ObjectVersion, VersionId};
use lease_ingest::ports::clock::{Clock, SystemClock};
use serde_json::{Value, json};

use super::proxy::Upstreams;
use super::{sqs_record, stores, textract};
use crate::support::ministack::Ministack;
use crate::support::scan;

/// The bucket of every place; it keeps versions.
pub const BUCKET: &str = "leases-in";
/// How long a message stays hidden where the queue is real, in seconds: longer than any test.
const VISIBILITY_S: i32 = 3_600;
/// How many letters are looked for at once.
const LETTERS_MAX: i32 = 10;

/// Rows of one table that speak of one document, each as sorted text.
type Rows = Vec<BTreeMap<String, String>>;

/// Engines of one test.
pub struct Place {
    dynamodb: aws_sdk_dynamodb::Client,
    tables: TableNames,
    upstreams: Upstreams,
    jobs: textract::Jobs,
    stores: Stores,
    /// Keeps the engine running.
    _embedded: Option<Embedded>,
}

enum Stores {
    Folder {
        objects: FolderObjects,
        asked: stores::Asked,
    },
    Ministack {
        s3: aws_sdk_s3::Client,
        sqs: aws_sdk_sqs::Client,
        queue_url: String,
        dead_letter_url: String,
        /// Body and kind of error of each dead letter that was received so far; they stay hidden in the queue.
        letters: tokio::sync::Mutex<Vec<(String, String)>>,
    },
}

/// An object with its event, as the queue delivers it again and again.
#[derive(Debug, Clone)]
pub struct Document {
    /// The version.
    pub version: ObjectVersion,
    /// Its content.
    pub content: ContentHash,
    body: String,
    message_id: String,
    receipt_handle: String,
    received: Arc<AtomicU32>,
}

impl Document {
    /// The next delivery of its event.
    pub fn event(&self) -> Value {
        let received = self.received.fetch_add(1, Ordering::Relaxed) + 1;
        json!({ "Records": [sqs_record(&self.message_id, &self.receipt_handle, received, &self.body)] })
    }
}

/// What the tables hold of one document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Books {
    /// Claims of its key.
    pub claims: Rows,
    /// Commits of its content.
    pub commits: Rows,
    /// Pointers of its key.
    pub documents: Rows,
    /// What is to be told of its content or its claims.
    pub effects: Rows,
}

impl Place {
    /// The embedded engine, and a folder of objects behind a stand-in for S3 and SQS.
    pub async fn embedded() -> Self {
        let embedded = Embedded::memory().await.unwrap();
        let objects = embedded.objects();
        objects.create_bucket(BUCKET, Versioning::On).await.unwrap();
        let (address, asked) = stores::serve(objects.clone()).await;
        let (textract, jobs) = textract::serve().await;
        let dynamodb = embedded.endpoint().trim_start_matches("http://").parse().unwrap();
        Self {
            dynamodb: embedded.dynamodb().clone(),
            tables: embedded.tables().clone(),
            upstreams: Upstreams { dynamodb, s3: address, sqs: address, textract },
            jobs,
            stores: Stores::Folder { objects, asked },
            _embedded: Some(embedded),
        }
    }

    /// Tables, bucket and queues of its own on ministack, all named by `name`.
    pub async fn ministack(ministack: &Ministack, name: &str) -> Self {
        let dynamodb = local_dynamodb(ministack.endpoint(), ClientTimeouts::default());
        let tables = TableNames::with_prefix(&format!("{name}-"));
        create_missing(&dynamodb, &tables).await.unwrap();
        let s3 = aws_sdk_s3::Config::builder()
            .behavior_version_latest()
            .region(Region::from_static("us-east-1"))
            .credentials_provider(Credentials::for_tests())
            .endpoint_url(ministack.endpoint())
            .http_client(Builder::new().build_http())
            .force_path_style(true)
            .build();
        let s3 = aws_sdk_s3::Client::from_conf(s3);
        // Another test may have made it.
        let _ = s3.create_bucket().bucket(BUCKET).send().await;
        let versioned = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
        s3.put_bucket_versioning().bucket(BUCKET).versioning_configuration(versioned).send().await.unwrap();
        let sqs = aws_sdk_sqs::Config::builder()
            .behavior_version_latest()
            .region(Region::from_static("us-east-1"))
            .credentials_provider(Credentials::for_tests())
            .endpoint_url(ministack.endpoint())
            .http_client(Builder::new().build_http())
            .build();
        let sqs = aws_sdk_sqs::Client::from_conf(sqs);
        let mut urls = Vec::new();
        for role in ["ingest", "dead"] {
            let made = sqs.create_queue().queue_name(format!("{name}-{role}")).send().await.unwrap();
            urls.push(made.queue_url.unwrap());
        }
        let address = SocketAddr::from(([127, 0, 0, 1], ministack.port()));
        let (textract, jobs) = textract::serve().await;
        let (queue_url, dead_letter_url) = (urls[0].clone(), urls[1].clone());
        Self {
            dynamodb,
            tables,
            upstreams: Upstreams { dynamodb: address, s3: address, sqs: address, textract },
            jobs,
            stores: Stores::Ministack { s3, sqs, queue_url, dead_letter_url, letters: Default::default() },
            _embedded: None,
        }
    }

    /// The clients and addresses of a place with a real queue: objects, queues, and the URL of each queue.
    pub fn queues(&self) -> Option<(&aws_sdk_s3::Client, &aws_sdk_sqs::Client, &str, &str)> {
        match &self.stores {
            Stores::Folder { .. } => None,
            Stores::Ministack { s3, sqs, queue_url, dead_letter_url, .. } => {
                Some((s3, sqs, queue_url, dead_letter_url))
            }
        }
    }

    /// Where the engines listen.
    pub fn upstreams(&self) -> Upstreams {
        self.upstreams
    }

    /// A client of the tables that no proxy disturbs.
    pub fn dynamodb(&self) -> &aws_sdk_dynamodb::Client {
        &self.dynamodb
    }

    /// Names of the tables.
    pub fn tables(&self) -> &TableNames {
        &self.tables
    }

    /// How many jobs that recognise text were started here.
    pub fn jobs_started(&self) -> usize {
        self.jobs.count()
    }

    /// Settings of a function that works here: short leases, so that what a dead worker held is free soon, and no
    /// limits that a slow machine could meet.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let (queue, dead_letters) = match &self.stores {
            Stores::Folder { .. } => ("http://127.0.0.1/0/ingest", "http://127.0.0.1/0/dead"),
            Stores::Ministack { queue_url, dead_letter_url, .. } => {
                (queue_url.as_str(), dead_letter_url.as_str())
            }
        };
        let fixed = [
            ("LEASE_INGEST_BUCKETS", BUCKET),
            ("LEASE_INGEST_CLAIMS_TABLE", &self.tables.claims),
            ("LEASE_INGEST_COMMITS_TABLE", &self.tables.commits),
            ("LEASE_INGEST_DOCUMENTS_TABLE", &self.tables.documents),
            ("LEASE_INGEST_EFFECTS_TABLE", &self.tables.effects),
            ("LEASE_INGEST_QUEUE_URL", queue),
            ("LEASE_INGEST_DEAD_LETTER_QUEUE_URL", dead_letters),
            ("LEASE_INGEST_EFFECT_RECEIVERS", "desk,events"),
            ("LEASE_INGEST_LEASE_MARGIN_MS", "200"),
            ("LEASE_INGEST_START_MARGIN_MS", "300"),
            ("LEASE_INGEST_RESPONSE_MARGIN_MS", "200"),
            ("LEASE_INGEST_BACKOFF_BASE_MS", "1000"),
            ("LEASE_INGEST_BACKOFF_MAX_MS", "1000"),
            ("LEASE_INGEST_ATTEMPT_LIMIT", "50"),
            ("LEASE_INGEST_WAIT_LIMIT", "0"),
            ("LEASE_INGEST_MAX_RECEIVE_COUNT", "1000"),
            ("LEASE_INGEST_RECOGNISER", "none"),
        ];
        fixed.into_iter().map(|(name, value)| (name, value.to_owned())).collect()
    }

    /// Puts an object; its event is what S3 would send.
    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> Document {
        let content = ContentHash::of(&bytes);
        let receipt = match &self.stores {
            Stores::Folder { objects, .. } => objects.put(BUCKET, key, bytes, BTreeMap::new()).await.unwrap(),
            Stores::Ministack { s3, .. } => {
                let size_bytes = bytes.len() as u64;
                let put = s3.put_object().bucket(BUCKET).key(key).body(bytes.into()).send().await.unwrap();
                let version = ObjectVersion {
                    bucket: BUCKET.to_owned(),
                    key: key.to_owned(),
                    version_id: VersionId::from_optional(put.version_id()),
                    etag: ETag::new(put.e_tag().unwrap()),
                };
                let at = SystemClock.now();
                PutReceipt { version, sequencer: format!("{:020X}", at.0), size_bytes, at }
            }
        };
        self.delivered(receipt.version.clone(), content, notification(&receipt)).await
    }

    /// Removes a document; its event is what S3 would send.
    pub async fn remove(&self, document: &Document) -> Document {
        let key = &document.version.key;
        let receipt = match &self.stores {
            Stores::Folder { objects, .. } => objects.delete(BUCKET, key).await.unwrap().unwrap(),
            Stores::Ministack { s3, .. } => {
                let removed = s3.delete_object().bucket(BUCKET).key(key).send().await.unwrap();
                let version_id = VersionId::from_optional(removed.version_id());
                let at = SystemClock.now();
                lease_ingest::embedded::objects::RemovalReceipt {
                    kind: RemovalKind::MarkerCreated,
                    version: ObjectVersion { version_id, ..document.version.clone() },
                    sequencer: format!("{:020X}", at.0),
                    at,
                }
            }
        };
        self.delivered(document.version.clone(), document.content, notification(&receipt)).await
    }

    /// Has the queue hold a message, where it is a real one, so that its receipt can be spoken of.
    async fn delivered(&self, version: ObjectVersion, content: ContentHash, body: String) -> Document {
        let (mut message_id, mut receipt_handle) = ("message".to_owned(), "receipt".to_owned());
        if let Stores::Ministack { sqs, queue_url, .. } = &self.stores {
            sqs.send_message().queue_url(queue_url).message_body(&body).send().await.unwrap();
            // Which of several messages is received does not matter: only its receipt is used.
            let receive = sqs.receive_message().queue_url(queue_url).visibility_timeout(VISIBILITY_S);
            let message = receive.send().await.unwrap().messages.unwrap_or_default().pop().unwrap();
            (message_id, receipt_handle) = (message.message_id.unwrap(), message.receipt_handle.unwrap());
        }
        Document { version, content, body, message_id, receipt_handle, received: Arc::default() }
    }

    /// The kinds of error that the dead letters with this document's event tell, one a letter.
    pub async fn letters(&self, document: &Document) -> Vec<String> {
        match &self.stores {
            Stores::Folder { asked, .. } => {
                let sent = asked.of("SendMessage").into_iter();
                let own = sent.filter(|letter| letter["MessageBody"] == document.body.as_str());
                own.map(|letter| {
                    let kind = &letter["MessageAttributes"]["LeaseIngestErrorKind"]["StringValue"];
                    kind.as_str().unwrap_or_default().to_owned()
                })
                .collect()
            }
            Stores::Ministack { sqs, dead_letter_url, letters, .. } => {
                let mut letters = letters.lock().await;
                loop {
                    let receive = sqs
                        .receive_message()
                        .queue_url(dead_letter_url)
                        .max_number_of_messages(LETTERS_MAX)
                        .message_attribute_names("All")
                        .visibility_timeout(VISIBILITY_S);
                    let messages = receive.send().await.unwrap().messages.unwrap_or_default();
                    if messages.is_empty() {
                        break;
                    }
                    letters.extend(messages.into_iter().map(|message| {
                        let attributes = message.message_attributes.unwrap_or_default();
                        let kind =
                            attributes.get("LeaseIngestErrorKind").and_then(|kind| kind.string_value());
                        (message.body.unwrap_or_default(), kind.unwrap_or_default().to_owned())
                    }));
                }
                let own = letters.iter().filter(|(body, _)| *body == document.body);
                own.map(|(_, kind)| kind.clone()).collect()
            }
        }
    }

    /// What the tables hold of a document.
    pub async fn books(&self, document: &Document) -> Books {
        let content = document.content.to_string();
        let key = document.version.document_key();
        let claim_prefix = format!("{}@", key.as_str());
        let own = |rows: Rows, keep: &dyn Fn(&BTreeMap<String, String>) -> bool| -> Rows {
            rows.into_iter().filter(|row| keep(row)).collect()
        };
        let claims = scan(&self.dynamodb, &self.tables.claims).await;
        let commits = scan(&self.dynamodb, &self.tables.commits).await;
        let documents = scan(&self.dynamodb, &self.tables.documents).await;
        let effects = scan(&self.dynamodb, &self.tables.effects).await;
        Books {
            claims: own(claims, &|row| row["claim_key"].starts_with(&claim_prefix)),
            commits: own(commits, &|row| row["content_hash"] == content),
            documents: own(documents, &|row| row["document_key"] == key.as_str()),
            effects: own(effects, &|row| {
                row.values().any(|value| value.contains(&content) || value.contains(&claim_prefix))
            }),
        }
    }

    /// Ends the lease of a document's claim for everybody who reads it, as a clock does that is ahead.
    pub async fn end_lease(&self, document: &Document) {
        // A claim that has ended has no lease.
        if !self.books(document).await.claims.iter().any(|claim| claim.contains_key("lease_expires_at")) {
            return;
        }
        let key = ClaimKey::of(&document.version).unwrap();
        let update = self
            .dynamodb
            .update_item()
            .table_name(&self.tables.claims)
            .key("claim_key", AttributeValue::S(key.as_str().to_owned()))
            .key("generation", AttributeValue::N("1".to_owned()))
            .update_expression("SET lease_expires_at = :past")
            .condition_expression("attribute_exists(claim_key)")
            .expression_attribute_values(":past", AttributeValue::N("1".to_owned()));
        update.send().await.unwrap();
    }

    /// Every row of the four tables.
    pub async fn tables_as_they_are(&self) -> [Rows; 4] {
        [
            scan(&self.dynamodb, &self.tables.claims).await,
            scan(&self.dynamodb, &self.tables.commits).await,
            scan(&self.dynamodb, &self.tables.documents).await,
            scan(&self.dynamodb, &self.tables.effects).await,
        ]
    }
}
