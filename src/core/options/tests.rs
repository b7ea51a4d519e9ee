//! What developers read about the options is what the rows say. With `BLESS` in the environment, as `cargo xtask
//! package --bless` sets it, it is written.

use super::*;
use crate::connect::{frame, integration};
use crate::http::config;
use crate::keypad;
use crate::orders::order;
use std::fs;

const WIDTH: usize = 120;
const TYPES: &str = "pkg-template/index.d.ts";

#[test]
fn a_misspelled_name_is_meant_for_the_one_that_it_is_close_to() {
    for (name, given, expected) in [
        ("clientId", "CLIENTID", true),
        ("clientId", "clinetId", true),
        ("clientId", "clientSecret", false),
        ("connectUrl", "conectURL", true),
        ("headers", "header", true),
        ("signal", "signale", true),
        ("region", "regions", true),
        ("region", "", false),
        ("locale", "locals", true),
        ("theme", "themexx", false),
    ] {
        assert_eq!(is_meant(name, given), expected, "{name} {given}");
    }
}

/// The interfaces of `index.d.ts` whose members are options, each with its own.
fn interfaces() -> Vec<(&'static str, Vec<&'static Row>)> {
    vec![
        ("CreateOptions", rows(config::CREATE)),
        ("CallOptions", vec![&integration::SIGNAL]),
        (
            "WaitOptions extends CallOptions",
            vec![&integration::ON_STATUS],
        ),
        ("FrameOptions", rows(frame::options::MOUNT)),
        (
            "ConnectOptions extends WaitOptions, FrameOptions",
            vec![&frame::options::CONTAINER, &frame::options::DONE_SECONDS],
        ),
        (
            "SendOrderOptions extends CallOptions",
            vec![&order::RECEIPT, &order::PRINT_IF_QUEUED],
        ),
        ("RetryOrderOptions", rows(order::RETRY_ORDER)),
        (
            "SendCustomersOptions extends CallOptions",
            vec![&order::IDEMPOTENCY_KEY],
        ),
        ("ReceiptOptions", rows(keypad::settings::RECEIPT)),
    ]
}

/// The tables in `docs/`: the page, the heading above, and the options.
fn tables() -> [(&'static str, &'static str, Call); 3] {
    [
        (
            "docs/connect.md",
            "\n## Create the client\n",
            config::CREATE,
        ),
        (
            "docs/connect.md",
            "\n## One call\n",
            frame::options::CONNECT,
        ),
        (
            "docs/keypad.md",
            "\n## Options\n",
            keypad::settings::RECEIPT,
        ),
    ]
}

fn rows(call: Call) -> Vec<&'static Row> {
    call.iter().copied().flatten().copied().collect()
}

/// The first paragraph of a row's text, with its bounds; and the others.
fn texts(row: &Row) -> (String, String) {
    let lines = row.documented.text.lines().map(str::trim);
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for line in lines {
        match line.is_empty() || !rest.is_empty() {
            true => rest.push(line),
            false => first.push(line),
        }
    }
    let first = first.join(" ").trim_end_matches('.').to_owned();
    (first, rest.join(" ").trim().to_owned())
}

fn bounds(row: &Row) -> String {
    match row.kind {
        Kind::Number(least, most, _) => format!(": {least} to {most}"),
        Kind::Text(0, usize::MAX) | Kind::Text(_, usize::MAX) => String::new(),
        Kind::Text(0, most) | Kind::TextOrTexts(most) => format!(": up to {most} characters"),
        Kind::Text(least, most) => format!(": {least} to {most} characters"),
        Kind::Ascii(least, most) => format!(": {least} to {most} visible ASCII characters"),
        _ => String::new(),
    }
}

/// The default, as a page has it; nothing if there is none to name.
fn default(row: &Row) -> String {
    match (row.documented.default, row.kind) {
        ("", Kind::Number(_, _, number)) => number.to_string(),
        ("", Kind::Flag(flag)) => format!("`{flag}`"),
        ("", Kind::OneOf(words)) => format!("`\"{}\"`", words[0]),
        (default, _) => default.into(),
    }
}

fn cell(row: &Row) -> String {
    let (mut meaning, _) = texts(row);
    if let Some(first) = meaning.get(..1) {
        meaning.replace_range(..1, &first.to_lowercase());
    }
    let words = match row.kind {
        Kind::OneOf(words) => {
            let words: Vec<_> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            format!(": {}", alternatives(&words))
        }
        _ => bounds(row),
    };
    format!("| `{}` | {meaning}{words} | {} |\n", row.name, default(row))
}

/// A comment has no links.
fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.find("](") {
        let start = text[..at].rfind('[').unwrap();
        let end = at + text[at..].find(')').unwrap() + 1;
        let label = text[start + 1..at].to_owned();
        match text[..start].ends_with(" see ") {
            // With the comma or semicolon before it.
            true => text.replace_range(start - ", see ".len()..end, ""),
            false => text.replace_range(start..end, &label),
        }
    }
    text
}

fn comment(row: &Row) -> String {
    let (first, rest) = texts(row);
    let mut text = format!("{}{}. {rest}", plain(&first), bounds(row))
        .trim()
        .to_owned();
    let default = default(row);
    if !matches!(default.as_str(), "none" | "required") {
        // A value alone is no code in a sentence.
        let code = default
            .strip_prefix('`')
            .and_then(|code| code.strip_suffix('`'));
        let default = code.filter(|code| !code.contains('`')).unwrap_or(&default);
        text += &format!(" Default: {default}.");
    }
    let line = format!("  /** {text} */\n");
    if line.trim_end().chars().count() <= WIDTH {
        return line;
    }
    let mut lines = vec![String::from("   *")];
    for word in text.split(' ') {
        let last = lines.last_mut().unwrap();
        match last.chars().count() + 1 + word.chars().count() <= WIDTH {
            true => *last += &format!(" {word}"),
            false => lines.push(format!("   * {word}")),
        }
    }
    format!("  /**\n{}\n   */\n", lines.join("\n"))
}

fn member(row: &Row) -> String {
    let words;
    let ts = match (row.documented.ts, row.kind) {
        ("", Kind::Number(..)) => "number",
        ("", Kind::Flag(_)) => "boolean",
        ("", Kind::Texts) => "readonly string[]",
        ("", Kind::FlagOrFunction) => "boolean | (() => boolean | Promise<boolean>)",
        ("", Kind::Signal) => "AbortSignal",
        ("", Kind::Element) => "Element | string | null",
        ("", Kind::TextOrNull) => "string | null",
        ("", Kind::TextOrTexts(_)) => "string | Readonly<Record<string, string>>",
        ("", Kind::OneOf(all)) => {
            let all: Vec<_> = all.iter().map(|word| format!("\"{word}\"")).collect();
            words = all.join(" | ");
            &words
        }
        ("", _) => "string",
        (ts, _) => ts,
    };
    let ts = match (row.kind, row.is_required) {
        (Kind::Function, false) => format!("({ts})"),
        _ => ts.to_owned(),
    };
    let declared = match row.is_required {
        true => format!("  {}: {ts};\n", row.name),
        false => format!("  {}?: {ts} | undefined;\n", row.name),
    };
    comment(row) + &declared
}

/// Compares a part of a file with what it is to be, or writes it.
fn hold(path: &str, from: &str, to: &str, part: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap();
    let start = text
        .find(from)
        .unwrap_or_else(|| panic!("{path}: no {from}"))
        + from.len();
    let end = start + text[start..].find(to).unwrap();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, [&text[..start], part, &text[end..]].concat()).unwrap();
    } else {
        let help = "cargo xtask package --bless writes what the rows say";
        assert_eq!(&text[start..end], part, "{path}: {help}");
    }
}

#[test]
fn what_developers_read_is_what_the_rows_say() {
    for (name, rows) in interfaces() {
        let members: Vec<_> = rows.into_iter().map(member).collect();
        let head = format!("export interface {name} {{\n");
        hold(TYPES, &head, "\n}\n", members.concat().trim_end());
    }
    // Its parents' members are those of the others.
    hold(
        TYPES,
        "Pick<SendOrderOptions, \"printIfQueued\"> {\n",
        "\n}\n",
        [&order::PRINT, &order::ALLOW_SCAN]
            .map(member)
            .concat()
            .trim_end(),
    );
    for (path, heading, call) in tables() {
        let head = "| option | meaning | default |\n|---|---|---|\n";
        let page = fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let at = page.find(heading).unwrap();
        let from = &page[at..][..page[at..].find(head).unwrap() + head.len()];
        let cells: Vec<_> = rows(call).into_iter().map(cell).collect();
        hold(path, from, "\n\n", cells.concat().trim_end());
    }
}

#[test]
fn the_bounds_are_taken_and_what_is_beyond_is_not() {
    let text = |length| Value::Text("é".repeat(length));
    for (_, rows) in interfaces() {
        for row in rows {
            let (good, bad) = match row.kind {
                Kind::Number(least, most, _) => {
                    let (least, most) = (f64::from(least), f64::from(most));
                    let bad = [least - 0.1, most + 0.1, f64::NAN];
                    let numbers =
                        |numbers: &[f64]| numbers.iter().copied().map(Value::Number).collect();
                    (numbers(&[least, most]), numbers(&bad))
                }
                Kind::Text(least, usize::MAX) => (vec![text(1)], vec![text(0); least]),
                Kind::Text(0, most) => (vec![text(0), text(most)], vec![text(most + 1)]),
                Kind::TextOrTexts(most) => {
                    let texts = |text| Value::Labels([("en".into(), text)].into_iter().collect());
                    let good = vec![text(most), texts("é".repeat(most))];
                    (good, vec![text(most + 1), texts("é".repeat(most + 1))])
                }
                Kind::Text(least, most) => {
                    let bad = vec![text(least - 1), text(most + 1)];
                    (vec![text(least), text(most)], bad)
                }
                Kind::Ascii(_, most) => {
                    let longest = "x".repeat(most);
                    let bad = vec!["".into(), text(1), (&*(longest.clone() + "x")).into()];
                    (vec![(&*longest).into()], bad)
                }
                Kind::OneOf(words) => {
                    let good = words.iter().map(|word| (*word).into()).collect();
                    (good, vec!["loud".into()])
                }
                Kind::Region => (vec!["IL".into()], vec!["XX".into(), "".into()]),
                _ => continue,
            };
            for value in good {
                assert_eq!(row.kind.fault(&value), None, "{}", row.name);
            }
            for value in bad {
                assert!(row.kind.fault(&value).is_some(), "{}", row.name);
            }
        }
    }
}
