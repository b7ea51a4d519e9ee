//! `charge` on a page that goes while its shopper is asked: the sale is the next page's.

use crate::charge::{Printer, once, rows, sale, sales};
use crate::orders::outbox;
use crate::support::*;

/// A page that goes while its shopper is asked.
async fn leave_a_sale(service: &Service, printer: &Printer) {
    let client = service.merchant_in("indexeddb");
    let charge = printer.charge(&client, "A-1");
    eventually(is_asked).await;
    hide_page();
    sleep(1_000).await;
    client.destroy();
    assert_eq!(code_of(charge).await, "destroyed");
}

#[wasm_bindgen_test]
async fn a_page_that_goes_leaves_the_sale_to_the_next_one_unless_it_comes_back() {
    let service = Service::as_specified();
    let (_client, printer, charge) = sale(&service, "indexeddb");
    eventually(is_asked).await;
    hide_page();
    sleep(5_000).await;
    assert_eq!((printer.printed(), sales(&service).await), (vec![], 1));
    show_page();
    done(charge).await;
    assert_eq!(printer.printed(), once("A-1", "page_hidden"));
    assert_eq!(sales(&service).await, 0);
}

#[wasm_bindgen_test]
async fn a_sale_that_was_left_goes_to_the_object_that_prints_and_to_no_other() {
    let (service, printer) = (Service::as_specified(), Printer::new());
    leave_a_sale(&service, &printer).await;
    assert_eq!((printer.printed(), sales(&service).await), (vec![], 1));
    let other = service.merchant_in("indexeddb");
    assert!(outbox(&other).await.is_empty());
    let next = Printer::new();
    let interrupted = ("onInterrupted", &next.print.clone().into());
    let gone = service.merchant_with(&[interrupted]);
    gone.destroy();
    sleep(1_000).await;
    assert_eq!((next.printed(), sales(&service).await), (vec![], 1));
    let till = service.merchant_with(&[interrupted]);
    let printed = next.printed.clone();
    eventually(move || printed.length() > 0).await;
    service.until_called("order", 1).await;
    sleep(1_000).await;
    assert_eq!(next.printed(), once("A-1", "interrupted"));
    assert_eq!((service.kept(), sales(&service).await), (1, 0));
    for client in [other, till] {
        client.destroy();
    }
}

#[wasm_bindgen_test]
async fn a_sale_that_is_left_goes_to_a_page_that_was_there_before_it() {
    let service = Service::as_specified();
    let next = Printer::new();
    let till = service.merchant_with(&[("onInterrupted", &next.print)]);
    assert!(outbox(&till).await.is_empty());
    leave_a_sale(&service, &Printer::new()).await;
    let printed = next.printed.clone();
    eventually(move || printed.length() > 0).await;
    service.until_called("order", 1).await;
    assert_eq!(next.printed(), once("A-1", "interrupted"));
    till.destroy();
}

#[wasm_bindgen_test]
async fn a_sale_that_was_left_waits_for_the_storage() {
    let service = Service::as_specified();
    leave_a_sale(&service, &Printer::new()).await;
    let (next, broken) = (Printer::new(), shut("throw"));
    let till = service.merchant_with(&[("onInterrupted", &next.print)]);
    sleep(2_000).await;
    assert_eq!(next.printed(), []);
    restore(&broken);
    let printed = next.printed.clone();
    eventually(move || printed.length() > 0).await;
    assert_eq!(next.printed(), once("A-1", "interrupted"));
    till.destroy();
}

#[wasm_bindgen_test]
async fn a_sale_that_cannot_be_read_is_listed_and_can_be_given_up() {
    let service = Service::as_specified();
    leave_a_sale(&service, &Printer::new()).await;
    damage(&rows(&service).await.get(0)).await;
    let till = service.merchant_with(&[("onInterrupted", &Printer::new().print)]);
    let left = outbox(&till).await;
    assert_eq!((left.len(), &left[0]["state"]), (1, &json!("refused")));
    assert_eq!(left[0]["error"]["code"], "vault_failed");
    let id = left[0]["id"].as_str().unwrap().into();
    assert_eq!(done(till.orders().discard(id)).await, true);
    assert_eq!((outbox(&till).await.len(), sales(&service).await), (0, 0));
    till.destroy();
}
