//! The template says what the code needs: ratios, response type, keys of the tables, names of variables, permissions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use lease_ingest::aws::tables::{CLAIMS, COMMITS, DOCUMENTS, EFFECTS, KeyAttribute, KeyKind, TableSchema};
use lease_ingest::config::SETTINGS;
use saphyr::{LoadableYamlNode, ScalarOwned, YamlOwned};
use serde_json::{Map, Value, json};

use crate::queue_rules::{judge, receives_needed};

/// Every action of the function's role, with the resource it is allowed on.
const ACTIONS: [(&str, &str); 16] = [
    ("dynamodb:GetItem", "ClaimsTable.Arn"),
    ("dynamodb:GetItem", "CommitsTable.Arn"),
    ("dynamodb:GetItem", "DocumentsTable.Arn"),
    ("dynamodb:PutItem", "ClaimsTable.Arn"),
    ("dynamodb:PutItem", "CommitsTable.Arn"),
    ("dynamodb:PutItem", "DocumentsTable.Arn"),
    ("dynamodb:PutItem", "EffectsTable.Arn"),
    ("dynamodb:UpdateItem", "ClaimsTable.Arn"),
    ("dynamodb:UpdateItem", "DocumentsTable.Arn"),
    ("logs:CreateLogStream", "IngestLogGroup.Arn"),
    ("logs:PutLogEvents", "IngestLogGroup.Arn"),
    ("sqs:ChangeMessageVisibility", "IngestQueue.Arn"),
    ("sqs:DeleteMessage", "IngestQueue.Arn"),
    ("sqs:GetQueueAttributes", "IngestQueue.Arn"),
    ("sqs:ReceiveMessage", "IngestQueue.Arn"),
    ("sqs:SendMessage", "DeadLetterQueue.Arn"),
];

fn template() -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("template.yaml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let documents = YamlOwned::load_from_str(&text).expect("template.yaml is YAML");
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
    assert_eq!(rows.keys().copied().collect::<BTreeSet<_>>(), allowed(&template, "AttemptLimit"));
    for (attempts, receives) in rows {
        assert!(receives > receives_needed(attempts), "{attempts} attempts");
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
fn the_dead_letter_queue_keeps_longer_than_the_queue() {
    let template = template();
    let retention_s = |queue| number(&properties(&template, queue)["MessageRetentionPeriod"]);
    assert_eq!(retention_s("DeadLetterQueue"), 14 * 24 * 60 * 60);
    assert!(retention_s("IngestQueue") < retention_s("DeadLetterQueue"));
    for queue in ["IngestQueue", "DeadLetterQueue"] {
        assert_eq!(properties(&template, queue)["SqsManagedSseEnabled"], json!(true), "{queue} is encrypted");
        assert!(properties(&template, queue).get("MaximumMessageSize").is_none(), "{queue} takes any size");
    }
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
    let notifications =
        bucket["NotificationConfiguration"]["QueueConfigurations"].as_array().expect("a list");
    let events: BTreeSet<_> =
        notifications.iter().map(|notification| notification["Event"].as_str().expect("text")).collect();
    let expected = [
        "s3:LifecycleExpiration:*",
        "s3:ObjectCreated:*",
        "s3:ObjectRemoved:*",
        "s3:ObjectRestore:Completed",
    ];
    assert_eq!(events, BTreeSet::from(expected));
    for notification in notifications {
        assert_eq!(notification["Queue"], attribute("IngestQueue", "Arn"));
    }
    assert_eq!(template["Resources"]["LeaseBucket"]["DependsOn"], json!("IngestQueuePolicy"));
    for policy in ["LeaseBucketPolicy", "IngestQueuePolicy", "DeadLetterQueuePolicy"] {
        let statements = properties(&template, policy)["PolicyDocument"]["Statement"].clone();
        let tls_only = statements.as_array().expect("a list").iter().any(|statement| {
            statement["Effect"] == "Deny" && statement["Condition"]["Bool"]["aws:SecureTransport"] == "false"
        });
        assert!(tls_only, "{policy}");
    }
}

#[test]
fn only_one_bucket_of_this_account_may_send_to_the_queue() {
    let template = template();
    let statements = properties(&template, "IngestQueuePolicy")["PolicyDocument"]["Statement"].clone();
    let allows: Vec<_> = statements
        .as_array()
        .expect("a list")
        .iter()
        .filter(|statement| statement["Effect"] == "Allow")
        .collect();
    assert_eq!(allows.len(), 1);
    assert_eq!(allows[0]["Principal"], json!({ "Service": "s3.amazonaws.com" }));
    assert_eq!(allows[0]["Action"], json!("sqs:SendMessage"));
    assert_eq!(
        allows[0]["Condition"]["StringEquals"]["aws:SourceAccount"],
        json!({ "Ref": "AWS::AccountId" })
    );
    // The name is written twice, since the policy must exist before the bucket: it has to be the same name.
    let written = allows[0]["Condition"]["ArnEquals"]["aws:SourceArn"].to_string();
    let arn = "arn:${AWS::Partition}:s3:::";
    let name = &properties(&template, "LeaseBucket")["BucketName"]["Fn::If"];
    let generated = name[2]["Fn::Sub"].as_str().expect("a name");
    assert_eq!(name[1], json!({ "Ref": "NewBucketName" }));
    assert_eq!(
        written,
        json!({ "Fn::If": ["CreatesBucket", { "Fn::If": [
            "NamesNewBucket",
            { "Fn::Sub": format!("{arn}${{NewBucketName}}") },
            { "Fn::Sub": format!("{arn}{generated}") },
        ] }, { "Fn::Sub": format!("{arn}${{ExistingBucketName}}") }] })
        .to_string()
    );
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
    assert_eq!(
        properties(&template, "EffectsTable")["StreamSpecification"],
        json!({ "StreamViewType": "NEW_IMAGE" })
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

#[test]
fn the_function_may_do_what_it_does_and_nothing_else() {
    let template = template();
    let role = properties(&template, "IngestRole");
    assert!(role.get("ManagedPolicyArns").is_none(), "managed policies allow every queue of the account");
    let mut found = BTreeSet::new();
    let mut on_the_bucket = BTreeMap::new();
    let mut with_a_condition = Map::new();
    for statement in role["Policies"][0]["PolicyDocument"]["Statement"].as_array().expect("a list") {
        if let Some(condition) = statement.get("Fn::If") {
            with_a_condition.insert(condition[0].as_str().expect("text").to_owned(), condition[1].clone());
            continue;
        }
        assert_eq!(statement["Effect"], json!("Allow"));
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
    let expected: BTreeSet<_> =
        ACTIONS.iter().map(|(action, resource)| ((*action).to_owned(), (*resource).to_owned())).collect();
    assert_eq!(found, expected);

    let objects = json!(["CreatesBucket", { "Fn::Sub": "${LeaseBucket.Arn}/*" }, { "Fn::Sub": "arn:${AWS::Partition}:s3:::${ExistingBucketName}/*" }]);
    let bucket = json!(["CreatesBucket", attribute("LeaseBucket", "Arn"), { "Fn::Sub": "arn:${AWS::Partition}:s3:::${ExistingBucketName}" }]);
    assert_eq!(
        on_the_bucket,
        BTreeMap::from([
            ("s3:GetObject".to_owned(), objects.clone()),
            ("s3:GetObjectVersion".to_owned(), objects),
            ("s3:ListBucket".to_owned(), bucket),
        ])
    );
    assert_eq!(with_a_condition.len(), 1);
    assert_eq!(with_a_condition["HasBucketKmsKey"]["Action"], json!("kms:Decrypt"));
    assert_eq!(with_a_condition["HasBucketKmsKey"]["Resource"], json!({ "Ref": "BucketKmsKeyArn" }));
}

#[test]
fn alarms_reach_the_topic() {
    let template = template();
    let alarms: BTreeMap<_, _> = template["Resources"]
        .as_object()
        .expect("resources")
        .iter()
        .filter(|(_, resource)| resource["Type"] == "AWS::CloudWatch::Alarm")
        .map(|(name, resource)| {
            assert_eq!(resource["Properties"]["AlarmActions"], json!([{ "Ref": "AlarmTopic" }]), "{name}");
            let text = |member: &str| resource["Properties"][member].as_str().expect("text");
            (text("MetricName"), text("Namespace"))
        })
        .collect();
    assert_eq!(
        alarms,
        BTreeMap::from([
            ("ApproximateAgeOfOldestMessage", "AWS/SQS"),
            ("ApproximateNumberOfMessagesVisible", "AWS/SQS"),
            ("BatchItemFailures", "LeaseIngest"),
            ("Errors", "AWS/Lambda"),
        ])
    );
}
