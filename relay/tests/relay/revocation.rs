//! What the relay had the service revoke.

use crate::rig::Rig;
use pos_connect_protocol::{parameter, path};

/// The tokens that it asked about, in their order.
pub fn revocations(rig: &Rig) -> Vec<String> {
    let calls = rig.proxy.seen("POST", path::REVOKE);
    calls
        .iter()
        .map(|seen| value(&seen.body, parameter::TOKEN))
        .collect()
}

/// A parameter of a form; tokens need no decoding.
pub fn value(form: &str, name: &str) -> String {
    let pairs = form.split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(known, _)| *known == name);
    values.next().unwrap().1.to_owned()
}

/// Whether the service still takes a refresh token, which it was just asked to revoke.
pub async fn is_alive(rig: &Rig, refresh_token: &str) -> bool {
    let (vendor, grant) = (&rig.service.vendor, parameter::GRANT_REFRESH);
    let form = format!(
        "client_id={}&client_secret={}&grant_type={grant}&refresh_token={refresh_token}",
        vendor.id, vendor.secret
    );
    let call = crate::http::Call::new("POST", path::TOKEN)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(form);
    call.send(rig.service.address).await.status == 200
}
