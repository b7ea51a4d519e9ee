//! What the demo prints, and its till is told.

use serde::Serialize;

/// What the demo till and the tests start from. The secrets are new at every start.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DemoConfig {
    /// The service, or the relay before it.
    pub base_url: String,
    /// The connect page.
    pub connect_url: String,
    /// The demo vendor.
    pub client_id: String,
    /// Its secret; a page that talks to a relay is not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// What a till proves itself to its relay by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub till_key: Option<String>,
    /// The demo account.
    pub account: DemoAccount,
}

/// Who signs in on the connect page.
#[derive(Clone, Serialize)]
pub struct DemoAccount {
    /// For "Email".
    pub email: String,
    /// For "Password".
    pub password: String,
}

impl DemoConfig {
    /// The configuration of a till that talks to a relay: with a key of its own, and without the secret.
    #[must_use]
    pub fn through_relay(self, base_url: String, till_key: String) -> Self {
        Self {
            base_url,
            client_secret: None,
            till_key: Some(till_key),
            ..self
        }
    }
}
