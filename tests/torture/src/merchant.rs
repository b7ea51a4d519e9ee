//! A merchant without a browser: fills in the connect page's forms, from what stands in the HTML.

use crate::programs::Merchant;
use std::net::SocketAddr;
use workbench::Result;
use workbench::http::{Line, Message, query};

/// At a service that nobody kills.
pub fn consent_at(
    service: SocketAddr,
    merchant: &Merchant,
    client_id: &str,
    integration: &str,
    ereceipts: bool,
) -> Result<()> {
    let mut line = Line::new(service);
    consent(merchant, client_id, integration, ereceipts, |page| {
        line.expect(page, &[200]).map(|answer| answer.text())
    })?
    .map_or(Ok(()), |state| {
        Err(format!("the connect page ends with `{state}`"))
    })
}

/// Opens the page, signs in, connects. Each page is asked for through `ask`. Gives the state of the
/// last page, unless it is the one of success.
pub fn consent<E>(
    merchant: &Merchant,
    client_id: &str,
    integration: &str,
    ereceipts: bool,
    mut ask: impl FnMut(&Message) -> std::result::Result<String, E>,
) -> std::result::Result<Option<String>, E> {
    let names = [("client_id", client_id), ("integration_token", integration)];
    let target = format!("/connect?{}", query(&names));
    let sign_in = [
        ("action", "sign-in"),
        ("email", &*merchant.email),
        ("password", &*merchant.password),
    ];
    let connect = [("action", "connect"), ("ereceipts", "yes")];
    let wishes = &connect[..1 + usize::from(ereceipts)];
    let mut page = ask(&Message::request("GET", &target))?;
    for values in [&sign_in[..], wishes] {
        page = ask(&filled(&page, values))?;
    }
    Ok((state(&page) != "finished").then(|| state(&page).to_owned()))
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
            && pairs.iter().all(|(known, _)| *known != name)
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
