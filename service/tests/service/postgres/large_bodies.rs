//! What many large bodies take while their callers wait for the database.

use crate::http::Connection;
use crate::on_server::named;
use crate::program::Program;
use crate::world::World;
use std::time::Duration;

const CALLERS: usize = 24;
/// Far below what all of the lists take at once: 16 MiB each.
const MOST_MIB: u64 = 250;
/// Bodies that take so long have the database asked for their token once more.
const SLOW: Duration = Duration::from_millis(700);

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn nobody_waits_with_what_a_large_body_says() {
    named();
    let (world, access) = World::connected().await;
    let program = Program::serve(&world.folder, &[], None);
    let body = format!("[{}0]", "0,".repeat(523_900));
    let head = format!(
        "POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {access}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let (begun, end) = body.split_at(body.len() - 1);
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        let mut caller = Connection::open(program.address("baseUrl")).await;
        caller.write(head.as_bytes()).await;
        caller.write(begun.as_bytes()).await;
        callers.push(caller);
    }
    tokio::time::sleep(SLOW).await;
    for caller in &mut callers {
        caller.write(end.as_bytes()).await;
    }
    for caller in &mut callers {
        let answer = caller.read(false).await.unwrap();
        assert_eq!(answer.code(), "invalid_member", "{}", answer.body);
    }
    let most = peak_mib(program.id());
    assert!(most < MOST_MIB, "{most} MiB");
}

fn peak_mib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.unwrap().trim().strip_suffix(" kB").unwrap();
    kib.trim().parse::<u64>().unwrap() / 1024
}
