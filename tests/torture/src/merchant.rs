//! A merchant without a browser: fills in the connect page's forms from what stands in the HTML.

use crate::http::{Line, Message, query};
use crate::programs::Account;
use workbench::Result;

/// Signs in and connects.
pub fn consent(account: &Account, client_id: &str, token: &str, ereceipts: bool) -> Result<()> {
    let mut line = Line::new(account.service);
    let page = open(&mut line, client_id, token)?;
    let signed_in = [
        ("action", "sign-in"),
        ("email", account.email.as_str()),
        ("password", account.password.as_str()),
    ];
    let page = submit(&mut line, account, &page, &signed_in)?;
    // The page chooses none of several.
    let store = page.split("name=\"store\"").nth(1);
    let store = store.and_then(|rest| attribute(rest, "value"));
    let mut wishes = vec![("action", "connect")];
    wishes.extend(store.map(|store| ("store", store)));
    if ereceipts {
        wishes.push(("ereceipts", "on"));
    }
    let page = submit(&mut line, account, &page, &wishes)?;
    match attribute(&page, "data-page") {
        Some("finished") => Ok(()),
        other => Err(format!(
            "the connect page said `{}` to a consent",
            other.unwrap_or_default()
        )),
    }
}

/// What the first page of an integration sends by itself.
pub fn hidden_fields(
    account: &Account,
    client_id: &str,
    token: &str,
) -> Result<Vec<(String, String)>> {
    let page = open(&mut Line::new(account.service), client_id, token)?;
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Ok(fields(&page).into_iter().map(owned).collect())
}

fn open(line: &mut Line, client_id: &str, token: &str) -> Result<String> {
    let query = query(&[("integration_token", token), ("client_id", client_id)]);
    ask(line, Message::request("GET", &format!("/connect?{query}")))
}

fn submit(
    line: &mut Line,
    account: &Account,
    page: &str,
    values: &[(&str, &str)],
) -> Result<String> {
    let mut fields = fields(page);
    fields.extend_from_slice(values);
    let request = Message::request("POST", "/connect").form(&fields);
    ask(
        line,
        request.header("origin", format!("http://{}", account.service)),
    )
}

fn ask(line: &mut Line, request: Message) -> Result<String> {
    let answer = line
        .ask(&request, || {})
        .map_err(|error| format!("the connect page: {error}"))?;
    match answer.status() {
        200 => Ok(answer.text()),
        status => Err(format!("the connect page answered {status}")),
    }
}

/// What the page's form sends by itself.
fn fields(page: &str) -> Vec<(&str, &str)> {
    let inputs = page
        .split("<input")
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    inputs
        .filter(|input| attribute(input, "type") == Some("hidden"))
        .filter_map(|input| Some((attribute(input, "name")?, attribute(input, "value")?)))
        .collect()
}

fn attribute<'h>(html: &'h str, name: &str) -> Option<&'h str> {
    let (_, rest) = html.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_sends_its_hidden_fields() {
        let page = r#"<main data-page="consent">
            <input type="hidden" name="form" value="x"><input name="email" type="email">
            <input type="radio" name="store" value="1" checked><input type="radio" name="store" value="2">"#;
        assert_eq!(fields(page), [("form", "x")]);
        assert_eq!(attribute(page, "data-page"), Some("consent"));
    }
}
