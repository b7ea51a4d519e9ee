//! A shopper's receipt: one page behind a link that nobody can guess, and that ends.
//!
//! No cookie, nothing from elsewhere, and no phone number; script only for the buttons. Whoever has the link can read
//! it.

mod number;

use crate::date;
use crate::http::answer::mark;
use crate::http::refusal::Refusal;
use crate::http::route::route;
use crate::language;
use crate::service::Service;
use crate::store::{LINK_LENGTH, StoredReceipt};
use crate::token::Hash;
use askama::Template;
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use number::Numbers;
use pos_connect_foundation::refusal::only_get;
use pos_connect_protocol::Mode;
use pos_connect_protocol::order::{Order, OrderLine};
use pos_connect_protocol::quantity::Quantity;
use pos_connect_protocol::store::StoreProfile;
use pos_connect_texts::{Connect, Language, Receipt};

/// The path of a receipt as it stands in the log: a link is a secret.
const RECEIPT: &str = "/r/{link}";
const SCANNED_RECEIPT: &str = "/q/{link}";
const STYLE: &str = "/r/style.css";
const SCRIPT: &str = "/r/script.js";
const WAITING_SCRIPT: &str = "/r/waiting.js";
/// What messengers show of a link: the same for all receipts, with nothing of a shop or a shopper.
const PREVIEW: &str = "/r/preview.png";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

pub(crate) fn route_all(router: Router<Service>) -> Router<Service> {
    let router = route(router, RECEIPT, async |service, request| {
        show(service, request, false).await
    });
    let router = route(router, SCANNED_RECEIPT, async |service, request| {
        show(service, request, true).await
    });
    let router = route(router, STYLE, async |_, request| {
        asset(&request, CSS, include_str!("style.css"))
    });
    let router = route(router, WAITING_SCRIPT, async |_, request| {
        asset(&request, JAVASCRIPT, include_str!("waiting.js"))
    });
    let router = route(router, PREVIEW, async |_, request| {
        asset(&request, "image/png", include_bytes!("preview.png"))
    });
    route(router, SCRIPT, async |_, request| {
        asset(&request, JAVASCRIPT, include_str!("script.js"))
    })
}

fn asset(
    request: &Request,
    kind: &'static str,
    file: impl IntoResponse,
) -> Result<Response, Refusal> {
    only_get(request.method())?;
    Ok(([(header::CONTENT_TYPE, kind)], file).into_response())
}

/// Shows the receipt behind a link, or what stands in its place if the link opens none. A link that a till has made
/// (`may_come`) is open before its order is here, and looks the same whether a till has made it or not.
async fn show(service: Service, request: Request, may_come: bool) -> Result<Response, Refusal> {
    only_get(request.method())?;
    let link = request.uri().path().rsplit('/').next().unwrap_or_default();
    let language = language::choose(None, request.headers());
    if !is_link(link) {
        return Ok(absent(StatusCode::NOT_FOUND, language, false));
    }
    let (link, now) = (Hash::of(link), service.clock.now());
    if let Err(wait) = service.receipts.count(link, now) {
        let mut response = absent(StatusCode::TOO_MANY_REQUESTS, language, true);
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, wait.into());
        return Ok(response);
    }
    let found = service.store.receipt(&link, now).await?;
    Ok(match &found {
        Some(receipt) => page(receipt, service.settings.public_url.as_deref()),
        None if may_come => absent(StatusCode::OK, language, true),
        None => absent(StatusCode::NOT_FOUND, language, false),
    })
}

fn is_link(text: &str) -> bool {
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() == LINK_LENGTH && text.bytes().all(is_base64url)
}

/// What stands in one line of the receipt.
struct Line<'a> {
    name: &'a str,
    /// Absent for one piece, which goes without saying.
    quantity: Option<String>,
    unit: Option<&'a str>,
    unit_price: Option<String>,
    amount: String,
}

impl<'a> Line<'a> {
    fn of(line: &'a OrderLine, numbers: &Numbers) -> Self {
        let is_one_piece = line.quantity == Quantity::ONE && line.unit.is_none();
        Self {
            name: &line.name,
            quantity: (!is_one_piece).then(|| numbers.quantity(line.quantity)),
            unit: line.unit.as_deref(),
            unit_price: line.unit_price.map(|price| numbers.amount(price)),
            amount: numbers.amount(line.amount),
        }
    }
}

#[derive(Template)]
#[template(path = "receipt.html")]
struct ReceiptTemplate<'a> {
    lang: &'static str,
    dir: &'static str,
    t: &'static Receipt,
    /// What marks a receipt of test mode.
    test_mode: Option<&'static str>,
    /// Where messengers find the picture: they take a whole URL.
    preview: Option<String>,
    /// What no till can change.
    account: &'a str,
    logo: Option<&'a str>,
    store: Option<&'a str>,
    address: Vec<String>,
    phone: Option<&'a str>,
    website: Option<&'a str>,
    number: &'a str,
    refund_of: Option<&'a str>,
    date: String,
    /// The day alone, for the title.
    day: String,
    currency: &'a str,
    lines: Vec<Line<'a>>,
    /// The sum of the lines, where the tax is added to it.
    subtotal: Option<String>,
    /// What it is called, and how much.
    tax: Option<(&'static str, String)>,
    total: String,
    payment: Option<&'a str>,
    /// The total as a price, and what stands behind it.
    price: (String, &'a str),
    /// Until when the link works.
    until: String,
}

/// Stands in the place of a receipt.
#[derive(Template)]
#[template(path = "receipt_absent.html")]
struct AbsentTemplate {
    lang: &'static str,
    dir: &'static str,
    t: &'static Receipt,
    /// Whether it may come later.
    is_waiting: bool,
}

fn page(receipt: &StoredReceipt, public_url: Option<&str>) -> Response {
    let StoredReceipt {
        order,
        profile,
        account,
        logo,
        store,
        refund_of,
        until,
        mode,
    } = receipt;
    let language = language(order);
    let numbers = Numbers::of(language, region(order, profile), &order.currency);
    let t = Receipt::of(language);
    let subtotal = subtotal(order);
    let tax_name = subtotal.map_or(t.tax_included, |_| t.tax_added);
    let template = ReceiptTemplate {
        lang: language.tag(),
        dir: language.direction(),
        t,
        test_mode: (*mode == Mode::Test).then_some(Connect::of(language).test_mode),
        preview: public_url.map(|url| format!("{url}{PREVIEW}")),
        account,
        logo: logo.as_deref(),
        store: Some(profile.name.as_deref().unwrap_or(store)).filter(|name| name != account),
        address: address(profile),
        phone: profile.phone.as_deref(),
        website: profile.website.as_deref(),
        number: order.number(),
        refund_of: refund_of.as_deref(),
        date: date::written(&order.time, language),
        day: date::day(&order.time, language),
        currency: &order.currency,
        lines: order
            .lines
            .iter()
            .map(|line| Line::of(line, &numbers))
            .collect(),
        tax: order.tax.map(|tax| (tax_name, numbers.amount(tax))),
        subtotal: subtotal.map(|sum| numbers.amount(sum)),
        total: numbers.amount(order.total),
        payment: payment(order, t),
        price: numbers.price(order.total),
        until: t
            .until
            .replace("{}", &date::last_day(*until, &order.time, language)),
    };
    respond(StatusCode::OK, language, *mode, &template)
}

/// How it was paid: in words of the receipt's language, where it has some.
fn payment<'a>(order: &'a Order, t: &'a Receipt) -> Option<&'a str> {
    order.payment.as_deref().map(|payment| match payment {
        "cash" => t.cash,
        "card" => t.card,
        other => other,
    })
}

/// The sum of the lines, where the total is that sum and the tax: then the lines are without it.
fn subtotal(order: &Order) -> Option<i64> {
    let tax = order.tax.filter(|tax| *tax != 0)?;
    let lines: i128 = order.lines.iter().map(|line| i128::from(line.amount)).sum();
    let adds_up = lines + i128::from(tax) == i128::from(order.total);
    i64::try_from(lines).ok().filter(|_| adds_up)
}

/// What stands in the place of a receipt; the same for a link that never was and for one whose time is over.
fn absent(status: StatusCode, language: Language, is_waiting: bool) -> Response {
    let template = AbsentTemplate {
        lang: language.tag(),
        dir: language.direction(),
        t: Receipt::of(language),
        is_waiting,
    };
    respond(status, language, Mode::Live, &template)
}

/// The tag of the language in which the shopper chose the receipt.
fn locale(order: &Order) -> Option<&str> {
    order.ereceipt.as_ref()?.locale()
}

fn language(order: &Order) -> Language {
    locale(order)
        .and_then(Language::from_tag)
        .unwrap_or(Language::English)
}

/// Where numbers are read: the region of that tag, else the country of the store; empty if neither is known.
fn region<'a>(order: &'a Order, profile: &'a StoreProfile) -> &'a str {
    let country = || profile.address.as_ref()?.country.as_deref();
    locale(order)
        .and_then(number::region)
        .or_else(country)
        .unwrap_or_default()
}

/// Street; postal code and city; region.
fn address(profile: &StoreProfile) -> Vec<String> {
    let Some(address) = &profile.address else {
        return Vec::new();
    };
    let joined = |parts: &[&Option<String>]| {
        let given: Vec<&str> = parts.iter().filter_map(|part| part.as_deref()).collect();
        (!given.is_empty()).then(|| given.join(" "))
    };
    [
        joined(&[&address.street]),
        joined(&[&address.postal_code, &address.city]),
        joined(&[&address.region]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn respond(
    status: StatusCode,
    language: Language,
    mode: Mode,
    template: &impl Template,
) -> Response {
    let Ok(html) = template.render() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut response = (status, html).into_response();
    set_headers(response.headers_mut(), language);
    mark(mode, &mut response);
    response
}

fn set_headers(headers: &mut HeaderMap, language: Language) {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_LANGUAGE, language.tag()),
        (header::CONTENT_SECURITY_POLICY, policy),
        (
            HeaderName::from_static("x-robots-tag"),
            "noindex, nofollow, noarchive",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
