CREATE TABLE till (
  -- The first digits of the key's hash: what the log and `till list` call it.
  label TEXT PRIMARY KEY,
  key_hash BLOB NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  merchant TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE integration (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  till TEXT NOT NULL REFERENCES till (label),
  -- The integration token, encrypted: a pick-up that a crash interrupted needs it again.
  sealed_token BLOB NOT NULL,
  -- Whether the service reissues a token set whose answer was lost.
  reissues INTEGER NOT NULL CHECK (reissues IN (0, 1)),
  -- The random text of its one pick-up, encrypted; written before the call is sent.
  sealed_pickup BLOB,
  pickup TEXT NOT NULL DEFAULT 'none' CHECK (pickup IN ('none', 'open', 'kept', 'lost')),
  created_at INTEGER NOT NULL,
  CHECK (pickup NOT IN ('open', 'kept') OR sealed_pickup IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX integration_open ON integration (hash) WHERE pickup = 'open';
CREATE INDEX integration_by_age ON integration (created_at) WHERE pickup <> 'kept';

CREATE TABLE token_set (
  integration_hash BLOB PRIMARY KEY REFERENCES integration (hash),
  merchant TEXT NOT NULL,
  -- Rises with every set that is kept: a merchant's connection is the one with the highest.
  number INTEGER NOT NULL UNIQUE,
  -- Counts the refreshes.
  version INTEGER NOT NULL DEFAULT 0,
  -- Both tokens, encrypted; null once they are handed over, or replaced by another integration's.
  sealed_tokens BLOB,
  handed_out INTEGER NOT NULL CHECK (handed_out IN (0, 1)),
  ereceipt INTEGER NOT NULL CHECK (ereceipt IN (0, 1)),
  -- As the tills are told it.
  expiration TEXT,
  -- Null where it could not be read.
  expires_at INTEGER,
  account_id TEXT,
  account_name TEXT,
  -- Which store of the account.
  store_id TEXT,
  store_name TEXT,
  kept_at INTEGER NOT NULL,
  acknowledged_at INTEGER,
  -- When the service stopped taking it.
  ended_at INTEGER,
  -- Both tokens of a set that the service stopped taking, encrypted; erased a few days later. The service may have been
  -- restored from an older copy, and take them again.
  sealed_ended BLOB,
  -- It belongs to another account than the merchant's: it is never used, only revoked.
  refused INTEGER NOT NULL DEFAULT 0 CHECK (refused IN (0, 1)),
  CHECK (acknowledged_at IS NULL OR (handed_out = 1 AND sealed_tokens IS NULL)),
  CHECK ((account_id IS NULL) = (account_name IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX token_set_of_merchant ON token_set (merchant, number);
CREATE INDEX token_set_due ON token_set (expires_at)
  WHERE handed_out = 0 AND ended_at IS NULL AND sealed_tokens IS NOT NULL;
CREATE INDEX token_set_ended ON token_set (ended_at) WHERE sealed_ended IS NOT NULL;

-- Merchants whose next connection may be to another account.
CREATE TABLE allowed_change (
  merchant TEXT PRIMARY KEY,
  allowed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: something that only the right key can read, so that a wrong one is noticed before it does harm.
CREATE TABLE key_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed BLOB NOT NULL
) STRICT;

-- Who did what, and when.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  actor TEXT NOT NULL,
  merchant TEXT,
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
