//! Why a sign-in with a provider comes to nothing.

use openidconnect::ClaimsVerificationError;

/// Why a sign-in with a provider came to nothing. Its name holds nothing of what was sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SignInFault {
    /// The `state` is not one that is open.
    UnknownState,
    /// Another browser has begun it.
    OtherBrowser,
    /// The answer is another provider's (RFC 9207).
    OtherIssuer,
    /// The provider says no, or the merchant there.
    Denied,
    /// The provider does not answer, or not as one.
    Unreached,
    /// The provider does not take the code.
    Code,
    /// The ID token's signature is not the provider's.
    Signature,
    /// The ID token is of another provider's.
    Issuer,
    /// The ID token is for somebody else.
    Audience,
    /// The ID token is for another sign-in.
    Nonce,
    /// The ID token is too old, or the sign-in that it tells of.
    Expired,
    /// The claims do not say who it is.
    Claims,
    /// Nobody may sign in with the account.
    Disabled,
}

impl SignInFault {
    /// The event in the audit.
    pub const fn event(self) -> &'static str {
        match self {
            Self::UnknownState => "sign_in.unknown_state",
            Self::OtherBrowser => "sign_in.other_browser",
            Self::OtherIssuer => "sign_in.other_issuer",
            Self::Denied => "sign_in.denied",
            Self::Unreached => "sign_in.provider_unreached",
            Self::Code => "sign_in.code_refused",
            Self::Signature => "sign_in.wrong_signature",
            Self::Issuer => "sign_in.wrong_issuer",
            Self::Audience => "sign_in.wrong_audience",
            Self::Nonce => "sign_in.wrong_nonce",
            Self::Expired => "sign_in.expired_token",
            Self::Claims => "sign_in.claims_missing",
            Self::Disabled => "sign_in.account_disabled",
        }
    }
}

impl From<&ClaimsVerificationError> for SignInFault {
    fn from(error: &ClaimsVerificationError) -> Self {
        match error {
            ClaimsVerificationError::Expired(_) | ClaimsVerificationError::InvalidAuthTime(_) => {
                Self::Expired
            }
            ClaimsVerificationError::InvalidAudience(_) => Self::Audience,
            ClaimsVerificationError::InvalidIssuer(_) => Self::Issuer,
            ClaimsVerificationError::InvalidNonce(_) => Self::Nonce,
            _ => Self::Signature,
        }
    }
}
