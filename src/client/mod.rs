//! The class `PosConnect`, and the client behind it, which owns what it does. A browser only.

mod client;
mod phone;
mod pos_connect;
mod receipt;

use client::Client;
pub use phone::{format_phone_as_you_type, parse_phone};
pub use pos_connect::PosConnect;
