//! The only exports to JavaScript: thin handles without decisions. A handle owns an `Rc`, and its methods take `&self`:
//! an exported `async fn(&mut self)` that is called twice never settles.

#[cfg(feature = "keypad")]
mod charge;
mod client;
mod frame;
mod integration;
#[cfg(feature = "keypad")]
mod keypad;
mod merchant;
mod options;
#[cfg(feature = "phone")]
mod phone;

pub use client::PosConnect;
pub use integration::Integration;
#[cfg(feature = "keypad")]
pub use keypad::define_keypad;
#[cfg(feature = "phone")]
pub use phone::{format_phone_as_you_type, parse_phone};
