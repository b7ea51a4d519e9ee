//! Everything that touches the browser. It performs; what to do is decided in the plain modules beside it.

pub mod bell;
pub mod client;
pub mod connect;
pub mod failure;
pub mod frame;
mod hand_over;
pub mod http;
pub mod js;
pub mod keypad;
pub mod listener;
pub mod node;
mod observer;
pub mod page;
mod pick_up;
pub mod promise;
pub mod session;
pub mod shared;
pub mod stop;
pub mod task;
pub mod timer;
pub mod tokens;
pub mod vault;
