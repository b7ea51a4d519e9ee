use super::*;
use crate::oidc::ClaimNames;
use clap::Parser;
use std::path::PathBuf;

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

/// The files of providers, in a folder that goes with this value, and the option that names each.
struct ProviderFiles {
    folder: PathBuf,
    options: Vec<String>,
}

impl ProviderFiles {
    fn write(test: &str, files: &[(&str, &str)]) -> Self {
        let name = format!("pos-connect-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let write = |(name, text): &(&str, &str)| {
            let file = folder.join(name);
            std::fs::write(&file, text).unwrap();
            format!("--oidc-provider={}", file.display())
        };
        let options = files.iter().map(write).collect();
        Self { folder, options }
    }
}

impl Drop for ProviderFiles {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const CORNER: &str =
    "issuer = 'https://login.corner.example'\nclient-id = 'a'\nname = 'Corner Ads'\n";
const HARBOR: &str = "issuer = 'https://harbor.example'\nclient-id = 'b'\nname = 'Harbor Ads'
scope = ['stores']\naccount-claim = '/org/id'\nname-claim = '/org/name'\nstores-claim = '/org/stores'\n";

#[test]
fn each_provider_has_a_file() {
    let files = ProviderFiles::write(
        "providers",
        &[("corner.toml", CORNER), ("harbor-2.toml", HARBOR)],
    );
    let parse = |options: &[&str]| Program::try_parse_from([&["serve"], options].concat());
    assert!(parse(&["--no-passwords"]).is_err());
    let both = [&*files.options[1], &*files.options[0]];
    let providers = parse(&both).unwrap().serve.providers().unwrap();
    let [harbor, corner] = &providers[..] else {
        panic!("{}", providers.len());
    };
    assert_eq!((&*corner.id, &*harbor.id), ("corner", "harbor-2"));
    assert_eq!((&*corner.client_id, &*corner.name), ("a", "Corner Ads"));
    assert_eq!(corner.scopes, ["profile", "email"]);
    assert_eq!(corner.claims, ClaimNames::default());
    assert_eq!(harbor.scopes, ["stores"]);
    let stores = harbor.claims.stores.as_deref();
    assert_eq!(
        (&*harbor.claims.account, stores),
        ("/org/id", Some("/org/stores"))
    );
    let in_the_open = [&both[..], &["--listen", "0.0.0.0:80"]].concat();
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

#[test]
fn a_file_about_a_provider_that_is_wrong_is_named_with_the_reason() {
    let secret = format!("{CORNER}client-secret-file = '/nowhere/secret'\n");
    let logo = format!("{CORNER}logo = '/nowhere/logo.svg'\n");
    let scope = format!("{CORNER}scope = 'profile'\n");
    let misspelled = format!("{CORNER}store-claim = 'x'\n");
    let open = HARBOR.replace("https://", "http://susan:hunter2@");
    let broken = format!("{CORNER}hunter2\n");
    let same_issuer = CORNER.replace("'a'", "'c'");
    for (name, text, why) in [
        ("Corner Ads.toml", CORNER, "a-z, 0-9 and -"),
        (".toml", CORNER, "a-z, 0-9 and -"),
        ("empty.toml", "", "missing field `issuer`"),
        (
            "misspelled.toml",
            &misspelled,
            "unknown field `store-claim`",
        ),
        ("scope.toml", &scope, "invalid type"),
        ("open.toml", &open, "an issuer is https://"),
        ("broken.toml", &broken, "broken.toml"),
        ("secret.toml", &secret, "/nowhere/secret"),
        ("logo.toml", &logo, "No such file"),
        ("same.toml", &same_issuer, "is that of corner"),
    ] {
        let files =
            ProviderFiles::write("wrong-provider", &[("corner.toml", CORNER), (name, text)]);
        let serve = ["serve".to_owned()].into_iter();
        let program = Program::parse_from(serve.chain(files.options.iter().cloned()));
        let error = program.serve.providers().err().unwrap().to_string();
        assert!(
            error.contains(why) && error.contains(name),
            "{name}: {error}"
        );
        assert!(
            !error.contains("hunter2") && !error.contains("susan"),
            "{error}"
        );
    }
}
