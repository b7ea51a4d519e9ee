//! A merchant at the connect page, without a browser.

use crate::http::{Answer, Call, query};
use crate::world::World;

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
}
