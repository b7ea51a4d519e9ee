//! Signing in, and the consent page that follows it.

use super::page::{ConsentPage, SignInPage, Trouble};
use super::visit::Visit;
use super::words::strings;
use crate::http::refusal::Refusal;
use crate::password;
use crate::sign_in::{Attempt, network};
use crate::store::{Account, normalized};
use crate::token::Hash;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use std::net::IpAddr;

/// What the sign-in page has to say before it asks.
#[derive(Clone, Copy)]
pub(super) enum Notice {
    None,
    /// The page before this one was sent twice or too late.
    FormUsed,
    /// No such account, or not its password.
    Wrong,
    /// A field was empty.
    Incomplete,
    /// Too many attempts; the seconds to wait.
    TooMany(u64),
    /// Too many people at once.
    Busy,
}

/// For `Retry-After`, when too many people sign in at once.
const BUSY_SECONDS: u64 = 5;

/// Asks for email and password.
pub(super) async fn page(visit: &Visit, notice: Notice, email: &str) -> Result<Response, Refusal> {
    let t = strings(visit.language);
    let (error, status) = match notice {
        Notice::None | Notice::FormUsed => (None, StatusCode::OK),
        Notice::Wrong => (Some(t.wrong_password.to_owned()), StatusCode::OK),
        Notice::Incomplete => (Some(t.fill_both.to_owned()), StatusCode::OK),
        Notice::Busy => (Some(t.busy.to_owned()), StatusCode::SERVICE_UNAVAILABLE),
        Notice::TooMany(seconds) => {
            let minutes = seconds.div_ceil(60).to_string();
            (
                Some(t.too_many.replace("{}", &minutes)),
                StatusCode::TOO_MANY_REQUESTS,
            )
        }
    };
    let retry_after = match notice {
        Notice::TooMany(seconds) => Some(seconds),
        Notice::Busy => Some(BUSY_SECONDS),
        _ => None,
    };
    let form = visit.mint_form(None).await?;
    let mut response = visit.page().sign_in(
        status,
        SignInPage {
            client_id: &visit.client_id,
            integration_token: &visit.integration_token,
            form: &form,
            email,
            error: error.as_deref(),
            notice: matches!(notice, Notice::FormUsed).then_some(t.form_used),
        },
    );
    if let Some(seconds) = retry_after {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    Ok(response)
}

/// Checks email and password; the first account to pass owns the integration.
pub(super) async fn attempt(
    visit: &Visit,
    email: &str,
    password: &str,
    address: Option<IpAddr>,
) -> Result<Response, Refusal> {
    if email.trim().is_empty() || password.is_empty() || password.len() > password::MAX_LENGTH {
        return page(visit, Notice::Incomplete, email).await;
    }
    // Before it is counted: who is sent away for want of a place has not tried.
    let Some(place) = password::place() else {
        tracing::warn!(integration = %visit.integration.hash.label(), "a sign-in is refused: too many at once");
        return page(visit, Notice::Busy, email).await;
    };
    let store = &visit.service.store;
    let account = store.account_by_email(email).await?;
    let familiar = address
        .zip(account.as_ref())
        .map(|(address, account)| familiar_key(account, address));
    let attempt = Attempt {
        integration: &visit.integration.hash,
        vendor: visit.vendor_id,
        email: &normalized(email),
        is_known: account.is_some(),
        address,
        is_familiar: match account.as_ref().zip(familiar.as_ref()) {
            Some((account, address)) => store.is_familiar(account.id, address, visit.now).await?,
            None => false,
        },
    };
    let spends = attempt.spends();
    if let Err(seconds) = visit.service.begin_sign_in(&spends, visit.now).await? {
        tracing::warn!(integration = %visit.integration.hash.label(), seconds, "a sign-in is refused: too many");
        return page(visit, Notice::TooMany(seconds), email).await;
    }
    let stored = account
        .as_ref()
        .map(|account| account.password_hash.clone());
    let owner = account.as_ref().map(|account| (account.id, familiar));
    let look = password::verify(place, password.to_owned(), stored);
    let service = visit.service.clone();
    let right = service.sign_in(spends, visit.now, owner, look).await?;
    let Some(account) = account.filter(|_| right) else {
        tracing::info!(integration = %visit.integration.hash.label(), "a sign-in failed");
        return page(visit, Notice::Wrong, email).await;
    };
    match store.own(visit.integration.hash, account.id).await? {
        Some(owner) if owner == account.id => consent(visit, &account, false).await,
        Some(_) => Ok(visit
            .page()
            .trouble(StatusCode::FORBIDDEN, Trouble::OtherAccount)),
        None => visit.end().await,
    }
}

/// Names the address among those that the account was signed in to from.
fn familiar_key(account: &Account, address: IpAddr) -> Hash {
    Hash::of(&format!("{}\n{}", account.id, network(address)))
}

/// Says what is asked for, and asks which store.
pub(super) async fn consent(
    visit: &Visit,
    account: &Account,
    store_missing: bool,
) -> Result<Response, Refusal> {
    let stores = visit.service.store.stores(account.id).await?;
    let form = visit.mint_form(Some(account.id)).await?;
    let error = store_missing.then_some(strings(visit.language).choose_store);
    Ok(visit.page().consent(ConsentPage {
        client_id: &visit.client_id,
        integration_token: &visit.integration_token,
        form: &form,
        account,
        stores: &stores,
        error,
    }))
}
