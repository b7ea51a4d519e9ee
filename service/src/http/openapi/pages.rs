//! What people see, and what is said of the service itself.

use super::{FORMED, LIMITED, text};
use ProblemCode as Code;
use pos_connect_foundation::openapi::media::{CSS, FORM, HTML, TEXT};
use pos_connect_foundation::openapi::{self, Operation, Parameter};
use pos_connect_protocol::{ProblemCode, path};
use serde_json::{Value, json};

pub(super) fn all() -> Vec<Operation> {
    let mut all: Vec<Operation> = merchants().into();
    all.extend(receipts());
    all.extend(files());
    all.extend(own());
    all.extend(openapi::operations());
    all
}

/// What the pages load: path, ID, and what it is.
const FILES: &str = "\
/connect/style.css connectStyle The connect page's style sheet.
/connect/brand.css connectBrand The operator's color.
/connect/script.js connectScript The connect page's script.
/r/waiting.js waitingScript The script that looks again for a receipt.
/r/style.css receiptStyle The receipt's style sheet.
/r/preview.png receiptPreview What messengers show of a receipt's link.
/r/script.js receiptScript The script of the receipt's buttons.";

fn files() -> impl Iterator<Item = Operation> {
    let rows = FILES.lines().map(|line| line.splitn(3, ' '));
    rows.filter_map(|mut row| {
        let (path, id, summary) = (row.next()?, row.next()?, row.next()?);
        let media = match path.rsplit('.').next()? {
            "css" => CSS,
            "js" => "text/javascript; charset=utf-8",
            _ => "image/png",
        };
        let file = Operation::new("get", path, id).summary(summary);
        let file = file.answers(200, "The file.", Some((media, text())));
        Some(file.refuses(LIMITED))
    })
}

fn html() -> Option<(&'static str, Value)> {
    Some((HTML, text()))
}

fn page(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    let page = Operation::new(method, path, id).answers(200, "The page.", html());
    page.marked().refuses(LIMITED)
}

/// What a page answers where merchants sign in.
fn signed_in(page: Operation, incomplete: &'static str) -> Operation {
    page.answers(400, incomplete, html())
        .answers(
            403,
            "The vendor, the integration or the form is not known here.",
            html(),
        )
        .answers(429, "Too many attempts.", html())
        .answers(503, "Too many sign-ins at once.", html())
        .refuses(&[Code::UriTooLong, Code::MalformedRequest])
}

/// The pages of merchants.
fn merchants() -> [Operation; 6] {
    let connect = |method, id, summary| {
        let incomplete = "The link or the form is not complete, or names an unknown vendor.";
        signed_in(page(method, path::CONNECT, id).summary(summary), incomplete)
    };
    [
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
        page("get", "/connections", "showConnections")
            .summary("Shows the merchant's own list of connections (extension)."),
        signed_in(
            page("post", "/connections", "sendConnectionsForm")
                .summary("Takes a form of that list."),
            "The form is not complete.",
        )
        .body(&[FORM], form_of_a_page())
        .refuses(FORMED),
        signed_in(
            page("get", "/callback-{provider}", "comeBack")
                .summary("Takes the answer of a provider of the operator's (extension).")
                .takes(&[Parameter {
                    name: "provider",
                    place: "path",
                    required: true,
                    about: "The provider's ID: its file's name.",
                    schema: json!({ "type": "string" }),
                }]),
            "The vendor is not known here.",
        ),
        sign_out(),
    ]
}

/// What a provider calls when a merchant has signed out there.
fn sign_out() -> Operation {
    Operation::new("post", "/backchannel-logout", "signOut")
        .summary("Ends a merchant's pages after a sign-out at a provider (OpenID Connect Back-Channel Logout).")
        .body(&[FORM], json!({
            "type": "object",
            "required": ["logout_token"],
            "properties": { "logout_token": { "type": "string" } },
        }))
        .answers(200, "Done, also if nobody was signed in.", None)
        .refuses(LIMITED)
        .refuses(FORMED)
        .refuses(&[Code::MalformedRequest, Code::MissingParameter, Code::Unavailable])
}

/// The pages of shoppers.
fn receipts() -> [Operation; 2] {
    let link = |about| Parameter {
        name: "link",
        place: "path",
        required: true,
        about,
        schema: json!({ "type": "string" }),
    };
    [
        page("get", "/r/{link}", "showReceipt").summary("Shows a shopper's receipt (extension).")
        .takes(&[link("The last part of the link in the text message.")])
        .answers(404, "There is no such receipt, or not any more.", html())
        .answers(429, "Opened too often; the page looks again by itself.", html()),
        page("get", "/q/{link}", "showScannedReceipt").summary(
            "Shows a shopper's receipt, or says that it will come, for a link that a till has made (extension).",
        )
        .takes(&[link("The last part of the link in the code.")])
        .answers(404, "This is no such link.", html())
        .answers(429, "Opened too often; the page looks again by itself.", html()),
    ]
}

/// What is said of the service itself.
fn own() -> [Operation; 2] {
    let plain = |path, id, summary| {
        Operation::new("get", path, id).summary(summary).answers(
            200,
            "It does.",
            Some((TEXT, text())),
        )
    };
    [
        plain("/healthz", "getHealth", "Says whether the service runs."),
        plain(
            "/readyz",
            "getReadiness",
            "Says whether its database takes a row.",
        )
        .refuses(&[Code::Unavailable]),
    ]
}

/// The page writes it, and says in hidden fields what comes back.
fn form_of_a_page() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "string" } })
}
