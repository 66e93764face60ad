//! Names and keys of the four tables, in one place. `template.yaml` declares the same for a deployment.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType, TableDescription, TableStatus, TimeToLiveSpecification,
    TimeToLiveStatus,
};

use crate::aws::error_code;
use crate::config::TableNames;
use crate::ports::clock::{Clock, SystemClock};

/// How often a new table is asked whether it is ready.
const READY_POLLS_MAX: u32 = 150;
/// Pause between two such questions, in milliseconds.
const READY_PAUSE_MS: u64 = 200;

/// Each table's name with its keys.
pub fn schemas(names: &TableNames) -> [(&str, &'static TableSchema); 4] {
    [
        (&names.claims, &CLAIMS),
        (&names.commits, &COMMITS),
        (&names.documents, &DOCUMENTS),
        (&names.effects, &EFFECTS),
    ]
}

/// Type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// `S`.
    Text,
    /// `N`.
    Number,
}

/// An attribute that is part of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: KeyKind,
}

impl KeyAttribute {
    const fn text(name: &'static str) -> Self {
        Self { name, kind: KeyKind::Text }
    }

    const fn number(name: &'static str) -> Self {
        Self { name, kind: KeyKind::Number }
    }

    fn definition(self) -> AttributeDefinition {
        let kind = match self.kind {
            KeyKind::Text => ScalarAttributeType::S,
            KeyKind::Number => ScalarAttributeType::N,
        };
        AttributeDefinition::builder()
            .attribute_name(self.name)
            .attribute_type(kind)
            .build()
            .expect("name and type are given")
    }

    fn element(self, role: KeyType) -> KeySchemaElement {
        KeySchemaElement::builder()
            .attribute_name(self.name)
            .key_type(role)
            .build()
            .expect("name and role are given")
    }
}

/// A secondary index. It is sparse: an item without its attributes is not in it. All attributes are projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexSchema {
    /// Its name.
    pub name: &'static str,
    /// Partition key.
    pub partition: KeyAttribute,
    /// Sort key.
    pub sort: KeyAttribute,
}

/// Keys of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSchema {
    /// What the table is for; names it in errors.
    pub role: &'static str,
    /// Partition key.
    pub partition: KeyAttribute,
    /// Sort key.
    pub sort: Option<KeyAttribute>,
    /// Secondary index.
    pub index: Option<IndexSchema>,
    /// Attribute with the epoch second after which an item may vanish.
    pub expires: Option<&'static str>,
}

/// Claims. `open_items` holds only what waits for a person (review and dead-lettered).
pub const CLAIMS: TableSchema = TableSchema {
    role: "claims",
    partition: KeyAttribute::text("claim_key"),
    sort: Some(KeyAttribute::number("generation")),
    index: Some(IndexSchema {
        name: "open_items",
        partition: KeyAttribute::text("open_kind"),
        sort: KeyAttribute::number("opened_at"),
    }),
    expires: Some("expires_at"),
};

/// Commits: never updated, never expired.
pub const COMMITS: TableSchema = TableSchema {
    role: "commits",
    partition: KeyAttribute::text("content_hash"),
    sort: Some(KeyAttribute::number("generation")),
    index: None,
    expires: None,
};

/// Documents. `by_property` is what a downstream ledger reads.
pub const DOCUMENTS: TableSchema = TableSchema {
    role: "documents",
    partition: KeyAttribute::text("document_key"),
    sort: None,
    index: Some(IndexSchema {
        name: "by_property",
        partition: KeyAttribute::text("filed_under"),
        sort: KeyAttribute::text("filing_order"),
    }),
    expires: None,
};

/// Effects. `unsent` holds only what is not sent yet.
pub const EFFECTS: TableSchema = TableSchema {
    role: "effects",
    partition: KeyAttribute::text("effect_id"),
    sort: None,
    index: Some(IndexSchema {
        name: "unsent",
        partition: KeyAttribute::text("unsent_kind"),
        sort: KeyAttribute::number("recorded_at"),
    }),
    expires: None,
};

impl TableSchema {
    /// Each key attribute once, in the order of first use.
    fn definitions(&self) -> Vec<AttributeDefinition> {
        let index = self.index.iter().flat_map(|index| [index.partition, index.sort]);
        std::iter::once(self.partition).chain(self.sort).chain(index).map(KeyAttribute::definition).collect()
    }

    fn key_schema(&self) -> Vec<KeySchemaElement> {
        let sort = self.sort.map(|sort| sort.element(KeyType::Range));
        std::iter::once(self.partition.element(KeyType::Hash)).chain(sort).collect()
    }

    fn secondary_index(&self) -> Option<GlobalSecondaryIndex> {
        self.index.map(|index| {
            GlobalSecondaryIndex::builder()
                .index_name(index.name)
                .set_key_schema(Some(index.key_schema()))
                .projection(Projection::builder().projection_type(ProjectionType::All).build())
                .build()
                .expect("name, keys and projection are given")
        })
    }

    /// Whether an existing table has these keys and at least this index.
    fn fits(&self, table: &TableDescription) -> bool {
        let types_fit =
            self.definitions().iter().all(|wanted| table.attribute_definitions().contains(wanted));
        let index_fits = self.index.is_none_or(|index| {
            table.global_secondary_indexes().iter().any(|found| {
                found.index_name() == Some(index.name) && found.key_schema() == index.key_schema()
            })
        });
        table.key_schema() == self.key_schema() && types_fit && index_fits
    }
}

impl IndexSchema {
    fn key_schema(&self) -> Vec<KeySchemaElement> {
        vec![self.partition.element(KeyType::Hash), self.sort.element(KeyType::Range)]
    }
}

/// Why the tables are not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TablesError {
    /// A table of this name exists with other keys.
    #[error("the {role} table exists with other keys than this version needs")]
    KeysDiffer {
        /// Which of the four.
        role: &'static str,
    },
    /// A table did not become ready.
    #[error("the {role} table is not ready")]
    NotReady {
        /// Which of the four.
        role: &'static str,
    },
    /// The store did not answer, or refused.
    #[error("the {role} table could not be read or created ({kind})")]
    Store {
        /// Which of the four.
        role: &'static str,
        /// Code of the error.
        kind: String,
    },
}

/// Creates what is missing of the four tables and waits until all are usable. Run again, or by two processes at
/// once, it changes nothing. For the embedded engine and for tests: a deployment's tables come from its template.
pub async fn create_missing(client: &Client, names: &TableNames) -> Result<(), TablesError> {
    for (name, schema) in schemas(names) {
        create_one(client, name, schema).await?;
        if let Some(attribute) = schema.expires {
            expire(client, name, schema, attribute).await?;
        }
    }
    Ok(())
}

async fn create_one(client: &Client, name: &str, schema: &TableSchema) -> Result<(), TablesError> {
    let mut found = describe(client, name, schema).await?;
    if found.is_none() {
        let created = client
            .create_table()
            .table_name(name)
            .billing_mode(BillingMode::PayPerRequest)
            .set_attribute_definitions(Some(schema.definitions()))
            .set_key_schema(Some(schema.key_schema()))
            .set_global_secondary_indexes(schema.secondary_index().map(|index| vec![index]))
            .send()
            .await;
        // Whatever the answer was, the table is looked at again: another process may have created it between the
        // look and the call, and a call whose answer was lost may have worked.
        found = describe(client, name, schema).await?;
        if let (None, Err(error)) = (&found, created) {
            return Err(TablesError::Store { role: schema.role, kind: error_code(&error) });
        }
    }
    for _ in 0..READY_POLLS_MAX {
        match found {
            Some(table) if is_active(&table) => {
                let fits = schema.fits(&table);
                return fits.then_some(()).ok_or(TablesError::KeysDiffer { role: schema.role });
            }
            _ => SystemClock.sleep_ms(READY_PAUSE_MS).await,
        }
        found = describe(client, name, schema).await?;
    }
    Err(TablesError::NotReady { role: schema.role })
}

/// Switches expiry on, unless it is. A call that another process was faster with is refused by DynamoDB, so what
/// counts is how the table is afterwards.
async fn expire(
    client: &Client,
    name: &str,
    schema: &TableSchema,
    attribute: &str,
) -> Result<(), TablesError> {
    if expires_by(client, name, schema).await?.as_deref() == Some(attribute) {
        return Ok(());
    }
    let wanted = TimeToLiveSpecification::builder().attribute_name(attribute).enabled(true).build();
    let wanted = wanted.expect("attribute and state are given");
    let switched =
        client.update_time_to_live().table_name(name).time_to_live_specification(wanted).send().await;
    let Err(error) = switched else { return Ok(()) };
    match expires_by(client, name, schema).await?.as_deref() {
        Some(found) if found == attribute => Ok(()),
        _ => Err(TablesError::Store { role: schema.role, kind: error_code(&error) }),
    }
}

/// The attribute by which items of a table expire, `None` when they do not.
async fn expires_by(
    client: &Client,
    name: &str,
    schema: &TableSchema,
) -> Result<Option<String>, TablesError> {
    let answer = client.describe_time_to_live().table_name(name).send().await;
    let answer =
        answer.map_err(|error| TablesError::Store { role: schema.role, kind: error_code(&error) })?;
    let on = [TimeToLiveStatus::Enabled, TimeToLiveStatus::Enabling];
    let described = answer
        .time_to_live_description
        .filter(|described| described.time_to_live_status().is_some_and(|status| on.contains(status)));
    Ok(described.and_then(|described| described.attribute_name))
}

fn is_active(table: &TableDescription) -> bool {
    table.table_status() == Some(&TableStatus::Active)
}

/// The table as it is, or `None` when there is none.
async fn describe(
    client: &Client,
    name: &str,
    schema: &TableSchema,
) -> Result<Option<TableDescription>, TablesError> {
    match client.describe_table().table_name(name).send().await {
        Ok(answer) => Ok(answer.table),
        Err(SdkError::ServiceError(context)) if context.err().is_resource_not_found_exception() => Ok(None),
        Err(error) => Err(TablesError::Store { role: schema.role, kind: error_code(&error) }),
    }
}
