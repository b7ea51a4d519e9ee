//! What the project's commands share. Each of them sets up what it needs on a machine that has only Rust and Node.

pub mod args;
pub mod command;
pub mod debian;
pub mod engine;
pub mod files;
pub mod http;
pub mod lock;
pub mod npm;
pub mod port;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod repo;
pub mod service;
pub mod tool;

use std::process::ExitCode;

/// Errors are sentences for the person at the terminal; nothing recovers from one by its kind.
pub type Result<T> = std::result::Result<T, String>;

/// How a program ends, and what it says of its failure.
pub fn ended(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}
