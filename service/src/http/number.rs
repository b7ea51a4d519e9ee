//! Where the receipt of an order goes: to a number, plain or sealed, or behind the link that a till has made; and what
//! tills need for it (extension).

use super::access;
use super::refusal::Refusal;
use crate::sealing;
use crate::service::Service;
use crate::store::{Channel, TokenOwner};
use crate::token::Hash;
use axum::extract::Request;
use axum::response::Response;
use pos_connect_phone::{Region, Verdict};
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::body::BodyFault;
use pos_connect_protocol::order::Order;
use pos_connect_protocol::sealing::{KeysResponse, Sealed};

const PHONE: &str = "/ereceipt/phone";
const SEALED: &str = "/ereceipt/sealed";
const KEY_ID: &str = "/ereceipt/sealed/keyId";
const LINK_HASH: &str = "/ereceipt/linkHash";
const HASH: &str = "a SHA-256 hash in base64url";
const MOBILE: &str = "a mobile number in E.164";
const SERVED: &str = "a number of a country that this store sends text messages to";

pub(super) async fn keys(service: Service, request: Request) -> Result<Response, Refusal> {
    let (_, caller, access) = access::look(&service, request).await?;
    let (key_id, public_key) = service.store.sealing_key(caller.now).await?;
    let info = sealing::info(&access.client_id, &access.store_id);
    caller.page.json(&KeysResponse {
        success: true,
        keys: vec![sealing::sealing_key(key_id, public_key, info)],
        receipt_url: service.settings.receipt_url.clone(),
    })
}

/// Takes the number out of an order. What is wrong with it refuses only an order that was not accepted before.
pub(super) async fn taken(
    service: &Service,
    order: &mut Order,
    access: &TokenOwner,
) -> Result<Channel, Refusal> {
    let Some(ereceipt) = &mut order.ereceipt else {
        return Ok(Channel::None);
    };
    let (phone, sealed) = (ereceipt.phone.take(), ereceipt.sealed.take());
    if !access.ereceipt {
        let fault = BodyFault::new(ProblemCode::EreceiptNotEnabled, "/ereceipt");
        return Ok(Channel::Refused(fault));
    }
    if let Some(hash) = &ereceipt.link_hash {
        let hash = sealing::hash(hash).ok_or_else(|| BodyFault::invalid(LINK_HASH, HASH));
        return Ok(hash.map_or_else(Channel::Refused, Channel::Link));
    }
    let seal = sealed.as_ref().map(|sealed| Hash::of(&sealed.enc));
    let phone = match (phone, sealed) {
        (Some(phone), _) => Ok(phone),
        (None, Some(sealed)) => opened(service, &order.external_id, &sealed, access).await?,
        (None, None) => Err(BodyFault::new(ProblemCode::MissingMember, PHONE)),
    };
    let checked = phone.and_then(|phone| {
        let region = mobile(&phone).ok_or_else(|| BodyFault::invalid(PHONE, MOBILE))?;
        match is_served(service, access, region) {
            true => Ok(phone),
            false => Err(BodyFault::invalid(PHONE, SERVED)),
        }
    });
    Ok(match checked {
        Ok(phone) => Channel::Message { phone, seal },
        Err(fault) => Channel::Refused(fault),
    })
}

/// Whether the operator has messages sent to this country for the account, or for all that have no list of their own.
fn is_served(service: &Service, access: &TokenOwner, region: Region) -> bool {
    match (&access.message_regions, &service.settings.message_regions) {
        (Some(own), _) => own.split(' ').any(|code| code == region.code()),
        (None, Some(all)) => all.contains(&region),
        (None, None) => true,
    }
}

async fn opened(
    service: &Service,
    external_id: &str,
    sealed: &Sealed,
    access: &TokenOwner,
) -> Result<Result<String, BodyFault>, Refusal> {
    let Some(private) = service.store.private_key(&sealed.key_id).await? else {
        let unknown = ProblemCode::UnknownSealingKey;
        return Ok(Err(BodyFault::new(unknown, KEY_ID)));
    };
    // An order that was refused may come again under another id, and the till cannot seal its number anew.
    let bound = sealed.external_id.as_deref().unwrap_or(external_id);
    let info = sealing::info(&access.client_id, &access.store_id);
    let opened = sealing::open(&private, &info, bound, sealed);
    Ok(opened.ok_or_else(|| BodyFault::new(ProblemCode::InvalidMember, SEALED)))
}

/// The region of a number that a text message reaches, and that is in E.164.
fn mobile(number: &str) -> Option<Region> {
    let phone = pos_connect_phone::parse(number, None);
    let is_right = phone.verdict == Verdict::Valid && phone.e164.as_deref() == Some(number);
    phone.region.filter(|_| is_right)
}
