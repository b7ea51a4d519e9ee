//! Nothing grows without end: created integrations, what has ended, and the queue of those who sign in.

use crate::folder::Folder;
use crate::http::{Answer, Call};
use crate::program::Program;
use crate::tokens::Pair;
use crate::world::{INTEGRATION, REFRESH, TILL, World};
use pos_connect_foundation::address::parse_network;
use pos_connect_service::Settings;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn purged(world: &World) -> usize {
    world.service.purge(Duration::ZERO).await.unwrap()
}

#[tokio::test]
async fn a_vendor_creates_so_many_at_once_and_takes_nothing_from_another() {
    let settings = Settings {
        creates_per_second: 2,
        ..Settings::default()
    };
    let mut world = World::with(settings).await;
    for _ in 0..20 {
        world.create().await;
    }
    let refused = world.call("POST", INTEGRATION, "").await;
    assert_eq!((refused.status, refused.code()), (429, "slow_down".into()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    let second = world.add_vendor("Second", &[TILL]).await;
    let first = std::mem::replace(&mut world.vendor, second);
    world.create().await;
    world.vendor = first;
    world.pass(Duration::from_millis(500));
    world.create().await;
    assert_eq!(world.call("POST", INTEGRATION, "").await.status, 429);
    assert_eq!(world.rows("integration").await, 22);
}

/// An address is known only where a proxy is trusted: so tests come through one.
fn from(world: &World, address: &str) -> Call {
    let call = world.prepared("POST", INTEGRATION, "");
    call.header("X-Forwarded-For", address)
}

#[tokio::test]
async fn an_address_creates_so_many_at_once_whichever_vendor_it_calls_for() {
    let settings = Settings {
        creates_per_address: 1,
        trusted_proxies: vec![parse_network("127.0.0.1").unwrap()],
        ..Settings::default()
    };
    let mut world = World::with(settings).await;
    for _ in 0..10 {
        assert_eq!(world.send(from(&world, "198.51.100.7")).await.status, 200);
    }
    world.vendor = world.add_vendor("Second", &[TILL]).await;
    let refused = world.send(from(&world, "198.51.100.7")).await;
    assert_eq!((refused.status, refused.code()), (429, "slow_down".into()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(world.send(from(&world, "203.0.113.9")).await.status, 200);
    for _ in 0..15 {
        world.create().await;
    }
    world.pass(Duration::from_secs(1));
    assert_eq!(world.send(from(&world, "198.51.100.7")).await.status, 200);
    assert_eq!(world.send(from(&world, "198.51.100.7")).await.status, 429);
}

#[tokio::test]
async fn a_vendor_leaves_so_many_pending_and_takes_nothing_from_another() {
    let settings = Settings {
        pending_per_vendor: 12,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let first = world.create().await;
    world.pass(Duration::from_secs(1));
    for _ in 0..11 {
        world.create().await;
    }
    let full = world.call("POST", INTEGRATION, "").await;
    assert_eq!((full.status, full.code()), (429, "slow_down".into()));
    assert_eq!(full.header("retry-after"), Some("60"));
    assert_eq!(world.rows("integration").await, 12);
    let mut world = world.restart().await;
    assert_eq!(
        world.call("POST", INTEGRATION, "").await.status,
        429,
        "it is in the database"
    );
    world.call("DELETE", INTEGRATION, &first).await;
    let finished = world.create().await;
    assert_eq!(world.call("POST", INTEGRATION, "").await.status, 429);
    assert!(world.finish(&finished).await);
    world.create().await;
    world.pass(Duration::from_secs(30 * 60 - 11));
    let soon = world.call("POST", INTEGRATION, "").await;
    let wait: u64 = soon.header("retry-after").unwrap().parse().unwrap();
    assert!(
        (1..=11).contains(&wait),
        "the first one expires then: {wait}"
    );
    world.pass(Duration::from_secs(11));
    world.create().await;
    let second = world.add_vendor("Second", &[TILL]).await;
    world.vendor = second;
    world.create().await;
}

#[tokio::test]
async fn what_ended_is_known_for_thirty_days_and_then_erased() {
    let world = World::new().await;
    let expired = world.create().await;
    let cancelled = world.create().await;
    assert_eq!(
        world.call("DELETE", INTEGRATION, &cancelled).await.status,
        204
    );
    let forgotten = world.finished().await;
    let (spent, _, revoked) = world.picked_up().await;
    let revoked = Pair::of(&world.refresh(&revoked.refresh).await);
    world.revoke(&revoked.refresh).await;
    let (alive, _, mut pair) = world.picked_up().await;
    for _ in 0..3 {
        world.pass(10 * DAY);
        pair = Pair::of(&world.refresh(&pair.refresh).await);
        assert_eq!(purged(&world).await, 0, "a late call hears how it ended");
    }
    assert_eq!(world.token(&expired).await.code(), "integration_expired");
    assert_eq!(
        world.token(&cancelled).await.code(),
        "integration_cancelled"
    );
    assert_eq!(world.token(&spent).await.status, 410);
    world.pass(2 * DAY);
    assert_eq!(purged(&world).await, 4);
    for token in [&expired, &cancelled, &forgotten, &spent] {
        assert_eq!(world.token(token).await.code(), "invalid_integration");
    }
    assert_eq!(world.token(&alive).await.status, 410);
    assert_eq!(
        world.account(&pair.access).await.status,
        401,
        "it has expired"
    );
    assert_eq!(world.refresh(&pair.refresh).await.status, 200);
    assert_eq!(
        (
            world.rows("integration").await,
            world.rows("token_set").await
        ),
        (1, 1)
    );
    world.pass(121 * DAY);
    assert_eq!(purged(&world).await, 1, "nobody refreshed it for 90 days");
    assert_eq!(
        (
            world.rows("token_set").await,
            world.rows("spent_refresh").await
        ),
        (0, 0)
    );
}

#[tokio::test]
async fn a_purge_goes_through_all_of_them() {
    let settings = Settings {
        creates_per_second: 100_000,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    for number in 0..1_300 {
        let token = world.create().await;
        if number % 100 == 0 {
            assert!(world.finish(&token).await);
            Pair::of(&world.token(&token).await);
        }
    }
    world.pass(31 * DAY);
    assert_eq!(purged(&world).await, 1_287);
    assert_eq!(world.rows("integration").await, 13);
}

/// A stranger with invented emails must not keep a merchant waiting for minutes.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_signs_in_behind_very_many_others_hears_so_at_once() {
    let folder = Folder::new();
    let program = Program::serve(&folder, &["--demo", "--till-listen", "127.0.0.1:0"], None);
    let mut attempts = Vec::new();
    for _ in 0..30 {
        let created = program.call("POST", INTEGRATION, "").await;
        let token = created.json()["integrationToken"]
            .as_str()
            .unwrap()
            .to_owned();
        for number in 0..5 {
            let email = format!("{number}-{}@invented.example", &token[..12]);
            attempts.push(program.sign_in_form(&token, &email).await);
        }
    }
    let address = program.address("baseUrl");
    let sent = attempts
        .into_iter()
        .map(|call| tokio::spawn(call.send(address)));
    let mut answers: Vec<Answer> = Vec::new();
    for answer in sent.collect::<Vec<_>>() {
        answers.push(answer.await.unwrap());
    }
    let busy: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status == 503)
        .collect();
    assert!(!busy.is_empty(), "150 at once, and 8 places of one address");
    assert!(
        busy.len() < answers.len(),
        "those in the queue are looked at"
    );
    assert_eq!(busy[0].header("retry-after"), Some("5"));
    assert_eq!(busy[0].data("page"), "sign-in");
    assert!(busy[0].body.contains("in a few seconds"));
    assert_eq!(
        program.call("POST", REFRESH, "").await.status,
        400,
        "the rest of it answers"
    );
}

#[tokio::test]
async fn a_network_creates_like_one_address() {
    let world = World::behind_a_proxy().await;
    let mut created = 0;
    for number in 0..120 {
        let address = format!("2001:db8:1:2::{number:x}");
        let call = world.prepared("POST", INTEGRATION, "");
        let answer = world.send(call.header("X-Forwarded-For", address)).await;
        created += u32::from(answer.status == 200);
    }
    assert_eq!(created, 50);
    let call = world.prepared("POST", INTEGRATION, "");
    let elsewhere = call.header("X-Forwarded-For", "2001:db8:1:3::1");
    assert_eq!(world.send(elsewhere).await.status, 200);
}

#[tokio::test]
async fn a_network_opens_so_many_pages_of_an_integration_and_takes_none_from_another() {
    let world = World::behind_a_proxy().await;
    let (token, other) = (world.create().await, world.create().await);
    let open = async |token: &str, from: &str| {
        let page = Call::new("GET", world.connect_target(token));
        world.send(page.header("X-Forwarded-For", from)).await
    };
    for _ in 0..100 {
        assert_eq!(open(&token, "2001:db8:1:2::7").await.status, 200);
    }
    let late = open(&token, "2001:db8:1:2::8").await;
    assert_eq!(late.status, 429);
    assert!(late.body.contains("Too many attempts"), "{}", late.body);
    assert_eq!(late.header("retry-after"), Some("1"));
    assert_eq!(open(&token, "203.0.113.9").await.status, 200);
    assert_eq!(open(&other, "2001:db8:1:2::7").await.status, 200);
    world.pass(Duration::from_secs(1));
    assert_eq!(open(&token, "2001:db8:1:2::7").await.status, 200);
}

#[tokio::test]
async fn a_full_service_says_so_and_is_still_healthy() {
    let settings = Settings {
        requests: 0,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    for (method, path) in [("POST", INTEGRATION), ("GET", "/connect"), ("GET", "/r/x")] {
        let full = world.call(method, path, "").await;
        assert_eq!((full.status, full.code()), (503, "unavailable".into()));
        assert_eq!(full.header("retry-after"), Some("1"));
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(world.call("GET", path, "").await.status, 200);
    }
}

#[tokio::test]
async fn a_list_and_a_profile_have_the_same_limit_as_an_order() {
    const LIMIT: usize = 1024 * 1024;
    let (world, access) = World::connected().await;
    for (method, path, body) in [
        (
            "POST",
            "/v1/customers",
            r#"{"customers":[{"externalId":"1"}]}"#,
        ),
        ("PATCH", "/v1/store", r#"{"name":"Market Street"}"#),
    ] {
        for (length, status) in [(LIMIT - 1, 200), (LIMIT, 200), (LIMIT + 1, 413)] {
            let call = Call::new(method, path)
                .header("Authorization", format!("Bearer {access}"))
                .header("Content-Type", "application/json")
                .body(format!("{body}{}", " ".repeat(length - body.len())));
            let answer = world.send(call).await;
            assert_eq!(
                answer.status, status,
                "{path} with {length} bytes: {}",
                answer.body
            );
            if status == 413 {
                assert_eq!(answer.code(), "content_too_large");
            }
        }
    }
}
