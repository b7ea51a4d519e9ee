//! Whose token set an access token belongs to (extension). It is also how a till proves that the token set arrived.

use super::refusal::Refusal;
use super::{access, authentication};
use crate::service::Service;
use axum::extract::Request;
use axum::response::Response;
use pos_connect_protocol::{Account, AccountResponse, Store};

pub(super) async fn account(service: Service, request: Request) -> Result<Response, Refusal> {
    authentication::refuse_body(&request)?;
    let (head, _) = request.into_parts();
    let (caller, access) = access::authenticate(&service, &head).await?;
    caller.json(&AccountResponse {
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
