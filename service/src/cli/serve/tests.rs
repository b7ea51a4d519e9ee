use super::*;
use crate::oidc::ClaimNames;
use clap::Parser;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    serve: Serve,
}

const DAY: u64 = 24 * 60 * 60;
type Read = fn(&Settings) -> u64;
/// Numbers that operators give, in which unit, and where they go.
const NUMBERS: [(&str, u64, Read); 20] = [
    ("--interval-seconds", 1, |to| to.interval.as_secs()),
    ("--integration-ttl-seconds", 1, |to| {
        to.integration_ttl.as_secs()
    }),
    ("--pickup-window-seconds", 1, |to| {
        to.pickup_window.as_secs()
    }),
    ("--messages-per-number", 1, |to| {
        to.message_limits.per_number.into()
    }),
    ("--messages-per-till", 1, |to| {
        to.message_limits.per_till.into()
    }),
    ("--messages-per-store", 1, |to| {
        to.message_limits.per_store.into()
    }),
    ("--operations-per-second", 1, |to| {
        to.operations_per_second.into()
    }),
    ("--creates-per-second", 1, |to| to.creates_per_second.into()),
    ("--creates-per-address", 1, |to| {
        to.creates_per_address.into()
    }),
    ("--pending-per-vendor", 1, |to| to.pending_per_vendor.into()),
    ("--store-mib-per-day", MIB, |to| to.storage.a_day),
    ("--store-mib", MIB, |to| to.storage.in_all),
    ("--max-requests", 1, |to| to.requests as u64),
    ("--keep-ended-days", DAY, |to| to.ended_ttl.as_secs()),
    ("--keep-audit-days", DAY, |to| to.audit_ttl.as_secs()),
    ("--receipt-days", DAY, |to| to.receipt_ttl.as_secs()),
    ("--keep-failed-days", DAY, |to| to.failed_ttl.as_secs()),
    ("--keep-sealing-key-days", DAY, |to| {
        to.sealing_key_ttl.as_secs()
    }),
    ("--keep-orders-days", DAY, |to| to.orders_ttl.as_secs()),
    ("--keep-customers-days", DAY, |to| {
        to.customers_ttl.as_secs()
    }),
];

#[test]
fn numbers_of_the_command_line_are_the_settings() {
    let settings = |options: &[&str]| {
        let program = Program::parse_from([&["serve"], options].concat());
        program.serve.settings()
    };
    for (option, unit, read) in NUMBERS {
        assert_eq!(read(&settings(&[])), read(&Settings::default()), "{option}");
        assert_eq!(read(&settings(&[option, "33"])), 33 * unit, "{option}");
    }
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

#[test]
fn a_provider_is_named_whole_or_not_at_all() {
    let issuer = ["--oidc-issuer", "https://login.example.com"];
    let client = ["--oidc-client-id", "pos-connect"];
    let parse = |options: &[&str]| Program::try_parse_from([&["serve"], options].concat());
    for options in [&issuer[..], &client, &["--no-passwords"]] {
        assert!(parse(options).is_err(), "{options:?}");
    }
    let serve = parse(&[&issuer[..], &client].concat()).unwrap().serve;
    let providers = serve.providers().unwrap();
    let [provider] = &providers[..] else {
        panic!("{}", providers.len());
    };
    assert_eq!(provider.scopes, ["profile", "email"]);
    assert_eq!(provider.claims, ClaimNames::default());
    let in_the_open = [&issuer[..], &client, &["--listen", "0.0.0.0:80"]].concat();
    let refused = parse(&in_the_open).unwrap().serve.providers();
    assert!(refused.err().unwrap().to_string().contains("--public-url"));
    let public = [
        &in_the_open[..],
        &["--public-url", "https://x.example/auth/"],
    ]
    .concat();
    let settings = parse(&public).unwrap().serve.settings();
    let url = settings.public_url.as_deref();
    assert_eq!(url, Some("https://x.example/auth"));
    assert!(settings.passwords);
}
