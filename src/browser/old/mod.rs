//! What is being replaced.
pub mod bell;
pub mod js;
pub mod listener;
pub mod observer;
pub mod page;
pub mod promise;
pub mod shared;
pub mod stop;
pub mod task;
pub mod timer;
