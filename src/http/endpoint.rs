//! Where the operations of a connected merchant are (spec §1). The specification leaves their methods and paths open
//! (§4.5).

use crate::core::error::Operation;
use crate::core::named_enum::named_enum;
use pos_connect_protocol::{path, query};

named_enum! {
    /// The method of a call.
    Method {
        /// `GET`
        Get = "GET",
        /// `POST`
        Post = "POST",
        /// `PATCH`
        Patch = "PATCH",
        /// `DELETE`
        Delete = "DELETE",
    }
}

/// The method and the path of an operation; no path for a call of the flow, whose place the specification fixes.
/// `external_id`: of the order, where one is looked at.
pub fn of(operation: Operation, external_id: &str) -> (Method, String) {
    let (method, path) = match operation {
        Operation::UpdateStore => (Method::Patch, path::STORE),
        Operation::GetStore => (Method::Get, path::STORE),
        Operation::SendCustomers => (Method::Post, path::CUSTOMERS),
        Operation::SendOrder => (Method::Post, path::ORDERS),
        Operation::GetOrder => {
            let mut path = [path::ORDERS, "/"].concat();
            query::encode(&mut path, external_id);
            return (Method::Get, path);
        }
        _ => (Method::Get, ""),
    };
    (method, path.to_owned())
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_its_place() {
        let of = |operation| {
            let (method, path) = of(operation, "a/b ä");
            [method.as_str(), " ", &path].concat()
        };
        assert_eq!(of(Operation::UpdateStore), "PATCH /v1/store");
        assert_eq!(of(Operation::GetStore), "GET /v1/store");
        assert_eq!(of(Operation::SendCustomers), "POST /v1/customers");
        assert_eq!(of(Operation::SendOrder), "POST /v1/orders");
        assert_eq!(of(Operation::GetOrder), "GET /v1/orders/a%2Fb%20%C3%A4");
    }
}
