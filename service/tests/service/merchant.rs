//! A merchant: at the connect page, without a browser, and without the pages.

use crate::http::{Answer, Call, query};
use crate::world::{EMAIL, World, act};
use pos_connect_service::sign_in::SignedIn;
use pos_connect_service::store::Consent;
use pos_connect_service::token::Hash;

impl World {
    pub async fn open_connect(&self, token: &str) -> Answer {
        self.send(Call::new("GET", self.connect_target(token)))
            .await
    }

    pub fn connect_target(&self, token: &str) -> String {
        let pairs = [("integration_token", token), ("client_id", &self.vendor.id)];
        format!("/connect?{}", query(&pairs))
    }

    /// Sends the form of a page, with what the merchant filled in.
    pub async fn submit(&self, page: &Answer, filled: &[(&str, &str)]) -> Answer {
        self.send(self.form(page, filled)).await
    }

    pub fn form(&self, page: &Answer, filled: &[(&str, &str)]) -> Call {
        let hidden = page.hidden_fields();
        let mut pairs: Vec<(&str, &str)> = hidden
            .iter()
            .filter(|(name, _)| filled.iter().all(|(known, _)| known != name))
            .map(|(name, value)| (&**name, &**value))
            .collect();
        pairs.extend(filled);
        let form = "application/x-www-form-urlencoded";
        Call::new("POST", "/connect")
            .header("Content-Type", form)
            .body(query(&pairs))
    }

    pub async fn sign_in(&self, page: &Answer, email: &str, password: &str) -> Answer {
        self.submit(
            page,
            &[
                ("action", "sign-in"),
                ("email", email),
                ("password", password),
            ],
        )
        .await
    }

    /// Lets the merchant finish, without the pages.
    pub async fn finish(&self, token: &str) -> bool {
        self.finish_as(EMAIL, token).await
    }

    /// The same by the owner of another account.
    pub async fn finish_as(&self, email: &str, token: &str) -> bool {
        self.finish_with(email, 0, token).await
    }

    /// The same with one of the account's stores.
    pub async fn finish_with(&self, email: &str, number: usize, token: &str) -> bool {
        self.consent(email, number, true, token).await
    }

    /// What a page has whose merchant has just signed in.
    pub async fn signed_in(&self, email: &str) -> SignedIn {
        let account = self.service.store.account_by_email(email).await;
        account.unwrap().unwrap().signed_in()
    }

    /// The same with this choice of e-receipts.
    pub async fn consent(&self, email: &str, number: usize, ereceipt: bool, token: &str) -> bool {
        let store = &self.service.store;
        let who = self.signed_in(email).await;
        store.own(Hash::of(token), who).await.unwrap();
        self.consent_as(who, number, ereceipt, token).await
    }

    /// The same by whoever has signed in to connect it.
    pub async fn consent_as(
        &self,
        who: SignedIn,
        number: usize,
        ereceipt: bool,
        token: &str,
    ) -> bool {
        let (store, now) = (&self.service.store, self.now());
        let mut stores = store.stores(who.account).await.unwrap();
        let consent = Consent {
            integration: Hash::of(token),
            who,
            store: stores.remove(number).public_id,
            ereceipt,
        };
        let until = now.after(self.service.settings.pickup_window);
        let finished = store.finish(consent, act(who.account, now), until);
        finished.await.unwrap()
    }

    pub async fn finished(&self) -> String {
        let token = self.create().await;
        assert!(self.finish(&token).await);
        token
    }
}
