//! Tells the other pages of this browser what becomes of the orders.

use crate::browser::listener::Listener;
use crate::browser::vault::{from_text, to_text};
use crate::outbox::Change;
use wasm_bindgen::prelude::*;
use web_sys::{BroadcastChannel, MessageEvent};

/// An open channel. Closed when it is dropped.
pub struct Channel {
    inner: BroadcastChannel,
    listener: Option<Listener>,
}

impl Channel {
    /// `None` where the browser has none: then each page sees by itself what is left to send.
    pub fn open(scope: &str, heard: impl Fn(&Change) + 'static) -> Option<Self> {
        let inner = BroadcastChannel::new(&["pos-connect outbox ", scope].concat()).ok()?;
        let listener = Listener::new(&inner, "message", move |event| {
            let data = event.unchecked_ref::<MessageEvent>().data();
            // A text: its objects inherit nothing of what the page has put on the prototype.
            if let Some(change) = data.as_string().as_deref().and_then(from_text) {
                heard(&change);
            }
        });
        Some(Self {
            inner,
            listener: Some(listener),
        })
    }

    /// Hears nothing any more, and can still tell.
    pub fn deafen(&mut self) {
        self.listener = None;
    }

    /// Does not reach this page itself.
    pub fn post(&self, change: &Change) {
        if let Ok(text) = to_text(change) {
            // A page that does not hear it looks into the storage.
            let _ = self.inner.post_message(&text.into());
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.inner.close();
    }
}
