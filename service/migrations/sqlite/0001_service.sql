-- All times are milliseconds since 1970, by the clock of the service that wrote them. Budgets count microseconds.
CREATE TABLE vendor (
  id INTEGER PRIMARY KEY,
  client_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  -- The secret before the last rotation, and until when it still works.
  previous_secret_hash BLOB CHECK (length(previous_secret_hash) = 32),
  previous_secret_until INTEGER,
  disabled_at INTEGER,
  created_at INTEGER NOT NULL,
  -- A data: URI.
  logo TEXT,
  CHECK ((previous_secret_hash IS NULL) = (previous_secret_until IS NULL))
) STRICT;

CREATE TABLE vendor_origin (
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  origin TEXT NOT NULL,
  PRIMARY KEY (vendor_id, origin)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  -- Both are null in an account of a provider's, which is never found by an email.
  email TEXT UNIQUE,
  password_hash TEXT,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Nobody signs in with it.
  disabled_at INTEGER,
  -- The countries whose numbers its receipts go to, as 'IL US'. Null: those of the service's setting.
  message_regions TEXT,
  -- The operator's provider of OpenID Connect, its ID for the account, and what it calls who has signed in last.
  issuer TEXT,
  subject TEXT,
  login TEXT,
  -- A data: URI.
  logo TEXT,
  UNIQUE (issuer, subject),
  CHECK ((email IS NULL) = (password_hash IS NULL)),
  CHECK ((email IS NULL) = (issuer IS NOT NULL AND subject IS NOT NULL AND login IS NOT NULL))
) STRICT;

CREATE TABLE store (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  -- What shoppers may know of a store: JSON, as the last change left it.
  profile TEXT NOT NULL DEFAULT '{}',
  -- The provider's ID for it. Null: the operator's commands have added it.
  external_id TEXT,
  -- When the provider named it no more: it cannot be connected.
  withdrawn_at INTEGER
) STRICT;
CREATE UNIQUE INDEX store_by_name ON store (account_id, name) WHERE external_id IS NULL;
CREATE UNIQUE INDEX store_by_external_id ON store (account_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE integration (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'finished', 'cancelled')),
  reason TEXT CHECK (reason IN ('merchant', 'till')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The four digits of the page and the till, from the integration token: no two pending integrations of a vendor have
  -- the same. Null for one that expired when another one needed its digits.
  code INTEGER CHECK (code BETWEEN 0 AND 9999),
  -- When the connect page was first opened in a window or on a phone: the till says so.
  opened_at INTEGER,
  -- The account that signed in first.
  owner_id INTEGER REFERENCES account (id),
  store_id INTEGER REFERENCES store (id),
  ereceipt INTEGER CHECK (ereceipt IN (0, 1)),
  decided_at INTEGER,
  pickup_until INTEGER,
  claimed_at INTEGER,
  CHECK ((status = 'pending') = (decided_at IS NULL)),
  CHECK ((status = 'cancelled') = (reason IS NOT NULL)),
  CHECK ((status = 'finished') = (pickup_until IS NOT NULL)),
  CHECK (status <> 'finished' OR (owner_id IS NOT NULL AND store_id IS NOT NULL AND ereceipt IS NOT NULL)),
  CHECK (claimed_at IS NULL OR status = 'finished')
) STRICT, WITHOUT ROWID;
-- The purge looks for integrations in the order in which they can end.
CREATE INDEX integration_by_age ON integration (created_at);
CREATE INDEX integration_of_owner ON integration (owner_id) WHERE owner_id IS NOT NULL;
CREATE UNIQUE INDEX integration_by_code ON integration (vendor_id, code) WHERE status = 'pending' AND code IS NOT NULL;

CREATE TABLE token_set (
  -- The key: an integration never has two pairs of tokens, so no two can be valid.
  integration_hash BLOB PRIMARY KEY REFERENCES integration (hash),
  access_hash BLOB NOT NULL UNIQUE CHECK (length(access_hash) = 32),
  refresh_hash BLOB NOT NULL UNIQUE CHECK (length(refresh_hash) = 32),
  access_until INTEGER NOT NULL,
  refresh_until INTEGER NOT NULL,
  -- When it was picked up.
  created_at INTEGER NOT NULL,
  -- Hash of the random text that the pick-up carried, if it did.
  pickup_hash BLOB CHECK (length(pickup_hash) = 32),
  reissues INTEGER NOT NULL DEFAULT 0 CHECK (reissues >= 0),
  -- When one of its tokens was used: first, or by a change that came a minute later or more.
  used_at INTEGER,
  revoked_at INTEGER,
  -- When a token of the pair that is valid now was used first.
  pair_used_at INTEGER,
  -- How many refresh tokens were exchanged, not counting those that were exchanged again.
  exchanges INTEGER NOT NULL DEFAULT 0,
  -- When the budget of exchanges is full again.
  exchanges_full_at INTEGER NOT NULL DEFAULT 0,
  CHECK (revoked_at IS NULL OR used_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- Refresh tokens that were exchanged: one that turns up again is in two hands.
CREATE TABLE spent_refresh (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  integration_hash BLOB NOT NULL REFERENCES integration (hash),
  -- When it would have expired unspent; nobody needs to remember it longer.
  refresh_until INTEGER NOT NULL,
  -- Which exchange ended it.
  exchange INTEGER NOT NULL,
  -- It was never exchanged; the token before it was, again, and its pair was replaced unused.
  unused INTEGER NOT NULL CHECK (unused IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_refresh_by_end ON spent_refresh (refresh_until);
CREATE INDEX spent_refresh_of_integration ON spent_refresh (integration_hash);

-- One row for each page of the connect frame that was shown and not sent yet.
CREATE TABLE form (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  -- Null on the merchant's list of connections.
  integration_hash BLOB REFERENCES integration (hash),
  -- Null until somebody signed in.
  account_id INTEGER REFERENCES account (id),
  created_at INTEGER NOT NULL,
  CHECK (integration_hash IS NOT NULL OR account_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX form_of_integration ON form (integration_hash, created_at);
CREATE INDEX form_by_age ON form (created_at);

-- One row for each sign-in that has gone to a provider and has not come back.
CREATE TABLE provider_login (
  -- The hash of the `state` that the provider hands back.
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  -- The hash of the secret in the browser's cookie.
  browser_hash BLOB NOT NULL CHECK (length(browser_hash) = 32),
  -- Null from the merchant's list of connections.
  integration_hash BLOB REFERENCES integration (hash),
  issuer TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_login_of_integration ON provider_login (integration_hash, created_at);
CREATE INDEX provider_login_by_age ON provider_login (created_at);

-- What shows that the storage key is the right one.
CREATE TABLE key_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed BLOB NOT NULL
) STRICT;

-- The secret of the keyed hashes, sealed, once the storage key was changed: it stays what it was. Before, it is derived
-- from the storage key.
CREATE TABLE fingerprint_secret (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed BLOB NOT NULL
) STRICT;

-- What shoppers' numbers are sealed for in tills: HPKE key pairs. One is current, the others open what came before.
CREATE TABLE sealing_key (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  -- The private key, and what it is bound to.
  sealed BLOB NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL,
  retired_at INTEGER
) STRICT;
CREATE UNIQUE INDEX sealing_key_current ON sealing_key (retired_at IS NULL) WHERE retired_at IS NULL;

-- Personal data, so nothing of it is in plain: tills use phone numbers as ids, too.
CREATE TABLE customer (
  id INTEGER PRIMARY KEY,
  -- Keyed hash of vendor, store and external id.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  store_id INTEGER NOT NULL REFERENCES store (id),
  sealed BLOB NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
-- Orders are as old as their numbers say. Customers change: the purge looks for those that have not for long.
CREATE INDEX customer_by_age ON customer (updated_at);

CREATE TABLE store_order (
  id INTEGER PRIMARY KEY,
  -- Keyed hash of vendor, store and external id. It has the till, too, where a relay tells tills apart: each may count
  -- from 1.
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- The same without the till.
  number BLOB NOT NULL CHECK (length(number) = 32),
  -- Keyed hash of the content without its e-receipt: tells the same sale without opening it.
  sale BLOB NOT NULL CHECK (length(sale) = 32),
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  store_id INTEGER NOT NULL REFERENCES store (id),
  sealed BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  -- One index for both: each writes a page of its own for every order.
  UNIQUE (number, hash)
) STRICT;

-- What a vendor's tills have stored for a store, in bytes: in all, and on one day (in days since 1970).
CREATE TABLE stored_bytes (
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  store_id INTEGER NOT NULL REFERENCES store (id),
  total INTEGER NOT NULL,
  day INTEGER NOT NULL,
  on_day INTEGER NOT NULL,
  PRIMARY KEY (vendor_id, store_id)
) STRICT, WITHOUT ROWID;

-- Calls that can be repeated: the answer is kept for a while.
CREATE TABLE repeatable_call (
  id INTEGER PRIMARY KEY,
  -- Keyed hash of vendor, store, operation and Idempotency-Key.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  -- Keyed hash of the body.
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  sealed_answer BLOB NOT NULL,
  kept_until INTEGER NOT NULL
) STRICT;
CREATE INDEX repeatable_call_by_end ON repeatable_call (kept_until);

-- The page behind a link, one for each e-receipt of an order. Only the link's hash is kept.
CREATE TABLE receipt (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  order_id INTEGER NOT NULL REFERENCES store_order (id),
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX receipt_of_order ON receipt (order_id);
CREATE INDEX receipt_by_end ON receipt (expires_at);

-- What is to be sent by text message, one for each e-receipt. One that cannot be delivered is kept, and listed; one
-- that the operator drops keeps its state, and nothing of the shopper's.
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  order_id INTEGER NOT NULL REFERENCES store_order (id),
  -- Stores have their messages handed over in turns.
  store_id INTEGER NOT NULL REFERENCES store (id),
  -- Number and link; erased as soon as the message is delivered, or dropped.
  sealed BLOB,
  state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  -- Why the last attempt failed, in words of ours.
  failure TEXT,
  CHECK (state <> 'queued' OR sealed IS NOT NULL),
  CHECK (state <> 'sent' OR sealed IS NULL)
) STRICT;
CREATE INDEX message_of_order ON message (order_id);
CREATE INDEX message_of_store ON message (store_id, due_at) WHERE state = 'queued';
CREATE INDEX dead_letter_by_time ON message (due_at) WHERE state = 'failed' AND sealed IS NOT NULL;

-- Hashes of the encapsulated keys that numbers came with: one sealed number is good for one e-receipt.
CREATE TABLE number_seal (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  order_id INTEGER NOT NULL REFERENCES store_order (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX number_seal_of_order ON number_seal (order_id);

-- What was done of what has a limit, by number, till and store: when a budget is full again. Without an index by that
-- time: each message would change it, and only the purge asks for it.
CREATE TABLE budget (
  -- Keyed hash of whose it is.
  key BLOB PRIMARY KEY CHECK (length(key) = 32),
  full_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How often passwords were tried: when a budget is full again.
CREATE TABLE sign_in_budget (
  key BLOB PRIMARY KEY CHECK (length(key) = 32),
  full_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_budget_by_end ON sign_in_budget (full_at);

-- Where an account was signed in to from: a hash of account and network.
CREATE TABLE familiar_address (
  account_id INTEGER NOT NULL REFERENCES account (id),
  address BLOB NOT NULL CHECK (length(address) = 32),
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, address)
) STRICT, WITHOUT ROWID;

-- Where a vendor is told what happened to its integrations.
CREATE TABLE webhook (
  vendor_id INTEGER PRIMARY KEY REFERENCES vendor (id),
  url TEXT NOT NULL,
  -- The secrets that calls are signed with, and what they are bound to.
  sealed BLOB NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- A vendor that does not answer is left alone until then, by every service; how often in a row it was silent.
  quiet_until INTEGER NOT NULL DEFAULT 0,
  silences INTEGER NOT NULL DEFAULT 0,
  -- When its receiver said that it is gone: it is told nothing more until the operator enables its webhook.
  disabled_at INTEGER
) STRICT;

-- What happened: each kind once for an integration. A cancelled one may lie ahead, when the time runs out.
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  kind TEXT NOT NULL,
  -- Null if it is about none, as a test.
  integration_hash BLOB REFERENCES integration (hash),
  at INTEGER NOT NULL,
  -- JSON; nothing personal, no secret.
  data TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  -- Why the last attempt failed.
  failure TEXT,
  UNIQUE (integration_hash, kind)
) STRICT;
-- Who has something due is found by vendor; what lies ahead, or has failed, is not looked through.
CREATE INDEX event_due ON event (vendor_id, state, due_at) WHERE state <> 'sent';
CREATE INDEX event_undelivered ON event (vendor_id, state, at) WHERE state <> 'sent';

-- Who did what, when and from where.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  actor TEXT NOT NULL,
  address TEXT,
  subject TEXT
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
-- Rows are added, and go after 30 days at the earliest. What is old is so by the machine's clock, too: one row of the
-- future makes no other one old.
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT raise(ABORT, 'the audit is not changed');
END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN OLD.at > min((SELECT max(at) FROM audit), CAST(unixepoch('subsec') * 1000 AS INTEGER)) - 2592000000
BEGIN
  SELECT raise(ABORT, 'the audit is kept');
END;
