//! Which crate a function of the module comes from, by its name.

/// A row's name in the table, and what belongs to it: the first parts of a path.
const GROUPS: [(&str, &[&str]); 12] = [
    (OWN, &["pos_connect"]),
    ("pos-connect-protocol", &["pos_connect_protocol"]),
    ("pos-connect-phone", &["pos_connect_phone"]),
    ("pos-connect-texts", &["pos_connect_texts"]),
    // Before js-sys: since 0.4.79 the executor and its promises are a module of that crate.
    (
        "wasm-bindgen-futures",
        &["wasm_bindgen_futures", "js_sys::futures"],
    ),
    ("js-sys", &["js_sys"]),
    ("web-sys", &["web_sys"]),
    (BINDGEN, &["wasm_bindgen"]),
    (
        "gloo-net, with gloo-utils and http",
        &[
            "gloo_net",
            "gloo_utils",
            "http",
            "bytes",
            "fnv",
            "itoa",
            "futures_channel",
            "futures_core",
            "futures_sink",
            "pin_project",
            "thiserror",
        ],
    ),
    ("serde", &["serde", "serde_core"]),
    ("serde-wasm-bindgen", &["serde_wasm_bindgen"]),
    (
        "talc, zeroizing-alloc",
        &["talc", "zeroizing_alloc", "allocator_api2", "__rustc"],
    ),
];
const STANDARD: &[&str] = &[
    "std",
    "core",
    "alloc",
    "hashbrown",
    "compiler_builtins",
    "panic_abort",
];
/// What compiler_builtins exports under the names of C.
const OF_C: &[&str] = &["mem", "str", "fm", "bcmp", "fabs", "ceil", "floor", "trunc"];
/// Their children are listed, too.
const TWO_LEVELS: &[&str] = &["browser", "bindings"];

pub const OWN: &str = "pos-connect";
pub const BINDGEN: &str = "wasm-bindgen, with its runtime";
const STANDARD_NAME: &str = "std, core, alloc";
/// Bodies of our closures and futures may be inlined there.
const FOR_US: &str = "generic, made for our types";
pub const DERIVED: &str = "serde's derived readers and writers";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub group: String,
    /// A line below the group's: of our own code its module, of another crate what is generic over our types.
    pub module: Option<String>,
}

impl Origin {
    pub fn of(group: &str) -> Self {
        Self {
            group: group.to_owned(),
            module: None,
        }
    }

    fn own(module: String) -> Self {
        Self {
            group: OWN.to_owned(),
            module: Some(module),
        }
    }

    /// Of the JavaScript beside our Rust.
    pub fn own_scripts() -> Self {
        Self::own("JavaScript of our own".to_owned())
    }

    /// By the name that the name section gives a function; `None` if it gives none.
    pub fn of_symbol(symbol: Option<&str>) -> Self {
        let Some(symbol) = symbol else {
            // The wasm-bindgen command makes them, around exports.
            return Self::of(BINDGEN);
        };
        match rustc_demangle::try_demangle(symbol) {
            Ok(path) => Self::of_path(&format!("{path:#}")),
            Err(_) if symbol.contains("__wb") || symbol.ends_with(" shim") => Self::of(BINDGEN),
            Err(_) if OF_C.iter().any(|start| symbol.starts_with(start)) => Self::of(STANDARD_NAME),
            // A `#[wasm_bindgen]` function bears the name that JavaScript calls it by.
            Err(_) => Self::own("bindings (exports)".to_owned()),
        }
    }

    fn of_path(path: &str) -> Self {
        let owner = owner(path).unwrap_or("core");
        let group = group(owner);
        if group != OWN && !group.starts_with("pos-connect") {
            let is_for_us = path.contains("pos_connect");
            return Self {
                group,
                module: is_for_us.then(|| FOR_US.to_owned()),
            };
        }
        if is_derived(path) {
            return Self::of(DERIVED);
        }
        if group == OWN {
            return Self::own(module(owner));
        }
        Self::of(&group)
    }
}

fn group(owner: &str) -> String {
    let within = |part: &&&str| {
        owner
            .strip_prefix(**part)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    if STANDARD.iter().any(|part| within(&part)) {
        return STANDARD_NAME.to_owned();
    }
    match GROUPS
        .iter()
        .find(|(_, parts)| parts.iter().any(|part| within(&part)))
    {
        Some((name, _)) => (*name).to_owned(),
        None => format!("other: {}", owner.split("::").next().unwrap_or(owner)),
    }
}

/// An implementation of one of serde's traits: almost all are derived, and few of the derived functions keep another
/// mark.
fn is_derived(path: &str) -> bool {
    [" as serde::", " as serde_core::", "__Visitor", "__Field"]
        .iter()
        .any(|mark| path.contains(mark))
}

/// The path of the type or the function that a demangled name belongs to; `None` for a primitive type.
fn owner(path: &str) -> Option<&str> {
    if let Some(given) = path.strip_prefix("core::ptr::drop_in_place::<") {
        // The destructor of a type is part of what that type costs.
        return of_type(&given[..matching(given)]).or(Some("core"));
    }
    let Some(inner) = path.strip_prefix('<') else {
        return Some(without_generics(path));
    };
    let inner = &inner[..matching(inner)];
    let Some((implementing, implemented)) = split_as(inner) else {
        return of_type(inner);
    };
    match (of_type(implementing), of_type(implemented)) {
        (None, implemented) => implemented,
        // Only the trait's crate, or one that has a type in it, can have written this.
        (Some(own), Some(foreign)) if is_standard(own) && !is_standard(foreign) => Some(foreign),
        (own, _) => own,
    }
}

fn is_standard(path: &str) -> bool {
    group(path) == STANDARD_NAME
}

fn of_type(text: &str) -> Option<&str> {
    let mut text = text.trim();
    while let Some(rest) = ["&", "mut ", "*const ", "*mut ", "dyn "]
        .iter()
        .find_map(|start| text.strip_prefix(start))
    {
        text = rest;
    }
    if text.starts_with('<') {
        return owner(text);
    }
    let path = without_generics(text);
    let is_path = path.contains("::") && !text.starts_with(['[', '(']);
    (is_path && !path.starts_with("fn(")).then_some(path)
}

fn without_generics(path: &str) -> &str {
    let end = path.find('<').unwrap_or(path.len());
    path[..end].trim_end_matches(':')
}

/// Where the bracket closes that was opened before `text`.
fn matching(text: &str) -> usize {
    outside(text, |rest| rest.starts_with('>')).unwrap_or(text.len())
}

/// Splits `A as B`.
fn split_as(text: &str) -> Option<(&str, &str)> {
    let at = outside(text, |rest| rest.starts_with(" as "))?;
    Some((&text[..at], &text[at + 4..]))
}

/// The first place outside of all angle brackets where `found` is true.
fn outside(text: &str, found: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        if depth == 0 && previous != '-' && found(&text[at..]) {
            return Some(at);
        }
        match letter {
            '<' => depth += 1,
            // Not of `fn() -> T`.
            '>' if previous != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        previous = letter;
    }
    None
}

/// The module of a path in our own crate, at most two levels deep.
fn module(path: &str) -> String {
    let mut parts: Vec<&str> = path.split("::").skip(1).collect();
    while parts.last().is_some_and(|part| part.starts_with('{')) {
        parts.pop();
    }
    // The function or the type itself.
    parts.pop();
    let levels = match parts.first() {
        Some(first) if TWO_LEVELS.contains(first) => 2,
        _ => 1,
    };
    let is_module = |part: &&&str| part.starts_with(|letter: char| letter.is_ascii_lowercase());
    let names: Vec<&str> = parts
        .iter()
        .take_while(is_module)
        .take(levels)
        .copied()
        .collect();
    if names.is_empty() {
        return "lib".to_owned();
    }
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group_of(path: &str) -> String {
        Origin::of_path(path).group
    }

    fn module_of(path: &str) -> String {
        Origin::of_path(path).module.unwrap_or_default()
    }

    #[test]
    fn a_function_belongs_to_its_crate() {
        assert_eq!(group_of("web_sys::window"), "web-sys");
        assert_eq!(
            group_of("js_sys::futures::queue::Queue::run"),
            "wasm-bindgen-futures"
        );
        assert_eq!(group_of("js_sys::Reflect::get"), "js-sys");
        assert_eq!(
            group_of("<hashbrown::raw::TableLayout>::new"),
            STANDARD_NAME
        );
        assert_eq!(
            group_of("lean_qr::draw::<pos_connect::frame::View>"),
            "other: lean_qr"
        );
    }

    #[test]
    fn an_implementation_belongs_to_the_crate_that_wrote_it() {
        for (path, group) in [
            (
                "<wasm_bindgen::JsValue as core::ops::drop::Drop>::drop",
                BINDGEN,
            ),
            (
                "<&mut [u8] as wasm_bindgen::convert::traits::IntoWasmAbi>::into_abi",
                BINDGEN,
            ),
            (
                "<core::option::Option<js_sys::Date> as serde_core::de::Deserialize>::f",
                "serde",
            ),
            (
                "<alloc::vec::Vec<pos_connect::frame::View>>::push",
                STANDARD_NAME,
            ),
            (
                "<serde_wasm_bindgen::de::D as serde_core::de::Deserializer>::any",
                "serde-wasm-bindgen",
            ),
            ("core::ptr::drop_in_place::<pos_connect::frame::View>", OWN),
            (
                "core::ptr::drop_in_place::<alloc::vec::Vec<u8>>",
                STANDARD_NAME,
            ),
            (
                "<fn(u8) -> web_sys::Node as core::ops::function::FnOnce<()>>::call",
                STANDARD_NAME,
            ),
        ] {
            assert_eq!(group_of(path), group, "{path}");
        }
    }

    #[test]
    fn what_serde_derives_is_a_row_of_its_own() {
        let read = "<pos_connect::wire::Token as serde_core::de::Deserialize>::deserialize";
        let visit = "<<pos_connect_protocol::Answer as serde_core::de::Deserialize>::deserialize\
            ::__Visitor as serde_core::de::Visitor>::visit_map::<gloo_net::Map>";
        assert_eq!(group_of(read), DERIVED);
        assert_eq!(group_of(visit), DERIVED);
    }

    #[test]
    fn our_own_code_is_told_by_module() {
        assert_eq!(module_of("pos_connect::poll::next"), "poll");
        assert_eq!(
            module_of("<pos_connect::browser::vault::entry::Entry>::seal"),
            "browser/vault"
        );
        let closure =
            "<<pos_connect::browser::Frame>::open::{closure#0} as core::ops::FnOnce<()>>::call";
        assert_eq!(module_of(closure), "browser");
        assert_eq!(
            module_of("pos_connect::decode::read::{closure#0}::{closure#1}"),
            "decode"
        );
    }

    #[test]
    fn what_another_crate_makes_for_our_types_is_told() {
        let spawn =
            "js_sys::futures::spawn_local::<<pos_connect::browser::Frame>::open::{closure#0}>";
        assert_eq!(group_of(spawn), "wasm-bindgen-futures");
        assert_eq!(module_of(spawn), FOR_US);
        assert_eq!(
            module_of("js_sys::futures::spawn_local::<core::future::ready::Ready<()>>"),
            ""
        );
    }

    #[test]
    fn what_has_no_rust_name_is_told_by_who_makes_it() {
        assert_eq!(Origin::of_symbol(None).group, BINDGEN);
        assert_eq!(Origin::of_symbol(Some("__wbindgen_malloc")).group, BINDGEN);
        assert_eq!(
            Origin::of_symbol(Some("parsePhone multivalue shim")).group,
            BINDGEN
        );
        assert_eq!(Origin::of_symbol(Some("memcpy")).group, STANDARD_NAME);
        assert_eq!(Origin::of_symbol(Some("posconnect_create")).group, OWN);
    }
}
