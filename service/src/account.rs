//! An account: its password, given or made. The commands and the admin API call this.

use crate::outcome::Outcome;
use crate::password::{self, MAX_LENGTH};
use crate::store::{Act, NewAccount, Store, StoreError};
use crate::token::random_text;
use pos_connect_phone::Region;
use pos_connect_protocol::Mode;
use pos_connect_protocol::text::is_control;

/// NIST SP 800-63B: shorter ones are guessed whatever the hash.
pub(crate) const MIN_LENGTH: usize = 8;

/// A password that merchants can have.
pub struct Password {
    text: String,
    is_made: bool,
}

impl Password {
    /// A password that somebody has chosen.
    pub fn chosen(text: String) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err("the password is too long".into());
        }
        if text.chars().count() < MIN_LENGTH {
            return Err(format!(
                "the password needs at least {MIN_LENGTH} characters"
            ));
        }
        Ok(Self {
            text,
            is_made: false,
        })
    }

    /// A new one.
    pub fn made() -> Self {
        Self {
            text: random_text(20),
            is_made: true,
        }
    }

    /// The password, if nobody knows it yet: it is shown only now.
    pub fn to_show(&self) -> Option<&str> {
        self.is_made.then_some(&self.text)
    }

    async fn hash(&self) -> Result<String, StoreError> {
        let hashed = password::hash_later(self.text.clone()).await;
        hashed.ok_or_else(|| StoreError::Fault("the password could not be hashed".into()))
    }
}

/// An email address, as far as that can be said of a text.
pub fn email(text: &str) -> Result<String, String> {
    match text.contains('@') && !text.contains(is_control) {
        true => Ok(text.to_owned()),
        false => Err(format!("\"{text}\" is not an email address")),
    }
}

/// What a new account is signed in to with.
pub struct Login {
    email: String,
    mode: Mode,
}

impl Login {
    /// Takes an [`email`] address. The error repeats nothing of it.
    pub fn new(email: String, mode: Mode) -> Result<Self, String> {
        match mode == Mode::Test && Outcome::of(&email).1 != Outcome::Consent {
            true => Err(
                "an email without +cancelled or +slow before the @: in test mode they decide how a sign-in ends, so \
                 nobody could sign in with this one"
                    .into(),
            ),
            false => Ok(Self { email, mode }),
        }
    }
}

/// A country, as `IL`.
pub fn region(code: &str) -> Result<Region, String> {
    let region = Region::parse(code).filter(|_| code.len() == 2);
    region.ok_or_else(|| "must be a country such as IL (ISO 3166-1)".into())
}

/// Adds an account; without names of stores, with one of its own name. Gives its public id, and the names.
pub async fn add(
    store: &Store,
    Login { email, mode }: Login,
    name: String,
    mut stores: Vec<String>,
    password: &Password,
    act: Act,
) -> Result<(String, Vec<String>), StoreError> {
    if stores.is_empty() {
        stores.push(name.clone());
    }
    let new = NewAccount {
        email,
        name,
        mode,
        password_hash: password.hash().await?,
        stores: stores.clone(),
    };
    Ok((store.add_account(new, act).await?, stores))
}

/// Gives the account with an email address another password. False if there is none.
pub async fn set_password(
    store: &Store,
    email: String,
    password: &Password,
    act: Act,
) -> Result<bool, StoreError> {
    store.set_password(email, password.hash().await?, act).await
}

/// Says to which countries an account's messages go; without any, to those of the service. False if there is no such
/// account.
pub async fn set_regions(
    store: &Store,
    account: String,
    regions: &[Region],
    act: Act,
) -> Result<bool, StoreError> {
    let codes: Vec<_> = regions.iter().map(|region| region.code()).collect();
    let regions = (!codes.is_empty()).then(|| codes.join(" "));
    store.set_message_regions(account, regions, act).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_that_decides_the_outcome_is_no_test_account() {
        for (email, test, live) in [
            ("owner@shop.example", true, true),
            ("owner+till@shop.example", true, true),
            ("owner+cancelled@shop.example", false, true),
            (" Owner+Slow@shop.example", false, true),
        ] {
            let is_one = |mode| Login::new(email.into(), mode).is_ok();
            let found = (is_one(Mode::Test), is_one(Mode::Live));
            assert_eq!(found, (test, live), "{email}");
        }
    }

    #[test]
    fn a_password_is_one_that_the_page_takes() {
        let takes = |text: &str, count| Password::chosen(text.repeat(count)).is_ok();
        assert!(!takes("é", MIN_LENGTH - 1) && takes("é", MIN_LENGTH));
        assert!(takes("x", MAX_LENGTH) && !takes("x", MAX_LENGTH + 1));
    }
}
