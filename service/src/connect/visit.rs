//! One look at the connect frame: which vendor, which integration, and what may be shown.

use super::closing::Trouble;
use super::page::Page;
use super::seen::Seen;
use crate::clock::Timestamp;
use crate::http::refusal::Refusal;
use crate::integration::{self, Integration};
use crate::service::Service;
use crate::sign_in::SignedIn;
use crate::store::FormPage;
use crate::token::{Hash, Kind};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use pos_connect_protocol::{Mode, Status, StatusReason};
use pos_connect_texts::Language;

/// What a connect URL or a form names.
pub(super) struct Named<'a> {
    pub(super) client_id: &'a str,
    pub(super) token: &'a str,
    /// The origin that said hello to the page before.
    pub(super) till: Option<&'a str>,
    /// Where the page is, as its own address has it.
    pub(super) host: String,
    pub(super) seen: Seen,
}

/// The host that the merchant sees: the operator's setting, else what the browser has asked for.
pub(super) fn host(service: &Service, headers: &HeaderMap) -> String {
    let origin = service.settings.public_origin.as_deref();
    let public = origin.and_then(|origin| origin.split_once("://"));
    let asked = || {
        headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok())
    };
    let host = public.map(|(_, host)| host).or_else(asked);
    host.unwrap_or_default().to_owned()
}

/// A visit to a pending integration.
pub(super) struct Visit {
    pub(super) service: Service,
    pub(super) language: Language,
    pub(super) client_id: String,
    pub(super) integration_token: String,
    /// The vendor's, which the account has to have, too.
    pub(super) mode: Mode,
    /// The vendor's name, and its logo.
    pub(super) vendor: (String, Option<String>),
    /// The vendor's origins: they may frame the page and hear its hints.
    pub(super) origins: Vec<String>,
    /// The origin that said hello, if it is one of them.
    pub(super) till: Option<String>,
    /// What the till shows too; none in the till's own frame.
    pub(super) code: Option<String>,
    pub(super) host: String,
    pub(super) seen: Seen,
    pub(super) integration: Integration,
    pub(super) now: Timestamp,
}

impl Visit {
    /// Looks up what a connect URL names; gives the page to show instead where there is nothing left to do.
    pub(super) async fn identify(
        service: &Service,
        named: Named<'_>,
        language: Language,
    ) -> Result<Result<Self, Response>, Refusal> {
        let brand = &service.settings.brand;
        let hash = Kind::Integration.digest(named.token);
        let Some(found) = service.store.lookup(named.client_id, hash.as_ref()).await? else {
            let page = Page::of_nobody(brand, language, &named.host, named.seen);
            return Ok(Err(
                page.trouble(StatusCode::BAD_REQUEST, Trouble::UnknownVendor)
            ));
        };
        let origins = service.store.origins(found.vendor.id).await?;
        let till = named
            .till
            .map(String::from)
            .filter(|till| origins.contains(till));
        let Some(integration) = found.integration else {
            let page = Page {
                origins: &origins,
                mode: found.vendor.mode,
                ..Page::of_nobody(brand, language, &named.host, named.seen)
            };
            return Ok(Err(
                page.trouble(StatusCode::FORBIDDEN, Trouble::UnknownIntegration)
            ));
        };
        let visit = Self {
            service: service.clone(),
            language,
            client_id: named.client_id.to_owned(),
            integration_token: named.token.to_owned(),
            mode: found.vendor.mode,
            vendor: service.store.vendor_name_and_logo(found.vendor.id).await?,
            origins,
            till,
            code: (!named.seen.framed).then(|| integration::code(named.token)),
            host: named.host,
            seen: named.seen,
            integration,
            now: service.clock.now(),
        };
        Ok(
            match visit.closing(visit.integration.status_at(visit.now)) {
                Some(page) => Err(page),
                None => Ok(visit),
            },
        )
    }

    /// The page frame: what every page of this visit says about itself.
    pub(super) fn page(&self) -> Page<'_> {
        Page {
            language: self.language,
            mode: self.mode,
            vendor: Some(&self.vendor.0),
            vendor_logo: self.vendor.1.as_deref(),
            origins: &self.origins,
            till: self.till.as_deref(),
            code: self.code.as_deref(),
            seen: self.seen,
            host: &self.host,
            expires: self.integration.expires_at.0.saturating_sub(self.now.0),
            brand: &self.service.settings.brand,
        }
    }

    /// The last page, if the integration has come to an end.
    pub(super) fn closing(&self, status: (Status, Option<StatusReason>)) -> Option<Response> {
        match status {
            (Status::Pending, _) => None,
            (Status::Finished, _) => Some(self.page().finished(None)),
            (Status::Cancelled, Some(StatusReason::Expired)) => {
                Some(self.page().trouble(StatusCode::FORBIDDEN, Trouble::Expired))
            }
            (Status::Cancelled, _) => Some(self.page().cancelled()),
        }
    }

    /// The last page, after something was changed or was found changed by somebody else.
    pub(super) async fn end(&self) -> Result<Response, Refusal> {
        let hash = Some(&self.integration.hash);
        let found = self
            .service
            .store
            .lookup(&self.client_id, hash)
            .await?
            .and_then(|found| found.integration);
        let status = found.map(|integration| integration.status_at(self.service.clock.now()));
        let page = status.and_then(|status| self.closing(status));
        Ok(page.unwrap_or_else(|| {
            self.page()
                .trouble(StatusCode::FORBIDDEN, Trouble::UnknownIntegration)
        }))
    }

    /// A new one-time value for the page that is about to be shown. `None` if the sign-in counts no more.
    pub(super) async fn mint_form(
        &self,
        account: Option<SignedIn>,
    ) -> Result<Option<String>, Refusal> {
        let value = Kind::Form.mint();
        let page = FormPage {
            hash: Hash::of(&value),
            integration: Some(self.integration.hash),
            account,
        };
        let is_open = self.service.store.open_form(page, self.now).await?;
        Ok(is_open.then_some(value))
    }
}
