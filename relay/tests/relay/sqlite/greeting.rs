//! What the relay's log says at its start about the service, before any till has called.

use crate::folder::Folder;
use crate::program::Program;
use crate::proxy::{Fault, Proxy};
use crate::world::{Vendor, World};
use pos_connect_foundation::token::Kind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use workbench::port;

/// For a line that never comes.
const LIMIT: Duration = Duration::from_secs(60);
const WARNING: &str = " WARN pos_connect_relay::keeper::greeting";

/// The log once it has this text.
async fn log_with(folder: &Folder, text: &str) -> String {
    let path = folder.path().join("log");
    let read = || std::fs::read_to_string(&path).unwrap_or_default();
    let said = async {
        loop {
            let log = read();
            if log.contains(text) {
                return log;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let said = tokio::time::timeout(LIMIT, said).await;
    said.unwrap_or_else(|_| panic!("{text} is not in {}", read()))
}

/// The line of a log that has this text.
fn line<'l>(log: &'l str, text: &str) -> &'l str {
    log.lines().find(|line| line.contains(text)).unwrap()
}

/// A relay that serves while its log warns with this text; gives the line.
async fn warned(upstream: &str, vendor: &Vendor, text: &str) -> String {
    let folder = Folder::new();
    let program = Program::serve(&folder, upstream, vendor, &[]);
    warned_by(program, &folder, vendor, text).await
}

async fn warned_by(program: Program, folder: &Folder, vendor: &Vendor, text: &str) -> String {
    let log = log_with(folder, text).await;
    assert!(!log.contains(&vendor.secret), "{log}");
    let ready = crate::http::Call::new("GET", "/readyz");
    assert_eq!(ready.send(program.address).await.status, 200);
    let line = line(&log, text);
    assert!(line.contains(WARNING), "{line}");
    line.to_owned()
}

fn stranger() -> Vendor {
    Vendor {
        id: "demo".into(),
        secret: Kind::ClientSecret.mint(),
    }
}

#[tokio::test]
async fn a_service_that_takes_the_credentials_is_told_of() {
    let (world, folder) = (World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let _program = Program::serve(&folder, &url, &world.vendor, &[]);
    let text = "the service answers, and takes the client secret";
    let log = log_with(&folder, text).await;
    assert!(line(&log, text).contains(" INFO "), "{log}");
    assert!(!log.contains(WARNING), "{log}");
    assert!(!log.contains(&world.vendor.secret), "{log}");
}

/// Its shoppers would wait for messages that never come.
#[tokio::test]
async fn a_till_of_test_mode_is_told_of() {
    let world = World::new().await;
    let proxy = Proxy::start(world.address).await;
    proxy.plan(|_| {
        let body = r#"{"success":false,"code":"invalid_integration"}"#;
        Fault::Instead(403, "Test-Mode: true\r\n", body.into())
    });
    warned(&proxy.url(), &world.vendor, "test mode: no shopper").await;
}

#[tokio::test]
async fn refused_credentials_are_told_of() {
    let world = World::new().await;
    let url = format!("http://{}", world.address);
    let other = Vendor {
        id: world.vendor.id.clone(),
        secret: Kind::ClientSecret.mint(),
    };
    warned(&url, &other, "the service refuses the client secret").await;
    warned(&url, &stranger(), "the service does not know the client ID").await;
}

#[tokio::test]
async fn a_service_that_is_not_there_is_told_of_until_it_comes() {
    let (world, folder) = (World::new().await, Folder::new());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port::free()));
    let _program = Program::serve(&folder, &format!("http://{address}"), &world.vendor, &[]);
    let log = log_with(&folder, "the service cannot be reached").await;
    let line = line(&log, "cannot be reached");
    assert!(line.contains(WARNING) && line.contains("refused"), "{line}");
    let late = Proxy::start_at(address, world.address).await;
    let log = log_with(&folder, "the service answers, and takes the client secret").await;
    assert_eq!(log.matches("cannot be reached").count(), 1, "{log}");
    let seen = late.seen("GET", crate::world::INTEGRATION);
    assert_eq!(seen.len(), 1, "it looks no further");
}

#[tokio::test]
async fn what_answers_something_else_is_told_of() {
    let world = World::new().await;
    let proxy = Proxy::start(world.address).await;
    for status in [200, 301, 404, 400] {
        proxy.plan(move |_| Fault::Instead(status, "", "<p>Welcome to nginx!</p>".into()));
        let text = "is not the service's API";
        let line = warned(&proxy.url(), &world.vendor, text).await;
        assert!(line.contains(&format!("status={status}")), "{line}");
    }
    proxy.plan(|_| Fault::Instead(503, "", String::new()));
    let line = warned(
        &proxy.url(),
        &world.vendor,
        "the service has a trouble of its own",
    )
    .await;
    assert!(line.contains("status=503"), "{line}");
}

/// The specification has one status for a wrong secret and an unknown integration, and leaves the body open.
#[tokio::test]
async fn a_service_that_does_not_say_what_it_refuses_is_not_blamed() {
    let (world, folder) = (World::new().await, Folder::new());
    let proxy = Proxy::start(world.address).await;
    proxy.plan(|_| Fault::Instead(403, "", r#"{"success":false}"#.into()));
    let _program = Program::serve(&folder, &proxy.url(), &world.vendor, &[]);
    let log = log_with(&folder, "the service answers; the first integration shows").await;
    assert!(!log.contains(WARNING), "{log}");
}

/// A firewall has no word of the service's, and lets nobody through to it.
#[tokio::test]
async fn a_refusal_of_somebody_on_the_way_is_told_of() {
    let world = World::new().await;
    let proxy = Proxy::start(world.address).await;
    for (status, body) in [(403, "<h1>Forbidden</h1>"), (403, ""), (401, "")] {
        proxy.plan(move |_| Fault::Instead(status, "", body.into()));
        let text = "something between the relay and the service refuses the call";
        let line = warned(&proxy.url(), &world.vendor, text).await;
        assert!(line.contains(&format!("status={status}")), "{line}");
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_told_of() {
    let url = untrusted().await;
    let line = warned(
        &url,
        &stranger(),
        "the certificate of the service is not trusted",
    )
    .await;
    assert!(
        line.contains("UnknownIssuer") && line.contains("SSL_CERT_FILE"),
        "{line}"
    );
}

/// As in a container from scratch.
#[tokio::test]
async fn a_machine_without_certificates_is_told_of_where_they_are_needed() {
    let (world, folder) = (World::new().await, Folder::new());
    let start = |folder: &Folder, upstream: &str, vendor: &Vendor| {
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Program::serving(folder, upstream, vendor, &[]);
        command.env("SSL_CERT_FILE", "/nowhere/ca.pem");
        command.env("SSL_CERT_DIR", "/nowhere");
        Program::start(command.stderr(log), vendor)
    };
    let url = format!("http://{}", world.address);
    let _program = start(&folder, &url, &world.vendor);
    let log = log_with(&folder, "the service answers, and takes the client secret").await;
    assert!(!log.contains(WARNING), "{log}");
    let (folder, stranger) = (Folder::new(), stranger());
    let program = start(&folder, &untrusted().await, &stranger);
    let text = "this machine has no certificates to know a server by";
    let line = warned_by(program, &folder, &stranger, text).await;
    let missing = "at '/nowhere/ca.pem'";
    assert!(
        line.contains("SSL_CERT_FILE") && line.contains(missing),
        "{line}"
    );
    assert!(!line.contains("Error") && !line.contains("Some("), "{line}");
}

/// A server with a certificate of its own making; gives its URL.
async fn untrusted() -> String {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let server = ServerConfig::builder().with_no_client_auth();
    let server = server.with_single_cert(vec![made.cert.der().clone()], key.into());
    let acceptor = TlsAcceptor::from(Arc::new(server.unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let sent = stream.read(&mut [0; 1]).await.unwrap_or_default();
                assert_eq!(sent, 0, "the secret was sent to a stranger");
            }
        }
    });
    format!("https://localhost:{port}")
}
