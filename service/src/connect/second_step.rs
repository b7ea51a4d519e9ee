//! The code or passkey that an account with a second factor asks for after the password: in the connect frame, and on
//! the list of connections.

use super::connections::{Typed, Visitor};
use super::credentials::Notice;
use super::page::{Frame, Page};
use super::passkey;
use super::sign_in;
use super::visit::Visit;
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::store::{Account, Act, Actor, CodeRefused, PasskeyAnswer, Proof, SecondStep};
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
    /// What the browser is asked for, as JSON; empty if the account has no passkey.
    options: &'a str,
    error: Option<String>,
}

/// What such a page has sent.
pub(super) struct Sent<'a> {
    pub(super) form: Option<Hash>,
    pub(super) code: &'a str,
    /// The browser's answer, as JSON; empty where a code is meant.
    pub(super) credential: &'a str,
    pub(super) address: Option<IpAddr>,
}

/// What the page shows that asks again.
struct Asked {
    form: String,
    options: String,
    mode: Mode,
    notice: Notice,
}

/// Asks for the code, after the password of this account.
pub(super) async fn ask(visit: &Visit, account: &Account) -> Result<Response, Refusal> {
    let integration = Some(visit.integration.hash);
    match open(&visit.service, &visit.host, integration, account).await? {
        Some(asked) => Ok(page(visit, &asked)),
        None => sign_in::page(visit, Notice::FormUsed, "").await,
    }
}

/// Goes on, if the code or the passkey is right.
pub(super) async fn attempt(visit: &Visit, sent: Sent<'_>) -> Result<Response, Refusal> {
    let integration = Some(visit.integration.hash);
    match try_proof(&visit.service, &visit.host, integration, sent).await? {
        Ok(account) => sign_in::signed_in(visit, &account).await,
        Err(Some(asked)) => Ok(page(visit, &asked)),
        Err(None) => sign_in::page(visit, Notice::FormUsed, "").await,
    }
}

fn page(visit: &Visit, asked: &Asked) -> Response {
    let page = SecondStepPage {
        action: "connect",
        client_id: &visit.client_id,
        integration_token: &visit.integration_token,
        form: &asked.form,
        options: &asked.options,
        error: asked.notice.error(Connect::of(visit.language)),
    };
    show(&visit.page(), hint::READY, asked.notice, page)
}

impl Visitor<'_> {
    /// Asks for the code, after the password of this account.
    pub(super) async fn ask_code(&self, account: &Account) -> Result<Response, Refusal> {
        let asked = open(self.service, &self.host, None, account).await?;
        Ok(match asked {
            Some(asked) => self.code_page(&asked),
            None => self.sign_in(Notice::FormUsed, ""),
        })
    }

    /// Shows the list, if the code or the passkey is right.
    pub(super) async fn try_proof(&self, typed: Typed<'_>) -> Result<Response, Refusal> {
        let sent = Sent {
            form: Kind::Form.digest(typed.form),
            code: typed.code,
            credential: typed.credential,
            address: self.address,
        };
        match try_proof(self.service, &self.host, None, sent).await? {
            Ok(account) if self.service.settings.takes_passwords(account.mode) => {
                self.list(&account, None).await
            }
            Err(Some(asked)) => Ok(self.code_page(&asked)),
            _ => Ok(self.sign_in(Notice::FormUsed, "")),
        }
    }

    fn code_page(&self, asked: &Asked) -> Response {
        let page = SecondStepPage {
            action: "connections",
            client_id: "",
            integration_token: "",
            form: &asked.form,
            options: &asked.options,
            error: asked.notice.error(Connect::of(self.language)),
        };
        show(&self.sent_page(asked.mode), "", asked.notice, page)
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

/// What the page shows that is about to ask first. `None` if the password counts no more.
async fn open(
    service: &Service,
    host: &str,
    integration: Option<Hash>,
    account: &Account,
) -> Result<Option<Asked>, Refusal> {
    let form = Kind::Form.mint();
    let hash = Hash::of(&form);
    let step = SecondStep { hash, integration };
    let relying_party = passkey::relying_party(service, host);
    let (store, now) = (&service.store, service.clock.now());
    let opened = store.open_second_step(step, account.signed_in(), relying_party, now);
    Ok(opened.await?.map(|options| Asked {
        form,
        options,
        mode: account.mode,
        notice: Notice::None,
    }))
}

/// The account, if the code or the passkey is right. Else what the next page shows; `None` where the password has to be
/// typed again.
async fn try_proof(
    service: &Service,
    host: &str,
    integration: Option<Hash>,
    sent: Sent<'_>,
) -> Result<Result<Account, Option<Asked>>, Refusal> {
    let Some(hash) = sent.form else {
        return Ok(Err(None));
    };
    let (step, form) = (SecondStep { hash, integration }, Kind::Form.mint());
    let act = Act {
        actor: Actor::Visitor(None),
        address: sent.address,
        now: service.clock.now(),
    };
    let relying_party = passkey::relying_party(service, host);
    let (proof, wrong) = match sent.credential {
        "" => (Proof::Code(digits(sent.code)), Notice::WrongCode),
        credential => {
            let answer = PasskeyAnswer {
                page: hash,
                relying_party: relying_party.clone(),
                credential: credential.to_owned(),
            };
            (Proof::Passkey(answer), Notice::WrongPasskey)
        }
    };
    let store = &service.store;
    let tried = store.try_second_step(step, Hash::of(&form), proof, relying_party, act);
    Ok(tried.await?.map_err(|(refused, next)| {
        let label = integration.map(|hash| hash.label()).unwrap_or_default();
        tracing::info!(
            integration = label,
            "the second step of a sign-in is refused"
        );
        let notice = match refused {
            CodeRefused::Wrong => Some(wrong),
            _ => Notice::of_code(refused),
        };
        notice.zip(next).map(|(notice, (mode, options))| Asked {
            form,
            options,
            mode,
            notice,
        })
    }))
}

impl Notice {
    /// What a page says that asks for another one; `None` if it does not ask again.
    pub(super) const fn of_code(refused: CodeRefused) -> Option<Self> {
        match refused {
            CodeRefused::Wrong => Some(Self::WrongCode),
            CodeRefused::TooMany(wait) => Some(Self::TooMany(wait)),
            CodeRefused::NotAsked => None,
        }
    }
}
