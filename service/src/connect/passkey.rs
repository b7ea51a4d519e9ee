//! Passkeys, on the list of connections: how one is added and removed. [`second_step`](super::second_step) takes them.

use super::connections::{Typed, Visitor};
use super::credentials::Notice;
use super::page::{Changed, Frame};
use super::second_factor::ListForm;
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::store::{Account, Act, PasskeyAnswer};
use crate::token::{Hash, Kind};
use crate::totp::digits;
use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_texts::Connect;
use webauthn_rs::WebauthnBuilder;
use webauthn_rs::prelude::{Url, Webauthn};

#[derive(Template)]
#[template(path = "passkey.html")]
struct PasskeyTemplate<'a> {
    frame: Frame<'a>,
    /// What the browser is asked for, as JSON.
    options: String,
    page: ListForm<'a>,
}

/// Whose passkeys a page takes: the host of the service's address. `None` where a browser has none: at an IP address,
/// and at a host that only the request names, unless that is `localhost`.
pub(super) fn relying_party(service: &Service, host: &str) -> Option<Webauthn> {
    let settings = &service.settings;
    let local = || {
        let origin = Url::parse(&format!("http://{host}")).ok()?;
        (origin.domain() == Some("localhost")).then_some(origin)
    };
    let origin = match &settings.public_origin {
        Some(origin) => Url::parse(origin).ok()?,
        None => local()?,
    };
    let id = origin.domain()?;
    let name = settings.brand.name.as_deref().unwrap_or(id);
    let relying_party = WebauthnBuilder::new(id, &origin).ok()?.rp_name(name);
    relying_party.build().ok()
}

impl Visitor<'_> {
    /// Does what a button beside the passkeys says; `None` for another button.
    pub(super) async fn change_passkeys(
        &self,
        account: &Account,
        action: &str,
        typed: Typed<'_>,
        act: Act,
    ) -> Result<Option<Response>, Refusal> {
        let (store, who) = (&self.service.store, account.signed_in());
        let t = Connect::of(self.language);
        Ok(Some(match action {
            "passkey" => self.begin_passkey(account, digits(typed.code), act).await?,
            "passkey-on" => {
                let Some(page) = Kind::Form.digest(typed.form) else {
                    return Ok(None);
                };
                let answer = PasskeyAnswer {
                    page,
                    relying_party: relying_party(self.service, &self.host),
                    credential: typed.credential.to_owned(),
                };
                let changed = match store.add_passkey(who, answer, act).await? {
                    true => Changed::SecondFactor(t.passkey_now_on),
                    false => Changed::Nothing(t.passkey_not_added),
                };
                self.list(account, Some(changed)).await?
            }
            "passkey-off" => {
                let id = typed.id.parse().unwrap_or_default();
                let is_removed = store.remove_passkey(who, id, act).await?;
                let changed = is_removed.then_some(Changed::SecondFactor(t.passkey_now_off));
                self.list(account, changed).await?
            }
            _ => return Ok(None),
        }))
    }

    /// Asks the browser for a new passkey, for a code: whoever finds the list open gets none.
    async fn begin_passkey(
        &self,
        account: &Account,
        code: String,
        act: Act,
    ) -> Result<Response, Refusal> {
        let Some(relying_party) = relying_party(self.service, &self.host) else {
            return self.list(account, None).await;
        };
        let Some(form) = self.mint_form(account).await? else {
            return Ok(self.sign_in(Notice::FormUsed, ""));
        };
        let (store, page) = (&self.service.store, Hash::of(&form));
        let begun = store.begin_passkey(account.signed_in(), page, relying_party, code, act);
        let options = match begun.await? {
            Ok(options) => options,
            Err(refused) => return self.refuse_code(account, refused).await,
        };
        let shown = self.sent_page(account.mode);
        let template = PasskeyTemplate {
            frame: shown.frame("passkey", ""),
            options,
            page: ListForm {
                form: &form,
                error: None,
            },
        };
        Ok(shown.respond(StatusCode::OK, &template))
    }
}
