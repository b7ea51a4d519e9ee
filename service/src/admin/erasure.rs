//! Orders and customers.

use super::field::{Field, Rule};
use super::openapi::{count, flag, object};
use super::route::{Answering, Route};
use super::{Asked, LONGEST, Refusal, absent};
use crate::store::{Erasure, Kept, Progress, TakenNumber};
use AdminProblemCode::{StoreNotFound, VendorNotFound};
use Scope::OrdersWrite;
use pos_connect_foundation::refusal::Code::{Own, Shared};
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::admin::{AdminProblemCode, Scope};
use serde_json::{Value, json};

const ERASURE: &[Field] = &[
    Field::optional("vendor", Rule::Text, "The vendor whose tills sent them."),
    Field::optional("store", Rule::Text, "The store, by its ID."),
    Field::optional("since", Rule::Time, "Only what came at this time or later."),
    Field::optional("until", Rule::Time, "Only what came before this time."),
];

fn erased() -> Value {
    object(json!({ "erased": count(), "done": flag() }))
}

pub(super) const ROUTES: &[Route] = &[
    Route::new(
        "post",
        "/admin/v1/orders/erase",
        "eraseOrders",
        OrdersWrite,
        |asked| erase(asked, Kept::Orders),
    )
    .says("Erases orders of a vendor, of a store, or of both together, for 20 seconds; unless done, ask again.")
    .contains()
    .takes(ERASURE)
    .refuses(&[Own(VendorNotFound), Own(StoreNotFound)])
    .answers(|_| erased()),
    Route::new(
        "post",
        "/admin/v1/customers/erase",
        "eraseCustomers",
        OrdersWrite,
        |asked| erase(asked, Kept::Customers),
    )
    .says("Erases customers in the same way.")
    .contains()
    .takes(ERASURE)
    .refuses(&[Own(VendorNotFound), Own(StoreNotFound)])
    .answers(|_| erased()),
    Route::new("post", "/admin/v1/orders/free", "freeOrder", OrdersWrite, free)
        .says("Erases an order with its message and receipt, so that another one can have its number.")
        .takes(&[
            Field::required("vendor", Rule::Text, "The vendor."),
            Field::required("store", Rule::Text, "The store, by its ID."),
            Field::optional("till", Rule::Text, "The till, if a relay tells them apart."),
            Field::required("externalId", Rule::Text, "The till's own ID of the order."),
        ])
        .refuses(&[Shared(ProblemCode::OrderNotFound)]),
];

fn erase(mut asked: Asked, kept: Kept) -> Answering {
    Box::pin(async move {
        let erasure = Erasure {
            vendor: asked.values.text("vendor"),
            store: asked.values.text("store"),
            since: asked.values.time("since"),
            until: asked.values.time("until"),
        };
        if erasure.vendor.is_none() && erasure.store.is_none() {
            return Err(Refusal {
                pointer: Some("/vendor".into()),
                ..ProblemCode::MissingMember.into()
            });
        }
        let store = asked.store().await?;
        let erased = store.erase(kept, erasure, Some(LONGEST), asked.act).await?;
        let Progress { count, is_done } = erased.map_err(absent)?;
        Ok(Some(json!({ "erased": count, "done": is_done })))
    })
}

fn free(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let order = TakenNumber {
            client_id: asked.values.required("vendor"),
            store_id: asked.values.required("store"),
            till: asked.values.text("till"),
            external_id: asked.values.required("externalId"),
        };
        match asked.store().await?.free_order(order, asked.act).await? {
            true => Ok(None),
            false => Err(ProblemCode::OrderNotFound.into()),
        }
    })
}
