//! Bytes that are strange.

use crate::rig::Rig;
use crate::smuggling::is_told_apart;

#[tokio::test]
async fn no_request_hides_in_another() {
    let rig = Rig::new().await;
    for (method, target) in [
        ("POST", "/v1/orders"),
        ("POST", "/v1/auth/integration"),
        ("GET", "/healthz"),
    ] {
        is_told_apart(rig.address, method, target).await;
    }
    assert_eq!(rig.proxy.count(), 0, "the service hears nothing of it");
}
