//! Vendors.

use super::field::{AFTER, Field, MODE, Rule};
use super::openapi::{list, object, text};
use super::route::{Answering, Route};
use super::{Asked, found, page};
use crate::origin::Origin;
use crate::store::{Rotated, StoreError, VendorSummary};
use crate::vendor;
use AdminProblemCode::{RotationUnderway, VendorExists, VendorNotFound};
use Scope::{VendorsRead, VendorsWrite};
use pos_connect_foundation::refusal::Code::Own;
use pos_connect_protocol::admin::{AdminProblemCode, Scope};
use pos_connect_protocol::body::BodyFault;
use serde_json::json;

const ORIGINS: &str = "The origins of its tills.";

pub(super) const ROUTES: &[Route] = &[
    Route::new("get", "/admin/v1/vendors", "listVendors", VendorsRead, all)
        .says("Lists vendors, the oldest first, 500 at a time.")
        .takes(&[AFTER])
        .answers(|schemas| list("vendors", &schemas.of::<VendorSummary>())),
    Route::new("post", "/admin/v1/vendors", "addVendor", VendorsWrite, add)
        .says("Adds a vendor, and shows its secret, once.")
        .takes(&[
            Field::required("name", Rule::Name, "What merchants see on the connect page."),
            Field::optional("origins", Rule::Origins, ORIGINS),
            Field::optional("clientId", Rule::ClientId, "Its ID: a call that is sent again adds no second one."),
            MODE,
        ])
        .refuses(&[Own(VendorExists)])
        .answers(|_| {
            let origins = json!({ "type": "array", "items": text() });
            let added = json!({ "clientId": text(), "clientSecret": text(), "name": text(), "mode": text() });
            let mut added = object(added);
            added["properties"]["origins"] = origins;
            added
        }),
    Route::new("put", "/admin/v1/vendors/{clientId}/origins", "setOrigins", VendorsWrite, set_origins)
        .says("Replaces the origins of a vendor's tills; others are refused at once.")
        .contains()
        .takes(&[Field::required("origins", Rule::Origins, ORIGINS)])
        .refuses(&[Own(VendorNotFound)]),
    Route::new("post", "/admin/v1/vendors/{clientId}/rotate-secret", "rotateSecret", VendorsWrite, rotate)
        .says("Gives a vendor a new secret, and shows it, once; the old one works on for a while.")
        .contains()
        .takes(&[
            Field::optional("overlapHours", Rule::Hours, "For how long the old one works; 168 if it is not there."),
            Field::optional("endOlder", Rule::Flag, "While two secrets work: whether the older one ends at once."),
        ])
        .refuses(&[Own(VendorNotFound), Own(RotationUnderway)])
        .answers(|_| {
            object(json!({ "clientId": text(), "clientSecret": text(), "previousSecretUntil": text() }))
        }),
    Route::new(
        "post",
        "/admin/v1/vendors/{clientId}/disable",
        "disableVendor",
        VendorsWrite,
        |asked| set_disabled(asked, true),
    )
    .says("Refuses every further call of a vendor.")
    .contains()
    .refuses(&[Own(VendorNotFound)]),
    Route::new(
        "post",
        "/admin/v1/vendors/{clientId}/enable",
        "enableVendor",
        VendorsWrite,
        |asked| set_disabled(asked, false),
    )
    .says("Answers a disabled vendor again.")
    .refuses(&[Own(VendorNotFound)]),
];

fn all(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let now = asked.act.now;
        let vendors = asked.service.store.vendors(now, asked.values.page());
        let row = |vendor: &VendorSummary| vendor.row.to_string();
        page("vendors", vendors.await?, row, None)
    })
}

fn add(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let (name, origins) = (asked.values.required("name"), asked.values.origins());
        let (client_id, mode) = (asked.values.text("clientId"), asked.values.mode());
        if client_id.as_ref().is_some_and(|id| !mode.allows(id)) {
            let rule = "an ID that begins with `test_` if `mode` is `test`, and else does not";
            return Err(BodyFault::invalid("/clientId", rule).into());
        }
        let written: Vec<_> = origins.iter().map(Origin::to_string).collect();
        let store = asked.store().await?;
        let added =
            match vendor::add(store, client_id, name.clone(), mode, origins, asked.act).await {
                Err(StoreError::Exists) => return Err(VendorExists.into()),
                added => added?,
            };
        Ok(Some(json!({
            "clientId": added.client_id, "clientSecret": added.client_secret, "name": name, "mode": mode,
            "origins": written,
        })))
    })
}

fn set_origins(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let origins = asked.values.origins();
        let store = asked.store().await?;
        let set = store.set_origins(asked.id.clone(), origins, asked.act);
        found(set.await?, VendorNotFound)
    })
}

fn rotate(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let (hours, ends) = (
            asked.values.hours("overlapHours"),
            asked.values.flag("endOlder"),
        );
        let (store, id) = (asked.store().await?, asked.id.clone());
        let rotated = vendor::rotate_secret(store, id, hours, ends, asked.act);
        match rotated.await? {
            (Rotated::Done(until), secret) => Ok(Some(json!({
                "clientId": asked.id, "clientSecret": secret, "previousSecretUntil": until.to_string(),
            }))),
            (Rotated::Unknown, _) => Err(VendorNotFound.into()),
            (Rotated::Underway(_), _) => Err(RotationUnderway.into()),
        }
    })
}

fn set_disabled(asked: Asked, disabled: bool) -> Answering {
    Box::pin(async move {
        let store = asked.store().await?;
        let set = store.set_vendor_disabled(asked.id.clone(), disabled, asked.act);
        found(set.await?, VendorNotFound)
    })
}
