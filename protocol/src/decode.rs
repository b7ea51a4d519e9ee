//! Reads the bodies of the answers (§4). Unknown members are ignored; what the specification requires is checked
//! member by member, and the first fault is named.

use crate::expiration::{self, Expiration};
use crate::relay::RelayProblemCode;
use crate::{
    Account, CreateResponse, Field, MemberProblem, Named, Number, PickupOwner, Problem,
    ProblemCode, Status, StatusReason, StatusResponse, Store, TokenResponse, parameter,
};
use serde::Deserialize;

/// Why a body cannot be used: a member, and what is wrong with it. Never its value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fault {
    /// Name of the member.
    pub member: &'static str,
    /// What is wrong with it.
    pub problem: MemberProblem,
}

impl Fault {
    const fn new(member: &'static str, problem: MemberProblem) -> Self {
        Self { member, problem }
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
    /// What the connect page shows outside a frame and the till beside it, if the service has such a code.
    pub code: Option<String>,
    /// Whether the token call takes a `pickup_id`, and a lost answer can be reissued.
    pub reissues: bool,
}

/// Reads the answer to "create integration code" (§4.1).
pub fn created(body: CreateResponse) -> Result<Created, Fault> {
    succeeded(body.success)?;
    Ok(Created {
        integration_token: filled("integrationToken", body.integration_token)?,
        interval: seconds(body.interval),
        expires_in: seconds(body.expires_in),
        code: body.code.filled().ok(),
        reissues: body.pickup.is_true(),
    })
}

/// Where an integration stands.
#[derive(Debug, PartialEq)]
pub struct Standing {
    /// Its status.
    pub status: Status,
    /// Seconds between two status calls, if the service says so.
    pub interval: Option<f64>,
    /// Seconds until a pending integration is cancelled, if the service says so.
    pub expires_in: Option<f64>,
    /// Why it was cancelled, if the service says so.
    pub reason: Option<StatusReason>,
    /// Whether the service says that the connect page was opened in a window or on a phone.
    pub is_opened: bool,
}

/// Reads the answer to "check integration status" (§4.2).
pub fn status(body: StatusResponse) -> Result<Standing, Fault> {
    succeeded(body.success)?;
    Ok(Standing {
        status: required("status", body.status)?,
        interval: seconds(body.interval),
        expires_in: seconds(body.expires_in),
        reason: body.reason.value(),
        is_opened: body.opened.is_true(),
    })
}

/// An access and a refresh token. No `Debug`.
#[derive(Clone, PartialEq)]
pub struct Tokens {
    /// For calls to the service's other APIs.
    pub access_token: String,
    /// For refreshing access, if the answer has one.
    pub refresh_token: Option<String>,
}

/// The token set (§2.2). No `Debug`: it may hold tokens.
#[derive(Clone, PartialEq)]
pub struct TokenSet {
    /// The tokens; `None` if a relay keeps them.
    pub tokens: Option<Tokens>,
    /// When the access token expires.
    pub expiration: Expiration,
    /// Whether the till offers e-receipts (§2.3); false unless the answer said `true`.
    pub ereceipt: bool,
    /// Whose account it is, if the answer said so.
    pub account: Option<Account>,
    /// Which of its stores, if the answer said so.
    pub store: Option<Store>,
    /// Whether a relay repeats the answer until it is acknowledged.
    pub acknowledge: bool,
    /// What was odd about the rest of the answer.
    pub faults: Vec<Fault>,
}

/// Reads the answer to "retrieve access and refresh tokens" (§4.4). Only the access token, or `held: true`, is
/// required: the answer comes once, so nothing else may cost it.
pub fn token_set(body: TokenResponse) -> Result<TokenSet, Fault> {
    let mut faults = Vec::new();
    let tokens = if body.held.is_true() {
        None
    } else {
        Some(Tokens {
            access_token: filled("accessToken", body.access_token)?,
            refresh_token: noted(filled("refreshToken", body.refresh_token), &mut faults),
        })
    };
    noted(succeeded(body.success), &mut faults);
    let expiration = expiration::read(body.expiration);
    let problem = match expiration {
        Expiration::At(_) => Ok(()),
        Expiration::Missing => Err(MemberProblem::Missing),
        Expiration::Unreadable(_) => Err(MemberProblem::Unreadable),
    };
    noted(named("expiration", problem), &mut faults);
    Ok(TokenSet {
        tokens,
        expiration,
        ereceipt: noted(required("ereceipt", body.ereceipt), &mut faults) == Some(true),
        account: party(body.account, ACCOUNT, &mut faults),
        store: party(body.store, STORE, &mut faults),
        acknowledge: body.acknowledge.is_true(),
        faults,
    })
}

/// Reads a relay's answer about the connection (extension): a token set without the tokens, `None` if there is none.
pub fn connection(body: TokenResponse) -> Result<Option<TokenSet>, Fault> {
    succeeded(body.success.clone())?;
    if body.connected.clone().value() == Some(false) {
        return Ok(None);
    }
    let set = token_set(TokenResponse {
        held: Field::from(Some(true)),
        ..body
    })?;
    Ok(Some(set))
}

const ACCOUNT: [&str; 3] = ["account", "account.id", "account.name"];
const STORE: [&str; 3] = ["store", "store.id", "store.name"];

/// Account and store are extensions: they may be absent, and a fault in them is only noted.
fn party(
    member: Field<Named<Field<String>>>,
    [own, id, name]: [&'static str; 3],
    faults: &mut Vec<Fault>,
) -> Option<Named> {
    if member.is_missing() {
        return None;
    }
    let named = noted(required(own, member), faults)?;
    Some(Named {
        id: noted(filled(id, named.id), faults)?,
        name: noted(filled(name, named.name), faults)?,
    })
}

/// The parts of the answer to an order that its sender goes by (extension).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AcceptedBody {
    /// Always true: a page of some proxy on the way does not say so.
    #[serde(default)]
    pub success: Field<bool>,
    /// When the service accepted it.
    #[serde(default)]
    pub received_at: Field<String>,
    /// How far its e-receipt is.
    #[serde(default)]
    pub ereceipt: Field<String>,
}

/// An order that the service has.
#[derive(Debug, PartialEq)]
pub struct Accepted {
    /// When it was accepted, if the service says so.
    pub received_at: Option<String>,
    /// How far its e-receipt is, if it has one.
    pub ereceipt: Option<String>,
}

/// Reads the answer to an order.
pub fn accepted(body: AcceptedBody) -> Result<Accepted, Fault> {
    succeeded(body.success)?;
    Ok(Accepted {
        received_at: body.received_at.value(),
        ereceipt: body.ereceipt.value(),
    })
}

/// What an error answer says about itself. Every member may be missing: the specification leaves its body open (§7).
#[derive(Debug, Default, PartialEq)]
pub struct Refusal {
    /// The service's own word.
    pub code: Option<String>,
    /// What the operator finds it by.
    pub request_id: Option<String>,
    /// The offending parameter, if it is one that we send.
    pub parameter: Option<&'static str>,
    /// Whose pick-up took the token set (extension).
    pub pickup: Option<PickupOwner>,
    /// The offending member of the body that we sent, as a JSON pointer (extension).
    pub pointer: Option<String>,
    /// What that member must be, for people (extension).
    pub rule: Option<String>,
    /// Whether the service or the relay made it: `success` is false (§4), or its code is one of theirs. A page of some
    /// proxy on the way has neither.
    pub is_service: bool,
}

/// Longer than any pointer, and any rule, of the service.
const LONGEST_POINTER: usize = 200;

/// Whether it can be a sentence about a value, which holds no value.
fn is_rule(text: &str) -> bool {
    let digits = text.split(|other: char| !other.is_ascii_digit());
    text.is_ascii() && text.len() <= LONGEST_POINTER && digits.map(str::len).all(|run| run <= 5)
}

fn is_pointer(text: &str) -> bool {
    text.starts_with('/')
        && text.chars().count() <= LONGEST_POINTER
        && !text.contains(char::is_control)
}

fn is_known_code(code: &str) -> bool {
    ProblemCode::parse(code).is_some() || RelayProblemCode::parse(code).is_some()
}

/// Reads an error answer.
pub fn refusal(body: Problem) -> Refusal {
    let named = body.parameter.value();
    let ours = [
        parameter::CLIENT_ID,
        parameter::CLIENT_SECRET,
        parameter::INTEGRATION_TOKEN,
    ];
    let is_failure = body.success.value() == Some(false);
    let code = body.code.filled().ok();
    Refusal {
        is_service: is_failure || code.as_deref().is_some_and(is_known_code),
        code,
        request_id: body.request_id.filled().ok(),
        parameter: ours
            .into_iter()
            .find(|name| named.as_deref() == Some(*name)),
        pickup: body.pickup.value(),
        pointer: body.pointer.filled().ok().filter(|text| is_pointer(text)),
        rule: body.rule.filled().ok().filter(|text| is_rule(text)),
    }
}

fn succeeded(success: Field<bool>) -> Result<(), Fault> {
    match required("success", success)? {
        true => Ok(()),
        false => Err(Fault::new("success", MemberProblem::Unreadable)),
    }
}

fn seconds(member: Field<Number>) -> Option<f64> {
    member.value().map(|Number(seconds)| seconds)
}

fn required<T>(name: &'static str, member: Field<T>) -> Result<T, Fault> {
    named(name, member.required())
}

fn filled(name: &'static str, member: Field<String>) -> Result<String, Fault> {
    named(name, member.filled())
}

fn named<T>(name: &'static str, read: Result<T, MemberProblem>) -> Result<T, Fault> {
    read.map_err(|problem| Fault::new(name, problem))
}

/// The value, or its fault noted.
fn noted<T>(read: Result<T, Fault>, faults: &mut Vec<Fault>) -> Option<T> {
    read.map_err(|fault| faults.push(fault)).ok()
}

#[cfg(test)]
mod tests;
