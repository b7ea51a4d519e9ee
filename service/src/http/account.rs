//! Whose token set an access token belongs to (extension). It is also how a till proves that the token set arrived.

use super::access;
use super::refusal::Refusal;
use crate::service::Service;
use axum::extract::Request;
use axum::response::Response;
use pos_connect_protocol::{Account, AccountResponse, Store};

pub(super) async fn account(service: Service, request: Request) -> Result<Response, Refusal> {
    let (_, caller, access) = access::look(&service, request).await?;
    caller.page.json(&AccountResponse {
        success: true,
        account: Account {
            id: access.account_id,
            name: access.account_name,
        },
        store: Store {
            id: access.store_id,
            name: access.store_name,
        },
        ereceipt: access.ereceipt,
        expiration: access.until.to_string(),
    })
}
