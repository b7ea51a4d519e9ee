//! Reads the page's option objects member by member; a wrong one is named.

use crate::browser::failure::Failure;
use crate::browser::frame::FrameOptions;
use crate::browser::http::{self, Headers};
use crate::browser::page;
use crate::browser::view::Labels;
use crate::config::{self, Options, Url};
use crate::error::{Error, Operation};
use crate::frame;
use js_sys::{Function, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Element};

/// An options object on its way in.
pub struct Reader {
    object: JsValue,
    operation: Operation,
}

impl Reader {
    /// Takes `undefined` and `null` as an empty object.
    pub fn new(object: JsValue, operation: Operation) -> Result<Self, Failure> {
        let reader = Self { object, operation };
        if reader.is_absent() || reader.object.is_object() {
            return Ok(reader);
        }
        Err(reader.wrong("options", "is not an object"))
    }

    fn is_absent(&self) -> bool {
        self.object.is_undefined() || self.object.is_null()
    }

    fn wrong(&self, name: &str, what: &str) -> Failure {
        let detail = [name, ": ", what].concat();
        Failure::from(Error {
            operation: self.operation,
            ..config::invalid(detail)
        })
    }

    /// The member; `None` if it is `undefined` or `null`. A getter of the page's that throws reads as missing.
    fn member(&self, name: &str) -> Option<JsValue> {
        if self.is_absent() {
            return None;
        }
        Reflect::get(&self.object, &name.into())
            .ok()
            .filter(|value| !value.is_undefined() && !value.is_null())
    }

    fn typed<T: JsCast>(&self, name: &str, what: &str) -> Result<Option<T>, Failure> {
        self.member(name)
            .map(|value| value.dyn_into().map_err(|_| self.wrong(name, what)))
            .transpose()
    }

    fn text(&self, name: &str) -> Option<Result<String, ()>> {
        self.member(name).map(|value| value.as_string().ok_or(()))
    }

    fn url(&self, name: &str) -> Option<Result<Url, ()>> {
        self.member(name).map(|value| {
            let text = value
                .as_string()
                .or_else(|| value.dyn_ref::<web_sys::Url>().map(web_sys::Url::href));
            text.and_then(|text| parsed(&text)).ok_or(())
        })
    }

    fn label(&self, name: &str, standard: &mut String) -> Result<(), Failure> {
        match self.text(name) {
            None => Ok(()),
            Some(Ok(text)) => {
                *standard = text;
                Ok(())
            }
            Some(Err(())) => Err(self.wrong(&["labels.", name].concat(), "is not a text")),
        }
    }

    /// `signal`.
    pub fn signal(&self) -> Result<Option<AbortSignal>, Failure> {
        self.typed("signal", "is not an AbortSignal")
    }

    /// A callback.
    pub fn function(&self, name: &str) -> Result<Option<Function>, Failure> {
        self.typed(name, "is not a function")
    }

    /// `trustedPage` and its like; missing is false.
    pub fn is_set(&self, name: &str) -> Result<bool, Failure> {
        match self.member(name) {
            None => Ok(false),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| self.wrong(name, "is not a boolean")),
        }
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

    /// `headers`; an object is checked now, a function's answer when it is asked.
    pub fn headers(&self) -> Result<Option<Headers>, Failure> {
        let Some(value) = self.member("headers") else {
            return Ok(None);
        };
        if let Some(function) = value.dyn_ref::<Function>() {
            return Ok(Some(Headers::Ask(function.clone())));
        }
        http::header_pairs(&value, self.operation)?;
        Ok(Some(Headers::Fixed(value)))
    }

    /// The options of a frame; `container` as given beside them or in them.
    pub fn frame(&self, container: &JsValue) -> Result<FrameOptions, Failure> {
        let mut labels = Labels::default();
        if let Some(object) = self.typed::<Object>("labels", "is not an object")? {
            let reader = Self::new(object.into(), self.operation)?;
            reader.label("title", &mut labels.title)?;
            reader.label("loading", &mut labels.loading)?;
            reader.label("slow", &mut labels.slow)?;
            reader.label("openWindow", &mut labels.open_window)?;
            reader.label("close", &mut labels.close)?;
        }
        Ok(FrameOptions {
            container: self.container(container)?,
            labels,
            sandbox: self.sandbox()?,
            on_ready: self.function("onReady")?,
        })
    }

    /// The member `container`.
    pub fn container_member(&self) -> JsValue {
        self.member("container").unwrap_or(JsValue::UNDEFINED)
    }

    fn container(&self, given: &JsValue) -> Result<Option<Element>, Failure> {
        if given.is_undefined() || given.is_null() {
            return Ok(None);
        }
        if let Some(element) = given.dyn_ref::<Element>() {
            return Ok(Some(element.clone()));
        }
        let selector = given
            .as_string()
            .ok_or_else(|| self.wrong("container", "is neither an element nor a selector"))?;
        page::document()
            .and_then(|document| document.query_selector(&selector).ok().flatten())
            .map(Some)
            .ok_or_else(|| self.wrong("container", "no element matches the selector"))
    }

    /// Missing: the standard one. `null`: none.
    fn sandbox(&self) -> Result<Option<String>, Failure> {
        let value = Reflect::get(&self.object, &"sandbox".into()).unwrap_or(JsValue::UNDEFINED);
        if value.is_undefined() {
            return Ok(Some(frame::SANDBOX.into()));
        }
        if value.is_null() {
            return Ok(None);
        }
        let tokens = value.as_string();
        tokens
            .map(Some)
            .ok_or_else(|| self.wrong("sandbox", "is neither a text nor null"))
    }
}

fn parsed(text: &str) -> Option<Url> {
    let url = web_sys::Url::new(text).ok()?;
    Some(Url {
        href: url.href(),
        protocol: url.protocol(),
        hostname: url.hostname(),
        origin: url.origin(),
        search: url.search(),
        hash: url.hash(),
        has_credentials: !url.username().is_empty() || !url.password().is_empty(),
    })
}
