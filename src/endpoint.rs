//! Where the operations of a connected merchant are (spec §1). The specification leaves their methods and paths open
//! (§4.5), so another service may name them differently.

use crate::error::{Error, ErrorCode, Operation};
use pos_connect_protocol::{path, query};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Stands for the order's external id in a path.
const EXTERNAL_ID: &str = "{externalId}";

/// One operation's method and path.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    path: String,
}

impl Endpoint {
    fn new(method: &'static str, path: &str) -> Self {
        Self {
            method,
            path: path.into(),
        }
    }

    /// Reads a text such as `POST /v1/orders`.
    fn read(text: &str) -> Option<Self> {
        let (method, path) = text.split_once(' ')?;
        let method = METHODS.into_iter().find(|known| *known == method)?;
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"?#\\\"<>".contains(&byte);
        let is_path =
            path.starts_with('/') && !path.starts_with("//") && path.bytes().all(is_plain);
        is_path.then(|| Self::new(method, path))
    }

    /// The path, with the external id of an order in its place.
    pub fn path(&self, external_id: &str) -> String {
        let mut encoded = String::new();
        query::encode(&mut encoded, external_id);
        self.path.replace(EXTERNAL_ID, &encoded)
    }
}

/// The `operations` option: a text each, or none for what our service has.
#[derive(Clone, Default)]
pub struct Given {
    /// `operations.updateStoreProfile`
    pub update_store_profile: Option<String>,
    /// `operations.storeProfile`
    pub store_profile: Option<String>,
    /// `operations.sendCustomers`
    pub send_customers: Option<String>,
    /// `operations.sendOrder`
    pub send_order: Option<String>,
    /// `operations.order`
    pub order: Option<String>,
}

/// The endpoints of all operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoints {
    update_store_profile: Endpoint,
    store_profile: Endpoint,
    send_customers: Endpoint,
    send_order: Endpoint,
    order: Endpoint,
}

impl Endpoints {
    /// Checks what was given; the error names the first one that is wrong.
    pub fn new(given: &Given) -> Result<Self, Error> {
        let order_path = [path::ORDERS, "/", EXTERNAL_ID].concat();
        let order = read(&given.order, "order", "GET", &order_path)?;
        if !order.path.contains(EXTERNAL_ID) {
            return Err(invalid("order", "must have {externalId} in its path"));
        }
        Ok(Self {
            update_store_profile: read(
                &given.update_store_profile,
                "updateStoreProfile",
                "PATCH",
                path::STORE,
            )?,
            store_profile: read(&given.store_profile, "storeProfile", "GET", path::STORE)?,
            send_customers: read(
                &given.send_customers,
                "sendCustomers",
                "POST",
                path::CUSTOMERS,
            )?,
            send_order: read(&given.send_order, "sendOrder", "POST", path::ORDERS)?,
            order,
        })
    }

    /// The endpoint of an operation; `None` for a call of the flow, whose place the specification fixes.
    pub const fn of(&self, operation: Operation) -> Option<&Endpoint> {
        Some(match operation {
            Operation::UpdateStoreProfile => &self.update_store_profile,
            Operation::StoreProfile => &self.store_profile,
            Operation::SendCustomers => &self.send_customers,
            Operation::SendOrder => &self.send_order,
            Operation::Order => &self.order,
            _ => return None,
        })
    }
}

fn read(
    given: &Option<String>,
    name: &str,
    method: &'static str,
    path: &str,
) -> Result<Endpoint, Error> {
    match given {
        None => Ok(Endpoint::new(method, path)),
        Some(text) => Endpoint::read(text).ok_or_else(|| {
            invalid(
                name,
                "must be a method and a path, such as \"POST /v1/orders\"",
            )
        }),
    }
}

fn invalid(name: &str, fault: &str) -> Error {
    let error = Error::new(ErrorCode::InvalidOption, Operation::Create);
    error.detail(&["operations.", name, ": ", fault])
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn endpoint(given: &str) -> Result<Endpoint, String> {
        let given = Given {
            send_order: Some(given.into()),
            ..Given::default()
        };
        let endpoints = Endpoints::new(&given).map_err(|error| error.message())?;
        Ok(endpoints.of(Operation::SendOrder).unwrap().clone())
    }

    #[test]
    fn our_service_needs_no_option() {
        let endpoints = Endpoints::new(&Given::default()).unwrap();
        let of = |operation| {
            let endpoint: &Endpoint = endpoints.of(operation).unwrap();
            format!("{} {}", endpoint.method, endpoint.path("a/b ä"))
        };
        assert_eq!(of(Operation::UpdateStoreProfile), "PATCH /v1/store");
        assert_eq!(of(Operation::StoreProfile), "GET /v1/store");
        assert_eq!(of(Operation::SendCustomers), "POST /v1/customers");
        assert_eq!(of(Operation::SendOrder), "POST /v1/orders");
        assert_eq!(of(Operation::Order), "GET /v1/orders/a%2Fb%20%C3%A4");
        assert_eq!(endpoints.of(Operation::Status), None);
    }

    #[test]
    fn another_service_has_its_own() {
        let endpoint = endpoint("PUT /pos/v2/order").unwrap();
        assert_eq!(
            (endpoint.method, &*endpoint.path("7")),
            ("PUT", "/pos/v2/order")
        );
    }

    #[test]
    fn what_is_no_endpoint_is_named() {
        for wrong in [
            "",
            "/v1/orders",
            "POST",
            "post /v1/orders",
            "POST v1/orders",
            "POST  /v1/orders",
            "POST //evil.example/orders",
            "POST /v1/orders?client_id=1",
            "POST /v1/orders#a",
            "POST /v1/or ders",
            "TRACE /v1/orders",
        ] {
            let message = endpoint(wrong).unwrap_err();
            assert!(
                message.starts_with("operations.sendOrder: must be"),
                "{wrong}"
            );
        }
        let given = Given {
            order: Some("GET /v1/orders".into()),
            ..Given::default()
        };
        let message = Endpoints::new(&given).unwrap_err().message();
        assert_eq!(
            message,
            "operations.order: must have {externalId} in its path"
        );
    }
}
