//! Sign-in with the operator's provider (OpenID Connect Core 1.0): the authorization code flow with PKCE.
//!
//! `provider` makes the calls and checks what comes back, `attempt` is what the browser keeps meanwhile, `claims` reads
//! who has signed in. The pages are in `connect/provider`.

mod attempt;
mod claims;
mod client;
mod fault;
mod provider;
mod settings;

pub use attempt::Attempt;
pub use claims::{ClaimNames, Profile, ProfileStore};
pub use fault::SignInFault;
pub use provider::Provider;
pub use settings::{ProviderSettings, issuer};
