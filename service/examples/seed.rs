//! Fills a database for the bench: rows that lie there, and what the calls are about that are measured.
//!
//! Takes the database's URL, the file of its key, how many integrations lie there, and how many batches of how many
//! calls. Prints the batches as JSON; each has a vendor of its own.

use pos_connect_foundation::database::{Database, Transaction};
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use pos_connect_service::clock::{Clock, Timestamp};
use pos_connect_service::store::{Act, NewAccount, StoreError};
use pos_connect_service::token::{Hash, Kind};
use pos_connect_service::{Service, Settings};
use serde_json::{Value, json};
use std::error::Error;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(60 * 60);
/// Apart, so that five million of them were created within 23 days: none is old enough to be erased.
const MILLISECONDS_APART: i64 = 400;
const EMAIL: &str = "bench@shop.example";

/// One of five is connected; the others were cancelled.
const ENDED_ON_SQLITE: &str = "WITH RECURSIVE one(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < ?1)
     INSERT INTO integration (hash, vendor_id, status, reason, created_at, expires_at, owner_id, store_id, ereceipt,
     decided_at, pickup_until, claimed_at)
     SELECT randomblob(32) AS hash, ?2, iif(n % 5, 'cancelled', 'finished'), iif(n % 5, 'till', NULL), ?3 - n * ?4,
     ?3, iif(n % 5, NULL, ?5), iif(n % 5, NULL, ?6), iif(n % 5, NULL, 1), ?3, iif(n % 5, NULL, ?3),
     iif(n % 5, NULL, ?3) FROM one ORDER BY hash";
const SETS_ON_SQLITE: &str = "INSERT INTO token_set (integration_hash, access_hash, refresh_hash, access_until,
     refresh_until, created_at) SELECT hash, randomblob(32), randomblob(32), ?1, ?1, ?1 FROM integration
     WHERE vendor_id = ?2 AND claimed_at IS NOT NULL";
const ENDED_ON_POSTGRES: &str = "INSERT INTO integration (hash, vendor_id, status, reason, created_at, expires_at,
     owner_id, store_id, ereceipt, decided_at, pickup_until, claimed_at)
     SELECT sha256(int8send(n)), ?2, CASE WHEN n % 5 = 0 THEN 'finished' ELSE 'cancelled' END,
     CASE WHEN n % 5 > 0 THEN 'till' END, ?3::bigint - n * ?4::bigint, ?3, CASE WHEN n % 5 = 0 THEN ?5::bigint END,
     CASE WHEN n % 5 = 0 THEN ?6::bigint END, CASE WHEN n % 5 = 0 THEN true END, ?3,
     CASE WHEN n % 5 = 0 THEN ?3 END, CASE WHEN n % 5 = 0 THEN ?3 END FROM generate_series(1, ?1::bigint) AS n";
const SETS_ON_POSTGRES: &str = "INSERT INTO token_set (integration_hash, access_hash, refresh_hash, access_until,
     refresh_until, created_at) SELECT hash, sha256(hash), sha256(sha256(hash)), ?1, ?1, ?1 FROM integration
     WHERE vendor_id = ?2 AND claimed_at IS NOT NULL";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [database, key, stored, batches, calls] = words.as_slice() else {
        return Err("seed URL KEY-FILE STORED BATCHES CALLS".into());
    };
    let settings = Settings {
        storage_key: Some(StorageKey::File(key.into())),
        ..Settings::default()
    };
    let service = Service::open(database, settings, Clock::system()).await?;
    let owner = Owner::make(&service).await?;
    lay(&service, &owner, stored.parse()?).await?;
    let mut made = Vec::new();
    for number in 0..batches.parse::<usize>()? {
        made.push(batch(&service, &owner, number, calls.parse()?).await?);
    }
    if let Database::Postgres(postgres) = &*service.store {
        // Else the server would do so while it is measured.
        let client = postgres.client().await?;
        client.batch_execute("SET statement_timeout TO 0").await?;
        client.batch_execute("VACUUM ANALYZE").await?;
    }
    println!("{}", json!({ "store": owner.public_id, "batches": made }));
    Ok(())
}

/// Who consents to all of it.
#[derive(Clone)]
struct Owner {
    account: i64,
    store: i64,
    public_id: String,
}

impl Owner {
    async fn make(service: &Service) -> Result<Self, Box<dyn Error>> {
        let (store, now) = (&service.store, service.clock.now());
        let account = NewAccount {
            email: EMAIL.into(),
            name: "Bench".into(),
            mode: Mode::Live,
            // Nobody signs in.
            password_hash: String::new(),
            stores: vec!["Market Street".into()],
        };
        store.add_account(account, Act::operator(now)).await?;
        let account = store.account_by_email(EMAIL).await?.ok_or("no account")?.id;
        let sql = "SELECT id, public_id FROM store WHERE account_id = ?1";
        let read = |row: &pos_connect_foundation::database::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let (store, public_id) = store.one(sql, values![account], read).await?;
        Ok(Self {
            account,
            store,
            public_id,
        })
    }
}

/// A new vendor, and its secret.
async fn vendor(service: &Service, name: &str) -> Result<(i64, String), Box<dyn Error>> {
    let secret = Kind::ClientSecret.mint();
    let (store, hash) = (&service.store, Hash::of(&secret));
    let now = service.clock.now();
    store
        .add_vendor(
            name.into(),
            name.into(),
            Mode::Live,
            hash,
            Vec::new(),
            Act::operator(now),
        )
        .await?;
    let found = store.lookup(name, None).await?.ok_or("no vendor")?;
    Ok((found.vendor.id, secret))
}

/// Integrations that have ended, in one transaction.
async fn lay(service: &Service, owner: &Owner, count: i64) -> Result<(), Box<dyn Error>> {
    let (vendor, _) = vendor(service, "bench-before").await?;
    let (now, owner) = (service.clock.now(), owner.clone());
    let [patience, ended, sets] = match &*service.store {
        Database::Sqlite(_) => [
            "PRAGMA cache_size = -1000000",
            ENDED_ON_SQLITE,
            SETS_ON_SQLITE,
        ],
        Database::Postgres(_) => [
            "SET LOCAL statement_timeout TO 0",
            ENDED_ON_POSTGRES,
            SETS_ON_POSTGRES,
        ],
    };
    let lay = move |transaction: &Transaction<'_>| {
        transaction.execute(patience, values![])?;
        let Owner { account, store, .. } = owner;
        transaction.execute(
            ended,
            values![count, vendor, now, MILLISECONDS_APART, account, store],
        )?;
        transaction.execute(sets, values![now.after(24 * HOUR), vendor])?;
        Ok(())
    };
    Ok(service.store.write(lay).await?)
}

/// The integrations of a batch, by what is next for them.
#[derive(Clone)]
struct Batch {
    consents: Vec<(String, String)>,
    claims: Vec<String>,
    refreshes: Vec<String>,
}

async fn batch(
    service: &Service,
    owner: &Owner,
    number: usize,
    calls: usize,
) -> Result<Value, Box<dyn Error>> {
    let client_id = format!("bench-{number}");
    let (vendor, secret) = vendor(service, &client_id).await?;
    let mint = |kind: Kind| (0..calls).map(move |_| kind.mint());
    let batch = Batch {
        consents: mint(Kind::Integration).zip(mint(Kind::Form)).collect(),
        claims: mint(Kind::Integration).collect(),
        refreshes: mint(Kind::Refresh).collect(),
    };
    let (rows, now, owner) = (batch.clone(), service.clock.now(), owner.clone());
    let write = move |transaction: &Transaction<'_>| {
        for (token, form) in &rows.consents {
            pending(transaction, vendor, &owner, (token, form), now)?;
        }
        for token in &rows.claims {
            finished(transaction, vendor, &owner, &Hash::of(token), (now, None))?;
        }
        for token in &rows.refreshes {
            connected(transaction, vendor, &owner, token, now)?;
        }
        Ok(())
    };
    service.store.write(write).await?;
    Ok(json!({
        "clientId": client_id, "clientSecret": secret, "consents": batch.consents, "claims": batch.claims,
        "refreshes": batch.refreshes,
    }))
}

/// An integration whose merchant has the consent page open.
fn pending(
    transaction: &Transaction<'_>,
    vendor: i64,
    owner: &Owner,
    (token, form): (&str, &str),
    now: Timestamp,
) -> Result<(), StoreError> {
    let hash = Hash::of(token);
    let sql = "INSERT INTO integration (hash, vendor_id, status, created_at, expires_at, owner_id)
         VALUES (?1, ?2, 'pending', ?3, ?4, ?5)";
    let until = now.after(24 * HOUR);
    transaction.execute(sql, values![hash, vendor, now, until, owner.account])?;
    let sql =
        "INSERT INTO form (hash, integration_hash, account_id, created_at) VALUES (?1, ?2, ?3, ?4)";
    // A page may stay open for 15 minutes; the bench takes longer.
    let opened = now.after(6 * HOUR);
    transaction.execute(sql, values![Hash::of(form), hash, owner.account, opened])?;
    Ok(())
}

/// An integration that the merchant finished, and whose tokens were picked up at that time, if at all.
fn finished(
    transaction: &Transaction<'_>,
    vendor: i64,
    owner: &Owner,
    hash: &Hash,
    (now, claimed): (Timestamp, Option<Timestamp>),
) -> Result<(), StoreError> {
    let sql = "INSERT INTO integration (hash, vendor_id, status, created_at, expires_at, owner_id, store_id, ereceipt,
         decided_at, pickup_until, claimed_at) VALUES (?1, ?2, 'finished', ?3, ?4, ?5, ?6, ?7, ?3, ?4, ?8)";
    let (until, Owner { account, store, .. }) = (now.after(24 * HOUR), owner);
    transaction.execute(
        sql,
        values![hash, vendor, now, until, account, store, true, claimed],
    )?;
    Ok(())
}

/// An integration whose refresh token the vendor has.
fn connected(
    transaction: &Transaction<'_>,
    vendor: i64,
    owner: &Owner,
    token: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let hash = Hash::of(&Kind::Integration.mint());
    finished(transaction, vendor, owner, &hash, (now, Some(now)))?;
    let access = Hash::of(&Kind::Access.mint());
    let sql = "INSERT INTO token_set
           (integration_hash, access_hash, refresh_hash, access_until, refresh_until, created_at)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
    let until = now.after(24 * HOUR);
    transaction.execute(sql, values![hash, access, Hash::of(token), until, now])?;
    Ok(())
}
