//! `kill -9`: nothing that was kept is lost, and what was interrupted is cured.

use crate::folder::Folder;
use crate::http::{Answer, Call, Connection};
use crate::program::{Program, add_till, json};
use crate::proxy::{Fault, Proxy};
use crate::rig::text;
use crate::world::{INTEGRATION, TOKEN, World};
use pos_connect_protocol::path;
use std::collections::HashMap;
use std::time::Duration;

const CYCLES: u64 = 20;
const PICK_UPS: usize = 8;

/// A small generator, so that a cycle that failed can be run again (Knuth's MMIX numbers).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Kills the relay once `count` pick-ups are answered, and a moment later. Gives the answers that have come, by
/// integration.
async fn pick_ups_cut_short(
    program: &mut Program,
    key: &str,
    tokens: &[String],
    (count, later): (usize, Duration),
) -> HashMap<String, String> {
    let (answers, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let calls: Vec<_> = tokens
        .iter()
        .map(|token| {
            let (call, address) = (program.prepared(key, "GET", TOKEN, token), program.address);
            let (token, answers) = (token.clone(), answers.clone());
            tokio::spawn(async move {
                let mut connection = Connection::try_open(address).await.ok()?;
                let answer = connection.try_send(call).await?;
                answers.send(()).unwrap();
                Some((token, answer))
            })
        })
        .collect();
    drop(answers);
    for _ in 0..count {
        seen.recv().await.unwrap();
    }
    tokio::time::sleep(later).await;
    program.signal("-KILL");
    assert_eq!(program.wait(), None);
    let mut answered = HashMap::new();
    for call in calls {
        if let Some((token, answer)) = call.await.unwrap() {
            if is_late(&answer) {
                continue;
            }
            assert_eq!(answer.status, 200, "{}", answer.body);
            answered.insert(token, answer.body);
        }
    }
    answered
}

/// The tokens work, and the service gave the set once.
async fn assert_kept(world: &World, proxy: &Proxy, token: &str, answer: &Answer, what: &str) {
    assert_eq!(answer.status, 200, "{what}: {}", answer.body);
    let bearer = format!("Bearer {}", text(answer, "accessToken"));
    let account = Call::new("GET", path::ACCOUNT).header("Authorization", bearer);
    assert_eq!(
        account.send(world.address).await.status,
        200,
        "{what}: a dead token"
    );
    let given = proxy.seen("GET", TOKEN);
    let given = given
        .iter()
        .filter(|seen| seen.answered == 200 && seen.target.contains(token));
    assert_eq!(given.count(), 1, "{what}");
}

/// On PostgreSQL the next relay waits until the calls of a killed one are over: so these take less time there.
fn hasty() -> &'static [&'static str] {
    match crate::on_server::server() {
        Some(_) => &["--upstream-timeout-seconds", "1"],
        None => &[],
    }
}

/// Whether the machine stalled for longer than such a call takes: that says nothing, and the next call does.
fn is_late(answer: &Answer) -> bool {
    !hasty().is_empty() && [502, 504].contains(&answer.status)
}

/// An answer that is not late.
async fn in_time(ask: impl AsyncFn() -> Answer) -> Answer {
    let asked = async {
        loop {
            let answer = ask().await;
            if !is_late(&answer) {
                return answer;
            }
        }
    };
    let answer = tokio::time::timeout(Duration::from_secs(120), asked).await;
    answer.expect("an answer in time")
}

async fn create(program: &Program, key: &str) -> String {
    let created = in_time(async || program.ask(key, "POST", INTEGRATION, "").await).await;
    text(&created, "integrationToken")
}

/// Handed out, so that each answer can be held against the service.
#[tokio::test(flavor = "multi_thread")]
async fn twenty_kills_lose_nothing() {
    let (world, folder) = (World::on_sqlite().await, Folder::new());
    let proxy = Proxy::start(world.address).await;
    let database = crate::rig::database(&folder).await;
    std::fs::write(folder.path().join("database-url"), database).unwrap();
    json(&folder, &["migrate"]);
    let key = add_till(&folder, "bakery");
    let mut interrupted = 0;
    let mut program = Program::serve(
        &folder,
        &proxy.url(),
        &world.vendor,
        &[hasty(), &["--hand-out"]].concat(),
    );
    for cycle in 0..CYCLES {
        let mut dice = Dice(cycle);
        let mut tokens = Vec::new();
        for _ in 0..PICK_UPS {
            let token = create(&program, &key).await;
            assert!(world.finish(&token).await);
            tokens.push(token);
        }
        let mut delays = Dice(cycle + 1000);
        proxy.plan(move |_| Fault::Late(Duration::from_millis(delays.below(12))));
        let later = Duration::from_micros(dice.below(30_000) >> (cycle % 5));
        let moment = (cycle as usize % PICK_UPS, later);
        let answered = pick_ups_cut_short(&mut program, &key, &tokens, moment).await;
        interrupted += tokens.len() - answered.len();
        proxy.plan(|_| Fault::None);
        program = Program::serve(
            &folder,
            &proxy.url(),
            &world.vendor,
            &[hasty(), &["--hand-out"]].concat(),
        );
        for token in &tokens {
            let answer = in_time(async || program.ask(&key, "GET", TOKEN, token).await).await;
            let what = format!("cycle {cycle}");
            assert_kept(&world, &proxy, token, &answer, &what).await;
            if let Some(before) = answered.get(token) {
                assert_eq!(&answer.body, before, "{what}: answered and then forgotten");
            }
        }
    }
    let all = CYCLES as usize * PICK_UPS;
    println!("{interrupted} of {all} pick-ups were cut short");
    assert!(
        interrupted > 0 && interrupted < all,
        "the kills hit nothing: {interrupted} of {all}"
    );
}

/// Each order is refused once, so that it takes a refresh; some of them are cut short.
#[tokio::test(flavor = "multi_thread")]
async fn kills_during_refreshes_end_no_connection() {
    let (world, folder) = (World::on_sqlite().await, Folder::new());
    let proxy = Proxy::start(world.address).await;
    let database = crate::rig::database(&folder).await;
    std::fs::write(folder.path().join("database-url"), database).unwrap();
    json(&folder, &["migrate"]);
    let key = add_till(&folder, "bakery");
    let mut program = Program::serve(&folder, &proxy.url(), &world.vendor, hasty());
    let token = create(&program, &key).await;
    assert!(world.finish(&token).await);
    let kept = in_time(async || program.ask(&key, "GET", TOKEN, &token).await).await;
    assert_eq!(kept.status, 200, "{}", kept.body);
    let mut answered = 0;
    for cycle in 0..CYCLES {
        let (mut dice, mut delays) = (Dice(cycle), Dice(cycle + 1000));
        refuse_one_order(&proxy, move || delays.below(12));
        let order = tokio::spawn(order(&program, &key));
        tokio::time::sleep(Duration::from_micros(500 + dice.below(20_000))).await;
        program.signal("-KILL");
        assert_eq!(program.wait(), None);
        if let Some(answer) = order.await.unwrap()
            && !is_late(&answer)
        {
            assert_eq!(answer.status, 200, "cycle {cycle}: {}", answer.body);
            answered += 1;
        }
        program = Program::serve(&folder, &proxy.url(), &world.vendor, hasty());
        refuse_one_order(&proxy, || 0);
        let after = in_time(async || self::order(&program, &key).await.unwrap()).await;
        assert_eq!(after.status, 200, "cycle {cycle}: {}", after.body);
        let last = proxy.seen("POST", "/v1/orders").pop().unwrap();
        let bearer = last.header("authorization").unwrap();
        let account = Call::new("GET", path::ACCOUNT).header("Authorization", bearer);
        let account = account.send(world.address).await;
        assert_eq!(account.status, 200, "cycle {cycle}: a dead token");
    }
    let sent = proxy.seen("POST", path::TOKEN);
    let repeated = sent.windows(2).filter(|two| two[0].body == two[1].body);
    let repeated = repeated.count();
    println!(
        "{answered} of {CYCLES} orders were answered before the kill, {repeated} refreshes were repeated"
    );
    assert!(answered < CYCLES, "the kills hit nothing");
}

fn refuse_one_order(proxy: &Proxy, mut late: impl FnMut() -> u64 + Send + 'static) {
    let mut first = true;
    proxy.plan(move |seen| match seen.path() {
        "/v1/orders" if std::mem::take(&mut first) => Fault::Instead(401, "", String::new()),
        "/v1/orders" => Fault::Instead(200, "", "{}".into()),
        _ => Fault::Late(Duration::from_millis(late())),
    });
}

fn order(program: &Program, key: &str) -> impl Future<Output = Option<Answer>> + use<> {
    let call = Call::new("POST", "/v1/orders")
        .header("Authorization", format!("Bearer {key}"))
        .body("{}");
    let address = program.address;
    async move {
        let mut connection = Connection::try_open(address).await.ok()?;
        connection.try_send(call).await
    }
}
