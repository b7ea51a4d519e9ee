//! Signing in with one of the operator's providers: the way there, and the way back.
//!
//! Providers refuse to be framed, so the frame's button opens a window. What comes back belongs to a sign-in of which
//! the database knows the `state`, and to the browser that has its cookie: neither a link with somebody else's answer
//! nor a stolen answer ends anything. Each provider has an address of its own to send browsers back to, so a mixed-up
//! one gets no code of another's, whether or not answers name who gives them (RFC 9700 §4.4).

use super::closing::Trouble;
use super::connections::Visitor;
use super::credentials::Notice;
use super::page::Page;
use super::seen::{Seen, Theme};
use super::sign_in;
use super::visit::{Named, Visit, host};
use crate::clock::Timestamp;
use crate::http::refusal::Refusal;
use crate::language;
use crate::oidc::{Attempt, Profile, Provider, SignInFault};
use crate::service::Service;
use crate::sign_in::network;
use crate::store::{Account, Act, Actor, LoginFound, ProviderLogin, ProviderSignIn};
use crate::token::{Hash, Kind};
use axum::extract::Request;
use axum::http::header::{self, HeaderValue};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use pos_connect_foundation::origin::is_private;
use pos_connect_foundation::query::{self, Parameters};
use pos_connect_foundation::refusal::only_get;
use pos_connect_protocol::{Mode, ProblemCode};
use std::borrow::Cow;

/// The path to come back to: beside `/connect`, so that the addresses in the pages are the same.
pub(super) const CALLBACK: &str = "/callback-{provider}";
/// That path without the provider's ID.
const BACK: &str = "/callback-";

/// The provider that the pressed button names, if it is one's.
pub(super) fn named<'s>(service: &'s Service, action: &str) -> Option<&'s Provider> {
    with_id(service, action.strip_prefix("provider-")?)
}

fn with_id<'s>(service: &'s Service, id: &str) -> Option<&'s Provider> {
    let mut providers = service.providers.iter();
    providers.find(|one| one.settings.id == id)
}

/// A browser that is about to go to a provider. No `Debug`: it holds secrets.
pub(super) struct Leaving<'s> {
    provider: &'s str,
    url: String,
    cookie: Option<HeaderValue>,
}

impl Leaving<'_> {
    pub(super) fn page(self, page: &Page<'_>) -> Response {
        let mut response = page.leave(self.provider, &self.url);
        response
            .headers_mut()
            .extend(self.cookie.map(|cookie| (header::SET_COOKIE, cookie)));
        response
    }
}

/// Prepares the way to a provider.
pub(super) async fn leave<'s>(
    service: &'s Service,
    provider: &'s Provider,
    attempt: Attempt,
    integration: Option<Hash>,
    head: &Parts,
) -> Result<Result<Leaving<'s>, Notice>, Refusal> {
    let (now, address) = (service.clock.now(), service.address_of(head));
    if let Some(address) = address
        && let Err(seconds) = service.provider_sign_ins.count(network(address), now)
    {
        return Ok(Err(Notice::TooMany(seconds)));
    }
    let Some(back) = callback_url(service, provider, &head.headers) else {
        return Ok(Err(Notice::ProviderAway));
    };
    let attempt = Attempt {
        secret: Kind::Login.mint(),
        ..attempt
    };
    let state = Kind::Login.mint();
    let url = match provider.sign_in_url(&attempt, &state, &back, now).await {
        Ok(url) => url,
        Err(fault) => {
            let act = visitor(service, head, now);
            refuse(service, fault, integration, act).await?;
            return Ok(Err(notice(fault)));
        }
    };
    let state = Hash::of(&state);
    let login = ProviderLogin {
        state,
        browser: Hash::of(&attempt.secret),
        integration,
        issuer: provider.settings.issuer.clone(),
        began_at: now,
    };
    service.store.open_login(login).await?;
    Ok(Ok(Leaving {
        provider: &provider.settings.name,
        url,
        cookie: attempt.set(&state, is_secure(&back)),
    }))
}

/// Where a provider sends the browser back to.
fn callback_url(service: &Service, provider: &Provider, headers: &HeaderMap) -> Option<String> {
    let id = &provider.settings.id;
    match &service.settings.public_url {
        Some(url) => Some(format!("{url}{BACK}{id}")),
        None => {
            let url = format!("http://{}{BACK}{id}", host(service, headers));
            is_private(&url).then_some(url)
        }
    }
}

fn is_secure(callback_url: &str) -> bool {
    callback_url.starts_with("https://")
}

/// What a provider hands back.
struct Returned<'q> {
    /// Whose address it came back to.
    provider: &'q Provider,
    /// That address.
    back: &'q str,
    code: Option<Cow<'q, str>>,
    iss: Option<Cow<'q, str>>,
    error: Option<Cow<'q, str>>,
}

/// Where the merchant goes on.
enum Place<'s> {
    Connect(Box<Visit>),
    Connections(Visitor<'s>),
}

/// A browser comes back from a provider.
pub(super) async fn on_callback(service: Service, request: Request) -> Result<Response, Refusal> {
    only_get(request.method())?;
    let (head, _) = request.into_parts();
    let raw = head.uri.query().unwrap_or_default();
    if raw.len() > query::MAX_LENGTH {
        return Err(ProblemCode::UriTooLong.into());
    }
    let names = ["state", "code", "iss", "error"];
    let values = Parameters::parse(raw, names).and_then(Parameters::once);
    let [state, code, iss, error] = values.unwrap_or_default();
    let id = head.uri.path().strip_prefix(BACK).unwrap_or_default();
    let state = state.and_then(|state| Kind::Login.digest(&state));
    let (Some(provider), Some(state)) = (with_id(&service, id), state) else {
        return foreign(&service, SignInFault::UnknownState, None, &head).await;
    };
    let back = callback_url(&service, provider, &head.headers).unwrap_or_default();
    let is_secure = is_secure(&back);
    let attempt = Attempt::of(&head.headers, &state, is_secure).unwrap_or_default();
    let store = &service.store;
    let found = store.take_login(state, attempt.browser(), service.clock.now());
    let login = match found.await? {
        LoginFound::Own(login) if attempt.integration() == login.integration => login,
        LoginFound::Unknown => {
            return foreign(&service, SignInFault::UnknownState, None, &head).await;
        }
        LoginFound::Own(ProviderLogin { integration, .. })
        | LoginFound::OtherBrowser(integration) => {
            return foreign(&service, SignInFault::OtherBrowser, integration, &head).await;
        }
    };
    let returned = Returned {
        provider,
        back: &back,
        code,
        iss,
        error,
    };
    let mut response = match place(&service, &attempt, &head).await? {
        Ok(place) => come_back(&place, &login, &attempt, returned, &head).await?,
        Err(page) => page,
    };
    let forget = Attempt::forget(&state, is_secure);
    let headers = response.headers_mut();
    headers.extend(forget.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok(response)
}

/// The page that the merchant has left, or the one to show where there is nothing left to do.
async fn place<'s>(
    service: &'s Service,
    attempt: &Attempt,
    head: &Parts,
) -> Result<Result<Place<'s>, Response>, Refusal> {
    if attempt.integration_token.is_empty() {
        let visitor = Visitor::of(service, head, Some(&attempt.lang));
        return Ok(Ok(Place::Connections(visitor)));
    }
    let named = Named {
        client_id: &attempt.client_id,
        token: &attempt.integration_token,
        till: Some(&attempt.till),
        host: host(service, &head.headers),
        seen: Seen {
            framed: false,
            sent: true,
            theme: Theme::named(Some(&attempt.theme)),
        },
    };
    let language = language::choose(Some(&attempt.lang), &head.headers);
    let visit = Visit::identify(service, named, language).await?;
    Ok(visit.map(|visit| Place::Connect(Box::new(visit))))
}

async fn come_back(
    place: &Place<'_>,
    login: &ProviderLogin,
    attempt: &Attempt,
    returned: Returned<'_>,
    head: &Parts,
) -> Result<Response, Refusal> {
    let service = match place {
        Place::Connect(visit) => &visit.service,
        Place::Connections(visitor) => visitor.service,
    };
    let signed_in = match vouched_for(login, attempt, returned, service.clock.now()).await {
        Ok(profile) => {
            let issuer = login.issuer.clone();
            // The provider may have taken its time.
            let act = visitor(service, head, service.clock.now());
            let store = &service.store;
            match store.sign_in_by_provider(issuer, profile, act).await? {
                ProviderSignIn::Account(account) => Ok(account),
                ProviderSignIn::Disabled => Err(SignInFault::Disabled),
                ProviderSignIn::TooMany(wait) => {
                    return ask_again(place, Notice::TooMany(wait)).await;
                }
            }
        }
        Err(fault) => Err(fault),
    };
    match signed_in {
        Ok(account) => go_on(place, &account).await,
        Err(fault) => {
            let act = visitor(service, head, service.clock.now());
            refuse(service, fault, login.integration, act).await?;
            ask_again(place, notice(fault)).await
        }
    }
}

/// Who has signed in, by the provider's word.
async fn vouched_for(
    login: &ProviderLogin,
    attempt: &Attempt,
    returned: Returned<'_>,
    now: Timestamp,
) -> Result<Profile, SignInFault> {
    let provider = returned.provider;
    if provider.settings.issuer != login.issuer {
        return Err(SignInFault::OtherIssuer);
    }
    provider.check_issuer(returned.iss.as_deref(), now).await?;
    if let Some(error) = returned.error {
        provider.refused(&error);
        return Err(SignInFault::Denied);
    }
    let code = returned.code.ok_or(SignInFault::Code)?;
    let times = (login.began_at, now);
    provider.redeem(attempt, &code, returned.back, times).await
}

async fn go_on(place: &Place<'_>, account: &Account) -> Result<Response, Refusal> {
    match place {
        Place::Connect(visit) => sign_in::signed_in(visit, account).await,
        Place::Connections(visitor) => visitor.list(account, None).await,
    }
}

async fn ask_again(place: &Place<'_>, notice: Notice) -> Result<Response, Refusal> {
    match place {
        Place::Connect(visit) => sign_in::page(visit, notice, "").await,
        Place::Connections(visitor) => Ok(visitor.sign_in(notice, "")),
    }
}

/// An answer that belongs to nothing here: says so, and shows nothing of anybody's.
async fn foreign(
    service: &Service,
    fault: SignInFault,
    integration: Option<Hash>,
    head: &Parts,
) -> Result<Response, Refusal> {
    let act = visitor(service, head, service.clock.now());
    refuse(service, fault, integration, act).await?;
    let visitor = Visitor::of(service, head, None);
    Ok(visitor.trouble(StatusCode::FORBIDDEN, Trouble::OtherBrowser))
}

async fn refuse(
    service: &Service,
    fault: SignInFault,
    integration: Option<Hash>,
    act: Act,
) -> Result<(), Refusal> {
    let label = integration.map(|hash| hash.label()).unwrap_or_default();
    let event = fault.event();
    tracing::info!(
        integration = label,
        event,
        "a sign-in with a provider is refused"
    );
    service.store.refuse_login(event, integration, act).await?;
    Ok(())
}

fn visitor(service: &Service, head: &Parts, now: Timestamp) -> Act {
    Act {
        actor: Actor::Visitor(Some(Mode::Live)),
        address: service.address_of(head),
        now,
    }
}

const fn notice(fault: SignInFault) -> Notice {
    match fault {
        SignInFault::Unreached => Notice::ProviderAway,
        _ => Notice::NotSignedIn,
    }
}
