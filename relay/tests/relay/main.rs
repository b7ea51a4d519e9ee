//! The relay over real sockets, between tills and the real service, with a proxy in front of the service that can fail
//! in every way.

mod fleet;
mod openapi;
mod program;
mod proxy;
mod revocation;
mod rig;

/// What its document is held to.
#[allow(dead_code)]
#[path = "../../../service/tests/service/contract.rs"]
mod contract;
/// Where a test has its files.
#[allow(dead_code)]
#[path = "../../../service/tests/service/folder.rs"]
mod folder;
/// A disk that is full.
#[allow(dead_code)]
#[path = "../../../service/tests/service/full_disk.rs"]
mod full_disk;
/// The service's own client, which sends exactly the bytes it is told to.
#[allow(dead_code)]
#[path = "../../../service/tests/service/http.rs"]
mod http;
/// A merchant at the service's connect page.
#[allow(dead_code)]
#[path = "../../../service/tests/service/merchant.rs"]
mod merchant;
/// Databases for tests, on a server.
#[path = "../../../service/tests/service/on_server.rs"]
mod on_server;
/// What a till does with a shopper's number.
#[path = "../../../service/tests/service/sealing.rs"]
mod sealing;
/// Bytes that two programs may read in two ways.
#[path = "../../../service/tests/service/smuggling.rs"]
mod smuggling;
/// What the service's own canary looks with.
#[path = "../../../service/tests/service/watch.rs"]
mod watch;
/// The real service, in this process.
#[allow(dead_code)]
#[path = "../../../service/tests/service/world.rs"]
mod world;

// Every test is in one of three modules, by the engines that it runs on:
//     cargo test -- --skip postgres::
//     POS_TEST_POSTGRES=postgres://… cargo test -- --include-ignored both:: postgres::

/// On SQLite, and on PostgreSQL where `POS_TEST_POSTGRES` names a server: what statements and transactions decide.
mod both {
    mod audit;
    mod connection;
    mod crash;
    mod disconnect;
    mod fleet;
    mod freshness;
    mod hand_out;
    mod other_account;
    mod pick_up;
    mod refresh;
}

/// On SQLite alone: pages, headers, commands and files, which no other engine changes.
mod sqlite {
    mod backup;
    mod canary;
    mod disk;
    mod fleet;
    mod greeting;
    mod key;
    mod limits;
    mod openapi;
    mod operations;
    mod orders;
    mod program;
    mod refusals;
    #[cfg(target_os = "linux")]
    mod reserve;
    mod restored;
    mod running;
    mod smuggled;
}

/// On PostgreSQL alone, and ignored unless `--include-ignored` asks for it: what only a server has.
mod postgres {
    mod replicas;
}
