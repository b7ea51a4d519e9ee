//! The program `pos-connect-service`; everything it does is in the library.

fn main() -> std::process::ExitCode {
    pos_connect_service::cli::run()
}
