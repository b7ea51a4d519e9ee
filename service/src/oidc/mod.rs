//! Sign-in with the operator's providers (OpenID Connect Core 1.0): the authorization code flow with PKCE.
//!
//! `provider` makes the calls and checks what comes back, `attempt` is what the browser keeps meanwhile, `claims` reads
//! who has signed in, `logout` who has signed out. The pages are in `connect/provider`.

mod attempt;
mod claims;
mod client;
mod fault;
mod logout;
mod provider;
mod settings;

pub use attempt::Attempt;
pub use claims::{ClaimNames, Profile, ProfileStore};
pub use fault::SignInFault;
pub use logout::issuer_of;
pub use provider::Provider;
pub use settings::{ProviderSettings, issuer, provider_id};
