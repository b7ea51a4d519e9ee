use super::*;
use crate::oidc::ClaimNames;
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
