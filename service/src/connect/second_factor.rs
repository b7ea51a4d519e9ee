//! The merchant turns the second factor on or off, on the list of connections.

use super::connections::{Typed, Visitor};
use super::credentials::Notice;
use super::page::{Changed, Frame};
use crate::http::refusal::Refusal;
use crate::store::{Account, Act, Actor, CodeRefused, SetUp};
use crate::totp::{digits, in_groups};
use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_texts::Connect;

#[derive(Template)]
#[template(path = "second_factor.html")]
struct SecondFactorTemplate<'a> {
    frame: Frame<'a>,
    label: &'static str,
    /// The side of the code to scan, in modules.
    side: usize,
    /// Its dark modules.
    path: String,
    key: String,
    set_up: &'a str,
    page: ListForm<'a>,
}

#[derive(Template)]
#[template(path = "recovery_codes.html")]
struct RecoveryCodesTemplate<'a> {
    frame: Frame<'a>,
    codes: Vec<String>,
    page: ListForm<'a>,
}

/// What a form has that leads to the list.
pub(super) struct ListForm<'a> {
    pub(super) form: &'a str,
    /// What is wrong with a code.
    pub(super) error: Option<String>,
}

impl Visitor<'_> {
    /// Does what a button beside the second factor says; `None` for another button.
    pub(super) async fn change_second_factor(
        &self,
        account: &Account,
        action: &str,
        typed: Typed<'_>,
    ) -> Result<Option<Response>, Refusal> {
        let (store, who, code) = (&self.service.store, account.signed_in(), digits(typed.code));
        let t = Connect::of(self.language);
        let act = Act {
            actor: Actor::Account(account.id),
            address: self.address,
            now: self.now,
        };
        Ok(Some(match action {
            "second-factor" => self.begin(account, typed.password).await?,
            "second-factor-on" => self.turn_on(account, typed.set_up, code, act).await?,
            "second-factor-off" => match store.turn_off_second_factor(who, code, act).await? {
                Ok(()) => {
                    self.list(
                        account,
                        Some(Changed::SecondFactor(t.second_factor_now_off)),
                    )
                    .await?
                }
                Err(refused) => self.refuse_code(account, refused).await?,
            },
            "recovery-codes" => match store.renew_recovery_codes(who, code, act).await? {
                Ok(codes) => self.recovery_codes(account, codes).await?,
                Err(refused) => self.refuse_code(account, refused).await?,
            },
            _ => return self.change_passkeys(account, action, typed, act).await,
        }))
    }

    /// Asks for the password once more: whoever finds the list open must not lock its merchant out.
    async fn begin(&self, account: &Account, password: &str) -> Result<Response, Refusal> {
        match self.check(&account.login, password).await? {
            Ok(_) => {}
            Err(Notice::Wrong | Notice::Incomplete) => {
                return self.list_with(account, None, Notice::NotOwnPassword).await;
            }
            Err(notice) => return self.list_with(account, None, notice).await,
        }
        let store = &self.service.store;
        match store
            .begin_second_factor(account.signed_in(), self.now)
            .await?
        {
            Some(begun) => self.set_up(account, &begun, Notice::None).await,
            None => self.list(account, None).await,
        }
    }

    async fn turn_on(
        &self,
        account: &Account,
        set_up: &str,
        code: String,
        act: Act,
    ) -> Result<Response, Refusal> {
        let store = &self.service.store;
        let confirmed = store.confirm_second_factor(account.signed_in(), set_up, code, act);
        let refused = match confirmed.await? {
            Ok(codes) => return self.recovery_codes(&account.alone(), codes).await,
            Err(refused) => refused,
        };
        if refused == CodeRefused::Wrong
            && let Some(begun) = store.set_up(account.id, set_up).await?
        {
            return self.set_up(account, &begun, Notice::WrongCode).await;
        }
        self.refuse_code(account, refused).await
    }

    pub(super) async fn refuse_code(
        &self,
        account: &Account,
        refused: CodeRefused,
    ) -> Result<Response, Refusal> {
        let notice = Notice::of_code(refused).unwrap_or(Notice::None);
        self.list_with(account, None, notice).await
    }

    /// Shows the secret, and asks for the first code.
    async fn set_up(
        &self,
        account: &Account,
        SetUp { secret, value }: &SetUp,
        notice: Notice,
    ) -> Result<Response, Refusal> {
        let Some(form) = self.mint_form(account).await? else {
            return Ok(self.sign_in(Notice::FormUsed, ""));
        };
        let issuer = self.service.settings.brand.name.as_deref();
        let issuer = issuer.unwrap_or(&self.host);
        let (side, path) = secret.drawn(issuer, &account.login).unwrap_or_default();
        let shown = self.sent_page(account.mode);
        let frame = shown.frame("second-factor", "");
        let template = SecondFactorTemplate {
            label: frame.t.set_up_code,
            frame,
            side,
            path,
            key: secret.text(),
            set_up: value,
            page: ListForm {
                form: &form,
                error: notice.error(Connect::of(self.language)),
            },
        };
        Ok(shown.respond(StatusCode::OK, &template))
    }

    /// Shows new recovery codes, once.
    async fn recovery_codes(
        &self,
        account: &Account,
        codes: Vec<String>,
    ) -> Result<Response, Refusal> {
        let Some(form) = self.mint_form(account).await? else {
            return Ok(self.sign_in(Notice::FormUsed, ""));
        };
        let shown = self.sent_page(account.mode);
        let template = RecoveryCodesTemplate {
            frame: shown.frame("recovery-codes", ""),
            codes: codes.iter().map(|code| in_groups(code)).collect(),
            page: ListForm {
                form: &form,
                error: None,
            },
        };
        Ok(shown.respond(StatusCode::OK, &template))
    }
}
