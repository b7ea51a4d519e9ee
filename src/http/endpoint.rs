//! Where the operations of a connected merchant are (spec §1). The specification leaves their methods and paths open
//! (§4.5).

use crate::core::error::Operation;
use pos_connect_protocol::{path, query};

/// The method and the path of an operation; empty for a call of the flow, whose place the specification fixes.
/// `external_id`: of the order, where one is looked at.
pub fn of(operation: Operation, external_id: &str) -> (&'static str, String) {
    let (method, path) = match operation {
        Operation::UpdateStore => ("PATCH", path::STORE),
        Operation::GetStore => ("GET", path::STORE),
        Operation::SendCustomers => ("POST", path::CUSTOMERS),
        Operation::SendOrder => ("POST", path::ORDERS),
        Operation::GetOrder => {
            let mut path = [path::ORDERS, "/"].concat();
            query::encode(&mut path, external_id);
            return ("GET", path);
        }
        _ => ("", ""),
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
            [method, " ", &path].concat()
        };
        assert_eq!(of(Operation::UpdateStore), "PATCH /v1/store");
        assert_eq!(of(Operation::GetStore), "GET /v1/store");
        assert_eq!(of(Operation::SendCustomers), "POST /v1/customers");
        assert_eq!(of(Operation::SendOrder), "POST /v1/orders");
        assert_eq!(of(Operation::GetOrder), "GET /v1/orders/a%2Fb%20%C3%A4");
    }
}
