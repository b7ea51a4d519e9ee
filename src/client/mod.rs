//! The class `PosConnect`, and the client behind it, which owns what it does. A browser only.

mod client;
#[cfg(feature = "phone")]
mod phone;
mod pos_connect;
#[cfg(feature = "keypad")]
mod receipt;

use client::Client;
#[cfg(feature = "phone")]
pub use phone::{format_phone_as_you_type, parse_phone};
pub use pos_connect::PosConnect;
