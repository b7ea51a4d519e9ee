//! Reads the page's option objects member by member; a wrong one is named.

use crate::browser::failure::Failure;
use crate::browser::frame::FrameOptions;
use crate::browser::http;
use crate::browser::old::js;
use crate::error::Operation;
use crate::faults::Faults;
use crate::frame;
use crate::loose::{Loose, Members};
use wasm_bindgen::JsValue;

/// An options object on its way in. What is wrong with it is noted; `done` tells.
pub struct Reader {
    object: JsValue,
    /// Has a member for each that was read.
    known: JsValue,
    operation: Operation,
    pub(super) faults: Faults,
}

/// A getter of the page's that throws reads as missing.
impl Members for Reader {
    fn get(&self, name: &str) -> Loose {
        http::loose(self.raw(name))
    }
}

impl Reader {
    /// Takes `undefined` and `null` as an empty object.
    pub fn new(object: JsValue, operation: Operation) -> Self {
        let reader = Self {
            object,
            known: js::object(),
            operation,
            faults: Faults::default(),
        };
        reader.faults.require(
            js::is_absent(&reader.object) || reader.object.is_object(),
            "options: is not an object",
        );
        reader
    }

    /// Whether nothing was wrong with what was read.
    pub fn done(&self) -> Result<(), Failure> {
        let end = self.faults.end();
        end.map_err(|error| Failure::during(self.operation, error))
    }

    /// The same, once all options are read: a misspelled `persistTokens` would keep nothing, and a misspelled `onSend` send nothing.
    pub(super) fn all(&self) -> Result<(), Failure> {
        each_name(&self.object, &|name| {
            let is_known = js::is(&self.known, name);
            self.faults.expect(is_known, &[name, ": is no option"]);
        });
        self.done()
    }

    fn raw(&self, name: &str) -> JsValue {
        js::set(&self.known, name, true.into());
        js::get(&self.object, name)
    }

    /// The member; `undefined` if it is `null`.
    pub(super) fn member(&self, name: &str) -> JsValue {
        let value = self.raw(name);
        if value.is_null() {
            return JsValue::UNDEFINED;
        }
        value
    }

    /// The member, if there is one; it should be `is_good`, which is `what`.
    pub(super) fn checked(&self, name: &str, is_good: fn(&JsValue) -> bool, what: &str) -> JsValue {
        let value = self.member(name);
        let is_good = value.is_undefined() || is_good(&value);
        self.faults.expect(is_good, &[name, ": is not ", what]);
        value
    }

    /// `signal`, or `undefined`.
    pub fn signal(&self) -> JsValue {
        let is_signal = |value: &JsValue| js::is_a(value, "AbortSignal");
        self.checked("signal", is_signal, "an AbortSignal")
    }

    /// A callback.
    pub fn function(&self, name: &str) -> JsValue {
        self.checked(name, JsValue::is_function, "a function")
    }

    /// `trustedPage` and its like; missing is false.
    pub fn is_set(&self, name: &str) -> bool {
        let is_boolean = |value: &JsValue| value.as_bool().is_some();
        self.checked(name, is_boolean, "a boolean") == true
    }

    /// `headers`, or `undefined`; an object is checked now, a function's answer when it is asked.
    pub fn headers(&self) -> Result<JsValue, Failure> {
        let value = self.member("headers");
        if !value.is_undefined() && !value.is_function() {
            http::header_pairs(&value, self.operation)?;
        }
        Ok(value)
    }

    /// `ereceipt`: a boolean, or a function that gives one.
    pub(super) fn ereceipt(&self) -> JsValue {
        let is_good = |value: &JsValue| value.as_bool().is_some() || value.is_function();
        self.checked("ereceipt", is_good, "a boolean or a function")
    }

    /// `vault`: whether nothing is to survive a reload.
    pub(super) fn is_memory(&self) -> bool {
        let is_good = |value: &JsValue| *value == "indexeddb" || *value == "memory";
        let value = self.checked("vault", is_good, "\"indexeddb\" or \"memory\"");
        value == "memory"
    }

    /// The options of a frame; `container` as given beside them or in them.
    pub fn frame(&self, container: &JsValue) -> Result<FrameOptions, Failure> {
        let options = FrameOptions {
            labels: self.labels(),
            container: self.container(container),
            sandbox: self.sandbox(),
            on_ready: self.function("onReady"),
        };
        self.all()?;
        Ok(options)
    }

    /// The texts that replace the standard ones; all of them, also those that only JavaScript uses.
    pub(super) fn labels(&self) -> JsValue {
        let labels = self.checked("labels", JsValue::is_object, "an object");
        each_name(&labels, &|name| {
            let text = js::get(&labels, name);
            self.faults.expect(
                js::is_absent(&text) || text.is_string(),
                &["labels.", name, ": is not a text"],
            );
        });
        labels
    }

    /// The member `container`.
    pub fn container_member(&self) -> JsValue {
        self.raw("container")
    }

    pub(super) fn container(&self, given: &JsValue) -> JsValue {
        if js::is_absent(given) {
            return JsValue::UNDEFINED;
        }
        if js::is_a(given, "Element") {
            return given.clone();
        }
        // Anything else would be made a text, by code of the page's.
        if !given.is_string() {
            let fault = "container: is neither an element nor a selector";
            self.faults.require(false, fault);
            return JsValue::UNDEFINED;
        }
        let found = js::act(&js::named("document"), "querySelector", given, js::NONE);
        self.faults.require(
            !js::is_absent(&found),
            "container: no element matches the selector",
        );
        found
    }

    /// Missing: the standard one. `null`: none.
    fn sandbox(&self) -> JsValue {
        let value = self.raw("sandbox");
        if value.is_undefined() {
            return frame::SANDBOX.into();
        }
        self.faults.require(
            value.is_null() || value.is_string(),
            "sandbox: is neither a text nor null",
        );
        value
    }
}

/// Calls `visit` with the name of each member.
fn each_name(object: &JsValue, visit: &dyn Fn(&str)) {
    let Ok(names) = js::on("Object", "keys", object) else {
        return;
    };
    while let Some(name) = js::act(&names, "pop", js::NONE, js::NONE).as_string() {
        visit(&name);
    }
}

/// The options of `create` that `config` checks.
pub struct CreateOptions<'a>(pub &'a Reader);

impl Members for CreateOptions<'_> {
    fn get(&self, name: &str) -> Loose {
        if !matches!(name, "baseUrl" | "connectUrl") {
            return self.0.get(name);
        }
        let value = self.0.member(name);
        if value.is_undefined() {
            return Loose::Missing;
        }
        if !value.is_string() && !js::is_a(&value, "URL") {
            return Loose::Other;
        }
        js::make("URL", &value).map_or(Loose::Other, http::loose)
    }
}
