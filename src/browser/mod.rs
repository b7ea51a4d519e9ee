//! Everything that touches the browser. It performs; what to do is decided in the plain modules beside it.

mod bell;
mod cancel;
pub mod client;
pub mod connect;
mod console;
pub mod enabled;
pub mod failure;
pub mod frame;
pub mod global;
mod hand_over;
pub mod http;
pub mod keypad;
mod listener;
mod observer;
pub mod old;
mod pick_up;
pub mod session;
mod shared;
mod timer;
pub mod tokens;
pub mod vault;
