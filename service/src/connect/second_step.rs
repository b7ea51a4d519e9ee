//! The code that an account with a second factor asks for after the password: in the connect frame, and on the list of
//! connections.

use super::connections::Visitor;
use super::credentials::Notice;
use super::page::{Frame, Page};
use super::sign_in;
use super::visit::Visit;
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::store::{Account, Act, Actor, CodeRefused, SecondStep};
use crate::token::{Hash, Kind};
use crate::totp::digits;
use askama::Template;
use axum::response::Response;
use pos_connect_protocol::{Mode, hint};
use pos_connect_texts::Connect;
use std::net::IpAddr;

#[derive(Template)]
#[template(path = "second_step.html")]
struct SecondStepTemplate<'a> {
    frame: Frame<'a>,
    label: &'static str,
    page: SecondStepPage<'a>,
}

/// Fills the page.
struct SecondStepPage<'a> {
    /// Where it is sent.
    action: &'static str,
    client_id: &'a str,
    integration_token: &'a str,
    form: &'a str,
    error: Option<String>,
}

/// Asks for the code, after the password of this account.
pub(super) async fn ask(visit: &Visit, account: &Account) -> Result<Response, Refusal> {
    let integration = Some(visit.integration.hash);
    match open(&visit.service, integration, account).await? {
        Some(form) => Ok(page(visit, &form, Notice::None)),
        None => sign_in::page(visit, Notice::FormUsed, "").await,
    }
}

/// Goes on, if the code is right.
pub(super) async fn attempt(
    visit: &Visit,
    form: Option<Hash>,
    code: &str,
    address: Option<IpAddr>,
) -> Result<Response, Refusal> {
    let integration = Some(visit.integration.hash);
    match try_code(&visit.service, form, integration, code, address).await? {
        Ok(account) => sign_in::signed_in(visit, &account).await,
        Err(Some((form, _, notice))) => Ok(page(visit, &form, notice)),
        Err(None) => sign_in::page(visit, Notice::FormUsed, "").await,
    }
}

fn page(visit: &Visit, form: &str, notice: Notice) -> Response {
    let page = SecondStepPage {
        action: "connect",
        client_id: &visit.client_id,
        integration_token: &visit.integration_token,
        form,
        error: notice.error(Connect::of(visit.language)),
    };
    show(&visit.page(), hint::READY, notice, page)
}

impl Visitor<'_> {
    /// Asks for the code, after the password of this account.
    pub(super) async fn ask_code(&self, account: &Account) -> Result<Response, Refusal> {
        let form = open(self.service, None, account).await?;
        Ok(match form {
            Some(form) => self.code_page(&form, account.mode, Notice::None),
            None => self.sign_in(Notice::FormUsed, ""),
        })
    }

    /// Shows the list, if the code is right.
    pub(super) async fn try_code(
        &self,
        form: Option<Hash>,
        code: &str,
    ) -> Result<Response, Refusal> {
        match try_code(self.service, form, None, code, self.address).await? {
            Ok(account) if self.service.settings.takes_passwords(account.mode) => {
                self.list(&account, None).await
            }
            Err(Some((form, mode, notice))) => Ok(self.code_page(&form, mode, notice)),
            _ => Ok(self.sign_in(Notice::FormUsed, "")),
        }
    }

    fn code_page(&self, form: &str, mode: Mode, notice: Notice) -> Response {
        let page = SecondStepPage {
            action: "connections",
            client_id: "",
            integration_token: "",
            form,
            error: notice.error(Connect::of(self.language)),
        };
        show(&self.sent_page(mode), "", notice, page)
    }
}

fn show(
    shown: &Page<'_>,
    hint: &'static str,
    notice: Notice,
    page: SecondStepPage<'_>,
) -> Response {
    let frame = shown.frame("second-step", hint);
    let template = SecondStepTemplate {
        label: frame.t.one_time_code,
        frame,
        page,
    };
    let mut response = shown.respond(notice.status(), &template);
    notice.add_retry_after(&mut response);
    response
}

/// A new one-time value for the page that is about to be shown. `None` if the password counts no more.
async fn open(
    service: &Service,
    integration: Option<Hash>,
    account: &Account,
) -> Result<Option<String>, Refusal> {
    let value = Kind::Form.mint();
    let hash = Hash::of(&value);
    let step = SecondStep { hash, integration };
    let now = service.clock.now();
    let opened = service
        .store
        .open_second_step(step, account.signed_in(), now);
    Ok(opened.await?.then_some(value))
}

/// The account, if the code is right. Else the one-time value of the next page, the account's mode, and what the page
/// says; `None` where the password has to be typed again.
async fn try_code(
    service: &Service,
    form: Option<Hash>,
    integration: Option<Hash>,
    code: &str,
    address: Option<IpAddr>,
) -> Result<Result<Account, Option<(String, Mode, Notice)>>, Refusal> {
    let Some(hash) = form else {
        return Ok(Err(None));
    };
    let (step, next) = (SecondStep { hash, integration }, Kind::Form.mint());
    let act = Act {
        actor: Actor::Visitor(None),
        address,
        now: service.clock.now(),
    };
    let tried = service
        .store
        .try_second_step(step, Hash::of(&next), digits(code), act);
    Ok(tried.await?.map_err(|(refused, mode)| {
        let label = integration.map(|hash| hash.label()).unwrap_or_default();
        tracing::info!(integration = label, "the code of a sign-in is refused");
        let shown = Notice::of_code(refused).zip(mode);
        shown.map(|(notice, mode)| (next, mode, notice))
    }))
}

impl Notice {
    /// What a page says that asks for another code; `None` if it does not ask again.
    pub(super) const fn of_code(refused: CodeRefused) -> Option<Self> {
        match refused {
            CodeRefused::Wrong => Some(Self::WrongCode),
            CodeRefused::TooMany(wait) => Some(Self::TooMany(wait)),
            CodeRefused::NotAsked => None,
        }
    }
}
