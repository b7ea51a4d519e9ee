//! Email and password: whether they are right, and what is said if not.

use crate::clock::Timestamp;
use crate::http::refusal::Refusal;
use crate::limit::micros;
use crate::password::{self, Place};
use crate::service::Service;
use crate::sign_in::{Attempt, BudgetCharge, Tried, Underway, familiar_key};
use crate::store::{Account, StoreError, normalized};
use crate::token::Hash;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use pos_connect_protocol::Mode;
use pos_connect_texts::Connect;
use std::net::IpAddr;

/// What somebody typed, and where.
pub(super) struct Credentials<'a> {
    pub(super) email: &'a str,
    pub(super) password: &'a str,
    /// What is to be connected; `None` on the list of connections.
    pub(super) integration: Option<&'a Hash>,
    /// The mode of the vendor who asks for it: the account has to have it, too. `None` on the list of connections.
    pub(super) mode: Option<Mode>,
    /// Where it comes from, if that is known.
    pub(super) address: Option<IpAddr>,
    pub(super) now: Timestamp,
}

/// What a sign-in page has to say before it asks.
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
    /// A sign-in with a provider came to nothing.
    NotSignedIn,
    /// The provider does not answer.
    ProviderAway,
    /// No such code, or not any more.
    WrongCode,
    /// A passkey that does not count.
    WrongPasskey,
    /// Not the password of who is signed in.
    NotOwnPassword,
}

/// Whose email and password were right.
pub(super) struct Passed {
    pub(super) account: Account,
    /// Whether the account asks for a code, too.
    pub(super) awaits_code: bool,
}

/// Seconds of `Retry-After`, when too many people sign in at once, or a provider is away.
const BUSY_SECONDS: u64 = 5;
/// No account's row number.
const NOBODY: i64 = 0;

impl Notice {
    /// What is wrong with the fields, in the page's words.
    pub(super) fn error(self, t: &Connect) -> Option<String> {
        match self {
            Self::None | Self::FormUsed | Self::NotSignedIn | Self::ProviderAway => None,
            Self::Wrong => Some(t.wrong_password.to_owned()),
            Self::Incomplete => Some(t.fill_both.to_owned()),
            Self::WrongCode => Some(t.wrong_code.to_owned()),
            Self::WrongPasskey => Some(t.wrong_passkey.to_owned()),
            Self::NotOwnPassword => Some(t.own_password.to_owned()),
            Self::Busy => Some(t.busy.to_owned()),
            Self::TooMany(seconds) => {
                let minutes = seconds.div_ceil(60).to_string();
                Some(t.too_many.replace("{}", &minutes))
            }
        }
    }

    /// What is to be said without a fault in the fields.
    pub(super) const fn notice(self, t: &Connect) -> Option<&'static str> {
        match self {
            Self::FormUsed => Some(t.form_used),
            Self::NotSignedIn => Some(t.not_signed_in),
            Self::ProviderAway => Some(t.provider_away),
            _ => None,
        }
    }

    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::Busy | Self::ProviderAway => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::OK,
        }
    }

    /// When to come back, where that is known.
    pub(super) fn add_retry_after(self, response: &mut Response) {
        let seconds = match self {
            Self::TooMany(seconds) => seconds,
            Self::Busy | Self::ProviderAway => BUSY_SECONDS,
            _ => return,
        };
        let seconds = HeaderValue::from(seconds);
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
}

impl Credentials<'_> {
    /// The account, if both are right.
    pub(super) async fn check(self, service: &Service) -> Result<Result<Passed, Notice>, Refusal> {
        let (email, password) = (self.email, self.password);
        if email.trim().is_empty() || password.is_empty() || password.len() > password::MAX_LENGTH {
            return Ok(Err(Notice::Incomplete));
        }
        let (is_known, account) = self.account(service).await?;
        let found = account.as_ref();
        let (is_familiar, familiar) = self.familiar(service, found).await?;
        let attempt = Attempt {
            integration: self.integration,
            email: &normalized(email),
            is_known,
            address: self.address,
            is_familiar,
        };
        let charges = attempt.charges();
        let place = match self.admit(service, &attempt, &charges).await? {
            Ok(place) => place,
            Err(notice) => return Ok(Err(notice)),
        };
        let stored = found.and_then(|found| found.password_hash.clone());
        let owner = found.map(|found| (found.signed_in(), familiar));
        let look = password::verify(place, password.to_owned(), stored);
        let tried = Tried {
            owner,
            address: self.address,
            is_right: false,
            mode: self.mode,
        };
        let right = finish(service.clone(), charges, self.now, tried, look).await?;
        let passed = account.zip(right).map(|(account, awaits_code)| Passed {
            account,
            awaits_code,
        });
        Ok(passed.ok_or_else(|| {
            tracing::info!(integration = self.label(), "a sign-in failed");
            Notice::Wrong
        }))
    }

    /// Makes room for an attempt, and a place to look at its password; or says what is in the way.
    async fn admit(
        &self,
        service: &Service,
        attempt: &Attempt<'_>,
        charges: &[BudgetCharge],
    ) -> Result<Result<Place, Notice>, Refusal> {
        let integration = self.label();
        if let Err(seconds) = begin(service, charges, self.now).await? {
            tracing::warn!(integration, seconds, "a sign-in is refused: too many");
            return Ok(Err(Notice::TooMany(seconds)));
        }
        // Only for what will be hashed.
        let place = service.places.take(attempt.asker());
        Ok(place.ok_or_else(|| {
            // Who is sent away for want of a place has not tried.
            service.sign_ins.withdraw(charges);
            tracing::warn!(integration, "a sign-in is refused: too many at once");
            Notice::Busy
        }))
    }

    /// The integration, as the log names it.
    fn label(&self) -> String {
        self.integration.map(Hash::label).unwrap_or_default()
    }

    /// Whether an account has the email; and the account, which is not there for a page of the other mode.
    async fn account(&self, service: &Service) -> Result<(bool, Option<Account>), Refusal> {
        let found = service.store.account_by_email(self.email).await?;
        let is_known = found.is_some();
        let is_met = |account: &Account| self.mode.is_none_or(|mode| mode == account.mode);
        Ok((is_known, found.filter(is_met)))
    }

    /// Whether the account was signed in to from the address before, and the key of that. For an account that is not
    /// there the same is asked: how long it takes must not show.
    async fn familiar(
        &self,
        service: &Service,
        account: Option<&Account>,
    ) -> Result<(bool, Option<Hash>), Refusal> {
        let Some(address) = self.address else {
            return Ok((false, None));
        };
        let id = account.map_or(NOBODY, |account| account.id);
        let key = familiar_key(id, address);
        let is_familiar = service.store.is_familiar(id, &key, self.now).await?;
        Ok((is_familiar, Some(key)))
    }
}

/// An announced attempt that comes to nothing unless it begins: the database fails, or the caller goes away.
struct Announced<'s>(&'s Underway, &'s [BudgetCharge]);

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        self.0.end(self.1);
    }
}

/// Makes room for an attempt, or says in how many seconds there is some.
async fn begin(
    service: &Service,
    charges: &[BudgetCharge],
    now: Timestamp,
) -> Result<Result<(), u64>, StoreError> {
    let announced = Announced(&service.sign_ins, charges);
    service.sign_ins.announce(charges);
    let keys: Vec<Hash> = charges.iter().map(|charge| charge.key).collect();
    let stored = service.store.budgets(&keys).await?;
    let begun = service.sign_ins.begin(charges, micros(now), &stored);
    if begun.is_ok() {
        std::mem::forget(announced);
    }
    Ok(begun)
}

/// Brings an attempt that has begun to its end, whether or not anybody waits for that. If the password was right, says
/// whether the account asks for a code, too.
async fn finish(
    service: Service,
    charges: Vec<BudgetCharge>,
    now: Timestamp,
    tried: Tried,
    look: impl Future<Output = bool> + Send + 'static,
) -> Result<Option<bool>, StoreError> {
    let attempt = tokio::spawn(async move {
        let is_right = look.await;
        let (changed, is_last) = service.sign_ins.decide(&charges, is_right, micros(now));
        let tried = Tried { is_right, ..tried };
        let kept = service.store.keep_budgets(changed, tried, now).await;
        service.sign_ins.end(&charges);
        let kept = kept?;
        if is_last {
            tracing::error!(
                account = kept.account,
                "somebody guesses a password: addresses that this account does not know are locked"
            );
        }
        Ok(is_right.then_some(kept.awaits_code))
    });
    let broken = |_| StoreError::Fault("a sign-in broke off".into());
    attempt.await.map_err(broken)?
}
