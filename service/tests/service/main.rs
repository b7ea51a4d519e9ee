//! The service over real sockets, as tills, merchants and operators meet it.

mod canary;
mod connect_flow;
mod connect_page;
mod crash;
mod demo;
mod http;
mod operations;
mod origins;
mod polling;
mod precedence;
mod program;
mod race;
mod requests;
mod shutdown;
mod sign_in;
mod vendors;
mod world;
