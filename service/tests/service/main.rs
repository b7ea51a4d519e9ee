//! The service over real sockets, as tills, merchants and operators meet it.

mod account;
mod canary;
mod connect_flow;
mod connect_page;
mod crash;
mod demo;
mod http;
mod operations;
mod origins;
mod pickup;
mod polling;
mod precedence;
mod program;
mod race;
mod refresh;
mod reissue;
mod reissue_race;
mod requests;
mod revoke;
mod shutdown;
mod sign_in;
mod tokens;
mod upgrade;
mod vendors;
mod watch;
mod world;
