//! The service, as the relay calls it. The secret is added here and nowhere else.

mod base;
mod finding;
mod reply;

pub use base::BaseUrl;
pub use finding::Finding;
pub use pos_connect_foundation::client::{CallError, Patience};
pub use reply::{Reply, blocked, refused};

use crate::refusal::Refusal;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method};
use hyper::body::Bytes;
use pos_connect_foundation::answer::REQUEST_ID;
use pos_connect_foundation::client::{Call, Client};
use pos_connect_foundation::metrics;
use pos_connect_foundation::token::Kind;
use pos_connect_protocol::decode::{self, Created, Fault, Standing};
use pos_connect_protocol::header as wire;
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{parameter, path, query};
use std::time::Duration;

/// Headers of a till's request that the service gets to see.
pub const PASSED_ON: [HeaderName; 4] = [
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
    header::CONTENT_LANGUAGE,
    IDEMPOTENCY_KEY,
];
/// Headers of the service's answer that the till gets to see.
pub const PASSED_BACK: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::ACCEPT_ENCODING,
    header::CONTENT_LANGUAGE,
    IDEMPOTENT_REPLAYED,
    HeaderName::from_static(wire::TEST_MODE),
];
/// Which of our paths a URL has, for the counts: never the query, nor an order's external id.
fn path_of(url: &str) -> &'static str {
    const FIXED: [&str; 10] = [
        path::INTEGRATION_TOKEN_REISSUE,
        path::INTEGRATION_TOKEN,
        path::INTEGRATION,
        path::TOKEN,
        path::REVOKE,
        path::ACCOUNT,
        path::STORE,
        path::CUSTOMERS,
        path::KEYS,
        path::ORDERS,
    ];
    let before_query = url.split('?').next().unwrap_or_default();
    let fixed = FIXED.into_iter().find(|path| before_query.ends_with(path));
    fixed.unwrap_or(ONE_ORDER)
}

/// [`path::ORDERS`] with the external id of one.
pub(crate) const ONE_ORDER: &str = "/v1/orders/{externalId}";
/// Makes a repeated call count once.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static(wire::IDEMPOTENCY_KEY);
/// Says that a call was a repeated one.
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static(wire::IDEMPOTENT_REPLAYED);

/// One of the operations that are passed on (§1), or a look at what one of them left.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    /// Read the store profile.
    ReadStore,
    /// Update the store profile.
    UpdateStore,
    /// Send a list of customers.
    SendCustomers,
    /// Read the keys that shoppers' numbers are sealed for.
    ReadKeys,
    /// Send a single order.
    SendOrder,
    /// Read a single order.
    ReadOrder,
}

impl Operation {
    /// All operations.
    pub const ALL: [Self; 6] = [
        Self::ReadStore,
        Self::UpdateStore,
        Self::SendCustomers,
        Self::ReadKeys,
        Self::SendOrder,
        Self::ReadOrder,
    ];

    /// The paths, here and there, each with the methods that it answers.
    pub const PATHS: [(&str, &str); 5] = [
        (path::STORE, "GET, PATCH, OPTIONS"),
        (path::CUSTOMERS, "POST, OPTIONS"),
        (path::KEYS, "GET, OPTIONS"),
        (path::ORDERS, "POST, OPTIONS"),
        (ONE_ORDER, "GET, OPTIONS"),
    ];

    /// The path of the operation.
    pub const fn path(self) -> &'static str {
        match self {
            Self::ReadStore | Self::UpdateStore => path::STORE,
            Self::SendCustomers => path::CUSTOMERS,
            Self::ReadKeys => path::KEYS,
            Self::SendOrder => path::ORDERS,
            Self::ReadOrder => ONE_ORDER,
        }
    }

    /// The method of the operation.
    pub const fn method(self) -> Method {
        match self {
            Self::ReadStore | Self::ReadKeys | Self::ReadOrder => Method::GET,
            Self::UpdateStore => Method::PATCH,
            Self::SendCustomers | Self::SendOrder => Method::POST,
        }
    }
}

/// What a pick-up asks the service for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ask {
    /// §4.4: the token set.
    Tokens,
    /// Extension: another one for the one whose answer was lost.
    Reissue,
}

/// The service. No `Debug`: it holds the secret.
pub struct Upstream {
    client: Client,
    call_limit: Duration,
    base: BaseUrl,
    client_id: String,
    secret: String,
}

impl Upstream {
    /// Prepares calls; sends nothing.
    pub fn new(base: BaseUrl, client_id: String, secret: String, patience: Patience) -> Self {
        let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        Self {
            call_limit: patience.call,
            client: Client::new(agent, patience),
            base,
            client_id,
            secret,
        }
    }

    /// The longest time that a call takes.
    pub const fn call_limit(&self) -> Duration {
        self.call_limit
    }

    /// The vendor that this relay is for.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// §4.1. Not repeated: an integration that nobody hears of costs nothing, but the till can ask again just as well.
    pub async fn create(&self, request_id: &str) -> Result<Created, Refusal> {
        let call = self.call(Method::POST, path::INTEGRATION, &[], request_id);
        let body = self.send(call).await?.success(false)?;
        decode::created(body).map_err(unexpected)
    }

    /// §4.2.
    pub async fn status(&self, token: &str, request_id: &str) -> Result<Standing, Refusal> {
        let query = [(parameter::INTEGRATION_TOKEN, token)];
        let call = self.call(Method::GET, path::INTEGRATION, &query, request_id);
        let body = self.send(call).await?.success(true)?;
        decode::status(body).map_err(unexpected)
    }

    /// Asks for the status of an integration that there is not: that changes nothing, and checks the credentials first.
    pub async fn look(&self) -> Finding {
        let nobodys = Kind::Integration.mint();
        let query = [(parameter::INTEGRATION_TOKEN, &*nobodys)];
        let call = self.call(Method::GET, path::INTEGRATION, &query, "start");
        Finding::of(self.send(call).await)
    }

    /// Extension: withdraws an integration.
    pub async fn cancel(&self, token: &str, request_id: &str) -> Result<(), Refusal> {
        let query = [(parameter::INTEGRATION_TOKEN, token)];
        let call = self.call(Method::DELETE, path::INTEGRATION, &query, request_id);
        let reply = self.send(call).await?;
        match reply.status {
            200..=299 => Ok(()),
            _ => Err(refused(&reply, true)),
        }
    }

    /// §4.4, or its cure. What the answer means is `pickup`'s business.
    pub async fn tokens(
        &self,
        ask: Ask,
        token: &str,
        pickup_id: Option<&str>,
        request_id: &str,
    ) -> Result<Reply, CallError> {
        let mut query = vec![(parameter::INTEGRATION_TOKEN, token)];
        query.extend(pickup_id.map(|id| (parameter::PICKUP_ID, id)));
        let (method, path) = match ask {
            Ask::Tokens => (Method::GET, path::INTEGRATION_TOKEN),
            Ask::Reissue => (Method::POST, path::INTEGRATION_TOKEN_REISSUE),
        };
        let call = self.call(method, path, &query, request_id);
        self.send(call).await
    }

    /// Extension: a new pair for a refresh token (RFC 6749 §6).
    pub async fn refresh(&self, refresh_token: &str) -> Result<Reply, CallError> {
        let grant = (parameter::GRANT_TYPE, parameter::GRANT_REFRESH);
        let token = (parameter::REFRESH_TOKEN, refresh_token);
        self.post_form(path::TOKEN, &[grant, token]).await
    }

    /// Extension: the end of a token set, by either of its tokens (RFC 7009).
    pub async fn revoke(&self, token: &str) -> Result<Reply, CallError> {
        let token = (parameter::TOKEN, token);
        self.post_form(path::REVOKE, &[token]).await
    }

    /// Extension: whom an access token speaks for, and what the merchant chose.
    pub async fn account(&self, access_token: &str) -> Result<Reply, CallError> {
        let call = Call {
            method: Method::GET,
            url: self.base.join(path::ACCOUNT),
            headers: HeaderMap::from_iter([(header::AUTHORIZATION, bearer(access_token)?)]),
            body: Bytes::new(),
        };
        self.send(call).await
    }

    async fn send(&self, call: Call) -> Result<Reply, CallError> {
        let (method, path) = (call.method.clone(), path_of(&call.url));
        let answered = self.client.send(call).await;
        let status = answered.as_ref().map_or(0, |answer| answer.status);
        metrics::called(path, &method, status);
        Ok(answered?.into())
    }

    /// A form with our credentials.
    async fn post_form(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Reply, CallError> {
        let credentials = [
            (parameter::CLIENT_ID, &*self.client_id),
            (parameter::CLIENT_SECRET, &*self.secret),
        ];
        let mut form = String::new();
        for (name, value) in credentials.iter().chain(parameters) {
            query::append(&mut form, name, value);
        }
        let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        let call = Call {
            method: Method::POST,
            url: self.base.join(path),
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, form_type)]),
            body: Bytes::from(form.trim_start_matches('?').to_owned()),
        };
        self.send(call).await
    }

    /// An operation, with our access token in the place of whatever the till sent.
    pub async fn operate(
        &self,
        operation: Operation,
        path: &str,
        access_token: &str,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Reply, CallError> {
        headers.insert(header::AUTHORIZATION, bearer(access_token)?);
        let call = Call {
            method: operation.method(),
            url: self.base.join(path),
            headers,
            body,
        };
        self.send(call).await
    }

    /// A call with our credentials in the query, where §5 wants them.
    fn call(&self, method: Method, path: &str, more: &[(&str, &str)], request_id: &str) -> Call {
        let mut url = self.base.join(path);
        query::append(&mut url, parameter::CLIENT_ID, &self.client_id);
        query::append(&mut url, parameter::CLIENT_SECRET, &self.secret);
        for (name, value) in more {
            query::append(&mut url, name, value);
        }
        let id = HeaderValue::from_str(request_id).ok();
        Call {
            method,
            url,
            headers: HeaderMap::from_iter(id.map(|id| (REQUEST_ID, id))),
            body: Bytes::new(),
        }
    }
}

fn bearer(access_token: &str) -> Result<HeaderValue, CallError> {
    let bearer = HeaderValue::try_from(format!("Bearer {access_token}"));
    let mut bearer = bearer.map_err(|_| CallError::Unreached("a token no header holds".into()))?;
    bearer.set_sensitive(true);
    Ok(bearer)
}

fn unexpected(Fault { member, problem }: Fault) -> Refusal {
    Refusal::from(RelayProblemCode::UpstreamUnexpected)
        .because(format!("the answer's {member} is {}", problem.as_str()))
}
