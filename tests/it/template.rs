//! The template says what the code needs: ratios, response type, keys of the tables, names of variables, permissions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use lease_ingest::aws::tables::{CLAIMS, COMMITS, DOCUMENTS, EFFECTS, KeyAttribute, KeyKind, TableSchema};
use lease_ingest::config::SETTINGS;
use lease_ingest::handler::BatchFigures;
use lease_ingest::identity::EpochMs;
use lease_ingest::isolation::Limits;
use lease_ingest::telemetry::metrics_line;
use saphyr::{LoadableYamlNode, ScalarOwned, YamlOwned};
use serde_json::{Map, Value, json};

use crate::queue_rules::{judge, receives_needed};

/// What the role allows beside the calls of the code: Lambda writes the log, and polls the queue in its name.
/// Source: "Configuring execution role permissions" for Amazon SQS, AWS Lambda developer guide.
const ACTIONS_OF_LAMBDA: [(&str, &str); 5] = [
    ("logs:CreateLogStream", "IngestLogGroup.Arn"),
    ("logs:PutLogEvents", "IngestLogGroup.Arn"),
    ("sqs:DeleteMessage", "IngestQueue.Arn"),
    ("sqs:GetQueueAttributes", "IngestQueue.Arn"),
    ("sqs:ReceiveMessage", "IngestQueue.Arn"),
];

/// What the function needs beside its children, the objects and their answers, in MiB.
const OWN_MEMORY_MB: u64 = 128;
const MIB: u64 = 1024 * 1024;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn template() -> Value {
    let documents = YamlOwned::load_from_str(&read("template.yaml")).expect("template.yaml is YAML");
    assert_eq!(documents.len(), 1, "one document");
    to_json(&documents[0])
}

/// YAML as JSON, with CloudFormation's short tags in their long form: `!Ref X` is `{"Ref": "X"}`.
fn to_json(node: &YamlOwned) -> Value {
    match node {
        YamlOwned::Value(ScalarOwned::Null) => Value::Null,
        YamlOwned::Value(ScalarOwned::Boolean(value)) => json!(value),
        YamlOwned::Value(ScalarOwned::Integer(value)) => json!(value),
        YamlOwned::Value(ScalarOwned::FloatingPoint(value)) => json!(value.0),
        YamlOwned::Value(ScalarOwned::String(value)) => json!(value),
        YamlOwned::Representation(text, _, tag) => match tag {
            Some(tag) => long_form(&tag.suffix, json!(text)),
            None => json!(text),
        },
        YamlOwned::Sequence(nodes) => nodes.iter().map(to_json).collect(),
        YamlOwned::Mapping(members) => {
            members.iter().map(|(name, value)| (to_text(name), to_json(value))).collect()
        }
        YamlOwned::Tagged(tag, inner) => long_form(&tag.suffix, to_json(inner)),
        YamlOwned::Alias(_) | YamlOwned::BadValue => panic!("template.yaml holds an alias or a bad value"),
    }
}

fn to_text(node: &YamlOwned) -> String {
    match to_json(node) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn long_form(function: &str, argument: Value) -> Value {
    match (function, argument) {
        ("Ref" | "Condition", argument) => json!({ function: argument }),
        ("GetAtt", Value::String(path)) => {
            let (resource, attribute) = path.split_once('.').expect("a resource and an attribute");
            json!({ "Fn::GetAtt": [resource, attribute] })
        }
        (function, argument) => json!({ format!("Fn::{function}"): argument }),
    }
}

/// What a condition chooses when it holds.
fn chosen<'a>(value: &'a Value, condition: &str) -> &'a Value {
    let choice = &value["Fn::If"];
    assert_eq!(choice[0], json!(condition), "{value}");
    assert_eq!(choice[2], json!({ "Ref": "AWS::NoValue" }), "{value}");
    &choice[1]
}

/// Statements of a policy, each with the condition that it depends on.
fn statements(policy: &Value) -> Vec<(Option<&str>, &Value)> {
    let statements = policy["Statement"].as_array().expect("a list");
    statements
        .iter()
        .map(|statement| match statement["Fn::If"][0].as_str() {
            Some(condition) => (Some(condition), chosen(statement, condition)),
            None => (None, statement),
        })
        .collect()
}

fn properties<'a>(template: &'a Value, resource: &str) -> &'a Value {
    &template["Resources"][resource]["Properties"]
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("expected a whole number, found {value}"))
}

fn attribute(resource: &str, attribute: &str) -> Value {
    json!({ "Fn::GetAtt": [resource, attribute] })
}

fn strings(value: &Value) -> BTreeSet<String> {
    let one = |value: &Value| value.as_str().expect("text").to_owned();
    match value {
        Value::Array(values) => values.iter().map(one).collect(),
        value => BTreeSet::from([one(value)]),
    }
}

/// Rows of a mapping, as numbers.
fn rows(template: &Value, mapping: &str, column: &str) -> BTreeMap<u64, u64> {
    let rows = template["Mappings"][mapping].as_object().expect("a mapping");
    rows.iter().map(|(row, cells)| (row.parse().expect("a number"), number(&cells[column]))).collect()
}

fn allowed(template: &Value, parameter: &str) -> BTreeSet<u64> {
    template["Parameters"][parameter]["AllowedValues"]
        .as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect()
}

#[test]
fn every_parameter_has_a_default_and_a_use() {
    let template = template();
    let parameters = template["Parameters"].as_object().expect("parameters");
    let body = json!([template["Conditions"], template["Resources"], template["Outputs"]]).to_string();
    for (name, parameter) in parameters {
        assert!(parameter.get("Default").is_some(), "{name} has no default");
        let used =
            body.contains(&json!({ "Ref": name }).to_string()) || body.contains(&format!("${{{name}}}"));
        assert!(used, "{name} is not used");
    }
}

#[test]
fn visibility_outlasts_six_invocations_and_the_window() {
    let template = template();
    let window_s = number(&template["Parameters"]["BatchingWindowSeconds"]["MaxValue"]);
    let rows = rows(&template, "ByFunctionTimeout", "VisibilityTimeoutSeconds");
    assert_eq!(rows.keys().copied().collect::<BTreeSet<_>>(), allowed(&template, "FunctionTimeoutSeconds"));
    for (timeout_s, visibility_s) in rows {
        let settings = json!({
            "function_timeout_s": timeout_s,
            "visibility_timeout_s": visibility_s,
            "batching_window_s": window_s,
            "filter": properties(&template, "IngestFunction")["Events"]["Queue"]["Properties"]["FilterCriteria"],
            "maximum_message_size": properties(&template, "IngestQueue")["MaximumMessageSize"],
        });
        assert_eq!(judge(&settings), Ok(()), "{timeout_s} s");
        assert!(visibility_s <= u64::from(lease_ingest::ports::queue::VISIBILITY_MAX_S));
    }
    assert_eq!(
        properties(&template, "IngestQueue")["VisibilityTimeout"],
        json!({ "Fn::FindInMap": ["ByFunctionTimeout", { "Ref": "FunctionTimeoutSeconds" }, "VisibilityTimeoutSeconds"] })
    );
    assert_eq!(
        properties(&template, "IngestFunction")["Timeout"],
        json!({ "Ref": "FunctionTimeoutSeconds" })
    );
}

#[test]
fn the_queue_gives_up_well_after_the_function_would() {
    let template = template();
    let rows = rows(&template, "ByAttemptLimit", "MaxReceiveCount");
    let wait_limit = u64::from(lease_ingest::config::IngestSettings::for_buckets(&["b"]).wait_limit);
    assert_eq!(rows.keys().copied().collect::<BTreeSet<_>>(), allowed(&template, "AttemptLimit"));
    for (attempts, receives) in rows {
        assert!(receives > receives_needed(attempts, wait_limit), "{attempts} attempts");
    }
    let found = json!({ "Fn::FindInMap": ["ByAttemptLimit", { "Ref": "AttemptLimit" }, "MaxReceiveCount"] });
    let redrive = &properties(&template, "IngestQueue")["RedrivePolicy"];
    assert_eq!(redrive["maxReceiveCount"], found);
    assert_eq!(redrive["deadLetterTargetArn"], attribute("DeadLetterQueue", "Arn"));
    let variables = &properties(&template, "IngestFunction")["Environment"]["Variables"];
    assert_eq!(
        variables["LEASE_INGEST_MAX_RECEIVE_COUNT"], found,
        "the function is told the queue's own figure"
    );
    assert_eq!(variables["LEASE_INGEST_ATTEMPT_LIMIT"], json!({ "Ref": "AttemptLimit" }));
}

#[test]
fn documents_that_are_read_at_once_fit_into_the_memory() {
    let template = template();
    let rows = rows(&template, "ByFunctionMemory", "RecordConcurrency");
    assert_eq!(rows.keys().copied().collect::<BTreeSet<_>>(), allowed(&template, "FunctionMemoryMb"));
    let in_memory = SETTINGS.iter().find(|setting| setting.name == "LEASE_INGEST_IN_MEMORY_BYTES");
    let in_memory_bytes: u64 =
        in_memory.and_then(|setting| setting.default).expect("a default").parse().expect("a number");
    let limits = Limits::default();
    let each_bytes = limits.memory_max_bytes + limits.answer_max_bytes;
    for (memory_mb, records) in rows {
        assert!(records >= 1, "{memory_mb} MB");
        let needed_mb = OWN_MEMORY_MB + (in_memory_bytes + records * each_bytes).div_ceil(MIB);
        assert!(needed_mb <= memory_mb, "{records} records need {needed_mb} MB of {memory_mb} MB");
    }
    let function = properties(&template, "IngestFunction");
    assert_eq!(function["MemorySize"], json!({ "Ref": "FunctionMemoryMb" }));
    assert_eq!(
        function["Environment"]["Variables"]["LEASE_INGEST_CONCURRENCY"],
        json!({ "Fn::FindInMap": ["ByFunctionMemory", { "Ref": "FunctionMemoryMb" }, "RecordConcurrency"] })
    );
    assert!(
        function["Environment"]["Variables"].get("LEASE_INGEST_IN_MEMORY_BYTES").is_none(),
        "the default is the figure above"
    );
}

#[test]
fn the_dead_letter_queue_keeps_longer_than_the_queue() {
    let template = template();
    let retention_s = |queue| number(&properties(&template, queue)["MessageRetentionPeriod"]);
    assert_eq!(retention_s("DeadLetterQueue"), 14 * 24 * 60 * 60);
    assert!(retention_s("IngestQueue") < retention_s("DeadLetterQueue"));
    for queue in ["IngestQueue", "DeadLetterQueue"] {
        assert_eq!(properties(&template, queue)["SqsManagedSseEnabled"], json!(true), "{queue} is encrypted");
        assert!(properties(&template, queue).get("MaximumMessageSize").is_none(), "{queue} takes any size");
    }
    // A letter that the queue moved has the age it had there, which the alarm's metric does not count.
    let alarm = number(&template["Parameters"]["DeadLetterAgeAlarmSeconds"]["MaxValue"]);
    assert!(alarm + retention_s("IngestQueue") <= retention_s("DeadLetterQueue"));
}

#[test]
fn the_mapping_reads_the_answer_and_drops_nothing() {
    let template = template();
    let mapping = &properties(&template, "IngestFunction")["Events"]["Queue"]["Properties"];
    assert_eq!(mapping["FunctionResponseTypes"], json!(["ReportBatchItemFailures"]));
    assert_eq!(mapping["ScalingConfig"], json!({ "MaximumConcurrency": { "Ref": "MaximumConcurrency" } }));
    assert!(mapping.get("FilterCriteria").is_none(), "a filter deletes what it does not match");
    let window = &template["Parameters"]["BatchingWindowSeconds"];
    assert!(number(&window["MinValue"]) >= 1, "more than ten messages a batch need a window");
    assert_eq!(mapping["MaximumBatchingWindowInSeconds"], json!({ "Ref": "BatchingWindowSeconds" }));
}

#[test]
fn the_bucket_is_private_versioned_and_tells_the_queue() {
    let template = template();
    let bucket = properties(&template, "LeaseBucket");
    assert_eq!(bucket["VersioningConfiguration"]["Status"], json!("Enabled"));
    let block = bucket["PublicAccessBlockConfiguration"].as_object().expect("a block");
    assert!(block.len() == 4 && block.values().all(|value| *value == json!(true)));
    let configuration = &bucket["NotificationConfiguration"];
    assert_eq!(
        chosen(&configuration["EventBridgeConfiguration"], "HearsEventBridge"),
        &json!({ "EventBridgeEnabled": true })
    );
    let notifications = chosen(&configuration["QueueConfigurations"], "HearsS3").as_array().expect("a list");
    let events: BTreeSet<_> =
        notifications.iter().map(|notification| notification["Event"].as_str().expect("text")).collect();
    let expected = [
        "s3:LifecycleExpiration:*",
        "s3:ObjectCreated:*",
        "s3:ObjectRemoved:*",
        "s3:ObjectRestore:Completed",
        "s3:ReducedRedundancyLostObject",
    ];
    assert_eq!(events, BTreeSet::from(expected));
    for notification in notifications {
        assert_eq!(notification["Queue"], attribute("IngestQueue", "Arn"));
    }
    assert_eq!(template["Resources"]["LeaseBucket"]["DependsOn"], json!("IngestQueuePolicy"));
    for policy in ["LeaseBucketPolicy", "IngestQueuePolicy", "DeadLetterQueuePolicy"] {
        let statements = statements(&properties(&template, policy)["PolicyDocument"]);
        let tls_only = statements.iter().any(|(condition, statement)| {
            condition.is_none()
                && statement["Effect"] == "Deny"
                && statement["Condition"]["Bool"]["aws:SecureTransport"] == "false"
        });
        assert!(tls_only, "{policy}");
    }
}

/// Who may send to a queue, on which condition of the template, and what the policy's own condition is.
fn senders(template: &Value, policy: &str, queue: &str) -> BTreeMap<String, (String, Value)> {
    let mut senders = BTreeMap::new();
    for (condition, statement) in statements(&properties(template, policy)["PolicyDocument"]) {
        if statement["Effect"] != "Allow" {
            continue;
        }
        assert_eq!(statement["Action"], json!("sqs:SendMessage"));
        assert_eq!(statement["Resource"], attribute(queue, "Arn"));
        let service = statement["Principal"]["Service"].as_str().expect("a service").to_owned();
        let condition = condition.expect("each sender depends on a parameter").to_owned();
        let before = senders.insert(service, (condition, statement["Condition"].clone()));
        assert!(before.is_none(), "two statements for one service");
    }
    senders
}

#[test]
fn only_what_the_parameters_name_may_send_to_the_queue() {
    let template = template();
    let senders_of_the_queue = senders(&template, "IngestQueuePolicy", "IngestQueue");
    // The bucket's name is written three times, since policy and rule must exist before it: the same each time.
    let name = &properties(&template, "LeaseBucket")["BucketName"]["Fn::If"];
    assert_eq!((&name[0], &name[1]), (&json!("NamesNewBucket"), &json!({ "Ref": "NewBucketName" })));
    let (generated, stack) = (name[2]["Fn::Sub"][0].as_str().expect("a name"), &name[2]["Fn::Sub"][1]);
    let arn = "arn:${AWS::Partition}:s3:::";
    let arn_of_the_bucket = json!({ "Fn::If": ["CreatesBucket", { "Fn::If": [
        "NamesNewBucket",
        { "Fn::Sub": format!("{arn}${{NewBucketName}}") },
        { "Fn::Sub": [format!("{arn}{generated}"), stack] },
    ] }, { "Fn::Sub": format!("{arn}${{ExistingBucketName}}") }] });
    let rule = json!({ "ArnEquals": { "aws:SourceArn": attribute("NotificationRule", "Arn") } });
    let topic = json!({ "ArnEquals": { "aws:SourceArn": { "Ref": "NotifyingTopicArn" } } });
    // Bucket names are global, so the account is asked for as well; the two ARNs hold their account.
    let bucket = json!({
        "StringEquals": { "aws:SourceAccount": { "Ref": "AWS::AccountId" } },
        "ArnEquals": { "aws:SourceArn": arn_of_the_bucket },
    });
    let sender = |service: &str, condition: &str, within: &Value| {
        (format!("{service}.amazonaws.com"), (condition.to_owned(), within.clone()))
    };
    assert_eq!(
        senders_of_the_queue,
        BTreeMap::from([
            sender("events", "HearsEventBridge", &rule),
            sender("s3", "HearsS3", &bucket),
            sender("sns", "HearsTopic", &topic),
        ])
    );
    assert_eq!(
        senders(&template, "DeadLetterQueuePolicy", "DeadLetterQueue"),
        BTreeMap::from([sender("events", "HearsEventBridge", &rule)])
    );

    let pattern = &properties(&template, "NotificationRule")["EventPattern"];
    let bucket_of_the_rule = json!([{ "Fn::If": [
        "CreatesBucket",
        { "Fn::If": name },
        { "Ref": "ExistingBucketName" },
    ] }]);
    assert_eq!(pattern["detail"]["bucket"]["name"], bucket_of_the_rule);
    assert_eq!(pattern["source"], json!(["aws.s3"]));
}

#[test]
fn every_event_that_is_work_arrives_either_way() {
    let template = template();
    let code = read("src/event.rs");
    let code = code.split("#[cfg(test)]").next().expect("code");
    let details: BTreeSet<String> = code
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" => Meaning::Work("))
        .map(|(detail, _)| detail.to_owned())
        .collect();
    assert_eq!(details.len(), 3, "{details:?}");
    let rule = properties(&template, "NotificationRule");
    assert_eq!(strings(&rule["EventPattern"]["detail-type"]), details);
    assert_eq!(rule["Targets"][0]["Arn"], attribute("IngestQueue", "Arn"));
    assert_eq!(rule["Targets"][0]["DeadLetterConfig"]["Arn"], attribute("DeadLetterQueue", "Arn"));
    let parameter = &template["Parameters"]["NotifyThrough"];
    assert_eq!(parameter["AllowedValues"], json!(["S3", "EventBridge", "Both"]));
    let is_not = |other: &str| json!({ "Fn::Not": [{ "Fn::Equals": [{ "Ref": "NotifyThrough" }, other] }] });
    assert_eq!(template["Conditions"]["HearsS3"], is_not("EventBridge"));
    assert_eq!(template["Conditions"]["HearsEventBridge"], is_not("S3"));
}

#[test]
fn a_name_that_the_template_makes_is_a_name_that_s3_takes() {
    let template = template();
    let name = &properties(&template, "LeaseBucket")["BucketName"]["Fn::If"][2]["Fn::Sub"];
    // The longest region's name, and the last group of a stack's id.
    let made = name[0]
        .as_str()
        .expect("a name")
        .replace("${AWS::AccountId}", "111122223333")
        .replace("${AWS::Region}", "ap-southeast-1")
        .replace("${Stack}", "0123456789ab");
    assert!(made.len() <= 63, "{made}");
    assert!(made.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
    // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/8-4-4-4-12
    let id = json!({ "Fn::Select": [2, { "Fn::Split": ["/", { "Ref": "AWS::StackId" }] }] });
    assert_eq!(name[1], json!({ "Stack": { "Fn::Select": [4, { "Fn::Split": ["-", id] }] } }));
}

fn attribute_types(schema: &TableSchema) -> BTreeMap<&'static str, &'static str> {
    let index = schema.index.iter().flat_map(|index| [index.partition, index.sort]);
    std::iter::once(schema.partition)
        .chain(schema.sort)
        .chain(index)
        .map(|attribute| {
            let kind = match attribute.kind {
                KeyKind::Text => "S",
                KeyKind::Number => "N",
            };
            (attribute.name, kind)
        })
        .collect()
}

fn key_schema(partition: KeyAttribute, sort: Option<KeyAttribute>) -> Value {
    let partition = json!({ "AttributeName": partition.name, "KeyType": "HASH" });
    let sort = sort.map(|sort| json!({ "AttributeName": sort.name, "KeyType": "RANGE" }));
    std::iter::once(partition).chain(sort).collect()
}

#[test]
fn the_tables_have_the_keys_that_the_code_uses() {
    let template = template();
    for (resource, schema) in [
        ("ClaimsTable", CLAIMS),
        ("CommitsTable", COMMITS),
        ("DocumentsTable", DOCUMENTS),
        ("EffectsTable", EFFECTS),
    ] {
        let table = properties(&template, resource);
        assert_eq!(table["KeySchema"], key_schema(schema.partition, schema.sort), "{resource}");
        let types: BTreeMap<_, _> = table["AttributeDefinitions"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|definition| {
                let text = |name: &str| definition[name].as_str().expect("text");
                (text("AttributeName"), text("AttributeType"))
            })
            .collect();
        assert_eq!(types, attribute_types(&schema), "{resource}");
        let indexes: Value = schema
            .index
            .iter()
            .map(|index| {
                json!({
                    "IndexName": index.name,
                    "KeySchema": key_schema(index.partition, Some(index.sort)),
                    "Projection": { "ProjectionType": "ALL" },
                })
            })
            .collect();
        assert_eq!(
            table.get("GlobalSecondaryIndexes").cloned().unwrap_or_else(|| json!([])),
            indexes,
            "{resource}"
        );
        assert_eq!(table["BillingMode"], json!("PAY_PER_REQUEST"), "{resource}");
        assert_eq!(
            table["PointInTimeRecoverySpecification"],
            json!({ "PointInTimeRecoveryEnabled": true }),
            "{resource}"
        );
    }
    assert_eq!(
        properties(&template, "ClaimsTable")["TimeToLiveSpecification"],
        json!({ "AttributeName": "expires_at", "Enabled": true })
    );
    assert_eq!(properties(&template, "CommitsTable")["DeletionProtectionEnabled"], json!(true));
    for policy in ["DeletionPolicy", "UpdateReplacePolicy"] {
        assert_eq!(template["Resources"]["CommitsTable"][policy], json!("Retain"));
    }
    assert!(
        properties(&template, "CommitsTable").get("TimeToLiveSpecification").is_none(),
        "commits never expire"
    );
    assert!(
        properties(&template, "EffectsTable").get("StreamSpecification").is_none(),
        "nothing would read a stream"
    );
}

#[test]
fn the_function_is_built_as_the_crate_expects() {
    let template = template();
    let function = &template["Resources"]["IngestFunction"];
    assert_eq!(
        function["Metadata"],
        json!({ "BuildMethod": "rust-cargolambda", "BuildProperties": { "Binary": "ingest" } })
    );
    assert_eq!(function["Properties"]["Runtime"], json!("provided.al2023"));
    assert_eq!(function["Properties"]["Architectures"], json!(["arm64"]));
    assert_eq!(
        properties(&template, "IngestLogGroup")["RetentionInDays"],
        json!({ "Ref": "LogRetentionDays" })
    );
}

#[test]
fn the_function_is_told_what_it_reads() {
    let template = template();
    let variables =
        properties(&template, "IngestFunction")["Environment"]["Variables"].as_object().expect("variables");
    for name in variables.keys() {
        assert!(SETTINGS.iter().any(|setting| setting.name == name), "nothing reads {name}");
    }
    for setting in SETTINGS {
        let Some(variable) = variables.get(setting.name) else {
            assert!(setting.default.is_some(), "{} must be given", setting.name);
            continue;
        };
        // A parameter that passes a setting on has the setting's own default.
        let parameter =
            variable.get("Ref").and_then(Value::as_str).and_then(|name| template["Parameters"].get(name));
        if let (Some(parameter), Some(default)) = (parameter, setting.default) {
            let written = match &parameter["Default"] {
                Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            assert_eq!(written, default, "{}", setting.name);
        }
    }
}

/// `resource.attribute`, or the text as written.
fn resource_name(resource: &Value) -> String {
    match resource.get("Fn::GetAtt") {
        Some(path) => {
            let part = |index: usize| path[index].as_str().expect("text");
            format!("{}.{}", part(0), part(1))
        }
        None => resource.to_string(),
    }
}

/// The code of a file without its tests, comments and white space.
fn squeezed(file: &str) -> String {
    let text = read(file);
    let code = text.split("#[cfg(test)]\nmod tests").next().expect("code");
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

/// What follows each occurrence.
fn after<'a>(code: &'a str, found: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(found).map(move |(at, _)| &code[at + found.len()..])
}

fn identifier(text: &str) -> &str {
    &text[..text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())]
}

/// Every call of an SDK client, as service and method: `client.get_item().`, whatever the client is called.
fn calls(code: &str) -> BTreeSet<(String, String)> {
    let sdk = after(code, "useaws_sdk_").map(identifier).next();
    let mut calls = BTreeSet::new();
    for (client, service) in
        [("client.", sdk), ("dynamodb.", Some("dynamodb")), ("s3.", Some("s3")), ("sqs.", Some("sqs"))]
    {
        for rest in after(code, client) {
            let method = identifier(rest);
            if rest[method.len()..].starts_with("().") {
                calls.insert((service.expect("a client of one service").to_owned(), method.to_owned()));
            }
        }
    }
    calls
}

/// How the ledger reaches a table, and what that is called in a policy. Each of them is directly before the name.
/// Source: "Actions, resources, and condition keys for Amazon DynamoDB", service authorization reference; a
/// transaction needs the permission of each of its actions.
const WAYS_TO_A_TABLE: [(&str, &str); 6] = [
    (".get_item().table_name(", "dynamodb:GetItem"),
    (".put_item().table_name(", "dynamodb:PutItem"),
    ("Put::builder().table_name(", "dynamodb:PutItem"),
    ("put_if_absent(", "dynamodb:PutItem"),
    ("Update::builder().table_name(", "dynamodb:UpdateItem"),
    ("UpdateClaim{table:", "dynamodb:UpdateItem"),
];

/// Actions on tables, as the code says them. A way that is not known here fails the test, so that none is missed.
fn actions_on_tables(code: &str) -> BTreeSet<(String, String)> {
    let mut actions = BTreeSet::new();
    for (table, resource) in [
        ("claims", "ClaimsTable.Arn"),
        ("commits", "CommitsTable.Arn"),
        ("documents", "DocumentsTable.Arn"),
        ("effects", "EffectsTable.Arn"),
    ] {
        for (at, _) in code.match_indices(&format!("tables.{table}")) {
            let before =
                code[..at].trim_end_matches("self.").trim_end_matches("settings.").trim_end_matches('&');
            let way = WAYS_TO_A_TABLE.iter().find(|(way, _)| before.ends_with(way));
            let tail = &before[before.floor_char_boundary(before.len().saturating_sub(40))..];
            let (_, action) = way.unwrap_or_else(|| panic!("{table} is reached in a way of its own: {tail}"));
            actions.insert(((*action).to_owned(), resource.to_owned()));
        }
    }
    actions
}

/// The name that an action has in a policy, by the method that asks for it.
fn camel_case(method: &str) -> String {
    method.split('_').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..])).collect()
}

/// Actions on queues: the method's name, and the queue that the call names.
fn actions_on_queues(code: &str) -> BTreeSet<(String, String)> {
    calls(code)
        .into_iter()
        .filter(|(service, _)| service == "sqs")
        .map(|(_, method)| {
            let call = after(code, &format!(".{method}()")).next().expect("the call").to_owned();
            let url = after(&call, ".queue_url(&").next().expect("a queue");
            let url = &url[..url.find(')').expect("an end")];
            let queue = if url.contains("dead_letter") { "DeadLetterQueue.Arn" } else { "IngestQueue.Arn" };
            (format!("sqs:{}", camel_case(&method)), queue.to_owned())
        })
        .collect()
}

/// What S3 asks for where its actions are not called as its requests are.
/// Source: "Required permissions for Amazon S3 API operations", Amazon S3 user guide.
fn actions_on_objects(method: &str) -> &'static [&'static str] {
    match method {
        "get_object" => &["s3:GetObject", "s3:GetObjectVersion"],
        "head_object" => &["s3:GetObject"],
        "head_bucket" => &["s3:ListBucket"],
        _ => panic!("nobody wrote down what {method} needs"),
    }
}

/// The adapters that the function wires, by their files.
fn adapters() -> Vec<String> {
    let main = squeezed("src/bin/ingest.rs");
    let mut names: BTreeSet<String> =
        after(&main, "lease_ingest::aws::").map(|rest| identifier(rest).to_owned()).collect();
    assert!(names.len() >= 4, "{names:?}");
    // What they use themselves.
    names.extend(["mod".to_owned(), "item".to_owned()]);
    assert!(!names.contains("tables"), "the function makes no tables");
    names.into_iter().map(|name| squeezed(&format!("src/aws/{name}.rs"))).collect()
}

#[test]
fn the_function_may_do_what_it_does_and_nothing_else() {
    let template = template();
    let role = properties(&template, "IngestRole");
    assert!(role.get("ManagedPolicyArns").is_none(), "managed policies allow every queue of the account");
    assert_eq!(role["Policies"].as_array().map(Vec::len), Some(1));
    let mut found = BTreeSet::new();
    let mut on_the_bucket = BTreeMap::new();
    let mut with_a_condition = Map::new();
    for (condition, statement) in statements(&role["Policies"][0]["PolicyDocument"]) {
        assert_eq!(statement["Effect"], json!("Allow"));
        if let Some(condition) = condition {
            with_a_condition.insert(condition.to_owned(), statement.clone());
            continue;
        }
        for action in strings(&statement["Action"]) {
            assert!(!action.contains('*'), "{action}");
            if action.starts_with("s3:") {
                on_the_bucket.insert(action, statement["Resource"]["Fn::If"].clone());
                continue;
            }
            let resources = match &statement["Resource"] {
                Value::Array(resources) => resources.iter().map(resource_name).collect(),
                resource => vec![resource_name(resource)],
            };
            found.extend(resources.into_iter().map(|resource| (action.clone(), resource)));
        }
    }

    let adapters = adapters();
    let mut needed: BTreeSet<(String, String)> = ACTIONS_OF_LAMBDA
        .iter()
        .map(|(action, resource)| ((*action).to_owned(), (*resource).to_owned()))
        .collect();
    let mut needed_on_the_bucket = BTreeSet::new();
    let mut called = BTreeSet::new();
    for code in &adapters {
        needed.extend(actions_on_tables(code));
        needed.extend(actions_on_queues(code));
        for (service, method) in calls(code) {
            if service == "s3" {
                needed_on_the_bucket
                    .extend(actions_on_objects(&method).iter().map(|&action| action.to_owned()));
            }
            if service == "dynamodb" {
                called.insert(method);
            }
        }
        for other in ["Delete::builder()", "ConditionCheck::builder()"] {
            assert!(!code.contains(other), "{other} is an action that is not known here");
        }
    }
    // All else that a client of the tables can do would show here first.
    assert_eq!(
        called.iter().map(String::as_str).collect::<Vec<_>>(),
        ["get_item", "put_item", "transact_write_items", "update_item"]
    );
    assert_eq!(found, needed);

    let objects = json!(["CreatesBucket", { "Fn::Sub": "${LeaseBucket.Arn}/*" }, { "Fn::Sub": "arn:${AWS::Partition}:s3:::${ExistingBucketName}/*" }]);
    let bucket = json!(["CreatesBucket", attribute("LeaseBucket", "Arn"), { "Fn::Sub": "arn:${AWS::Partition}:s3:::${ExistingBucketName}" }]);
    assert_eq!(on_the_bucket.keys().cloned().collect::<BTreeSet<_>>(), needed_on_the_bucket);
    for (action, resource) in on_the_bucket {
        assert_eq!(resource, if action == "s3:ListBucket" { bucket.clone() } else { objects.clone() });
    }
    assert_eq!(with_a_condition.len(), 2);
    let recognising = calls(&squeezed("src/ocr/textract.rs"));
    let needed: BTreeSet<String> =
        recognising.iter().map(|(service, method)| format!("{service}:{}", camel_case(method))).collect();
    assert_eq!(strings(&with_a_condition["RecognisesText"]["Action"]), needed);
    assert_eq!(needed.len(), 3);
    assert_eq!(with_a_condition["HasBucketKmsKey"]["Action"], json!("kms:Decrypt"));
    assert_eq!(with_a_condition["HasBucketKmsKey"]["Resource"], json!({ "Ref": "BucketKmsKeyArn" }));
}

/// Namespace, dimension and names of the metrics that the function writes.
fn written_metrics() -> (String, String, BTreeSet<String>) {
    let line = metrics_line("ingest", &BatchFigures::default(), EpochMs(0));
    let line: Value = serde_json::from_str(&line).expect("JSON");
    let directive = &line["_aws"]["CloudWatchMetrics"][0];
    let dimensions = strings(&directive["Dimensions"][0]);
    assert_eq!(dimensions.len(), 1);
    let names = directive["Metrics"].as_array().expect("a list").iter();
    let names = names.map(|metric| metric["Name"].as_str().expect("text").to_owned()).collect();
    let namespace = directive["Namespace"].as_str().expect("text").to_owned();
    (namespace, dimensions.into_iter().next().expect("one"), names)
}

fn alarms(template: &Value) -> BTreeMap<&str, &Value> {
    let resources = template["Resources"].as_object().expect("resources");
    let alarms = resources.iter().filter(|(_, resource)| resource["Type"] == "AWS::CloudWatch::Alarm");
    alarms.map(|(name, resource)| (name.as_str(), &resource["Properties"])).collect()
}

#[test]
fn alarms_watch_what_is_measured_and_reach_the_topic() {
    let template = template();
    let (own, own_dimension, own_metrics) = written_metrics();
    let function = json!({ "Ref": "IngestFunction" });
    let queue_name = |queue: &str| attribute(queue, "QueueName");
    let mut watched = BTreeSet::new();
    for (name, alarm) in alarms(&template) {
        assert_eq!(alarm["AlarmActions"], json!([{ "Ref": "AlarmTopic" }]), "{name}");
        assert_eq!(alarm["TreatMissingData"], json!("notBreaching"), "{name}");
        let text = |member: &str| alarm[member].as_str().expect("text");
        let (namespace, metric) = (text("Namespace"), text("MetricName"));
        assert_eq!(alarm["Dimensions"].as_array().map(Vec::len), Some(1), "{name}");
        let dimension = &alarm["Dimensions"][0];
        let (expected, subject) = match namespace {
            "AWS/Lambda" => ("FunctionName", ""),
            "AWS/SQS" if dimension["Value"] == queue_name("DeadLetterQueue") => {
                ("QueueName", " (dead letters)")
            }
            "AWS/SQS" => ("QueueName", " (queue)"),
            _ => {
                assert_eq!(namespace, own, "{name}");
                assert!(own_metrics.contains(metric), "nothing writes {metric}");
                // The function's name is what it says its service is, so that two stacks have alarms of their own.
                assert_eq!(dimension["Value"], function, "{name}");
                (own_dimension.as_str(), "")
            }
        };
        assert_eq!(dimension["Name"], json!(expected), "{name}");
        if namespace == "AWS/Lambda" {
            assert_eq!(dimension["Value"], function, "{name}");
        }
        if namespace == "AWS/SQS" && subject == " (queue)" {
            assert_eq!(dimension["Value"], queue_name("IngestQueue"), "{name}");
        }
        assert!(watched.insert(format!("{namespace} {metric}{subject}")), "{name} watches what another does");
    }
    let expected = [
        "AWS/Lambda Errors",
        "AWS/Lambda Throttles",
        "AWS/SQS ApproximateAgeOfOldestMessage (dead letters)",
        "AWS/SQS ApproximateAgeOfOldestMessage (queue)",
        "AWS/SQS ApproximateNumberOfMessagesVisible (dead letters)",
        "LeaseIngest BatchItemFailures",
        "LeaseIngest LostObject",
        "LeaseIngest Missing",
        "LeaseIngest Review",
    ];
    assert_eq!(watched, expected.map(str::to_owned).into());
}

#[test]
fn the_dashboard_shows_the_alarms_and_their_figures() {
    let template = template();
    let (own, own_dimension, own_metrics) = written_metrics();
    let body = properties(&template, "Dashboard")["DashboardBody"]["Fn::Sub"].as_str().expect("text");
    let body: Value = serde_json::from_str(body).expect("the body is JSON");
    let widgets = body["widgets"].as_array().expect("widgets");
    let mut shown = BTreeSet::new();
    for metric in widgets.iter().flat_map(|widget| widget["properties"]["metrics"].as_array()).flatten() {
        let Some(namespace) = metric[0].as_str() else { continue };
        let name = metric[1].as_str().expect("text");
        if namespace == own {
            assert!(own_metrics.contains(name), "nothing writes {name}");
            assert_eq!((&metric[2], &metric[3]), (&json!(own_dimension), &json!("${IngestFunction}")));
        }
        shown.insert((namespace, name));
    }
    let listed: BTreeSet<String> = widgets
        .iter()
        .filter(|widget| widget["type"] == "alarm")
        .flat_map(|widget| strings(&widget["properties"]["alarms"]))
        .collect();
    let alarms = alarms(&template);
    assert_eq!(listed, alarms.keys().map(|name| format!("${{{name}.Arn}}")).collect());
    for (name, alarm) in alarms {
        let text = |member: &str| alarm[member].as_str().expect("text");
        assert!(shown.contains(&(text("Namespace"), text("MetricName"))), "{name} is not drawn");
    }
}

#[test]
fn what_can_carry_a_tag_says_whose_it_is() {
    // These have no tags: policies and subscriptions belong to what they are about.
    const WITHOUT: [&str; 4] = [
        "AWS::CloudWatch::Dashboard",
        "AWS::S3::BucketPolicy",
        "AWS::SNS::Subscription",
        "AWS::SQS::QueuePolicy",
    ];
    let template = template();
    for (name, resource) in template["Resources"].as_object().expect("resources") {
        let kind = resource["Type"].as_str().expect("text");
        let expected = match kind {
            "AWS::Serverless::Function" => json!({ "Project": "lease-ingest" }),
            kind if WITHOUT.contains(&kind) => Value::Null,
            _ => json!([{ "Key": "Project", "Value": "lease-ingest" }]),
        };
        assert_eq!(resource["Properties"]["Tags"], expected, "{name}");
    }
}
