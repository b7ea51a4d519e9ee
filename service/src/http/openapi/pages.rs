//! What people see, and what is said of the service itself.

use super::{FORMED, LIMITED, text};
use ProblemCode as Code;
use pos_connect_foundation::openapi::media::{CSS, FORM, HTML, JSON, TEXT};
use pos_connect_foundation::openapi::{Operation, Parameter};
use pos_connect_protocol::{ProblemCode, path};
use serde_json::{Value, json};

pub(super) fn all() -> Vec<Operation> {
    let mut all = pages();
    all.extend(own());
    all
}

/// What people see, and what it needs.
fn pages() -> Vec<Operation> {
    let html = || Some((HTML, text()));
    let asset = |path, id, summary, media| {
        Operation::new("get", path, id, summary)
            .answers(200, "The file.", Some((media, text())))
            .refuses(LIMITED)
    };
    let page = |method, path, id, summary| {
        let page = Operation::new(method, path, id, summary).answers(200, "The page.", html());
        page.refuses(LIMITED)
    };
    let signed_in = |operation: Operation, incomplete| {
        operation
            .answers(400, incomplete, html())
            .answers(
                403,
                "The vendor, the integration or the form is not known here.",
                html(),
            )
            .answers(429, "Too many wrong passwords.", html())
            .answers(503, "Too many sign-ins at once.", html())
            .refuses(&[Code::UriTooLong, Code::MalformedRequest])
    };
    let connect = |method, id, summary| {
        let incomplete = "The link or the form is not complete, or names an unknown vendor.";
        signed_in(page(method, path::CONNECT, id, summary), incomplete)
    };
    let link = |about| Parameter {
        name: "link",
        place: "path",
        required: true,
        about,
        schema: json!({ "type": "string" }),
    };
    vec![
        connect(
            "get",
            "showConnectPage",
            "Shows the connect page (spec §4.3).",
        ),
        connect(
            "post",
            "sendConnectForm",
            "Takes a form of the connect page.",
        )
        .body(&[FORM], form_of_a_page())
        .refuses(FORMED),
        asset(
            "/connect/style.css",
            "connectStyle",
            "The connect page's style sheet.",
            CSS,
        ),
        asset(
            "/connect/brand.css",
            "connectBrand",
            "The operator's color.",
            CSS,
        ),
        asset(
            "/connect/script.js",
            "connectScript",
            "The connect page's script.",
            "text/javascript; charset=utf-8",
        ),
        page(
            "get",
            "/connections",
            "showConnections",
            "Shows the merchant's own list of connections (extension).",
        ),
        signed_in(
            page(
                "post",
                "/connections",
                "sendConnectionsForm",
                "Takes a form of that list.",
            ),
            "The form is not complete.",
        )
        .body(&[FORM], form_of_a_page())
        .refuses(FORMED),
        signed_in(
            page(
                "get",
                "/callback",
                "comeBack",
                "Takes the answer of the operator's provider (extension).",
            ),
            "The vendor is not known here.",
        ),
        page(
            "get",
            "/r/{link}",
            "showReceipt",
            "Shows a shopper's receipt (extension).",
        )
        .takes(&[link("The last part of the link in the text message.")])
        .answers(404, "There is no such receipt, or not any more.", html())
        .refuses(&[Code::SlowDown]),
        page(
            "get",
            "/q/{link}",
            "showScannedReceipt",
            "Shows a shopper's receipt, or says that it will come, for a link that a till has made (extension).",
        )
        .takes(&[link("The last part of the link in the code.")])
        .answers(404, "This is no such link.", html())
        .refuses(&[Code::SlowDown]),
        asset(
            "/r/waiting.js",
            "waitingScript",
            "The script that looks again for a receipt.",
            "text/javascript; charset=utf-8",
        ),
        asset(
            "/r/style.css",
            "receiptStyle",
            "The receipt's style sheet.",
            CSS,
        ),
        asset(
            "/r/preview.png",
            "receiptPreview",
            "What messengers show of a receipt's link.",
            "image/png",
        ),
        asset(
            "/r/script.js",
            "receiptScript",
            "The script of the receipt's buttons.",
            "text/javascript; charset=utf-8",
        ),
    ]
}

/// What is said of the service itself.
fn own() -> Vec<Operation> {
    let plain = |path, id, summary| {
        Operation::new("get", path, id, summary).answers(200, "It does.", Some((TEXT, text())))
    };
    let file = |path, id, summary, media| {
        Operation::new("get", path, id, summary).answers(200, "The file.", Some((media, text())))
    };
    vec![
        plain("/healthz", "getHealth", "Says whether the service runs."),
        plain(
            "/readyz",
            "getReadiness",
            "Says whether its database takes a row.",
        )
        .refuses(&[Code::Unavailable]),
        Operation::new("get", "/openapi.json", "getDocument", "This document.").answers(
            200,
            "The document.",
            Some((JSON, json!({ "type": "object" }))),
        ),
        file(
            "/reference",
            "getReference",
            "This document, for people.",
            HTML,
        ),
        file("/openapi.css", "getReferenceStyle", "Its style sheet.", CSS),
    ]
}

/// The page writes it, and says in hidden fields what comes back.
fn form_of_a_page() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "string" } })
}
