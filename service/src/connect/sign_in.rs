//! Signing in, and the consent page that follows it.

use super::closing::Trouble;
use super::credentials::{Credentials, Notice};
use super::form;
use super::page::{ConsentPage, SignInOptions, SignInPage};
use super::second_step;
use super::visit::Visit;
use crate::http::refusal::Refusal;
use crate::integration;
use crate::outcome::Outcome;
use crate::store::{Account, Act, Actor};
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_protocol::Mode;
use pos_connect_texts::Connect;
use std::net::IpAddr;

/// Asks who it is.
pub(super) async fn page(visit: &Visit, notice: Notice, email: &str) -> Result<Response, Refusal> {
    let t = Connect::of(visit.language);
    // Without a sign-in it is always there.
    let form = visit.mint_form(None).await?.unwrap_or_default();
    let error = notice.error(t);
    let page = SignInPage {
        action: "connect",
        client_id: &visit.client_id,
        integration_token: &visit.integration_token,
        form: &form,
        email,
        options: SignInOptions::of(&visit.service, visit.mode),
        window_code: &integration::code(&visit.integration_token),
        error: error.as_deref(),
        notice: notice.notice(t),
    };
    let mut response = visit.page().sign_in(notice.status(), page);
    notice.add_retry_after(&mut response);
    Ok(response)
}

/// Checks email and password; the first account to sign in owns the integration.
pub(super) async fn attempt(
    visit: &Visit,
    email: &str,
    password: &str,
    address: Option<IpAddr>,
) -> Result<Response, Refusal> {
    let (account, outcome) = match visit.mode {
        Mode::Live => (email.to_owned(), Outcome::Consent),
        Mode::Test => Outcome::of(email),
    };
    let credentials = Credentials {
        email: &account,
        password,
        integration: Some(&visit.integration.hash),
        mode: Some(visit.mode),
        address,
        now: visit.now,
    };
    match credentials.check(&visit.service).await? {
        Ok(passed) if passed.awaits_code => second_step::ask(visit, &passed.account).await,
        Ok(passed) => go_on(visit, &passed.account, outcome, address).await,
        Err(notice) => page(visit, notice, email).await,
    }
}

/// Does what the email asks for.
async fn go_on(
    visit: &Visit,
    account: &Account,
    outcome: Outcome,
    address: Option<IpAddr>,
) -> Result<Response, Refusal> {
    let act = Act {
        actor: Actor::Account(account.id),
        address,
        now: visit.now,
    };
    let service = &visit.service;
    match outcome {
        Outcome::Cancelled if form::may_cancel(visit, Some(account.id)) => {
            return form::cancel(visit, act).await;
        }
        Outcome::Slow => {
            if let Ok(_place) = service.slow_sign_ins.try_acquire() {
                tokio::time::sleep(service.settings.slow_sign_in).await;
            }
        }
        _ => {}
    }
    signed_in(visit, account).await
}

/// Goes on with who has signed in.
pub(super) async fn signed_in(visit: &Visit, account: &Account) -> Result<Response, Refusal> {
    let store = &visit.service.store;
    match store
        .own(visit.integration.hash, account.signed_in())
        .await?
    {
        Some(owner) if owner == account.id => consent(visit, account, false).await,
        Some(_) => Ok(visit
            .page()
            .trouble(StatusCode::FORBIDDEN, Trouble::OtherAccount)),
        None if store.account(account.signed_in()).await?.is_none() => {
            page(visit, Notice::FormUsed, "").await
        }
        None => visit.end().await,
    }
}

/// Asks somebody else to sign in, after the wrong one has.
pub(super) async fn leave(visit: &Visit, account: i64) -> Result<Response, Refusal> {
    let store = &visit.service.store;
    store.disown(visit.integration.hash, account).await?;
    page(visit, Notice::None, "").await
}

/// Says what is asked for, and asks which store.
pub(super) async fn consent(
    visit: &Visit,
    account: &Account,
    store_missing: bool,
) -> Result<Response, Refusal> {
    let stores = visit.service.store.stores(account.id).await?;
    if stores.is_empty() {
        return Ok(visit
            .page()
            .trouble(StatusCode::FORBIDDEN, Trouble::NoStore));
    }
    let Some(form) = visit.mint_form(Some(account.signed_in())).await? else {
        return page(visit, Notice::FormUsed, "").await;
    };
    let error = store_missing.then_some(Connect::of(visit.language).choose_store);
    Ok(visit.page().consent(ConsentPage {
        client_id: &visit.client_id,
        integration_token: &visit.integration_token,
        form: &form,
        account,
        stores: &stores,
        offers_ereceipts: visit.service.settings.offers_ereceipts,
        error,
    }))
}
