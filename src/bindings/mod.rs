//! The only exports to JavaScript: thin handles without decisions. Handles own an `Rc` and methods take `&self`: an exported
//! `async fn(&mut self)` that is called twice never settles.

mod client;
mod frame;
mod integration;
mod options;

pub use client::PosConnect;
pub use frame::ConnectFrame;
pub use integration::Integration;
