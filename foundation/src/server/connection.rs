//! One connection: its time limits, and when it waits for whom.

use super::Limits;
use super::place::Place;
use crate::address::Peer;
use axum::Router;
use axum::http::header::{self, HeaderValue};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpStream;
use tokio_io_timeout::TimeoutStream;

/// Bytes of a request's head: a query of 8 KiB, and as much of headers.
const HEAD_LIMIT: usize = 16 * 1024;

/// Serves a connection until it ends, or has to give way.
pub fn serve(
    stream: TcpStream,
    peer: Peer,
    router: &Router,
    graceful: &GracefulShutdown,
    limits: &Limits,
    place: Place,
) {
    // Answers are one small packet: waiting to fill it would only delay them.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write));
    let place = Arc::new(place);
    let (inner, served) = (TowerToHyperService::new(router.clone()), place.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(served.ending());
        answer(&inner, &served, request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        tokio::select! {
            // Resets and timeouts are the peer's business; whatever failed on our side was logged with its request.
            _ = connection => {}
            () = place.is_taken() => {}
        }
    });
}

fn answer(
    router: &TowerToHyperService<Router>,
    place: &Arc<Place>,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<ResponseBody>, Infallible>> + use<> {
    let may_begin = match request.body().is_end_stream() {
        true => place.works(),
        false => {
            place.waits();
            true
        }
    };
    // A proxy that went by a length, which hyper leaves out beside the chunks, would see another request begin where
    // this one ends for us: whatever follows is not looked at.
    let is_last = request.headers().contains_key(header::TRANSFER_ENCODING);
    let place = place.clone();
    let answered = router.call(request.map(|body| RequestBody {
        body,
        place: place.clone(),
    }));
    async move {
        if !may_begin {
            // The connection is about to end.
            return std::future::pending().await;
        }
        let answer = answered.await?;
        let closes = is_last || place.is_closing();
        let mut answer = answer.map(|body| ResponseBody { body, place });
        if closes {
            let close = HeaderValue::from_static("close");
            answer.headers_mut().insert(header::CONNECTION, close);
        }
        Ok(answer)
    }
}

/// A request's body, which tells the place when all of it is here.
struct RequestBody {
    body: Incoming,
    place: Arc<Place>,
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if polled.is_ready() && self.body.is_end_stream() && !self.place.works() {
            return Poll::Pending;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

/// An answer's body. It is dropped when hyper has all of it, and writes it at once: from then on the server waits for
/// the client.
struct ResponseBody {
    body: axum::body::Body,
    place: Arc<Place>,
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.place.waits();
    }
}
