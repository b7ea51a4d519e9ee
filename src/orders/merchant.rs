//! The operations for a connected merchant (spec §1): the outbox, and what is answered at once, which is the store's
//! profile, the customers list, and a look at an order.

use super::outbox::Outbox;
use super::page::Page;
use super::{clean, draft};
use crate::connect::connection::Connection;
use crate::core::cancellation::Cancellation;
use crate::core::error::{Error, ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::object;
use crate::http::{self, Body, Call};
use crate::platform::Browser;
use crate::vault::seal::random_letters;
use js_sys::{Array, JSON, Object};
use pos_connect_protocol::{ProblemCode, decode};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Customers that one call takes.
const MOST_CUSTOMERS: u32 = 1_000;

/// The merchant of one vendor account and store.
pub struct Merchant {
    /// Makes the calls.
    pub browser: Rc<Browser>,
    /// What is known about the connection.
    pub connection: Rc<Connection>,
    /// The orders that wait.
    pub outbox: Rc<Outbox<Page>>,
}

impl Merchant {
    /// Changes the store's profile by a merge patch (RFC 7396).
    pub async fn update_store_profile(
        &self,
        patch: &JsValue,
        cancel: &Cancellation,
    ) -> Result<JsValue, Failure> {
        let patch = draft::copy(patch, "profile")?;
        let cleaned = Array::new();
        draft::clean(&patch, clean::PROFILE, "", &cleaned);
        let address = object::get(&patch, "address");
        draft::clean(&address, clean::ADDRESS, "/address", &cleaned);
        let (text, _) = draft::checked(&patch, "profile")?;
        let body = Some(Body::json(text, None));
        let result = self.store(Operation::UpdateStore, body, cancel).await?;
        Ok(draft::with_cleaned(result, &cleaned))
    }

    /// The store's profile: `StoreProfileResult` in `index.d.ts`.
    pub async fn store(
        &self,
        operation: Operation,
        body: Option<Body>,
        cancel: &Cancellation,
    ) -> Result<JsValue, Failure> {
        let answer = self.answer(operation, "", body, cancel).await?;
        let (store, profile) = (member(&answer, "store"), member(&answer, "profile"));
        if !store.is_object() || !profile.is_object() {
            return Err(malformed("profile: missing"));
        }
        Ok(object::of(&[("store", store), ("profile", profile)]).into())
    }

    /// Sends the customers list, and gives a result for each item.
    pub async fn send_customers(
        &self,
        customers: &JsValue,
        key: Option<String>,
        cancel: &Cancellation,
    ) -> Result<JsValue, Failure> {
        let is_array = object::is_array(customers)
            .map_err(|thrown| Failure::unreadable("customers", thrown))?;
        if !is_array {
            return Err(Failure::invalid("customers: is not an array"));
        }
        let customers = draft::copy(customers, "customers")?;
        let count = customers.unchecked_ref::<Array>().length();
        if !(1..=MOST_CUSTOMERS).contains(&count) {
            return Err(Failure::invalid("customers: must have 1 to 1,000 items"));
        }
        let cleaned = Array::new();
        for customer in customers.unchecked_ref::<Array>().iter() {
            let of_it = Array::new();
            draft::clean(&customer, clean::CUSTOMER, "", &of_it);
            cleaned.push(&of_it);
        }
        let (list, _) = draft::checked(&customers, "customers")?;
        let text = ["{\"customers\":", &list, "}"].concat();
        let key = key.map_or_else(random_letters, Ok)?;
        let body = Body::json(text, Some(key));
        let answer = self
            .answer(Operation::SendCustomers, "", Some(body), cancel)
            .await?;
        let results = member(&answer, "results");
        let Some(results) = results.dyn_ref::<Array>() else {
            return Err(malformed("results: missing"));
        };
        for ((at, result), cleaned) in (0..).zip(results.iter()).zip(cleaned.iter()) {
            results.set(at, draft::with_cleaned(result, cleaned.unchecked_ref()));
        }
        Ok(results.into())
    }

    /// Gives an order that the service has; `null` if it has none of that id. `OrderRecord` in `index.d.ts`.
    pub async fn order(
        &self,
        external_id: &str,
        cancel: &Cancellation,
    ) -> Result<JsValue, Failure> {
        let answer = match self
            .answer(Operation::GetOrder, external_id, None, cancel)
            .await
        {
            // Not every 404: that of a wrong path must not look like an order that never arrived.
            Err(failure) if is_no_order(&failure.error) => return Ok(JsValue::NULL),
            answer => answer?,
        };
        let order = member(&answer, "order");
        if !order.is_object() {
            return Err(malformed("order: missing"));
        }
        let received_at = member(&answer, "receivedAt").as_string();
        let received_at = received_at.as_deref().and_then(draft::date);
        let record = object::of(&[
            ("order", order),
            ("receivedAt", received_at.unwrap_or(JsValue::NULL)),
            ("ereceipt", member(&answer, "ereceipt")),
        ]);
        Ok(record.into())
    }

    /// The body of a successful answer, for the page: its objects are like any others of the page.
    async fn answer(
        &self,
        operation: Operation,
        external_id: &str,
        body: Option<Body>,
        cancel: &Cancellation,
    ) -> Result<JsValue, Failure> {
        let call = Call::of_merchant(&self.browser.http.config, operation, external_id, body);
        let sent = self.browser.http.send(call, cancel).await;
        let body = sent.inspect_err(|failure| self.connection.on_call_failed(failure))?;
        http::read(&body, decode::accepted)?;
        JSON::parse(&body).map_err(|_| malformed("the body"))
    }
}

/// An own member of a parsed body.
fn member(answer: &JsValue, name: &str) -> JsValue {
    let object: &Object = answer.unchecked_ref();
    match Object::has_own(object, &name.into()) {
        true => object::get(answer, name),
        false => JsValue::UNDEFINED,
    }
}

fn is_no_order(error: &Error) -> bool {
    let code = error.service_code.as_deref();
    error.status == Some(404) && code == Some(ProblemCode::OrderNotFound.as_str())
}

fn malformed(detail: &str) -> Failure {
    Error::new(ErrorCode::Protocol).detail(&[detail]).into()
}
