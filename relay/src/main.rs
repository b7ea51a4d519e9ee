//! The program `pos-connect-relay`; everything it does is in the library.

fn main() -> std::process::ExitCode {
    pos_connect_relay::cli::run()
}
