//! What every answer of the relay goes through.

use super::incoming::{Head, Incoming};
use crate::refusal::Refusal;
use crate::relay::Relay;
use axum::body::HttpBody;
use axum::extract::Request;
use axum::response::Response;
use pos_connect_foundation::answer::Call;

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
    let call = Call::at(path, &request);
    let (parts, body) = request.into_parts();
    let head = Head {
        parts,
        has_body: !body.is_end_stream(),
        id: call.id.clone(),
    };
    let incoming = Incoming { head, body };
    let work = async {
        let place = match guarded {
            Guarded::Yes => Some(relay.requests.try_acquire()),
            Guarded::No => None,
        };
        let place = place.transpose();
        let _place = place.map_err(|_| Refusal::busy("too many requests at once"))?;
        work(relay.clone(), incoming).await
    };
    call.answer(work, true, Refusal::problem).await
}
