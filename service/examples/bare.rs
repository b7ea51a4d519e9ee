//! What the bench holds the service against: the same stack and the same answers, with nothing behind them.

use axum::body::Bytes;
use axum::response::Html;
use axum::{Json, Router, routing::get, routing::post};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use pos_connect_protocol::{
    Account, CreateResponse, RefreshResponse, Status, StatusResponse, Store, TokenResponse, path,
};
use tokio::net::TcpListener;

/// As long as the service's.
const TOKEN: &str = "pcx_0000000000000000000000000000000000000000000000000";
/// As long as its last page.
const PAGE: [u8; 2_000] = [b' '; 2_000];

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let router = Router::new()
        .route(path::INTEGRATION, get(status).post(create))
        .route(path::CONNECT, post(consent))
        .route(path::INTEGRATION_TOKEN, get(claim))
        .route(path::TOKEN, post(refresh))
        .route(path::ORDERS, post(order));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!(r#"{{"baseUrl":"http://{}"}}"#, listener.local_addr()?);
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

async fn create() -> Json<CreateResponse> {
    Json(CreateResponse {
        success: true.into(),
        integration_token: TOKEN.to_owned().into(),
        interval: 5_u32.into(),
        expires_in: 1800_u64.into(),
        pickup: true.into(),
        code: "1234".to_owned().into(),
    })
}

async fn consent(_form: Bytes) -> Html<&'static [u8]> {
    Html(&PAGE)
}

async fn claim() -> Json<TokenResponse> {
    Json(TokenResponse {
        success: true.into(),
        access_token: TOKEN.to_owned().into(),
        refresh_token: TOKEN.to_owned().into(),
        expiration: "1795507200".to_owned().into(),
        ereceipt: true.into(),
        account: Account {
            id: "acc_0000000000000000".to_owned(),
            name: "Bench".to_owned(),
        }
        .into(),
        store: Store {
            id: "sto_0000000000000000".to_owned(),
            name: "Market Street".to_owned(),
        }
        .into(),
        ..TokenResponse::default()
    })
}

async fn refresh(_form: Bytes) -> Json<RefreshResponse> {
    Json(RefreshResponse {
        success: true.into(),
        access_token: TOKEN.to_owned().into(),
        token_type: "Bearer".to_owned().into(),
        expires_in: 3600_u64.into(),
        refresh_token: TOKEN.to_owned().into(),
        expiration: "1795507200".to_owned().into(),
        ereceipt: true.into(),
    })
}

/// Reads the body and answers with it.
async fn order(body: Bytes) -> Bytes {
    body
}
