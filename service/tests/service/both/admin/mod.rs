//! The admin API: every route does what its command does, for a key with its scope and for nobody else.

mod accounts;
mod bodies;
mod erasure;
mod keys;
mod lists;
mod scopes;
mod token_sets;
mod vendors;

use crate::http::{Answer, Call};
use crate::openapi;
use crate::world::World;
use pos_connect_protocol::admin::Scope;
use pos_connect_service::server::Server;
use pos_connect_service::{admin, admin_key};
use serde_json::Value;
use std::net::SocketAddr;
use tokio::sync::watch;

/// A back office with an admin key.
struct Office {
    world: World,
    address: SocketAddr,
    id: String,
    key: String,
    _listening: openapi::Listening,
    _stop: watch::Sender<bool>,
}

impl Office {
    async fn new() -> Self {
        Self::with(Scope::ALL).await
    }

    async fn with(scopes: &[Scope]) -> Self {
        Self::of(World::new().await, scopes).await
    }

    async fn of(world: World, scopes: &[Scope]) -> Self {
        let added = admin_key::add(&world.service.store, "office", scopes, world.operator());
        let (id, key) = added.await.unwrap();
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = ([127, 0, 0, 1], server.port()).into();
        let listening = openapi::is_admin(address);
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(server.run(admin::router(world.service.clone()), stopped));
        Self {
            world,
            address,
            id,
            key,
            _listening: listening,
            _stop: stop,
        }
    }

    fn call(&self, method: &str, path: &str) -> Call {
        Call::new(method, format!("/admin/v1{path}"))
            .header("Authorization", format!("Bearer {}", self.key))
    }

    /// Without a body if it is null.
    async fn ask(&self, method: &str, path: &str, body: Value) -> Answer {
        let call = self.call(method, path);
        let call = match body {
            Value::Null => call,
            body => call
                .header("Content-Type", "application/json")
                .body(body.to_string()),
        };
        let answer = call.send(self.address).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        answer
    }

    async fn get(&self, path: &str) -> Value {
        self.done("GET", path, Value::Null).await
    }

    /// What it answers; null for 204.
    async fn done(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.ask(method, path, body).await;
        match answer.status {
            200 => answer.json(),
            204 => Value::Null,
            _ => panic!("{path}: {}", answer.body),
        }
    }

    async fn refused(&self, method: &str, path: &str, body: Value) -> (u16, String) {
        let answer = self.ask(method, path, body).await;
        (answer.status, answer.code())
    }

    /// Does each to a vendor, an account or a message; it is in the audit, and refused where there is none.
    async fn change(&self, noun: &str, id: &str, changes: &[(&str, &str, Value, &str)]) {
        for (method, action, body, event) in changes {
            let path = |id: &str| format!("/{noun}s/{id}/{action}");
            self.done(method, &path(id), body.clone()).await;
            self.tells(event).await;
            let absent = self.refused(method, &path("nobody"), body.clone()).await;
            assert_eq!(absent, (404, format!("{noun}_not_found")));
        }
    }

    /// The newest row of the audit is about this, and names the key.
    async fn tells(&self, event: &str) {
        let audit = self.get("/audit").await;
        let last = audit["entries"].as_array().unwrap().last().unwrap();
        let by = format!("admin key {}", self.id);
        assert_eq!(
            (&last["event"], &last["actor"]),
            (&event.into(), &by.into())
        );
    }
}
