//! The operations after the connection (spec §1; their shapes are extensions): the store's profile, the customers list,
//! orders. An access token says for which store.

use super::authentication::Caller;
use super::refusal::Refusal;
use super::{access, body, number};
use crate::clock::Timestamp;
use crate::quota::Reserved;
use crate::service::Service;
use crate::store::{Answered, LINK_LENGTH, NewOrder, Repeatable, Scope, TokenOwner};
use crate::token::random_text;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::header::{HeaderName, HeaderValue};
use axum::response::Response;
use iso_currency::Currency;
use pos_connect_foundation::{idempotency_key, metrics};
use pos_connect_protocol::body::BodyFault;
use pos_connect_protocol::header::IDEMPOTENT_REPLAYED;
use pos_connect_protocol::order::{Order, external_id_in};
use pos_connect_protocol::store::StoreProfile;
use pos_connect_protocol::{ProblemCode, customer, path};
use serde::Serialize;
use std::time::{Duration, Instant};

const JSON: &str = "application/json";
/// RFC 7396 §4.
const MERGE_PATCH: &str = "application/merge-patch+json";

/// A call that came with an access token and a body.
struct Call {
    caller: Caller,
    access: TokenOwner,
    key: Option<String>,
    till: Option<String>,
    body: Bytes,
    reserved: Reserved,
}

/// A body that takes longer to arrive has its token looked at once more.
const SLOW: Duration = Duration::from_millis(500);

impl Call {
    async fn read(service: &Service, request: Request, types: &[&str]) -> Result<Self, Refusal> {
        let (head, content) = request.into_parts();
        let (caller, access) = access::authenticate(service, &head).await?;
        let counted = service
            .operations
            .count((access.vendor, access.store), caller.now);
        counted.map_err(Refusal::slow_down)?;
        let key = idempotency_key::read(&head.headers)?;
        let till = access::till(&head.headers)?;
        let begun = Instant::now();
        let body = body::json(&head.headers, content, types).await?;
        if begun.elapsed() > SLOW {
            // The tokens may have been revoked meanwhile.
            access::authenticate(service, &head).await?;
        }
        // With a key, the answer repeats most of the body.
        let bytes = body.len() * (1 + usize::from(key.is_some()));
        let reserved = reserve(service, &access, bytes, caller.now).await?;
        Ok(Self {
            caller,
            access,
            key,
            till,
            body,
            reserved,
        })
    }

    /// What tells a repeated call from a new one; `body` is what was understood of its body.
    fn repeatable(
        &mut self,
        operation: &'static str,
        body: &impl Serialize,
    ) -> Result<Repeatable, Refusal> {
        Ok(Repeatable {
            scope: Scope {
                vendor: self.access.vendor,
                store: self.access.store,
                now: self.caller.now,
            },
            operation,
            till: self.till.take(),
            key: self.key.take(),
            body: serde_json::to_vec(body).map_err(|_| ProblemCode::InternalError)?,
        })
    }

    async fn answer(self, service: &Service, answered: Answered) -> Result<Response, Refusal> {
        match answered {
            Answered::Done(body, grown) => {
                service
                    .quota
                    .add(&service.store, self.reserved, grown)
                    .await;
                Ok(self.caller.page.json_text(body))
            }
            Answered::Replayed(body, grown) => {
                service
                    .quota
                    .add(&service.store, self.reserved, grown)
                    .await;
                let mut response = self.caller.page.json_text(body);
                let name = HeaderName::from_static(IDEMPOTENT_REPLAYED);
                response
                    .headers_mut()
                    .insert(name, HeaderValue::from_static("true"));
                Ok(response)
            }
            Answered::Refused(refusal) => Err(refusal),
        }
    }
}

/// Room for what a call may store.
async fn reserve(
    service: &Service,
    access: &TokenOwner,
    bytes: usize,
    now: Timestamp,
) -> Result<Reserved, Refusal> {
    let owner = (access.vendor, access.store);
    let reserved = service.quota.reserve(&service.store, owner, bytes, now);
    reserved.await?.map_err(|seconds| {
        metrics::over_quota();
        let (vendor, store) = (&access.client_id, &access.store_id);
        tracing::warn!(vendor, store, "too much is stored: a call is refused");
        Refusal::new(ProblemCode::StorageQuota).after(seconds)
    })
}

pub(super) async fn profile(service: Service, request: Request) -> Result<Response, Refusal> {
    let (_, caller, access) = access::look(&service, request).await?;
    caller
        .page
        .json(&service.store.profile(access.store).await?)
}

pub(super) async fn patch_profile(service: Service, request: Request) -> Result<Response, Refusal> {
    let mut call = Call::read(&service, request, &[MERGE_PATCH, JSON]).await?;
    let patch = body::parsed(&call.body)?;
    // Here, because all wait for the one writer, which applies it: a patch that leads to a profile is one itself.
    StoreProfile::read(&patch)?;
    let repeatable = call.repeatable(path::STORE, &patch)?;
    let answered = service
        .store
        .patch_profile(patch, repeatable, call.caller.act())
        .await?;
    call.answer(&service, answered).await
}

pub(super) async fn change_customers(
    service: Service,
    request: Request,
) -> Result<Response, Refusal> {
    let mut call = Call::read(&service, request, &[JSON]).await?;
    let (changes, repeatable) = {
        let list = body::parsed(&call.body)?;
        (
            customer::read(&list)?,
            call.repeatable(path::CUSTOMERS, &list)?,
        )
    };
    let owner = (call.access.vendor, call.access.store);
    let counted = service
        .customers
        .count_many(owner, call.caller.now, changes.len());
    counted.map_err(Refusal::slow_down)?;
    let answered = service.store.change_customers(changes, repeatable).await?;
    call.answer(&service, answered).await
}

pub(super) async fn accept_order(service: Service, request: Request) -> Result<Response, Refusal> {
    let mut call = Call::read(&service, request, &[JSON]).await?;
    let mut order = Order::read(&body::parsed(&call.body)?)?;
    if Currency::from_code(&order.currency).is_none() {
        return Err(BodyFault::invalid("/currency", "a currency in use").into());
    }
    let channel = number::taken(&service, &mut order, &call.access).await?;
    // Without the number: what is made of it could be tried against all numbers, long after it was erased. Nor are two
    // seals of one number the same.
    let repeatable = call.repeatable(path::ORDERS, &order)?;
    let sends_receipt = order.ereceipt.is_some();
    let order = NewOrder {
        channel,
        order,
        link: random_text(LINK_LENGTH),
        receipt_ttl: service.settings.receipt_ttl,
        account: call.access.account_name.clone(),
        limits: service.settings.message_limits,
        mode: call.access.mode,
    };
    let answered = service.store.accept_order(order, repeatable).await?;
    if sends_receipt {
        service.message_waits.notify_one();
    }
    call.answer(&service, answered).await
}

pub(super) async fn order(service: Service, request: Request) -> Result<Response, Refusal> {
    let external_id = external_id_in(request.uri().path()).ok_or(ProblemCode::MalformedRequest)?;
    let (head, caller, access) = access::look(&service, request).await?;
    let till = access::till(&head.headers)?;
    let order = service
        .store
        .order(access.vendor, access.store, till.as_deref(), &external_id)
        .await?;
    caller.page.json(&order.ok_or(ProblemCode::OrderNotFound)?)
}
