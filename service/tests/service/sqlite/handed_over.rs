//! A socket that outlives the program, as systemd holds one: calls wait in it while one program follows another.

use crate::folder::Folder;
use crate::http::{Call, Connection};
use crate::program::{Program, command};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::block_in_place;

/// Clients with one connection for many calls, as a proxy has them, and as many with a new connection for each call.
const CLIENTS: u64 = 3;
/// Calls of all clients before the next program takes the place of the one that runs.
const CALLS: u64 = 60;
const ROUNDS: usize = 4;
/// For what never comes.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Clone, Debug, Default)]
struct Counts {
    answered: u64,
    /// Calls on a connection that ended before any byte of an answer: a client sends them again, as RFC 9110 §9.2.2
    /// has it.
    repeated: u64,
    /// What a client would tell: refused connections, cut answers, and other answers than 200.
    failed: Vec<String>,
}

/// `serve --listen` with the socket as systemd hands it over: as file 3, for the process that the variable names.
fn serve(folder: &Folder, listen: SocketAddr, socket: &TcpListener) -> Command {
    let serve = command(folder, &["serve", "--listen", &listen.to_string()]);
    // `Command` sets no other files than the first three, and the shell keeps its number when it becomes the program.
    let hand_over = "exec 3>&2 2>>\"$0\"; export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$@\"";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", hand_over])
        .arg(folder.path().join("log"))
        .arg(serve.get_program())
        .args(serve.get_args())
        .env_remove("RUST_LOG")
        .stderr(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())));
    shell
}

/// A database that takes a row: the call needs all of the service.
fn ready() -> Call {
    Call::new("GET", "/readyz")
}

/// Calls until nobody counts any more.
async fn call(address: SocketAddr, keeps: bool, counts: watch::Sender<Counts>) {
    let mut kept: Option<Connection> = None;
    while !counts.is_closed() {
        let opened = match kept.take() {
            Some(connection) => Ok(connection),
            None => Connection::try_open(address).await,
        };
        let mut connection = match opened {
            Ok(connection) => connection,
            Err(error) => {
                counts.send_modify(|counts| counts.failed.push(error.to_string()));
                continue;
            }
        };
        if !connection.begins(&ready()).await {
            counts.send_modify(|counts| counts.repeated += 1);
            continue;
        }
        let answer = connection.read(false).await;
        counts.send_modify(|counts| match &answer {
            Some(answer) if answer.status == 200 => counts.answered += 1,
            Some(answer) => counts.failed.push(answer.status.to_string()),
            None => counts.failed.push("cut".to_owned()),
        });
        let goes_on = answer.is_some_and(|answer| answer.header("connection") != Some("close"));
        kept = (keeps && goes_on).then_some(connection);
    }
}

async fn answered(counts: &mut watch::Receiver<Counts>, more: u64) {
    let enough = counts.borrow_and_update().answered + more;
    let reached = counts.wait_for(|now| now.answered >= enough || !now.failed.is_empty());
    let now = tokio::time::timeout(LIMIT, reached).await;
    let now = now.expect("calls are answered").unwrap();
    assert!(now.failed.is_empty(), "{now:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_fails_while_one_program_follows_another() {
    let folder = Folder::new();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let start = || block_in_place(|| Program::start(&mut serve(&folder, address, &socket)));
    let (count, mut counts) = watch::channel(Counts::default());
    for client in 0..2 * CLIENTS {
        tokio::spawn(call(address, client < CLIENTS, count.clone()));
    }
    let mut program = start();
    assert_eq!(program.address("baseUrl"), address);
    for _ in 0..ROUNDS {
        answered(&mut counts, CALLS).await;
        program.signal("-TERM");
        assert_eq!(block_in_place(|| program.wait()), Some(0));
        // Nobody serves now. What is called waits for the next program.
        let mut waiting = Connection::open(address).await;
        let answer = async { waiting.begins(&ready()).await.then_some(waiting) };
        let (answer, next) = tokio::join!(answer, async { start() });
        let answer = answer.expect("the next program answers").read(false).await;
        assert_eq!(answer.map(|answer| answer.status), Some(200));
        program = next;
    }
    answered(&mut counts, CALLS).await;
    let counts = counts.borrow();
    assert!(counts.repeated < counts.answered / 10, "{counts:?}");
}
