//! Reads the bodies of the answers (§4). Unknown members are ignored; what the spec requires is checked member by member.

use crate::expiration::{self, Expiration};
use crate::loose::{Loose, Members};
use pos_connect_protocol::{Pickup, Status, parameter};

/// Why a body cannot be used: a member, and what is wrong with it. Never its value.
pub type Fault = (&'static str, Problem);

/// What is wrong with a member.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Problem {
    /// It is not there, `null` or empty.
    Missing,
    /// It has another type than the spec gives it.
    WrongType,
    /// It has the right type and a value that the spec does not know.
    Unreadable,
}

impl Problem {
    /// The word in `TokenFault.problem` and in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A created integration.
#[derive(Debug, PartialEq)]
pub struct Created {
    /// Passed in later calls and in the frame's URL.
    pub integration_token: String,
    /// Seconds between two status calls, if the service says so.
    pub interval: Option<f64>,
    /// Seconds until a pending integration is cancelled, if the service says so.
    pub expires_in: Option<f64>,
    /// What the connect page shows outside a frame and the till beside it, if the service has such a code (DESIGN §6).
    pub code: Option<String>,
    /// Whether the token call takes a `pickup_id`, and a lost answer can be reissued (DESIGN §6).
    pub reissues: bool,
}

/// Reads the answer to "create integration code" (§4.1).
pub fn created(body: &dyn Members) -> Result<Created, Fault> {
    let (integration_token, interval, expires_in) = timed(body, "integrationToken")?;
    Ok(Created {
        integration_token,
        interval,
        expires_in,
        code: filled(body.get("code"), "code").ok(),
        reissues: body.get("pickup").is_true(),
    })
}

/// A status answer.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// Where the integration stands.
    pub status: Status,
    /// Seconds between two status calls, if the service says so.
    pub interval: Option<f64>,
    /// Seconds until a pending integration is cancelled, if the service says so.
    pub expires_in: Option<f64>,
}

/// Reads the answer to "check integration status" (§4.2).
pub fn answer(body: &dyn Members) -> Result<Answer, Fault> {
    let (word, interval, expires_in) = timed(body, "status")?;
    Ok(Answer {
        status: Status::parse(&word).ok_or(("status", Problem::Unreadable))?,
        interval,
        expires_in,
    })
}

/// A required text, and when to ask again and for how long.
fn timed(
    body: &dyn Members,
    name: &'static str,
) -> Result<(String, Option<f64>, Option<f64>), Fault> {
    succeeded(&body.get("success"))?;
    Ok((
        required_text(body, name)?,
        body.get("interval").number(),
        body.get("expiresIn").number(),
    ))
}

/// The token set (§2.2). No `Debug`: it may hold tokens.
pub struct TokenSet {
    /// The access and the refresh token; `None` if the relay keeps them.
    pub tokens: Option<(String, String)>,
    /// When the access token expires.
    pub expiration: Expiration,
    /// Whether the till offers e-receipts (§2.3); false unless the answer said `true`.
    pub ereceipt: bool,
    /// Identifier and name of the account, if sent.
    pub account: Option<(String, String)>,
    /// Whether a relay repeats the answer until it is acknowledged (DESIGN §7).
    pub acknowledge: bool,
    /// What was odd about the rest of the answer.
    pub faults: Vec<Fault>,
}

/// Reads the answer to "retrieve access and refresh tokens" (§4.4). Only the access token, or `held: true`, is required: the answer
/// comes once, so nothing else may cost it.
pub fn token_set(body: &dyn Members) -> Result<TokenSet, Fault> {
    let mut faults = Vec::new();
    let tokens = if body.get("held").is_true() {
        None
    } else {
        let access = required_text(body, "accessToken")?;
        let refresh = required_text(body, "refreshToken");
        Some((access, kept(refresh, &mut faults).unwrap_or_default()))
    };
    kept(succeeded(&body.get("success")), &mut faults);
    let expiration = expiration::read(body.get("expiration"));
    match expiration {
        Expiration::At(_) => {}
        Expiration::Missing => faults.push(("expiration", Problem::Missing)),
        Expiration::Unreadable(_) => faults.push(("expiration", Problem::Unreadable)),
    }
    let ereceipt = body.get("ereceipt");
    match ereceipt {
        Loose::Bool(_) => {}
        Loose::Missing => faults.push(("ereceipt", Problem::Missing)),
        _ => faults.push(("ereceipt", Problem::WrongType)),
    }
    Ok(TokenSet {
        tokens,
        expiration,
        ereceipt: ereceipt.is_true(),
        account: account(body.get("account"), &mut faults),
        acknowledge: body.get("acknowledge").is_true(),
        faults,
    })
}

/// The `account` member: an extension, so whatever stands there must not cost the rest.
fn account(member: Loose, faults: &mut Vec<Fault>) -> Option<(String, String)> {
    match member {
        Loose::Missing => None,
        Loose::Members(members) => {
            let id = filled(members.get("id"), "account.id");
            let name = filled(members.get("name"), "account.name");
            Some((kept(id, faults)?, kept(name, faults)?))
        }
        _ => {
            faults.push(("account", Problem::WrongType));
            None
        }
    }
}

/// What an error answer says about itself. Every member may be missing: the spec leaves its body open (§7).
#[derive(Debug, Default, PartialEq)]
pub struct Refusal {
    /// The service's own word.
    pub code: Option<String>,
    /// What the operator finds it by.
    pub request_id: Option<String>,
    /// The offending parameter, if it is one that we send.
    pub parameter: Option<&'static str>,
    /// Whose pick-up took the token set (extension).
    pub pickup: Option<Pickup>,
}

/// Reads an error answer.
pub fn refusal(body: &dyn Members) -> Refusal {
    let text = |name| filled(body.get(name), name).ok();
    let named = text("parameter");
    let ours = [
        parameter::CLIENT_ID,
        parameter::CLIENT_SECRET,
        parameter::INTEGRATION_TOKEN,
    ];
    Refusal {
        code: text("code"),
        pickup: text("pickup").and_then(|word| Pickup::parse(&word)),
        request_id: text("requestId"),
        parameter: ours
            .iter()
            .find(|name| named.as_deref() == Some(**name))
            .copied(),
    }
}

fn succeeded(success: &Loose) -> Result<(), Fault> {
    match success {
        Loose::Bool(true) => Ok(()),
        Loose::Bool(false) => Err(("success", Problem::Unreadable)),
        Loose::Missing => Err(("success", Problem::Missing)),
        _ => Err(("success", Problem::WrongType)),
    }
}

fn required_text(body: &dyn Members, name: &'static str) -> Result<String, Fault> {
    filled(body.get(name), name)
}

fn filled(member: Loose, name: &'static str) -> Result<String, Fault> {
    match member {
        Loose::Text(text) if !text.is_empty() => Ok(text),
        Loose::Text(_) | Loose::Missing => Err((name, Problem::Missing)),
        _ => Err((name, Problem::WrongType)),
    }
}

/// The value, or its fault noted.
fn kept<T>(read: Result<T, Fault>, faults: &mut Vec<Fault>) -> Option<T> {
    read.map_err(|fault| faults.push(fault)).ok()
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
