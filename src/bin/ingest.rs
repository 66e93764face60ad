//! The Lambda function. It only wires: settings, clients, the pipeline, the runtime.

use std::process::ExitCode;
use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, service_fn};
use lease_ingest::aws::clients::{AwsClients, ClientTimeouts};
use lease_ingest::aws::ledger::DynamoLedger;
use lease_ingest::aws::objects::{BodyTimeouts, S3Objects};
use lease_ingest::aws::queue::SqsQueue;
#[cfg(feature = "embedded")]
use lease_ingest::config::EMBEDDED_DIR;
use lease_ingest::config::{FunctionSettings, RecogniserChoice, environment};
use lease_ingest::extract::reader::{LeaseReader, LeaseWork};
use lease_ingest::handler::handle;
use lease_ingest::identity::EpochMs;
use lease_ingest::isolation::{Limits, serve_if_asked};
use lease_ingest::lease::LeaseAbstraction;
use lease_ingest::ocr::Recogniser;
use lease_ingest::ocr::textract::{Textract, TextractSettings};
use lease_ingest::pipeline::{Parts, Pipeline, World};
use lease_ingest::ports::clock::{Clock, SystemClock};
use lease_ingest::telemetry::{log_outcomes, metrics_line, start_logging};
use serde_json::Value;

/// Where the runtime listens; set by Lambda and by its emulators.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";
/// Holds the function's name in Lambda; it is the service's name in metrics, so that two stacks have their own.
const FUNCTION_NAME: &str = "AWS_LAMBDA_FUNCTION_NAME";
/// What an invocation is given on the embedded stores, in milliseconds: emulators of the runtime send deadlines that
/// lie in the past.
#[cfg(feature = "embedded")]
const EMULATED_TIMEOUT_MS: u64 = 60_000;

fn main() -> ExitCode {
    // A child that reads a document needs no runtime, and must not wait for one.
    if serve_if_asked::<LeaseWork>() {
        return ExitCode::SUCCESS;
    }
    serve_invocations()
}

#[tokio::main]
async fn serve_invocations() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ingest: {error}");
            ExitCode::from(2)
        }
    }
}

async fn run() -> Result<(), Error> {
    if std::env::var_os(RUNTIME_API).is_none() {
        return Err(format!(
            "{RUNTIME_API} is not set: this is a Lambda function, start it with `cargo lambda watch`"
        )
        .into());
    }
    #[cfg(feature = "embedded")]
    if let Some(folder) = std::env::var_os(EMBEDDED_DIR) {
        return run_embedded(std::path::Path::new(&folder)).await;
    }
    let settings = FunctionSettings::read(environment())?;
    start_logging(&settings.log_level);
    let clients = AwsClients::from_environment(ClientTimeouts::default()).await;
    let timeouts = BodyTimeouts::default();
    let recogniser = match settings.recogniser {
        RecogniserChoice::Textract => Recogniser::Textract(Textract {
            client: clients.textract.clone(),
            settings: TextractSettings::default(),
        }),
        RecogniserChoice::None => Recogniser::None,
    };
    let parts = Parts {
        ledger: DynamoLedger::<LeaseAbstraction>::new(
            clients.dynamodb.clone(),
            settings.tables.clone(),
            settings.claim_retention_s,
        ),
        objects: S3Objects::new(clients.s3.clone(), timeouts),
        extractor: LeaseReader::of_this_program(Limits::default(), recogniser)?,
        queue: SqsQueue {
            client: clients.sqs.clone(),
            queue_url: settings.queue_url.clone(),
            dead_letter_url: settings.dead_letter_queue_url.clone(),
        },
        clock: SystemClock,
    };
    clients.warm(&settings).await;
    serve(Arc::new(Pipeline::new(parts, settings.ingest)), 0).await
}

/// The same function on the embedded stores, for `cargo lambda watch` on a machine without an account.
#[cfg(feature = "embedded")]
async fn run_embedded(folder: &std::path::Path) -> Result<(), Error> {
    use lease_ingest::config::IngestSettings;
    use lease_ingest::embedded::queue::QueueSettings;
    use lease_ingest::embedded::world::{LOCAL_BUCKET, LocalWorld};

    let settings = IngestSettings::read(environment(), &[LOCAL_BUCKET])?;
    start_logging(&lease_ingest::config::log_level(environment())?);
    let world = LocalWorld::open(folder, settings, QueueSettings::default()).await?;
    let LocalWorld { embedded, pipeline, .. } = world;
    let served = serve(pipeline, EMULATED_TIMEOUT_MS).await;
    embedded.stop().await;
    served
}

/// Serves invocations until the runtime ends. `least_ms` is what an invocation is given at least, whatever deadline
/// comes with it; 0 believes the deadline.
async fn serve<W: World>(pipeline: Arc<Pipeline<W>>, least_ms: u64) -> Result<(), Error> {
    let service: Arc<str> = std::env::var(FUNCTION_NAME).unwrap_or_else(|_| "ingest".to_owned()).into();
    lambda_runtime::run(service_fn(move |event: LambdaEvent<Value>| {
        let (pipeline, service) = (Arc::clone(&pipeline), Arc::clone(&service));
        async move {
            let (payload, context) = event.into_parts();
            let least = pipeline.world().clock().now().plus_ms(least_ms);
            let deadline = if least_ms > 0 { least.max(EpochMs(context.deadline)) } else { EpochMs(context.deadline) };
            let answer = handle(&pipeline, &payload, deadline).await.inspect_err(|error| {
                tracing::error!(request_id = context.request_id, %error, "the invocation fails and its batch returns");
            })?;
            log_outcomes(&context.request_id, &answer);
            println!("{}", metrics_line(&service, &answer.figures(), pipeline.world().clock().now()));
            Ok::<_, Error>(answer.response)
        }
    }))
    .await
}
