//! The wire of the integration authorization service, written down once and used by the SDK and the service.
//!
//! `§` points into the specification. Whatever it leaves open and we chose is marked *extension*.

pub mod hint;
pub mod problem;
pub mod query;
pub mod response;
pub mod status;

pub use problem::{Problem, ProblemCode};
pub use response::{Account, CreateResponse, StatusResponse, TokenResponse};
pub use status::{Status, StatusReason};

/// Paths, relative to the service's base URL (§4, §9).
pub mod path {
    /// `POST` creates an integration (§4.1), `GET` checks it (§4.2), `DELETE` cancels it (extension).
    pub const INTEGRATION: &str = "/v1/auth/integration";
    /// `GET` picks the token set up, once (§4.4).
    pub const INTEGRATION_TOKEN: &str = "/v1/auth/integration/token";
    /// The page that the connect frame shows (§4.3); its URL is configured apart from the base URL.
    pub const CONNECT: &str = "/connect";
}

/// Names of the query parameters (§4).
pub mod parameter {
    /// Identifies the vendor (§2.4).
    pub const CLIENT_ID: &str = "client_id";
    /// Proves the vendor (§2.4).
    pub const CLIENT_SECRET: &str = "client_secret";
    /// Identifies one integration (§2.1).
    pub const INTEGRATION_TOKEN: &str = "integration_token";
}
