//! What the bench holds the service against: the same stack and the same answers, with nothing behind them.

use axum::body::Bytes;
use axum::{Json, Router, routing::get, routing::post};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use pos_connect_protocol::{Status, StatusResponse, path};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let router = Router::new()
        .route(path::INTEGRATION, get(status))
        .route(path::ORDERS, post(order));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            // How a connection ends is of no interest here.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn status() -> Json<StatusResponse> {
    Json(StatusResponse {
        success: true.into(),
        status: Status::Pending.into(),
        interval: 5_u32.into(),
        expires_in: 1800_u64.into(),
        ..StatusResponse::default()
    })
}

/// Reads the body and answers with it.
async fn order(body: Bytes) -> Bytes {
    body
}
