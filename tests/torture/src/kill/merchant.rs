//! A merchant: fills in the connect page's forms, from what stands in the HTML.

use super::stage::{Halt, Step};
use crate::http::{Message, query};

/// Who signs in.
pub struct Merchant {
    pub email: String,
    pub password: String,
}

/// Opens the page, signs in, connects. Each page is asked for through `ask`, with the name of what it is.
pub fn consent(
    merchant: &Merchant,
    client_id: &str,
    integration: &str,
    mut ask: impl FnMut(&'static str, &Message) -> Step<String>,
) -> Step<()> {
    let names = [("client_id", client_id), ("integration_token", integration)];
    let target = format!("/connect?{}", query(&names));
    let first = ask("connect page", &Message::request("GET", &target))?;
    if state(&first) == "finished" {
        return Ok(());
    }
    let sign_in = [
        ("action", "sign-in"),
        ("email", &merchant.email),
        ("password", &merchant.password),
    ];
    let second = ask("sign-in", &filled(&first, &sign_in))?;
    if state(&second) == "finished" {
        return Ok(());
    }
    let last = ask(
        "consent",
        &filled(&second, &[("action", "connect"), ("ereceipts", "yes")]),
    )?;
    match state(&last) {
        "finished" => Ok(()),
        other => Err(Halt::Wrong(format!("the connect page ends with `{other}`"))),
    }
}

fn state(page: &str) -> &str {
    attribute(page, "data-page").unwrap_or_default()
}

/// The page's form with these values, as a browser sends it.
fn filled(page: &str, values: &[(&str, &str)]) -> Message {
    let mut pairs: Vec<(&str, &str)> = values.to_vec();
    for tag in page.split("<input ").skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        let kind = attribute(tag, "type").unwrap_or_default();
        let chosen = kind == "hidden" || (kind == "radio" && tag.contains("checked"));
        if let (true, Some(name), Some(value)) =
            (chosen, attribute(tag, "name"), attribute(tag, "value"))
        {
            pairs.push((name, value));
        }
    }
    Message::request("POST", "/connect").form(&pairs)
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_sent_as_a_browser_sends_it() {
        let page = r#"<body data-page="consent"><input type="hidden" name="form" value="f1" autocomplete="off">
            <input type="radio" name="store" value="s1" required checked>
            <input type="radio" name="store" value="s2" required>
            <input type="checkbox" name="ereceipts" value="yes">"#;
        assert_eq!(state(page), "consent");
        let sent = filled(page, &[("action", "connect")]);
        assert_eq!(sent.text(), "action=connect&form=f1&store=s1");
    }
}
