//! What every answer of the relay goes through.

use super::incoming::{Head, Incoming};
use crate::refusal::Refusal;
use crate::relay::Relay;
use axum::body::HttpBody;
use axum::extract::Request;
use axum::response::Response;
use pos_connect_foundation::answer::Call;
use pos_connect_protocol::ProblemCode;

/// Whether a path counts against the limit on requests. Health does not: a full relay is alive.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Guarded {
    Yes,
    No,
}

/// Answers a request at one of our paths (or at none): runs `work` and finishes what it gives.
pub(super) async fn respond<W>(
    path: &'static str,
    guarded: Guarded,
    relay: Relay,
    request: Request,
    work: impl FnOnce(Relay, Incoming) -> W,
) -> Response
where
    W: Future<Output = Result<Response, Refusal>>,
{
    let call = Call::at(path, request.method(), request.headers());
    let (parts, body) = request.into_parts();
    let head = Head {
        parts,
        has_body: !body.is_end_stream(),
        id: call.id.clone(),
    };
    let incoming = Incoming { head, body };
    let place = match guarded {
        Guarded::Yes => relay.requests.try_acquire().map(Some),
        Guarded::No => Ok(None),
    };
    let outcome = match &place {
        Ok(_) => tokio::select! {
            biased;
            outcome = work(relay.clone(), incoming) => outcome,
            () = relay.closing() => Err(Refusal::from(ProblemCode::Unavailable)
                .after(1)
                .because("the relay stops, and the call was not over")),
        },
        Err(_) => Err(Refusal::busy("too many requests at once")),
    };
    drop(place);
    let (mut response, refusal) = match outcome {
        Ok(response) => (response, None),
        Err(refusal) => (refusal.answer(&refusal.problem(&call.id)), Some(refusal)),
    };
    call.finish(&mut response, refusal.as_ref(), true);
    response
}
