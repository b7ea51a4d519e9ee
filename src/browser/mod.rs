//! Everything that touches the browser. It performs; what to do is decided in the plain modules beside it.

mod bell;
mod cancel;
pub mod client;
pub mod connect;
pub mod console;
pub mod enabled;
pub mod failure;
pub mod frame;
pub mod global;
mod hand_over;
pub mod headers;
pub mod http;
pub mod keypad;
mod listener;
pub mod object;
mod observer;
mod pick_up;
mod removal;
pub mod session;
mod shared;
pub mod task;
mod timer;
pub mod tokens;
pub mod vault;
