//! Reads the page's option objects member by member; a wrong one is named.

use crate::browser::failure::Failure;
use crate::browser::frame::FrameOptions;
use crate::browser::http;
use crate::browser::js;
use crate::browser::view::Labels;
use crate::config::{self, Options, Url};
use crate::error::{Error, Operation};
use crate::frame;
use wasm_bindgen::JsValue;

/// An options object on its way in.
pub struct Reader {
    object: JsValue,
    operation: Operation,
}

/// The `signal` of a call that knows no other option, or `undefined`.
pub fn signal(object: JsValue, operation: Operation) -> Result<JsValue, Failure> {
    Reader::new(object, operation)?.signal()
}

impl Reader {
    /// Takes `undefined` and `null` as an empty object.
    pub fn new(object: JsValue, operation: Operation) -> Result<Self, Failure> {
        let reader = Self { object, operation };
        if js::is_absent(&reader.object) || reader.object.is_object() {
            return Ok(reader);
        }
        Err(reader.wrong(&["options: is not an object"]))
    }

    pub(super) fn wrong(&self, what: &[&str]) -> Failure {
        self.named(config::invalid(what))
    }

    /// An error that another module found, with this call's name.
    pub(super) fn named(&self, error: Error) -> Failure {
        Failure::from(Error {
            operation: self.operation,
            ..error
        })
    }

    /// The member; `None` if it is `undefined` or `null`. A getter of the page's that throws reads as missing.
    pub(super) fn member(&self, name: &str) -> Option<JsValue> {
        Some(js::get(&self.object, name)).filter(|value| !js::is_absent(value))
    }

    /// The member, if `is_good`; an error that says what it is not.
    pub(super) fn checked(
        &self,
        name: &str,
        is_good: fn(&JsValue) -> bool,
        what: &str,
    ) -> Result<Option<JsValue>, Failure> {
        match self.member(name) {
            Some(value) if !is_good(&value) => Err(self.wrong(&[name, ": is not ", what])),
            value => Ok(value),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<Result<String, ()>> {
        self.member(name).map(|value| value.as_string().ok_or(()))
    }

    fn url(&self, name: &str) -> Option<Result<Url, ()>> {
        self.member(name).map(|value| {
            let is_url = value.is_string() || js::is_a(&value, "URL");
            is_url.then(|| parsed(&value)).flatten().ok_or(())
        })
    }

    /// `signal`, or `undefined`.
    pub fn signal(&self) -> Result<JsValue, Failure> {
        let is_signal = |value: &JsValue| js::is_a(value, "AbortSignal");
        let signal = self.checked("signal", is_signal, "an AbortSignal")?;
        Ok(signal.unwrap_or(JsValue::UNDEFINED))
    }

    /// A callback.
    pub fn function(&self, name: &str) -> Result<Option<JsValue>, Failure> {
        self.checked(name, JsValue::is_function, "a function")
    }

    /// `trustedPage` and its like; missing is false.
    pub fn is_set(&self, name: &str) -> Result<bool, Failure> {
        let is_boolean = |value: &JsValue| value.as_bool().is_some();
        let value = self.checked(name, is_boolean, "a boolean")?;
        Ok(value == Some(JsValue::TRUE))
    }

    /// The options of `create` that `config` checks.
    pub fn create(&self) -> Options {
        Options {
            base_url: self.url("baseUrl"),
            connect_url: self.url("connectUrl"),
            client_id: self.text("clientId"),
            client_secret: self.text("clientSecret"),
        }
    }

    /// `headers`, or `undefined`; an object is checked now, a function's answer when it is asked.
    pub fn headers(&self) -> Result<JsValue, Failure> {
        let Some(value) = self.member("headers") else {
            return Ok(JsValue::UNDEFINED);
        };
        if !value.is_function() {
            http::header_pairs(&value, self.operation)?;
        }
        Ok(value)
    }

    /// The options of a frame; `container` as given beside them or in them.
    pub fn frame(&self, container: &JsValue) -> Result<FrameOptions, Failure> {
        Ok(FrameOptions {
            labels: self.inner("labels")?.labels()?,
            container: self.container(container)?,
            sandbox: self.sandbox()?,
            on_ready: self.function("onReady")?,
        })
    }

    /// An object in this one; missing, it is empty.
    pub(super) fn inner(&self, name: &str) -> Result<Self, Failure> {
        let object = self.checked(name, JsValue::is_object, "an object")?;
        Ok(Self {
            object: object.unwrap_or(JsValue::UNDEFINED),
            operation: self.operation,
        })
    }

    /// A text of `labels`; `None` if it is the standard one.
    pub(super) fn label(&self, name: &str) -> Result<Option<JsValue>, Failure> {
        match self.member(name) {
            Some(text) if !text.is_string() => {
                Err(self.wrong(&["labels.", name, ": is not a text"]))
            }
            text => Ok(text),
        }
    }

    fn labels(&self) -> Result<Labels, Failure> {
        let label = |name, standard: &str| {
            let text = self.label(name)?;
            Ok::<_, Failure>(text.unwrap_or_else(|| standard.into()))
        };
        Ok(Labels {
            title: label("title", "Connect your account")?,
            loading: label("loading", "Loading…")?,
            slow: label(
                "slow",
                "Nothing to see here? The page can be opened in a new window.",
            )?,
            open_window: label("openWindow", "Open in a new window")?,
            close: label("close", "Close")?,
        })
    }

    /// The member `container`.
    pub fn container_member(&self) -> JsValue {
        js::get(&self.object, "container")
    }

    pub(super) fn container(&self, given: &JsValue) -> Result<Option<JsValue>, Failure> {
        if js::is_absent(given) {
            return Ok(None);
        }
        if js::is_a(given, "Element") {
            return Ok(Some(given.clone()));
        }
        if !given.is_string() {
            return Err(self.wrong(&["container: is neither an element nor a selector"]));
        }
        let found = js::act(&js::named("document"), "querySelector", given, js::NONE);
        if js::is_absent(&found) {
            return Err(self.wrong(&["container: no element matches the selector"]));
        }
        Ok(Some(found))
    }

    /// Missing: the standard one. `null`: none.
    fn sandbox(&self) -> Result<JsValue, Failure> {
        let value = js::get(&self.object, "sandbox");
        if value.is_undefined() {
            return Ok(frame::SANDBOX.into());
        }
        if value.is_null() || value.is_string() {
            return Ok(value);
        }
        Err(self.wrong(&["sandbox: is neither a text nor null"]))
    }
}

fn parsed(url: &JsValue) -> Option<Url> {
    let url = js::make("URL", url).ok()?;
    let part = |name| js::text(&url, name);
    Some(Url {
        href: part("href"),
        protocol: part("protocol"),
        hostname: part("hostname"),
        origin: part("origin"),
        search: part("search"),
        hash: part("hash"),
        has_credentials: !part("username").is_empty() || !part("password").is_empty(),
    })
}
