//! The wire of the integration authorization service, written down once and used by the SDK, the service and the relay.
//!
//! `§` points into the specification. Whatever it leaves open and we chose is marked *extension*.

pub mod admin;
pub mod body;
pub mod customer;
pub mod decode;
pub mod expiration;
pub mod field;
pub mod hint;
pub mod json;
pub mod mode;
pub mod order;
pub mod pickup;
pub mod problem;
pub mod quantity;
pub mod query;
pub mod relay;
pub mod response;
pub mod sealing;
pub mod status;
pub mod store;
pub mod text;
mod word;

pub use field::{Field, MemberProblem, Number, Scalar};
pub use mode::Mode;
pub use pickup::PickupOwner;
pub use problem::{Problem, ProblemCode};
pub use response::{
    Account, AccountResponse, CreateResponse, Named, RefreshResponse, RevokeResponse,
    StatusResponse, Store, TokenResponse,
};
pub use status::{Status, StatusReason};

/// Paths, relative to the service's base URL (§4, §9).
pub mod path {
    /// `POST` creates an integration (§4.1), `GET` checks it (§4.2), `DELETE` cancels it (extension).
    pub const INTEGRATION: &str = "/v1/auth/integration";
    /// `GET` picks the token set up, once (§4.4).
    pub const INTEGRATION_TOKEN: &str = "/v1/auth/integration/token";
    /// `POST` replaces a token set whose answer was lost (extension).
    pub const INTEGRATION_TOKEN_REISSUE: &str = "/v1/auth/integration/token/reissue";
    /// `POST` exchanges a refresh token for a new token set (RFC 6749 §6; extension, §5 leaves it open).
    pub const TOKEN: &str = "/v1/auth/token";
    /// `POST` ends a token set (RFC 7009; extension).
    pub const REVOKE: &str = "/v1/auth/revoke";
    /// `GET` says whose token set it is, to an access token in the header (RFC 6750; extension).
    pub const ACCOUNT: &str = "/v1/account";
    /// `GET` gives the store's profile, `PATCH` changes it by a merge patch (RFC 7396; extension, §4.5 leaves it open).
    pub const STORE: &str = "/v1/store";
    /// `POST` takes the customers list (extension, §4.5 leaves it open).
    pub const CUSTOMERS: &str = "/v1/customers";
    /// `POST` takes one order (extension, §4.5 leaves it open). `GET` of it, a slash and an external id gives that
    /// order.
    pub const ORDERS: &str = "/v1/orders";
    /// `GET` gives the public keys that a shopper's number is sealed for (extension).
    pub const KEYS: &str = "/v1/keys";
    /// `GET` of it, a slash and the rest of a link is a shopper's receipt (extension).
    pub const RECEIPT: &str = "/r";
    /// `GET` of it is a receipt in the same way, for a link that a till has made, and shows as a code (extension).
    pub const SCANNED_RECEIPT: &str = "/q";
    /// The page that the connect frame shows (§4.3); its URL is configured apart from the base URL.
    pub const CONNECT: &str = "/connect";
}

/// Names of headers (extensions).
pub mod header {
    /// Makes a repeated call the same call: 1 to 64 visible ASCII characters
    /// (draft-ietf-httpapi-idempotency-key-header).
    pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
    /// `true` on the answer to a repeated call.
    pub const IDEMPOTENT_REPLAYED: &str = "idempotent-replayed";
    /// Which till calls, if one access token serves several: 1 to 64 visible ASCII characters. A relay adds it.
    pub const TILL_ID: &str = "till-id";
    /// `true` on every answer to a vendor of test mode.
    pub const TEST_MODE: &str = "test-mode";
}

/// Names of the parameters: in the query (§4), or in the form body of [`path::TOKEN`] and [`path::REVOKE`].
pub mod parameter {
    /// Identifies the vendor (§2.4).
    pub const CLIENT_ID: &str = "client_id";
    /// Proves the vendor (§2.4).
    pub const CLIENT_SECRET: &str = "client_secret";
    /// Identifies one integration (§2.1).
    pub const INTEGRATION_TOKEN: &str = "integration_token";
    /// Random text that a client makes for one pick-up (extension).
    pub const PICKUP_ID: &str = "pickup_id";
    /// Which exchange is asked for: [`GRANT_REFRESH`] is the only one (RFC 6749 §6).
    pub const GRANT_TYPE: &str = "grant_type";
    /// The value of [`GRANT_TYPE`].
    pub const GRANT_REFRESH: &str = "refresh_token";
    /// The refresh token to exchange (RFC 6749 §6).
    pub const REFRESH_TOKEN: &str = "refresh_token";
    /// The token to revoke, either of a token set (RFC 7009 §2.1).
    pub const TOKEN: &str = "token";
    /// The language of the connect page, a BCP 47 tag (extension).
    pub const LANG: &str = "lang";
    /// `light` or `dark`: the colors of the connect page (extension).
    pub const THEME: &str = "theme";
    /// Where an access token does not belong: the query (RFC 9700 §4.3.2).
    pub const ACCESS_TOKEN: &str = "access_token";
}
