//! What a relay adds to the wire (extensions, all of it): a till proves itself by a key in `Authorization: Bearer`,
//! sends no secret, and gets the operations of §1 passed on. Its answer to the token call is a
//! [`TokenResponse`](crate::TokenResponse).

use crate::problem::problem_codes;
use crate::{Account, Store};
use serde::{Deserialize, Serialize};

/// Paths, relative to the relay's base URL, beside those of [`crate::path`].
pub mod path {
    /// `GET` gives what every till of the merchant may know of the token set.
    pub const CONNECTION: &str = "/connection";
    /// `GET` lists tills, `POST` adds one: for the vendor's server, by its fleet key.
    pub const TILLS: &str = "/tills";
    /// `DELETE` revokes a till, for the same.
    pub const ONE_TILL: &str = "/tills/{id}";
}

/// Answer at [`path::CONNECTION`]. No connection is an answer, too: a browser shows every refusal in red.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ConnectionResponse {
    /// Always true.
    pub success: bool,
    /// Whether the merchant is connected. If not, there is nothing else.
    pub connected: bool,
    /// Whether the till shows the e-receipt keypad with every order (§2.3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ereceipt: Option<bool>,
    /// When the access token expires: RFC 3339 in UTC, or as the service wrote it where that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration: Option<String>,
    /// Whose account it is, if the service said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// Which of its stores, if the service said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<Store>,
}

/// A till, as the vendor's server sees it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetTill {
    /// What the log, the audit and the service's orders call it.
    pub id: String,
    /// Whose till it is: the vendor's own name for the merchant.
    pub merchant: String,
    /// Name for people; may be empty.
    pub name: String,
    /// When it was added: RFC 3339 in UTC.
    pub created_at: String,
    /// Whether its key is refused.
    pub revoked: bool,
}

/// Answer to a `POST` at [`path::TILLS`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AddedTillResponse {
    /// Always true.
    pub success: bool,
    /// The till.
    pub till: FleetTill,
    /// Its key, which proves it in `Authorization: Bearer`. Only a repeated call shows it again, and none once the till
    /// is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Answer to a `GET` at [`path::TILLS`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct TillsResponse {
    /// Always true.
    pub success: bool,
    /// Oldest first, revoked ones too.
    pub tills: Vec<FleetTill>,
    /// The `after` of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

problem_codes! {
    /// Why a relay refused a call, beside the reasons that the service has too. An enum of its own, because the SDK
    /// goes by the status here.
    RelayProblemCode;
    BodyTooLarge = "body_too_large", 413, "The body is too large.";
    RequestTimeout = "request_timeout", 408, "The request took too long to arrive.";
    /// No key, an unknown or a revoked one, or one of another kind.
    Unauthorized = "unauthorized", 401, "The key is missing or not valid.";
    TillNotFound = "till_not_found", 404, "There is no till with this ID.";
    NotConnected = "not_connected", 404, "The merchant is not connected.";
    ConnectionEnded = "connection_ended", 409, "The connection has ended; the merchant has to connect again.";
    /// A till has the tokens: it calls the service itself.
    TokensHandedOut = "tokens_handed_out", 409,
        "The tokens were handed out; the relay has none to call the service with.";
    /// The merchant was connected to another account or store before, and nobody has allowed the change.
    OtherAccount = "other_account", 409, "The merchant is known with another account or store.";
    UpstreamRefused = "upstream_refused", 502, "The service refused the relay's own credentials.";
    /// A proxy or a firewall: the refusal has no word of the service's.
    UpstreamBlocked = "upstream_blocked", 502, "Something between the relay and the service refused the call.";
    /// A redirect, or an answer that the specification does not allow.
    UpstreamUnexpected = "upstream_unexpected", 502, "The service answered something unexpected.";
    /// No connection, a cut answer, or a 5xx.
    UpstreamUnavailable = "upstream_unavailable", 502, "The service could not be reached or failed.";
    UpstreamTimeout = "upstream_timeout", 504, "The service did not answer in time.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProblemCode;

    #[test]
    fn every_code_has_a_word_of_its_own() {
        for &code in RelayProblemCode::ALL {
            assert_eq!(RelayProblemCode::parse(code.as_str()), Some(code));
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
            assert_eq!(ProblemCode::parse(code.as_str()), None);
            assert!((400..600).contains(&code.status()));
        }
    }
}
