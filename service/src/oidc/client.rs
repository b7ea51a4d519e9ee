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
    HttpResponse, IdToken, IdTokenFields, ProviderMetadata, StandardErrorResponse,
    StandardTokenResponse,
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
pub(super) struct Caller(pub(super) Arc<Client>);

impl AsyncHttpClient<'_> for Caller {
    type Error = Uncalled;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Uncalled>> + Send>>;

    fn call(&self, request: HttpRequest) -> Self::Future {
        Box::pin(send(self.0.clone(), request))
    }
}

/// Makes a call of the library's. A provider that names an address in the open is not called there.
async fn send(client: Arc<Client>, request: HttpRequest) -> Result<HttpResponse, Uncalled> {
    let (head, body) = request.into_parts();
    let url = head.uri.to_string();
    if !is_private(&url) {
        return Err(Uncalled("an address without TLS".into()));
    }
    let call = Call {
        method: head.method,
        url,
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
pub(super) fn told(error: &DiscoveryError<Uncalled>) -> String {
    match error {
        DiscoveryError::Request(why) => why.to_string(),
        DiscoveryError::Response(status, ..) => format!("it answered {}", status.as_u16()),
        DiscoveryError::Parse(error) => format!("`{}` cannot be read", error.path()),
        DiscoveryError::Validation(_) => "it names another issuer".into(),
        _ => "it has no valid address".into(),
    }
}
