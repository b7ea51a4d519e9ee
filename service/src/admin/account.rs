//! Accounts of merchants.

use super::field::{AFTER, Field, MODE, Rule};
use super::openapi::{list, object, text};
use super::route::{Answering, Route};
use super::{Asked, found, page};
use crate::account::{self, Login};
use crate::store::{AccountSummary, StoreError};
use AdminProblemCode::{AccountExists, AccountNotFound};
use Scope::{AccountsRead, AccountsWrite};
use pos_connect_foundation::refusal::Code::Own;
use pos_connect_protocol::admin::{AdminProblemCode, Scope};
use pos_connect_protocol::body::BodyFault;
use serde_json::json;

const PASSWORD: Field = Field::optional(
    "password",
    Rule::Password,
    "Without it one is made, and shown, once.",
);

pub(super) const ROUTES: &[Route] = &[
    Route::new("get", "/admin/v1/accounts", "listAccounts", AccountsRead, all)
        .says("Lists accounts and their stores, the oldest first, 500 at a time.")
        .takes(&[AFTER])
        .answers(|schemas| list("accounts", &schemas.of::<AccountSummary>())),
    Route::new("post", "/admin/v1/accounts", "addAccount", AccountsWrite, add)
        .says("Adds an account with a password.")
        .takes(&[
            Field::required("email", Rule::Email, "What the merchant signs in with."),
            Field::required("name", Rule::Name, "Name of the account."),
            Field::optional("stores", Rule::Names, "Names of its stores; without any, one with the account's name."),
            PASSWORD,
            MODE,
        ])
        .refuses(&[Own(AccountExists)])
        .answers(|_| {
            let stores = json!({ "type": "array", "items": text() });
            let added = json!({ "id": text(), "email": text(), "name": text(), "mode": text(), "stores": stores });
            let mut added = object(added);
            added["properties"]["password"] = text();
            added
        }),
    Route::new("post", "/admin/v1/accounts/{id}/set-password", "setPassword", AccountsWrite, set_password)
        .says("Gives an account another password, and ends its open pages; what was connected stays connected.")
        .contains()
        .takes(&[PASSWORD])
        .refuses(&[Own(AccountNotFound)])
        .answers(|_| {
            let mut set = object(json!({ "id": text() }));
            set["properties"]["password"] = text();
            set
        }),
    Route::new(
        "post",
        "/admin/v1/accounts/{id}/remove-second-factor",
        "removeSecondFactor",
        AccountsWrite,
        remove_second_factor,
    )
    .says("Ends two-step sign-in of an account whose merchant has lost phone and recovery codes.")
    .contains()
    .refuses(&[Own(AccountNotFound)]),
    Route::new("put", "/admin/v1/accounts/{id}/regions", "setRegions", AccountsWrite, set_regions)
        .says("Says to which countries the receipts of an account go by text message.")
        .takes(&[Field::required("regions", Rule::Regions, "Countries as IL; without any, those of the service.")])
        .refuses(&[Own(AccountNotFound)]),
    Route::new(
        "post",
        "/admin/v1/accounts/{id}/disable",
        "disableAccount",
        AccountsWrite,
        |asked| set_disabled(asked, true),
    )
    .says("Lets nobody sign in with an account; what was connected stays connected.")
    .contains()
    .refuses(&[Own(AccountNotFound)]),
    Route::new(
        "post",
        "/admin/v1/accounts/{id}/enable",
        "enableAccount",
        AccountsWrite,
        |asked| set_disabled(asked, false),
    )
    .says("Lets a disabled account sign in again.")
    .refuses(&[Own(AccountNotFound)]),
];

fn all(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let accounts = asked.service.store.accounts(asked.values.page());
        let row = |account: &AccountSummary| account.row.to_string();
        page("accounts", accounts.await?, row, None)
    })
}

fn add(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let (email, name) = (
            asked.values.required("email"),
            asked.values.required("name"),
        );
        let (stores, password) = (asked.values.names("stores"), asked.values.password());
        let mode = asked.values.mode();
        let login = Login::new(email.clone(), mode);
        let login = login.map_err(|rule| BodyFault::invalid("/email", rule))?;
        let store = asked.store().await?;
        let added = account::add(store, login, name.clone(), stores, &password, asked.act);
        let (id, stores) = match added.await {
            Err(StoreError::Exists) => return Err(AccountExists.into()),
            added => added?,
        };
        let mut answer =
            json!({ "id": id, "email": email, "name": name, "mode": mode, "stores": stores });
        if let Some(password) = password.to_show() {
            answer["password"] = password.into();
        }
        Ok(Some(answer))
    })
}

fn set_password(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let password = asked.values.password();
        let store = asked.store().await?;
        let set = account::set_password(store, asked.id.clone(), &password, asked.act);
        found(set.await?, AccountNotFound)?;
        let mut answer = json!({ "id": asked.id });
        if let Some(password) = password.to_show() {
            answer["password"] = password.into();
        }
        Ok(Some(answer))
    })
}

/// An account without two-step sign-in is one that cannot be found.
fn remove_second_factor(asked: Asked) -> Answering {
    Box::pin(async move {
        let store = asked.store().await?;
        let removed = store.remove_second_factor(asked.id.clone(), asked.act);
        found(removed.await?, AccountNotFound)
    })
}

fn set_regions(mut asked: Asked) -> Answering {
    Box::pin(async move {
        let regions = asked.values.regions();
        let store = asked.store().await?;
        let set = account::set_regions(store, asked.id.clone(), &regions, asked.act);
        found(set.await?, AccountNotFound)
    })
}

fn set_disabled(asked: Asked, disabled: bool) -> Answering {
    Box::pin(async move {
        let store = asked.store().await?;
        let set = store.set_account_disabled(asked.id.clone(), disabled, asked.act);
        found(set.await?, AccountNotFound)
    })
}
