//! Connections: their pool, their TLS, what goes wrong with them.

use super::Schema;
use super::stale::Stale;
use super::url::Wanted;
use crate::sqlite::{Opening, StoreError};
use crate::token::random_text;
use crate::trust;
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime,
};
use rustls::{ClientConfig, RootCertStore};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The database, not the program, is what many connections would slow down.
const CONNECTIONS: usize = 16;
/// Longest wait for a connection, and for a place in the line for one.
const WAIT: Duration = Duration::from_secs(5);
const KEEPALIVE: Duration = Duration::from_secs(30);

/// How to connect.
pub(super) struct Access {
    pub(super) pool: Pool,
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
    /// The name of this program's connections, and no other's: the program, its schema version, a random word.
    pub(super) name: String,
    pub(super) stale: Arc<Stale>,
    pub(super) schema: Schema,
}

impl Access {
    /// Reads the URL; connects to nothing yet.
    pub(super) fn new(url: &str, schema: &Schema, opening: Opening) -> Result<Self, StoreError> {
        let refused = |text: &str| StoreError::Unsupported(text.into());
        let name = format!("{} {} {}", schema.program, schema.latest(), random_text(8));
        let Wanted { url, authority } = Wanted::read(url)?;
        let mut config = config(&url, &name)?;
        let tls = tls(&mut config, authority.as_deref())?;
        let manager = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let (schema, session) = (*schema, session(schema.name, opening));
        let stale = Arc::<Stale>::default();
        let before = stale.clone();
        let pool = Pool::builder(Manager::from_config(config.clone(), tls.clone(), manager))
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(WAIT))
            .post_create(Hook::async_fn(move |client, _| {
                let session = session.clone();
                Box::pin(async move {
                    let set = client.batch_execute(&session).await;
                    set.map_err(HookError::Backend)?;
                    // It may be another one since this program was cut off from the database.
                    match schema.found(client).await.map_err(HookError::Backend)? {
                        (_, true) => Ok(()),
                        (version, false) => Err(HookError::message(schema.mismatch(version))),
                    }
                })
            }))
            .pre_recycle(Hook::sync_fn(move |_, session| {
                match before.includes(session.created) {
                    false => Ok(()),
                    true => Err(HookError::message("from before a failover")),
                }
            }))
            .build()
            .map_err(|_| refused("the pool of connections cannot be made"))?;
        Ok(Self {
            pool,
            config,
            tls,
            name,
            stale,
            schema,
        })
    }
}

/// Our own schema first, so that no statement has to name it; and no statement or lock waits longer than a till would.
/// A command's statement takes the time that it needs: it may end a hundred thousand connections.
fn session(schema: &str, opening: Opening) -> String {
    let longest = match opening {
        Opening::Prepare => "5s",
        Opening::Existing | Opening::Contain => "0",
    };
    format!(
        "SET search_path TO {schema}; SET synchronous_commit TO on; SET statement_timeout TO '{longest}';
         SET lock_timeout TO '5s'; SET idle_in_transaction_session_timeout TO '60s'"
    )
}

fn config(url: &str, name: &str) -> Result<Config, StoreError> {
    // The error could repeat a part of the URL, and with it the password.
    let refused = |text: &str| StoreError::Unsupported(text.into());
    let mut config: Config = url.parse().map_err(|_| {
        refused("the database URL is not valid; write postgres://user@host/database")
    })?;
    if crosses_a_network(&config) {
        match config.get_ssl_mode() {
            // An answer that says "no TLS" could come from anybody on the way.
            SslMode::Prefer => _ = config.ssl_mode(SslMode::Require),
            SslMode::Disable => {
                tracing::warn!("the connection to the database is not encrypted: sslmode=disable")
            }
            _ => {}
        }
    }
    config.connect_timeout(WAIT);
    // A server that has gone without a word is noticed, instead of waited for.
    config.tcp_user_timeout(WAIT);
    config.keepalives_idle(KEEPALIVE);
    config.application_name(name);
    Ok(config)
}

/// Whether the server is on another machine, as far as its name says.
fn crosses_a_network(config: &Config) -> bool {
    let is_here = |host: &Host| match host {
        Host::Tcp(name) => {
            let name = name.trim_matches(['[', ']']);
            let is_loopback = |ip: IpAddr| ip.is_loopback();
            name == "localhost" || name.parse().is_ok_and(is_loopback)
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    // Where there are addresses, they are what is connected to, whatever the names are.
    let addresses = config.get_hostaddrs();
    !config.get_hosts().iter().all(is_here) || !addresses.iter().all(IpAddr::is_loopback)
}

/// The TLS of a connection: it verifies the server's certificate, which libpq's `require` does not.
fn tls(config: &mut Config, authority: Option<&Path>) -> Result<MakeRustlsConnect, StoreError> {
    let named = authority.map(trust::file).transpose();
    let named = named.map_err(StoreError::Unsupported)?;
    roots(config, named.map_or_else(trust::system, Ok)).map(connector)
}

fn connector(roots: RootCertStore) -> MakeRustlsConnect {
    let tls = ClientConfig::builder().with_root_certificates(roots);
    let mut tls = tls.with_no_client_auth();
    // With `sslnegotiation=direct`, a server refuses a client that does not name the protocol.
    tls.alpn_protocols = vec![b"postgresql".to_vec()];
    MakeRustlsConnect::new(tls)
}

/// The certificates to trust; without any, nothing is encrypted, where nothing has to be.
fn roots(
    config: &mut Config,
    trusted: Result<RootCertStore, String>,
) -> Result<RootCertStore, StoreError> {
    let is_needed = config.get_ssl_mode() == SslMode::Require;
    trusted.or_else(|why| match is_needed {
        true => Err(StoreError::Unavailable(why)),
        false => {
            config.ssl_mode(SslMode::Disable);
            Ok(RootCertStore::empty())
        }
    })
}

pub(super) fn unreachable(error: PoolError) -> StoreError {
    StoreError::Unavailable(match error {
        PoolError::Backend(error) => described(&error),
        PoolError::Timeout(_) => "no connection to the database in time".into(),
        PoolError::PostCreateHook(HookError::Backend(error)) => described(&error),
        PoolError::PostCreateHook(HookError::Message(mismatch)) => {
            return StoreError::Unsupported(mismatch.into());
        }
        _ => "no connection to the database".into(),
    })
}

/// Whether another transaction came in between, and the same work may go through now (PostgreSQL, "Serialization
/// failure handling": a unique violation can be one, too).
pub(crate) fn is_conflict(error: &tokio_postgres::Error) -> bool {
    [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::UNIQUE_VIOLATION,
    ]
    .iter()
    .any(|state| error.code() == Some(state))
}

/// The server's message without its detail, which may repeat a value.
fn described(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => format!("{} ({})", error.message(), error.code().code()),
        None => {
            let source = std::error::Error::source(error);
            source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
        }
    }
}

/// What another try may mend is told from a fault of ours.
pub(crate) fn fault(error: tokio_postgres::Error) -> StoreError {
    let text = described(&error);
    let passing = |state: &SqlState| {
        // Connection, transaction rollback, resources, lock not available, operator intervention; and a standby.
        ["08", "40", "53", "55", "57"].contains(&&state.code()[..2])
            || *state == SqlState::READ_ONLY_SQL_TRANSACTION
    };
    match error.code() {
        Some(state) if !passing(state) => StoreError::Fault(text),
        None if !error.is_closed() && std::error::Error::source(&error).is_none() => {
            StoreError::Fault(text)
        }
        _ => StoreError::Unavailable(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;

    #[test]
    fn what_crosses_a_network_is_encrypted() {
        for (url, crosses) in [
            ("postgres://u@localhost/db", false),
            ("postgres://u@127.0.0.1/db", false),
            ("postgres://u@%2Fvar%2Frun%2Fpostgresql/db", false),
            ("postgres:///db?host=/tmp", false),
            ("postgres://u@db.example/db", true),
            ("postgres://u@10.0.0.7/db", true),
            ("postgres://u@localhost,db.example/db", true),
            ("postgres://u@localhost/db?hostaddr=10.0.0.7", true),
            ("postgres:///db?hostaddr=10.0.0.7", true),
            ("postgres://u@localhost/db?hostaddr=127.0.0.1", false),
        ] {
            let config: Config = url.parse().unwrap();
            assert_eq!(crosses_a_network(&config), crosses, "{url}");
        }
    }

    #[tokio::test]
    async fn tls_from_the_first_byte_names_the_protocol() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let url = format!("postgres://u@127.0.0.1:{port}/db?sslmode=require&sslnegotiation=direct");
        let hello = async {
            let (mut client, _) = server.accept().await.unwrap();
            let mut hello = vec![0; 4096];
            let length = client.read(&mut hello).await.unwrap();
            hello.truncate(length);
            hello
        };
        let config = config(&url, "name").unwrap();
        let (hello, _) = tokio::join!(hello, config.connect(connector(RootCertStore::empty())));
        assert_eq!(hello.first(), Some(&22), "a handshake of TLS");
        let protocol = b"\x0apostgresql";
        assert!(hello.windows(protocol.len()).any(|part| part == protocol));
    }

    fn access(url: &str) -> Result<Access, StoreError> {
        let schema = Schema {
            program: "the-program",
            name: "ours",
            lock: 1,
            migrations: &[],
            oldest: 0,
        };
        Access::new(url, &schema, Opening::Existing)
    }

    #[test]
    fn a_file_of_certificates_is_read_or_named() {
        let error = access("postgres://u@db.example/db?sslrootcert=/nowhere/ca.pem");
        let error = error.err().unwrap().to_string();
        assert!(
            error.starts_with("cannot read /nowhere/ca.pem: "),
            "{error}"
        );
    }

    #[test]
    fn a_machine_without_certificates_reaches_its_own_server_and_no_other() {
        let missing = || Err("there are no certificates here".to_owned());
        let mut here = config("postgres://u@localhost/db", "name").unwrap();
        assert!(roots(&mut here, missing()).is_ok());
        assert_eq!(here.get_ssl_mode(), SslMode::Disable);
        for there in [
            "postgres://u@db.example/db",
            "postgres://u@localhost/db?sslmode=require",
        ] {
            let mut there = config(there, "name").unwrap();
            let error = roots(&mut there, missing()).unwrap_err();
            assert_eq!(error.to_string(), "there are no certificates here");
        }
    }
}
