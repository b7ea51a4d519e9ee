//! Tells the other pages of this browser what has changed.

use super::listener::Listener;
use std::cell::Cell;
use wasm_bindgen::prelude::*;
use web_sys::{BroadcastChannel, MessageEvent};

/// An open channel. Closed when it is dropped.
pub struct Channel {
    inner: BroadcastChannel,
    listener: Cell<Option<Listener>>,
}

impl Channel {
    /// `None` where the browser has none: then each page finds out by itself.
    pub fn open(name: &[&str], heard: impl Fn(String) + 'static) -> Option<Self> {
        let inner = BroadcastChannel::new(&name.concat()).ok()?;
        let listener = Listener::new(&inner, "message", move |event| {
            let data = event.unchecked_ref::<MessageEvent>().data();
            // A text: its objects inherit nothing of what the page has put on the prototype.
            if let Some(text) = data.as_string() {
                heard(text);
            }
        });
        Some(Self {
            inner,
            listener: Cell::new(Some(listener)),
        })
    }

    /// Hears nothing any more, and can still tell.
    pub fn deafen(&self) {
        self.listener.take();
    }

    /// Does not reach this page itself.
    pub fn post(&self, text: &str) {
        // A page that does not hear it looks into the storage.
        let _ = self.inner.post_message(&text.into());
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.inner.close();
    }
}
