//! Adapters to AWS: the SDK's clients, the tables, and the ports on top of them.

pub mod clients;
pub mod item;
pub mod ledger;
pub mod objects;
pub mod queue;
pub mod tables;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use crate::fetch::is_plain_code;

/// Reduces an error of any AWS service to a code for counting: the service's own code where there is one, else
/// a fixed text for what went wrong on this side. Messages are left out, since they can repeat what was asked for.
pub fn error_code<E: ProvideErrorMetadata>(error: &SdkError<E>) -> String {
    match error {
        SdkError::ServiceError(context) => {
            let status = context.raw().status().as_u16();
            let code = context.err().code().filter(|code| is_plain_code(code));
            code.map_or_else(|| format!("http_{status}"), str::to_owned)
        }
        other => local_error_code(other).to_owned(),
    }
}

/// The fixed text for an error that no service answered with.
pub(crate) fn local_error_code<E>(error: &SdkError<E>) -> &'static str {
    match error {
        SdkError::ConstructionFailure(_) => "request_not_built",
        SdkError::TimeoutError(_) => "timeout",
        SdkError::DispatchFailure(failure) if failure.is_timeout() => "connection_timeout",
        SdkError::DispatchFailure(failure) if failure.is_io() => "connection_failed",
        SdkError::DispatchFailure(_) => "request_not_sent",
        SdkError::ResponseError(_) => "answer_unreadable",
        _ => "unknown_failure",
    }
}
