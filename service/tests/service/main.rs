//! The service over real sockets, as tills, merchants and operators meet it.

mod authenticator;
mod contract;
mod device;
mod doctor;
mod folder;
mod full_disk;
mod http;
mod merchant;
mod on_server;
mod openapi;
mod program;
mod provider;
mod rows;
mod sealing;
mod smuggling;
mod tokens;
mod watch;
mod world;

// Every test is in one of three modules, by the engines that it runs on:
//     cargo test -- --skip postgres::
//     POS_TEST_POSTGRES=postgres://… cargo test -- --include-ignored both:: postgres::

/// On SQLite, and on PostgreSQL where `POS_TEST_POSTGRES` names a server: what statements and transactions decide.
mod both {
    mod absent_receivers;
    mod account;
    mod admin;
    mod audit;
    pub mod connections;
    mod containment;
    mod crash;
    mod customers;
    mod doctor;
    mod erasure;
    mod events;
    mod guesses;
    mod key;
    mod logos;
    mod message_limits;
    mod migration;
    mod moved_clock;
    mod order_numbers;
    pub mod orders;
    mod passkey;
    mod passkey_registration;
    mod pickup;
    mod profile;
    mod provider;
    mod provider_refusals;
    mod providers;
    mod purge;
    pub mod quota;
    pub mod race;
    mod receipt_page;
    pub mod receipts;
    mod receivers;
    mod refresh;
    mod reissue;
    mod reissue_race;
    mod retention;
    mod revoke;
    mod rush;
    mod same_sale;
    mod scanned;
    pub mod sealed;
    pub mod second_factor;
    mod second_step;
    pub mod sign_in;
    mod sign_out;
    mod spent_refresh;
    mod test_mode;
    mod test_mode_marks;
    mod trace;
    mod vendors;
    pub mod webhook_sender;
    pub mod webhooks;
}

/// On SQLite alone: pages, headers, commands and files, which no other engine changes.
mod sqlite {
    mod admin;
    mod backup;
    mod brand;
    mod canary;
    mod commands;
    mod configuration;
    mod connect_code;
    pub mod connect_flow;
    mod connect_forms;
    mod connect_page;
    mod crash;
    mod demo;
    mod disk;
    mod doctor;
    #[cfg(unix)]
    mod handed_over;
    mod in_the_open;
    mod limits;
    mod long_term;
    pub mod metrics;
    mod odd_bodies;
    mod openapi;
    mod operations;
    mod order_bodies;
    mod origins;
    mod polling;
    mod precedence;
    mod proxies;
    mod requests;
    #[cfg(target_os = "linux")]
    mod reserve;
    mod restore;
    mod sealed;
    mod shutdown;
    mod slow_bodies;
}

/// On PostgreSQL alone, and ignored unless `--include-ignored` asks for it: what only a server has.
mod postgres {
    mod failover;
    mod first_use;
    #[cfg(target_os = "linux")]
    mod full_tablespace;
    mod killed;
    #[cfg(target_os = "linux")]
    mod large_bodies;
    mod moved;
    mod pooler;
    mod replicas;
    mod role;
    mod round_trips;
    mod upgrade;
}
