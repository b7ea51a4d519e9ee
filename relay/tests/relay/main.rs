//! The relay over real sockets, between tills and the real service, with a proxy in front of the service that can fail
//! in every way.

mod audit;
mod backup;
mod canary;
mod connection;
mod crash;
mod disconnect;
mod disk;
mod freshness;
mod greeting;
mod hand_out;
mod key;
mod limits;
mod openapi;
mod operations;
mod orders;
mod other_account;
mod pick_up;
mod postgres;
mod program;
mod proxy;
mod refresh;
mod refusals;
mod restored;
mod revocation;
mod rig;
mod running;
mod smuggled;

/// What its document is held to.
#[path = "../../../service/tests/service/contract.rs"]
mod contract;
/// Where a test has its files.
#[allow(dead_code)]
#[path = "../../../service/tests/service/folder.rs"]
mod folder;
/// A disk that is full for one process.
#[path = "../../../service/tests/service/full_disk.rs"]
mod full_disk;
/// The service's own client, which sends exactly the bytes it is told to.
#[allow(dead_code)]
#[path = "../../../service/tests/service/http.rs"]
mod http;
/// Databases for tests, on a server.
#[path = "../../../service/tests/service/on_server.rs"]
mod on_server;
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
