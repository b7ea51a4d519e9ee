use super::*;
use clap::Parser;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    serve: Serve,
}

#[test]
fn e_receipts_are_offered_where_a_message_reaches_somebody() {
    for (options, is_offered) in [
        (&[][..], false),
        (&["--messages", "log"], false),
        (&["--messages", "file:messages.jsonl"], true),
        (&["--messages", "webhook:https://hooks.example"], true),
        (&["--demo"], true),
    ] {
        let program = Program::parse_from(["serve"].iter().chain(options));
        assert_eq!(
            program.serve.settings().offers_ereceipts,
            is_offered,
            "{options:?}"
        );
    }
}
