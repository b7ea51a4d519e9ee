//! The library's types as they are used here, and how it makes its calls.

use axum::http::StatusCode;
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreClaimName, CoreClaimType, CoreClientAuthMethod,
    CoreErrorResponseType, CoreGenderClaim, CoreGrantType, CoreJsonWebKey,
    CoreJweContentEncryptionAlgorithm, CoreJweKeyManagementAlgorithm, CoreJwsSigningAlgorithm,
    CoreResponseMode, CoreResponseType, CoreRevocableToken, CoreRevocationErrorResponse,
    CoreSubjectIdentifierType, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AdditionalClaims, AdditionalProviderMetadata, AsyncHttpClient, DiscoveryError,
    EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, IdToken, IdTokenClaims, IdTokenFields, IdTokenVerifier, ProviderMetadata,
    StandardErrorResponse, StandardTokenResponse,
};
use pos_connect_foundation::client::{Call, CallError, Client};
use pos_connect_foundation::origin::is_private;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// Every claim, whatever its name.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct AnyClaims(Map<String, Value>);

impl AdditionalClaims for AnyClaims {}

/// What RFC 9207 adds to a provider's configuration.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ResponseIssuer {
    #[serde(default, rename = "authorization_response_iss_parameter_supported")]
    pub(super) is_sent: bool,
}

impl AdditionalProviderMetadata for ResponseIssuer {}

pub(super) type Metadata = ProviderMetadata<
    ResponseIssuer,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;
pub(super) type SignedToken =
    IdToken<AnyClaims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
pub(super) type TokenClaims = IdTokenClaims<AnyClaims, CoreGenderClaim>;
pub(super) type Verifier<'v> = IdTokenVerifier<'v, CoreJsonWebKey>;
pub(super) type Tokens = StandardTokenResponse<
    IdTokenFields<
        AnyClaims,
        EmptyExtraTokenFields,
        CoreGenderClaim,
        CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    >,
    CoreTokenType,
>;
pub(super) type OidcClient = openidconnect::Client<
    AnyClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// A call that came to nothing; the text names no URL and no value.
#[derive(Debug)]
pub(super) struct Uncalled(String);

impl fmt::Display for Uncalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Uncalled {}

/// How the library makes its calls.
pub(super) struct Caller {
    client: Arc<Client>,
    /// Whether the provider is on this machine, and may be called without TLS.
    is_local: bool,
}

impl Caller {
    /// Calls the provider of an issuer, wherever that says that it is.
    pub(super) fn new(client: Arc<Client>, issuer: &str) -> Self {
        let is_local = issuer.starts_with("http:");
        Self { client, is_local }
    }
}

impl AsyncHttpClient<'_> for Caller {
    type Error = Uncalled;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Uncalled>> + Send>>;

    fn call(&self, request: HttpRequest) -> Self::Future {
        let is_called = is_private(&request.uri().to_string())
            && (self.is_local || request.uri().scheme_str() == Some("https"));
        let client = self.client.clone();
        Box::pin(async move {
            match is_called {
                true => send(client, request).await,
                false => Err(Uncalled("an address without TLS".into())),
            }
        })
    }
}

/// Makes a call of the library's.
async fn send(client: Arc<Client>, request: HttpRequest) -> Result<HttpResponse, Uncalled> {
    let (head, body) = request.into_parts();
    let call = Call {
        method: head.method,
        url: head.uri.to_string(),
        headers: head.headers,
        body: body.into(),
    };
    let answer = client.send(call).await.map_err(|error| {
        Uncalled(match error {
            CallError::Unreached(why) | CallError::Untrusted(why) | CallError::Cut(why) => why,
            CallError::TimedOut => "no answer in time".into(),
        })
    })?;
    let mut response = HttpResponse::new(answer.body.to_vec());
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
    *response.headers_mut() = answer.headers;
    Ok(response)
}

/// What is wrong with a configuration, without its text.
pub(super) fn describe(error: &DiscoveryError<Uncalled>) -> String {
    match error {
        DiscoveryError::Request(why) => why.to_string(),
        DiscoveryError::Response(status, ..) => format!("it answered {}", status.as_u16()),
        DiscoveryError::Parse(error) => unparsed(&error.path().to_string()),
        DiscoveryError::Validation(_) => "it names another issuer".into(),
        _ => "it has no valid address".into(),
    }
}

/// What of an answer has another form: the whole, or the member at a path.
pub(super) fn unparsed(path: &str) -> String {
    match path {
        "." => "this is no JSON object of its kind".into(),
        member => format!("`{member}` cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pos_connect_foundation::client::Patience;

    /// A provider elsewhere would have the service call what only this machine reaches.
    #[tokio::test]
    async fn a_provider_elsewhere_names_no_address_of_this_machine() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let ask = async |issuer: &str, host: &str| {
            let patience = Patience {
                call: std::time::Duration::from_millis(200),
                ..Patience::default()
            };
            let caller = Caller::new(Arc::new(Client::new("test/1.0", patience)), issuer);
            let mut request = HttpRequest::default();
            *request.uri_mut() = format!("http://{host}:{port}/").parse().unwrap();
            caller.call(request).await.unwrap_err().to_string()
        };
        let elsewhere = "https://login.example";
        for (issuer, host) in [
            (elsewhere, "127.0.0.1"),
            (elsewhere, "localhost"),
            (elsewhere, "[::1]"),
            (elsewhere, "10.0.0.7"),
            ("http://127.0.0.1:4000", "10.0.0.7"),
        ] {
            assert_eq!(ask(issuer, host).await, "an address without TLS", "{host}");
        }
        let silent = ask("http://127.0.0.1:4000", "127.0.0.1").await;
        assert_eq!(silent, "no answer in time");
    }
}
