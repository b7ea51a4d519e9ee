//! Bodies of the answers with status 200 (§4). Members the specification does not name are extensions.
//!
//! The service and the relay write them, the SDK and the relay read them. What is read has [`Field`]s: no type is
//! trusted. [`decode`](crate::decode) says which members a reader must find.

use crate::{Field, Number, Scalar, Status, StatusReason};
use serde::{Deserialize, Serialize};

/// Answer to "create integration code" (§4.1).
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateResponse {
    /// Always true.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub success: Field<bool>,
    /// Identifies this integration; goes into later calls and the connect frame's URL.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub integration_token: Field<String>,
    /// Extension: seconds to leave between two status calls.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub interval: Field<Number>,
    /// Extension: seconds until a pending integration is cancelled.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub expires_in: Field<Number>,
    /// Extension: whether the token call takes a `pickup_id` and a lost answer can be reissued.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub pickup: Field<bool>,
    /// Extension: four digits that the connect page shows outside a frame. The till shows them, too, so that people see
    /// that the two belong together.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub code: Field<String>,
}

/// Answer to "check integration status" (§4.2).
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatusResponse {
    /// Always true.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub success: Field<bool>,
    /// Where the integration stands (§3).
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub status: Field<Status>,
    /// Extension: seconds to leave before the next status call; only while pending.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub interval: Field<Number>,
    /// Extension: seconds until a pending integration is cancelled; only while pending.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub expires_in: Field<Number>,
    /// Extension: why it was cancelled.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub reason: Field<StatusReason>,
    /// Extension: true once the connect page was opened in a window or on a phone; only while pending.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub opened: Field<bool>,
}

/// Answer to "retrieve access and refresh tokens" (§4.4), and to a reissue (extension).
///
/// The service, a relay that keeps the tokens and a relay that hands them out answer the same call with different
/// members. The caller does not know who answers, so this is the union of the three. Each writer leaves the others'
/// members out.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenResponse {
    /// Always true.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub success: Field<bool>,
    /// Relay (extension), of an answer about the connection: false if there is none.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub connected: Field<bool>,
    /// Relay (extension): true if it keeps the tokens, which are then not in the answer.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub held: Field<bool>,
    /// For calls to the service's other APIs.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub access_token: Field<String>,
    /// For refreshing access.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub refresh_token: Field<String>,
    /// When the access token expires: RFC 3339 in UTC. A relay passes on a text that it could not read.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub expiration: Field<Scalar>,
    /// Whether the till shows the e-receipt keypad with every order (§2.3).
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub ereceipt: Field<bool>,
    /// Extension: whose account it is, so that the till can say so.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub account: Field<Account<Field<String>>>,
    /// Extension: which of its stores the merchant has connected.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub store: Field<Store<Field<String>>>,
    /// Relay (extension): true if it repeats this answer until the till acknowledges it with `DELETE`.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub acknowledge: Field<bool>,
}

/// The advertiser's account (extension).
pub type Account<T = String> = Named<T>;
/// One store of an account (extension).
pub type Store<T = String> = Named<T>;

/// Something with an identifier and a name. In an answer that is read, its members are [`Field`]s.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(inline))]
pub struct Named<T = String> {
    /// Stable identifier.
    pub id: T,
    /// Name for people.
    pub name: T,
}

impl From<Named> for Field<Named<Field<String>>> {
    fn from(Named { id, name }: Named) -> Self {
        Self::Value(Named {
            id: id.into(),
            name: name.into(),
        })
    }
}

impl From<Option<Named>> for Field<Named<Field<String>>> {
    fn from(named: Option<Named>) -> Self {
        named.map_or(Self::Missing, Self::from)
    }
}

/// Answer to an access token that asks whose it is (extension).
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
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

/// Answer to a refresh token, as RFC 6749 §5.1 spells it (extension).
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct RefreshResponse {
    /// Always true.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub success: Field<bool>,
    /// For calls to the service's other APIs.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub access_token: Field<String>,
    /// Always `Bearer`.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub token_type: Field<String>,
    /// Seconds until the access token expires.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub expires_in: Field<Number>,
    /// For the next refresh; the one that was sent is spent.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub refresh_token: Field<String>,
    /// Beside the RFC: when the access token expires, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub expiration: Field<Scalar>,
    /// Beside the RFC: whether the till shows the e-receipt keypad with every order (§2.3).
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub ereceipt: Field<bool>,
}

/// Answer to a revocation, whatever the token was (RFC 7009 §2.2; extension).
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct RevokeResponse {
    /// Always true.
    pub success: bool,
}

#[cfg(test)]
mod tests;
