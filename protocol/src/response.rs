//! Bodies of the answers with status 200, as the service writes them (§4). Members the spec does not name are extensions.

use crate::{Status, StatusReason};
use serde::Serialize;

/// Answer to "create integration code" (§4.1).
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateResponse {
    /// Always true.
    pub success: bool,
    /// Identifies this integration; goes into later calls and the connect frame's URL.
    pub integration_token: String,
    /// Extension: seconds to leave between two status calls.
    pub interval: u32,
    /// Extension: seconds until a pending integration is cancelled.
    pub expires_in: u64,
    /// Extension: whether the token call takes a `pickup_id` and a lost answer can be reissued.
    pub pickup: bool,
    /// Extension: four digits that the connect page shows outside a frame; the till shows them, too, so that people see that the two belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Answer to "check integration status" (§4.2).
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResponse {
    /// Always true.
    pub success: bool,
    /// Where the integration stands (§3).
    pub status: Status,
    /// Extension: seconds to leave before the next status call; only while pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<u32>,
    /// Extension: seconds until a pending integration is cancelled; only while pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u64>,
    /// Extension: why it was cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<StatusReason>,
}

/// Answer to "retrieve access and refresh tokens" (§4.4); given once, and to a reissue (extension). No `Debug`: it holds the tokens.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenResponse {
    /// Always true.
    pub success: bool,
    /// For calls to the service's other APIs.
    pub access_token: String,
    /// For refreshing access.
    pub refresh_token: String,
    /// When the access token expires, RFC 3339 in UTC.
    pub expiration: String,
    /// Whether the till shows the e-receipt keypad with every order (§2.3).
    pub ereceipt: bool,
    /// Extension: whose account it is, so that the till can say so.
    pub account: Account,
}

/// The advertiser's account (extension).
#[derive(Clone, Debug, Serialize)]
pub struct Account {
    /// Stable identifier.
    pub id: String,
    /// Name for people.
    pub name: String,
}

/// One store of an account (extension).
#[derive(Clone, Debug, Serialize)]
pub struct Store {
    /// Stable identifier.
    pub id: String,
    /// Name for people.
    pub name: String,
}

/// Answer to an access token that asks whose it is (extension).
#[derive(Clone, Debug, Serialize)]
pub struct AccountResponse {
    /// Always true.
    pub success: bool,
    /// Whose token set it is.
    pub account: Account,
    /// The store that the merchant chose.
    pub store: Store,
    /// Whether the till shows the e-receipt keypad with every order (§2.3).
    pub ereceipt: bool,
    /// When this access token expires, RFC 3339 in UTC.
    pub expiration: String,
}

/// Answer to a refresh token, as RFC 6749 §5.1 spells it (extension). No `Debug`: it holds the tokens.
#[derive(Clone, Serialize)]
pub struct RefreshResponse {
    /// Always true.
    pub success: bool,
    /// For calls to the service's other APIs.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: &'static str,
    /// Seconds until the access token expires.
    pub expires_in: u64,
    /// For the next refresh; the one that was sent is spent.
    pub refresh_token: String,
    /// Beside the RFC: when the access token expires, RFC 3339 in UTC.
    pub expiration: String,
    /// Beside the RFC: whether the till shows the e-receipt keypad with every order (§2.3).
    pub ereceipt: bool,
}

/// Answer to a revocation, whatever the token was (RFC 7009 §2.2; extension).
#[derive(Clone, Debug, Serialize)]
pub struct RevokeResponse {
    /// Always true.
    pub success: bool,
}
