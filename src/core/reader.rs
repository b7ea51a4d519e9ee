//! Reads an options object of the page's by the rows of its call, and names the member that is wrong.

use super::failure::Failure;
use super::global;
use super::labels::Labels;
use super::object::{get, is_array, names};
use super::options::{Address, Call, Kind, Options, Value, is_meant};
use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Node, Url};

/// The longest array that is read; there are fewer languages.
const MOST_TEXTS: f64 = 100.0;

/// Reads the options of a call, and checks them.
pub fn read(given: &JsValue, call: Call) -> Result<Options, Failure> {
    Ok(take(given, call)?.checked(call)?)
}

/// Reads the options of a call that adds others before they are checked. `undefined` and `null` have no members.
///
/// Fails with `invalid_option` for a value that is no object, a member of another type, and a member that the call
/// does not have: a misspelled `persistTokens` would keep nothing.
pub fn take(given: &JsValue, call: Call) -> Result<Options, Failure> {
    if given.is_undefined() || given.is_null() {
        return Ok(Options::default());
    }
    if !given.is_object() {
        return Err(Failure::invalid("options: is not an object"));
    }
    let object: &Object = given.unchecked_ref();
    let rows = || call.iter().copied().flatten().copied();
    let threw = |thrown| Failure::unreadable("options", thrown);
    for name in names(object).map_err(threw)? {
        if !rows().any(|row| row.name == name) {
            let meant = rows().find(|row| is_meant(row.name, &name));
            let ask = meant.map_or(String::new(), |row| ["; ", row.name, " is one"].concat());
            return Err(Failure::invalid(
                &[&name, ": is not an option", &ask].concat(),
            ));
        }
    }
    let mut values = Vec::new();
    for row in rows() {
        let member = member(object, row.name);
        let member = member.map_err(|thrown| Failure::unreadable(row.name, thrown))?;
        let is_null = member.is_null() && !matches!(row.kind, Kind::TextOrNull);
        if !member.is_undefined() && !is_null {
            values.push((row, value(row.kind, row.name, member)?));
        }
    }
    Ok(Options::from_iter(values))
}

/// A member of the object or of its class, and not what a page has put on the prototype of all objects.
fn member(object: &Object, name: &str) -> Result<JsValue, JsValue> {
    let name = name.into();
    let own = Reflect::get_own_property_descriptor(object, &name)?;
    match own.is_undefined() && Reflect::has(&Object::new(), &name)? {
        true => Ok(JsValue::UNDEFINED),
        false => Reflect::get(object, &name),
    }
}

/// The value of one option of that name. `container` of `mountFrame` is no member, and read alone.
pub fn value(kind: Kind, name: &str, given: JsValue) -> Result<Value, Failure> {
    let or = |value: Option<Value>, fault| value.ok_or(Misfit::Is(fault));
    let read = match kind {
        Kind::Text(..) | Kind::Ascii(..) => text(&given).map(Value::Text),
        Kind::OneOf(_) | Kind::Region => or(given.as_string().map(Value::Text), "is not a text"),
        Kind::TextOrNull if given.is_null() => Ok(Value::Null),
        Kind::TextOrNull => or(
            given.as_string().map(Value::Text),
            "is neither a text nor null",
        ),
        Kind::Url => url(given).map(Value::Url),
        Kind::Number(..) => or(given.as_f64().map(Value::Number), "is not a number"),
        Kind::Flag(_) => or(given.as_bool().map(Value::Flag), "is not a boolean"),
        Kind::Texts => texts(&given).map(Value::Texts),
        Kind::TextOrTexts(_) if given.is_object() => {
            return labels(name, given, &|_| true).map(Value::Labels);
        }
        Kind::TextOrTexts(_) => text(&given).map(Value::Text),
        Kind::Labels(known) => {
            let known = known();
            let labels = labels(name, given, &|label| known.contains(&label));
            return labels.map(Value::Labels);
        }
        Kind::Function => page(given.is_function(), given, "is not a function"),
        Kind::FlagOrFunction => match given.as_bool() {
            Some(flag) => Ok(Value::Flag(flag)),
            None => page(given.is_function(), given, "is not a boolean or a function"),
        },
        Kind::Signal => signal(given),
        Kind::Element => element(given),
        Kind::Any => Ok(Value::Page(given)),
    };
    read.map_err(|misfit| match misfit {
        Misfit::Is(fault) => Failure::invalid(&[name, ": ", fault].concat()),
        Misfit::Threw(thrown) => Failure::unreadable(name, thrown),
    })
}

/// What is wrong with a value of the page's.
enum Misfit {
    /// Such as `is not a text`.
    Is(&'static str),
    /// A getter threw this.
    Threw(JsValue),
}

impl From<&'static str> for Misfit {
    fn from(fault: &'static str) -> Self {
        Self::Is(fault)
    }
}

fn page(is_fine: bool, given: JsValue, fault: &'static str) -> Result<Value, Misfit> {
    is_fine.then_some(Value::Page(given)).ok_or(fault.into())
}

fn text(given: &JsValue) -> Result<String, Misfit> {
    let text = given.as_string().ok_or("is not a text")?;
    // A lone surrogate would come back as another character, and name something else.
    match text.contains('\u{fffd}') && !Object::is(given, &text.as_str().into()) {
        true => Err("is not well-formed Unicode".into()),
        false => Ok(text),
    }
}

/// An absolute URL: a text, or an instance of `URL`.
fn url(given: JsValue) -> Result<Address, Misfit> {
    let text = match given.is_instance_of::<Url>() {
        true => Reflect::get(&given, &"href".into()).map_err(Misfit::Threw)?,
        false => given,
    };
    let url = text.as_string().and_then(|text| Url::new(&text).ok());
    let url = url.ok_or("is not an absolute URL")?;
    Ok(Address {
        href: url.href(),
        protocol: url.protocol(),
        hostname: url.hostname(),
        origin: url.origin(),
        has_credentials: !url.username().is_empty() || !url.password().is_empty(),
    })
}

fn texts(given: &JsValue) -> Result<Vec<String>, Misfit> {
    if !is_array(given).map_err(Misfit::Threw)? {
        return Err("is not an array".into());
    }
    let length = Reflect::get(given, &"length".into()).map_err(Misfit::Threw)?;
    let length = length.as_f64().unwrap_or_default();
    if length > MOST_TEXTS {
        return Err("is too long".into());
    }
    let text = |place| {
        let text = Reflect::get_u32(given, place).map_err(Misfit::Threw)?;
        text.as_string().ok_or("is not an array of texts".into())
    };
    // A cast saturates.
    (0..length as u32).map(text).collect()
}

fn labels(name: &str, given: JsValue, is_known: &dyn Fn(&str) -> bool) -> Result<Labels, Failure> {
    let invalid = |fault: &[&str]| Failure::invalid(&[name, &fault.concat()].concat());
    if !given.is_object() {
        return Err(invalid(&[": is not an object"]));
    }
    let threw = |thrown| Failure::unreadable(name, thrown);
    let object: Object = given.unchecked_into();
    let mut labels = Vec::new();
    for label in names(&object).map_err(threw)? {
        if !is_known(&label) {
            return Err(invalid(&[".", &label, ": is unknown"]));
        }
        let text = Reflect::get(&object, &label.as_str().into()).map_err(threw)?;
        if text.is_undefined() || text.is_null() {
            continue;
        }
        match text.as_string() {
            Some(text) => labels.push((label, text)),
            None => return Err(invalid(&[".", &label, ": is not a text"])),
        }
    }
    Ok(labels.into_iter().collect())
}

fn signal(given: JsValue) -> Result<Value, Misfit> {
    // Throws for what only inherits from it, as a Proxy around one does.
    let is_signal = given.is_instance_of::<AbortSignal>();
    if is_signal {
        Reflect::get(&given, &"aborted".into()).map_err(Misfit::Threw)?;
    }
    page(is_signal, given, "is not an AbortSignal")
}

fn element(given: JsValue) -> Result<Value, Misfit> {
    // The element may be of any document, whose window has an `Element` of its own.
    if get(&given, "nodeType") == f64::from(Node::ELEMENT_NODE) {
        return Ok(Value::Page(given));
    }
    // Anything else would be made a text, by code of the page's.
    let selector = given
        .as_string()
        .ok_or("is neither an element nor a selector")?;
    let document = global::document();
    let found = document.and_then(|document| document.query_selector(&selector).ok()?);
    found
        .map(|found| Value::Page(found.into()))
        .ok_or("no element matches the selector".into())
}
