use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const AGENT: &str = "the-program/1.0";
const ANSWER: &str = "HTTP/1.1 204 No Content\r\n\r\n";
/// For what never comes.
const LIMIT: Duration = Duration::from_secs(60);

/// Somebody who listens, answers once, and tells what was sent.
struct Listener {
    address: String,
    heard: tokio::task::JoinHandle<String>,
}

impl Listener {
    async fn start(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heard = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") && head.first() != Some(&TLS_HANDSHAKE) {
                let read = stream.read_buf(&mut head).await.unwrap();
                assert_ne!(read, 0, "the caller left in the middle of a head");
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&head).into_owned()
        });
        Self { address, heard }
    }

    async fn heard(self) -> String {
        let heard = tokio::time::timeout(LIMIT, self.heard).await;
        heard.expect("nobody called").unwrap()
    }
}

/// The first byte of a TLS connection.
const TLS_HANDSHAKE: u8 = 0x16;

fn client(trusted: Result<RootCertStore, String>, proxies: Matcher) -> Client {
    Client::with(AGENT, Patience::default(), trusted, proxies)
}

/// By one proxy, but for those in `no`.
fn proxies(proxy: &str, no: &str) -> Matcher {
    Matcher::builder().all(proxy).no(no).build()
}

async fn get(client: &Client, url: &str) -> Result<u16, CallError> {
    let call = Call {
        method: Method::GET,
        url: url.into(),
        headers: HeaderMap::new(),
        body: Bytes::new(),
    };
    Ok(client.head(call).await?.0)
}

#[tokio::test]
async fn a_call_says_who_makes_it() {
    let server = Listener::start(ANSWER).await;
    let client = client(trust::system(), Matcher::builder().build());
    let status = get(&client, &format!("http://{}/", server.address)).await;
    assert_eq!(status.unwrap(), 204);
    let heard = server.heard().await;
    assert!(heard.contains("user-agent: the-program/1.0\r\n"), "{heard}");
}

#[tokio::test]
async fn a_machine_without_certificates_calls_itself_and_says_what_it_needs_for_others() {
    let (server, other) = (Listener::start(ANSWER).await, Listener::start("").await);
    let missing = "there are no certificates here";
    let client = client(Err(missing.into()), Matcher::builder().build());
    let status = get(&client, &format!("http://{}/", server.address)).await;
    assert_eq!(status.unwrap(), 204);
    match get(&client, &format!("https://{}/", other.address)).await {
        Err(CallError::Untrusted(why)) => assert_eq!(why, missing),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_proxy_is_asked_for_a_way_and_named_when_it_gives_none() {
    for (answer, why) in [
        ("HTTP/1.1 407 No\r\n\r\n", "proxy authorization required"),
        ("HTTP/1.1 403 No\r\n\r\n", "unsuccessful"),
    ] {
        let proxy = Listener::start(answer).await;
        let url = format!("http://till:hunter2@{}", proxy.address);
        let client = client(trust::system(), proxies(&url, ""));
        let refused = get(&client, "https://server.example:8443/v1?secret=hunter3").await;
        let Err(CallError::Unreached(text)) = refused else {
            panic!("{refused:?}");
        };
        let named = format!("the proxy {} of HTTPS_PROXY", proxy.address);
        assert!(text.contains(&named) && text.contains(why), "{text}");
        assert!(!text.contains("hunter"), "{text}");
        let heard = proxy.heard().await.to_ascii_lowercase();
        assert!(
            heard.starts_with("connect server.example:8443 http/1.1\r\n"),
            "{heard}"
        );
        assert!(heard.contains("user-agent: the-program/1.0\r\n"), "{heard}");
        assert!(heard.contains("proxy-authorization: basic "), "{heard}");
        assert!(!heard.contains("hunter3"), "{heard}");
    }
}

#[tokio::test]
async fn through_a_tunnel_goes_tls_and_nothing_else() {
    let proxy = Listener::start("HTTP/1.1 200 Established\r\n\r\nthis is no TLS").await;
    let client = client(trust::system(), proxies(&proxy.address, ""));
    let broken = get(&client, "https://server.example/").await;
    assert!(matches!(broken, Err(CallError::Unreached(_))), "{broken:?}");
    let heard = proxy.heard().await;
    assert!(heard.starts_with("CONNECT server.example:443 "), "{heard}");
}

#[tokio::test]
async fn this_machine_and_the_exceptions_are_reached_without_a_proxy() {
    let proxy = Listener::start("").await;
    let client = client(trust::system(), proxies(&proxy.address, "server.invalid"));
    let plain = Listener::start(ANSWER).await;
    let status = get(&client, &format!("http://{}/", plain.address)).await;
    assert_eq!(status.unwrap(), 204);
    let tls = Listener::start("").await;
    let port = tls.address.rsplit_once(':').unwrap().1;
    let url = format!("https://localhost:{port}/");
    let (_, heard) = tokio::join!(get(&client, &url), tls.heard());
    assert_eq!(heard.as_bytes().first(), Some(&TLS_HANDSHAKE));
    match get(&client, "https://server.invalid/").await {
        Err(CallError::Unreached(why)) => assert!(!why.contains("proxy"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_proxy_that_is_called_by_tls_or_socks_is_named() {
    for scheme in ["https", "socks5"] {
        let client = client(
            trust::system(),
            proxies(&format!("{scheme}://127.0.0.1:9"), ""),
        );
        match get(&client, "https://server.example/").await {
            Err(CallError::Unreached(text)) => {
                assert!(text.contains("must be http://HOST:PORT"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
}
