//! `charge`: a paid order is on the disk before its shopper is asked, and paper comes out at most once.

use crate::orders::{no_options, order, outbox};
use crate::support::*;
use js_sys::{Array, Function};
use pos_connect::PosConnect;

const PHONE: &str = "0502345678";

/// What `print`, or `onInterrupted`, was called with.
pub(crate) struct Printer {
    pub printed: Array,
    pub print: Function,
}

impl Printer {
    pub fn new() -> Self {
        let printed = Array::new();
        let print = Function::new_with_args("list", "return (receipt) => void list.push(receipt)");
        let print = print.call1(&JsValue::UNDEFINED, &printed).unwrap();
        Self {
            printed,
            print: print.unchecked_into(),
        }
    }

    /// The external ids and the reasons of what was printed.
    pub fn printed(&self) -> Vec<(String, String)> {
        let read = |receipt: JsValue| {
            assert_eq!(text(&get(&receipt, "order"), "currency"), "ILS");
            (text(&receipt, "externalId"), text(&receipt, "reason"))
        };
        self.printed.iter().map(read).collect()
    }

    fn options(&self, more: &Value) -> JsValue {
        let mut options = json!({"region": "IL", "ereceipt": true, "outcomeSeconds": 0});
        let more = more.as_object().unwrap().clone();
        options.as_object_mut().unwrap().extend(more);
        with(&options, &[("print", &self.print)])
    }

    pub fn charge(&self, client: &PosConnect, id: &str) -> JsValue {
        self.charge_with(client, id, &json!({}))
    }

    fn charge_with(&self, client: &PosConnect, id: &str, more: &Value) -> JsValue {
        begun(client.charge(to_js(&order(id)), self.options(more)))
    }
}

/// A sale whose shopper is about to be asked.
pub(crate) fn sale(service: &Service, vault: &str) -> (PosConnect, Printer, JsValue) {
    let (client, printer) = (service.merchant_in(vault), Printer::new());
    let charge = printer.charge(&client, "A-1");
    (client, printer, charge)
}

pub fn once(id: &str, reason: &str) -> Vec<(String, String)> {
    vec![(id.to_owned(), reason.to_owned())]
}

/// How many sales the storage keeps whose shopper is being asked.
pub async fn sales(service: &Service) -> u32 {
    rows(service).await.length()
}

pub async fn rows(service: &Service) -> Array {
    sales_of(&service.base_url()).await.unchecked_into()
}

/// The shopper types and presses, as soon as the keypad is there.
async fn shopper(digits: &str, button: &str) {
    eventually(is_asked).await;
    answer_keypad(digits, button);
}

#[wasm_bindgen_test]
async fn a_text_message_stands_in_the_place_of_paper() {
    for vault in VAULTS {
        let service = Service::as_specified();
        let client = service.merchant_in(vault);
        let printer = Printer::new();
        let charge = printer.charge(&client, "A-1");
        shopper(PHONE, "send").await;
        let sold = to_value(&done(charge).await);
        assert_eq!(
            (&sold["state"], &sold["print"]),
            (&json!("accepted"), &json!(false))
        );
        assert_eq!(sold["receipt"]["kind"], "ereceipt");
        assert_eq!(printer.printed(), []);
        let body = service.requests()[0]["body"].as_str().unwrap().to_owned();
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["ereceipt"]["phone"], "+972502345678");
        assert!(outbox(&client).await.is_empty());
        if vault == "indexeddb" {
            assert_eq!(sales(&service).await, 0);
        }
    }
}

#[wasm_bindgen_test]
async fn paper_comes_out_before_the_service_has_answered() {
    let service = Service::ordered(json!({"order": [{"fault": "hang"}]}));
    let (_client, printer, charge) = sale(&service, "memory");
    shopper("", "print").await;
    service.until_called("order", 1).await;
    assert_eq!(printer.printed(), once("A-1", "chosen"));
    let sold = to_value(&done(charge).await);
    assert_eq!(
        (&sold["state"], &sold["print"]),
        (&json!("queued"), &json!(true))
    );
    assert_eq!(printer.printed().len(), 1);
}

#[wasm_bindgen_test]
async fn nobody_who_is_not_asked_waits() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let printer = Printer::new();
    let sold = printer.charge_with(&client, "A-1", &json!({"ereceipt": false}));
    assert_eq!(to_value(&done(sold).await)["state"], "accepted");
    assert_eq!(printer.printed(), once("A-1", "not_enabled"));
}

#[wasm_bindgen_test]
async fn a_message_that_does_not_go_out_is_paper() {
    let refused = json!({"status": 422, "body": {"success": false, "code": "invalid_member"}});
    let portal = json!({"status": 200, "text": "<h1>Welcome</h1>"});
    for (answer, more, reason) in [
        (refused, json!({}), Some("send_failed")),
        (portal.clone(), json!({}), Some("queued")),
        (portal, json!({"printIfQueued": false}), None),
    ] {
        let service = Service::ordered(json!({"order": vec![answer; 9]}));
        let client = service.merchant_in("memory");
        let printer = Printer::new();
        let charge = printer.charge_with(&client, "A-1", &more);
        shopper(PHONE, "send").await;
        let sold = settled(charge).await;
        assert_eq!(sold.is_err(), reason == Some("send_failed"), "{sold:?}");
        if let Err(error) = sold {
            assert_eq!(
                (code(&error), text(&error, "operation")),
                ("invalid_body".into(), "charge".into())
            );
        }
        let printed = reason.map(|reason| once("A-1", reason)).unwrap_or_default();
        assert_eq!(printer.printed(), printed);
        assert_eq!(outbox(&client).await.len(), 1);
        client.destroy();
    }
}

#[wasm_bindgen_test]
async fn paper_that_is_chosen_while_the_order_is_sent_comes_out_at_once() {
    let service = Service::ordered(json!({"order": [{"fault": "hang"}]}));
    let (_client, printer, charge) = sale(&service, "memory");
    shopper(PHONE, "send").await;
    service.until_called("order", 1).await;
    answer_keypad("", "print");
    sleep(0).await;
    assert_eq!(printer.printed(), once("A-1", "chosen"));
    let sold = to_value(&done(charge).await);
    assert_eq!(
        (&sold["state"], &sold["print"]),
        (&json!("queued"), &json!(true))
    );
    assert_eq!(printer.printed().len(), 1);
}

/// A page that dies after its print must not leave the sale to the next one, which prints.
#[wasm_bindgen_test]
async fn no_paper_comes_out_before_the_order_has_its_place() {
    let service = Service::as_specified();
    let (client, printer, charge) = sale(&service, "indexeddb");
    eventually(is_asked).await;
    let held = hold_seals();
    answer_keypad(PHONE, "send");
    answer_keypad("", "print");
    sleep(1_000).await;
    assert_eq!((printer.printed(), sales(&service).await), (vec![], 1));
    restore(&held);
    done(charge).await;
    assert_eq!(printer.printed(), once("A-1", "chosen"));
    assert_eq!(sales(&service).await, 0);
    client.destroy();
}

#[wasm_bindgen_test]
async fn a_second_click_is_the_same_sale() {
    let service = Service::as_specified();
    let (client, printer, first) = sale(&service, "memory");
    assert_eq!(printer.charge(&client, "A-1"), first);
    shopper("", "print").await;
    done(first).await;
    assert_eq!((printer.printed().len(), service.kept()), (1, 1));
}

#[wasm_bindgen_test]
async fn the_next_sale_prints_the_one_before() {
    let service = Service::as_specified();
    let (client, printer, first) = sale(&service, "memory");
    eventually(is_asked).await;
    let second = printer.charge(&client, "A-2");
    done(first).await;
    assert_eq!(printer.printed(), once("A-1", "replaced"));
    shopper(PHONE, "send").await;
    done(second).await;
    assert_eq!((printer.printed().len(), service.kept()), (1, 2));
}

#[wasm_bindgen_test]
async fn another_order_under_the_same_id_is_another_sale() {
    let service = Service::as_specified();
    let (client, printer, first) = sale(&service, "memory");
    eventually(is_asked).await;
    let mut other = order("A-1");
    other["total"] = json!(9_000);
    other["lines"][0]["amount"] = json!(9_000);
    let second = begun(client.charge(to_js(&other), printer.options(&json!({}))));
    assert_ne!(first, second);
    done(first).await;
    shopper("", "print").await;
    assert_eq!(code_of(second).await, "order_exists");
    assert_eq!((printer.printed().len(), service.calls("order")), (2, 2));
}

#[wasm_bindgen_test]
async fn an_object_that_has_ended_sells_nothing() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    client.destroy();
    let printer = Printer::new();
    let sold = printer.charge_with(&client, "A-1", &json!({"ereceipt": false}));
    assert_eq!(code_of(sold).await, "destroyed");
    assert_eq!((printer.printed(), service.calls("order")), (vec![], 0));
}

#[wasm_bindgen_test]
async fn a_storage_that_fails_after_the_sale_was_kept_costs_nothing() {
    let service = Service::as_specified();
    let client = service.merchant_in("indexeddb");
    let printer = Printer::new();
    let broken = refuse_writes(2, "throw");
    let charge = printer.charge(&client, "A-1");
    shopper("", "print").await;
    assert_eq!(to_value(&done(charge).await)["state"], "queued");
    restore(&broken);
    service.until_called("order", 1).await;
    sleep(1_000).await;
    assert_eq!(printer.printed(), once("A-1", "chosen"));
    assert_eq!((service.kept(), sales(&service).await), (1, 0));
    client.destroy();
}

#[wasm_bindgen_test]
async fn a_till_without_storage_sells_and_says_so() {
    let service = Service::as_specified();
    let client = service.merchant_in("indexeddb");
    let broken = refuse_writes(1, "throw");
    let printer = Printer::new();
    let charge = printer.charge(&client, "A-1");
    shopper("", "print").await;
    assert_eq!(code_of(charge).await, "vault_failed");
    assert_eq!(printer.printed(), once("A-1", "chosen"));
    restore(&broken);
}

#[wasm_bindgen_test]
async fn what_is_wrong_is_named_before_anybody_is_asked() {
    let client = Service::as_specified().merchant_in("memory");
    let printer = Printer::new();
    let with_receipt = json!({"phone": "+972502345678", "consent": {"id": "ereceipt-1"}});
    let mut wrong = order("A-1");
    wrong["ereceipt"] = with_receipt;
    for (order, options, name) in [
        (wrong, printer.options(&json!({})), "order/ereceipt"),
        (
            json!({"externalId": "A-1"}),
            printer.options(&json!({})),
            "order/",
        ),
        (order("A-1"), no_options(), "print"),
        (
            order("A-1"),
            printer.options(&json!({"orderId": "A-1"})),
            "orderId",
        ),
        (
            order("A-1"),
            printer.options(&json!({"region": "XX"})),
            "region",
        ),
        (
            order("A-1"),
            printer.options(&json!({"labels": {"consent": "I agree\u{202e} to this"}})),
            "labels.consent",
        ),
    ] {
        let error = failed(client.charge(to_js(&order), options)).await;
        assert_eq!(code(&error), "invalid_option", "{name}");
        assert!(text(&error, "message").starts_with(name), "{name}");
    }
    assert!(!is_asked());
}
