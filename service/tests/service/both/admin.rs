//! The admin API: every route does what its command does, for a key with its scope and for nobody else.

use crate::both::orders::order;
use crate::http::{Answer, Call};
use crate::openapi::{self, ADMIN};
use crate::tokens::Pair;
use crate::world::{EMAIL, INTEGRATION, World, target};
use pos_connect_foundation::values;
use pos_connect_protocol::admin::Scope;
use pos_connect_service::server::Server;
use pos_connect_service::store::{Act, Actor, Erasure, Kept};
use pos_connect_service::token::Kind;
use pos_connect_service::{admin, admin_key};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::watch;

struct Office {
    world: World,
    address: SocketAddr,
    id: String,
    key: String,
    _stop: watch::Sender<bool>,
}

impl Office {
    async fn with(scopes: &[Scope]) -> Self {
        let world = World::new().await;
        let (id, key) = admin_key::add(&world.service.store, "office", scopes, world.operator())
            .await
            .unwrap();
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = ([127, 0, 0, 1], server.port()).into();
        openapi::is_admin(address);
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(server.run(admin::router(world.service.clone()), stopped));
        Self {
            world,
            address,
            id,
            key,
            _stop: stop,
        }
    }

    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Call {
        let call = Call::new(method, format!("/admin/v1{path}"))
            .header("Authorization", format!("Bearer {}", self.key));
        match body {
            Some(body) => call
                .header("Content-Type", "application/json")
                .body(body.to_string()),
            None => call,
        }
    }

    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let call = self.call(method, path, body.as_ref());
        call.send(self.address).await
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, None).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    async fn done(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.ask(method, path, body).await;
        assert!(
            [200, 204].contains(&answer.status),
            "{path}: {}",
            answer.body
        );
        match answer.status {
            200 => answer.json(),
            _ => Value::Null,
        }
    }

    async fn refused(&self, method: &str, path: &str, body: Option<Value>) -> (u16, String) {
        let answer = self.ask(method, path, body).await;
        (answer.status, answer.code())
    }

    /// The newest row of the audit: its event, and who did it.
    async fn told(&self) -> (String, String) {
        let entries = self.get("/audit").await;
        let last = entries["entries"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone();
        let text = |name: &str| last[name].as_str().unwrap().to_owned();
        (text("event"), text("actor"))
    }

    /// The newest row is about this, and names the key.
    async fn tells(&self, event: &str) {
        let by = format!("admin key {}", self.id);
        assert_eq!(self.told().await, (event.to_owned(), by));
    }
}

#[tokio::test]
async fn vendors_are_added_listed_changed_and_disabled() {
    let office = Office::with(Scope::ALL).await;
    let body = json!({"name": "Till Co", "origins": ["https://Till.example:443"]});
    let added = office.done("POST", "/vendors", Some(body)).await;
    assert_eq!(added["origins"], json!(["https://till.example"]));
    office.tells("vendor.added").await;
    let id = added["clientId"].as_str().unwrap().to_owned();
    let listed = office.get("/vendors").await;
    let vendor = &listed["vendors"][1];
    assert_eq!(
        (&vendor["clientId"], &vendor["name"]),
        (&json!(id), &json!("Till Co"))
    );
    assert!(listed["next"].is_null());
    let at = |rest: &str| format!("/vendors/{id}{rest}");
    let origins = json!({"origins": ["https://a.example", "https://b.example"]});
    office.done("PUT", &at("/origins"), Some(origins)).await;
    office.tells("vendor.origins_set").await;
    let rotated = office
        .done(
            "POST",
            &at("/rotate-secret"),
            Some(json!({"overlapHours": 1})),
        )
        .await;
    assert_ne!(rotated["clientSecret"], added["clientSecret"]);
    assert_eq!(
        office
            .refused("POST", &at("/rotate-secret"), Some(json!({})))
            .await,
        (409, "rotation_underway".into())
    );
    office
        .done(
            "POST",
            &at("/rotate-secret"),
            Some(json!({"endOlder": true})),
        )
        .await;
    office.tells("vendor.secret_rotated").await;
    for (path, event, disabled) in [
        ("/disable", "vendor.disabled", true),
        ("/enable", "vendor.enabled", false),
    ] {
        office.done("POST", &at(path), None).await;
        office.tells(event).await;
        let vendor = &office.get("/vendors").await["vendors"][1];
        assert_eq!(vendor["disabled"], disabled);
        assert_eq!(
            vendor["origins"],
            json!(["https://a.example", "https://b.example"])
        );
    }
    for path in ["/origins", "/rotate-secret", "/disable", "/enable"] {
        let body = (!path.ends_with("able")).then(|| json!({"origins": []}));
        let body = if path == "/rotate-secret" {
            Some(json!({}))
        } else {
            body
        };
        let method = if path == "/origins" { "PUT" } else { "POST" };
        let refused = office
            .refused(method, &format!("/vendors/nobody{path}"), body)
            .await;
        assert_eq!(refused, (404, "vendor_not_found".into()));
    }
}

#[tokio::test]
async fn accounts_are_added_listed_changed_and_disabled() {
    let office = Office::with(Scope::ALL).await;
    let new = json!({"email": "New@cafe.example", "name": "Café", "stores": ["North", "South"]});
    let added = office.done("POST", "/accounts", Some(new.clone())).await;
    office.tells("account.added").await;
    assert_eq!(added["password"].as_str().unwrap().len(), 20);
    assert_eq!(
        office.refused("POST", "/accounts", Some(new)).await,
        (409, "account_exists".into())
    );
    let listed = office.get("/accounts").await;
    let account = &listed["accounts"][1];
    assert_eq!(
        (&account["id"], &account["email"]),
        (&added["id"], &json!("new@cafe.example"))
    );
    assert_eq!(account["stores"][1]["name"], "South");
    let id = added["id"].as_str().unwrap().to_owned();
    let at = |rest: &str| format!("/accounts/{id}{rest}");
    let set = office
        .done(
            "POST",
            &at("/set-password"),
            Some(json!({"password": "a long password"})),
        )
        .await;
    assert!(set["password"].is_null(), "{set}");
    office.tells("account.password_set").await;
    office
        .done(
            "PUT",
            &at("/regions"),
            Some(json!({"regions": ["IL", "US"]})),
        )
        .await;
    office.tells("account.regions_changed").await;
    let regions: String = office
        .world
        .value("SELECT message_regions FROM account WHERE email = 'new@cafe.example'")
        .await;
    assert_eq!(regions, "IL US");
    for (path, event, disabled) in [
        ("/disable", "account.disabled", true),
        ("/enable", "account.enabled", false),
    ] {
        office.done("POST", &at(path), None).await;
        office.tells(event).await;
        assert_eq!(
            office.get("/accounts").await["accounts"][1]["disabled"],
            disabled
        );
    }
    for (method, path, body) in [
        ("POST", "/set-password", Some(json!({}))),
        ("PUT", "/regions", Some(json!({"regions": []}))),
        ("POST", "/disable", None),
        ("POST", "/enable", None),
    ] {
        let refused = office
            .refused(method, &format!("/accounts/nobody{path}"), body)
            .await;
        assert_eq!(refused, (404, "account_not_found".into()));
    }
}

#[tokio::test]
async fn token_sets_are_listed_and_revoked() {
    let office = Office::with(Scope::ALL).await;
    let world = &office.world;
    Pair::of(&world.token(&world.finished().await).await);
    world.finished().await;
    let vendor = format!("/token-sets?vendor={}", world.vendor.id);
    let listed = office.get(&vendor).await;
    let sets = listed["tokenSets"].as_array().unwrap();
    let mut picked_up: Vec<_> = sets.iter().map(|set| set["pickedUp"] == true).collect();
    picked_up.sort_unstable();
    assert_eq!(picked_up, [false, true]);
    assert_eq!(sets[0]["clientId"], *world.vendor.id);
    let account = sets[0]["account"].as_str().unwrap();
    for (query, count) in [
        (format!("account={account}"), 2),
        (format!("account={account}&store=sto_nobody"), 0),
        (format!("account={EMAIL}"), 2),
        ("vendor=nobody".into(), 0),
    ] {
        let listed = office.get(&format!("/token-sets?{query}")).await;
        assert_eq!(
            listed["tokenSets"].as_array().unwrap().len(),
            count,
            "{query}"
        );
    }
    for (scope, refusal) in [
        (json!({}), (422, "missing_member")),
        (json!({"vendor": "nobody"}), (404, "vendor_not_found")),
        (json!({"account": "nobody"}), (404, "account_not_found")),
        (json!({"store": "nobody"}), (404, "store_not_found")),
    ] {
        let refused = office
            .refused("POST", "/token-sets/revoke", Some(scope))
            .await;
        assert_eq!(refused, (refusal.0, refusal.1.to_owned()));
    }
    let revoke = Some(json!({"vendor": world.vendor.id}));
    let revoked = office.done("POST", "/token-sets/revoke", revoke).await;
    assert_eq!(revoked["revoked"], 2);
    office.tells("token_sets.revoked").await;
    assert_eq!(office.get(&vendor).await["tokenSets"], json!([]));
}

#[tokio::test]
async fn orders_are_erased_and_messages_are_tried_again_or_given_up() {
    let office = Office::with(Scope::ALL).await;
    let world = &office.world;
    let access = world.access().await;
    for number in ["1", "2", "3"] {
        let mut sale = order(number);
        sale["ereceipt"] =
            json!({"phone": "+972502345678", "consent": {"id": "ereceipt-1", "locale": "en"}});
        let sent = world.send_order(&access, &sale).await;
        assert_eq!(sent.status, 200, "{}", sent.body);
    }
    let messages = office.get("/messages").await;
    let messages = messages["messages"].as_array().unwrap();
    assert_eq!(
        (messages.len(), &messages[0]["state"]),
        (3, &json!("queued"))
    );
    let id = messages[0]["id"].as_str().unwrap();
    for (action, event) in [("retry", "message.retried"), ("drop", "message.dropped")] {
        office
            .done("POST", &format!("/messages/{id}/{action}"), None)
            .await;
        office.tells(event).await;
    }
    for action in ["retry", "drop"] {
        let refused = office
            .refused("POST", &format!("/messages/{id}/{action}"), None)
            .await;
        assert_eq!(refused, (404, "message_not_found".into()));
    }
    let store: String = world
        .value("SELECT public_id FROM store WHERE id = (SELECT min(store_id) FROM store_order)")
        .await;
    let number = json!({"vendor": world.vendor.id, "store": store, "externalId": "1"});
    office
        .done("POST", "/orders/free", Some(number.clone()))
        .await;
    office.tells("order.freed").await;
    assert_eq!(
        office.refused("POST", "/orders/free", Some(number)).await,
        (404, "order_not_found".into())
    );
    let none = json!({"store": store, "until": "2020-01-01T00:00:00Z"});
    let erased = office.done("POST", "/orders/erase", Some(none)).await;
    assert_eq!(erased, json!({"success": true, "erased": 0, "done": true}));
    let all = Some(json!({"vendor": world.vendor.id}));
    for (path, count, event) in [
        ("/orders/erase", 2, "orders.erased"),
        ("/customers/erase", 0, "customers.erased"),
    ] {
        assert_eq!(
            office.refused("POST", path, Some(json!({}))).await,
            (422, "missing_member".into())
        );
        let unknown = office
            .refused("POST", path, Some(json!({"store": "nobody"})))
            .await;
        assert_eq!(unknown, (404, "store_not_found".into()));
        let erased = office.done("POST", path, all.clone()).await;
        assert_eq!(erased["erased"], count);
        office.tells(event).await;
    }
}

#[tokio::test]
async fn lists_come_in_pages() {
    let office = Office::with(Scope::ALL).await;
    let more = "INSERT INTO vendor (client_id, name, secret_hash, created_at)
         SELECT client_id || '-' || a.n || b.n || c.n, name, secret_hash, created_at FROM vendor,
           (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6
            UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) AS a,
           (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6
            UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) AS b,
           (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6
            UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) AS c";
    assert_eq!(office.world.change(more, values![]).await, 1000);
    let (mut after, mut sizes, mut ids) = (String::new(), Vec::new(), BTreeSet::new());
    loop {
        let page = office.get(&format!("/vendors{after}")).await;
        let vendors = page["vendors"].as_array().unwrap();
        sizes.push(vendors.len());
        ids.extend(vendors.iter().map(|vendor| vendor["clientId"].to_string()));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!("?after={next}");
    }
    assert_eq!((sizes, ids.len()), (vec![500, 500, 1], 1001));
    for wrong in [
        "?after=",
        "?after=x",
        "?after=-1",
        "?before=1",
        "?after=1&after=2",
        "?key=pcm_x",
        "?vendor=x",
    ] {
        let refused = office
            .refused("GET", &format!("/vendors{wrong}"), None)
            .await;
        assert_eq!(refused.0, 400, "{wrong}");
    }
}

/// Every route of the document is tried, with all scopes but its own: so the document has no route that is not served.
#[tokio::test]
async fn each_route_needs_its_own_scope_and_stands_in_the_document() {
    let mut needed = BTreeSet::new();
    let office = Office::with(&[]).await;
    for (path, methods) in ADMIN.document["paths"].as_object().unwrap() {
        let Some(rest) = path.strip_prefix("/admin/v1") else {
            continue;
        };
        for method in methods.as_object().unwrap().keys() {
            let target = rest.replace("{clientId}", "x").replace("{id}", "x");
            let answer = office.ask(&method.to_uppercase(), &target, None).await;
            assert_eq!(
                (answer.status, answer.code()),
                (403, "insufficient_scope".into())
            );
            needed.insert(answer.json()["rule"].as_str().unwrap().to_owned());
        }
    }
    let all = Scope::ALL
        .iter()
        .map(|scope| format!("the scope {}", scope.as_str()));
    assert_eq!(needed, all.collect());
    let but_one: Vec<_> = Scope::ALL
        .iter()
        .copied()
        .filter(|scope| *scope != Scope::VendorsRead)
        .collect();
    let other = Office::with(&but_one).await;
    assert_eq!(other.refused("GET", "/vendors", None).await.0, 403);
    assert_eq!(other.refused("GET", "/accounts", None).await.0, 200);
    let served: BTreeSet<_> = admin::routes()
        .map(|(method, path)| format!("{method} {path}"))
        .collect();
    let paths = ADMIN.document["paths"].as_object().unwrap();
    let documented = paths
        .iter()
        .filter(|(path, _)| path.starts_with("/admin/"))
        .flat_map(|(path, methods)| {
            methods
                .as_object()
                .unwrap()
                .keys()
                .map(move |method| format!("{method} {path}"))
        });
    assert_eq!(documented.collect::<BTreeSet<_>>(), served);
}

#[tokio::test]
async fn only_a_live_admin_key_is_let_in() {
    let office = Office::with(Scope::ALL).await;
    let world = &office.world;
    let access = world.access().await;
    let mut changed = office.key.clone();
    changed.replace_range(10..11, if &changed[10..11] == "a" { "b" } else { "a" });
    let vendors = || Call::new("GET", "/admin/v1/vendors");
    let none = vendors().send(office.address).await;
    assert_eq!((none.status, none.code()), (401, "missing_token".into()));
    for wrong in [
        access,
        world.vendor.secret.clone(),
        Kind::Admin.mint(),
        Kind::Fleet.mint(),
        changed,
    ] {
        let call = vendors().header("Authorization", format!("Bearer {wrong}"));
        let answer = call.send(office.address).await;
        assert_eq!(
            (answer.status, answer.code()),
            (401, "invalid_token".into())
        );
    }
    let in_query = format!("/admin/v1/vendors?access_token={}", office.key);
    assert_eq!(
        Call::new("GET", in_query).send(office.address).await.status,
        401
    );
    for (name, value) in [
        ("Origin", "https://till.example"),
        ("Sec-Fetch-Site", "same-origin"),
    ] {
        let answer = office
            .call("GET", "/vendors", None)
            .header(name, value)
            .send(office.address)
            .await;
        assert_eq!(
            (answer.status, answer.code()),
            (403, "origin_not_allowed".into())
        );
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    // The public API knows neither the key nor the paths.
    let bearer = format!("Bearer {}", office.key);
    let account = Call::new("GET", "/v1/account").header("Authorization", bearer.clone());
    assert_eq!(world.send(account).await.code(), "invalid_token");
    let path = Call::new("GET", "/admin/v1/vendors").header("Authorization", bearer);
    assert_eq!(world.send(path).await.code(), "not_found");
    let public = Call::new("POST", target(INTEGRATION, &world.vendor, ""))
        .send(office.address)
        .await;
    assert_eq!(public.code(), "not_found");
    let revoked = world
        .service
        .store
        .revoke_admin_key(office.id.clone(), world.operator());
    assert!(revoked.await.unwrap());
    assert_eq!(
        office.refused("GET", "/vendors", None).await,
        (401, "invalid_token".into())
    );
}

/// What a call has begun does not go on, and nothing of it is kept.
#[tokio::test]
async fn a_key_that_is_revoked_in_the_middle_of_a_call_changes_nothing() {
    let office = Office::with(Scope::ALL).await;
    let (world, store) = (&office.world, &office.world.service.store);
    let access = world.access().await;
    assert_eq!(world.send_order(&access, &order("1")).await.status, 200);
    let id = store.admin_key(&office.id).await.unwrap().unwrap().id;
    let act = Act {
        actor: Actor::AdminKey(id),
        ..world.operator()
    };
    store
        .revoke_admin_key(office.id.clone(), world.operator())
        .await
        .unwrap();
    let vendor = Some(world.vendor.id.clone());
    let disabled = store
        .set_vendor_disabled(world.vendor.id.clone(), true, act)
        .await;
    let erasure = Erasure {
        vendor,
        ..Erasure::default()
    };
    let erased = store.erase(Kept::Orders, erasure, None, act).await;
    assert!(disabled.is_err() && erased.is_err());
    assert_eq!(
        world
            .value::<i64>("SELECT count(*) FROM vendor WHERE disabled_at IS NOT NULL")
            .await,
        0
    );
    assert_eq!(world.rows("store_order").await, 1);
}

#[tokio::test]
async fn an_admin_key_has_so_many_calls_and_takes_nothing_from_another() {
    let office = Office::with(&[Scope::VendorsRead]).await;
    let ask = async |key: &str| {
        let call =
            Call::new("GET", "/admin/v1/vendors").header("Authorization", format!("Bearer {key}"));
        call.send(office.address).await
    };
    for _ in 0..1000 {
        assert_eq!(ask(&office.key).await.status, 200);
    }
    let refused = ask(&office.key).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("1"))
    );
    let store = &office.world.service.store;
    let (_, other) = admin_key::add(
        store,
        "other",
        &[Scope::VendorsRead],
        office.world.operator(),
    )
    .await
    .unwrap();
    assert_eq!(ask(&other).await.status, 200);
    office.world.pass(Duration::from_secs(1));
    assert_eq!(ask(&office.key).await.status, 200);
}

#[tokio::test]
async fn what_is_not_said_right_changes_nothing() {
    let office = Office::with(Scope::ALL).await;
    let long = "x".repeat(201);
    for (path, body, status, pointer) in [
        ("/vendors", json!({}), 422, "/name"),
        ("/vendors", json!({"name": " x"}), 422, "/name"),
        ("/vendors", json!({"name": long}), 422, "/name"),
        ("/vendors", json!({"name": 1}), 422, "/name"),
        (
            "/vendors",
            json!({"name": "x", "origins": ["https://x.example/y"]}),
            422,
            "/origins",
        ),
        (
            "/vendors",
            json!({"name": "x", "origins": vec!["https://x.example"; 201]}),
            422,
            "/origins",
        ),
        (
            "/vendors",
            json!({"name": "x", "scope": "y"}),
            422,
            "/scope",
        ),
        ("/vendors", json!([]), 422, ""),
        (
            "/accounts",
            json!({"email": "nobody", "name": "x"}),
            422,
            "/email",
        ),
        (
            "/accounts",
            json!({"email": "a@b.example", "name": "x", "password": "short"}),
            422,
            "/password",
        ),
        (
            "/orders/erase",
            json!({"vendor": "x", "since": "yesterday"}),
            422,
            "/since",
        ),
        (
            "/vendors/x/rotate-secret",
            json!({"overlapHours": 169}),
            422,
            "/overlapHours",
        ),
        (
            "/vendors/x/rotate-secret",
            json!({"endOlder": "yes"}),
            422,
            "/endOlder",
        ),
        ("/vendors/x/disable", json!({}), 400, ""),
    ] {
        let answer = office.ask("POST", path, Some(body.clone())).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
        assert!(!answer.body.contains(&long), "{}", answer.body);
        let named = answer.json()["pointer"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert_eq!(named, pointer, "{body}");
    }
    assert_eq!(office.world.rows("vendor").await, 1);
    assert_eq!(office.world.rows("account").await, 1);
}
