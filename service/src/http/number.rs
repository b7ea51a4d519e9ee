//! The shopper's number of an order, plain or sealed, and the keys that tills seal it for (extension).

use super::refusal::Refusal;
use super::{access, authentication};
use crate::sealing;
use crate::service::Service;
use crate::store::{Access, Number};
use crate::token::Hash;
use axum::extract::Request;
use axum::response::Response;
use pos_connect_phone::Verdict;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::order::Order;
use pos_connect_protocol::sealing::{KeysResponse, Sealed};

const PHONE: &str = "/ereceipt/phone";
const SEALED: &str = "/ereceipt/sealed";
const KEY_ID: &str = "/ereceipt/sealed/keyId";

pub(super) async fn keys(service: Service, request: Request) -> Result<Response, Refusal> {
    authentication::refuse_body(&request)?;
    let (head, _) = request.into_parts();
    let (caller, access) = access::holder(&service, &head).await?;
    let (key_id, public_key) = service.store.sealing_key(caller.now).await?;
    let info = sealing::info(&access.client_id, &access.store_id);
    caller.json(&KeysResponse {
        success: true,
        keys: vec![sealing::told(key_id, public_key, info)],
    })
}

/// Takes the number out of an order. What is wrong with it refuses only an order that was not accepted before.
pub(super) async fn taken(
    service: &Service,
    order: &mut Order,
    access: &Access,
) -> Result<Number, Refusal> {
    let Some(ereceipt) = &mut order.ereceipt else {
        return Ok(Number::None);
    };
    let (phone, sealed) = (ereceipt.phone.take(), ereceipt.sealed.take());
    if !access.ereceipt {
        return Ok(Number::Wrong(ProblemCode::EreceiptNotEnabled, "/ereceipt"));
    }
    let seal = sealed.as_ref().map(|sealed| Hash::of(&sealed.enc));
    let phone = match (phone, sealed) {
        (Some(phone), _) => Ok(phone),
        (None, Some(sealed)) => opened(service, &order.external_id, &sealed, access).await?,
        (None, None) => Err((ProblemCode::MissingMember, PHONE)),
    };
    Ok(match phone {
        Ok(phone) if is_mobile(&phone) => Number::Right { phone, seal },
        Ok(_) => Number::Wrong(ProblemCode::InvalidMember, PHONE),
        Err((code, pointer)) => Number::Wrong(code, pointer),
    })
}

async fn opened(
    service: &Service,
    external_id: &str,
    sealed: &Sealed,
    access: &Access,
) -> Result<Result<String, (ProblemCode, &'static str)>, Refusal> {
    let Some(private) = service.store.private_key(&sealed.key_id).await? else {
        return Ok(Err((ProblemCode::UnknownSealingKey, KEY_ID)));
    };
    // An order that was refused may come again under another id, and the till cannot seal its number anew.
    let bound = sealed.external_id.as_deref().unwrap_or(external_id);
    let info = sealing::info(&access.client_id, &access.store_id);
    let opened = sealing::open(&private, &info, bound, sealed);
    Ok(opened.ok_or((ProblemCode::InvalidMember, SEALED)))
}

/// Whether a text message reaches this number, which must be in E.164.
fn is_mobile(number: &str) -> bool {
    let phone = pos_connect_phone::parse(number, None);
    phone.verdict == Verdict::Valid && phone.e164.as_deref() == Some(number)
}
