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
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE store (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  UNIQUE (account_id, name)
) STRICT;

CREATE TABLE integration (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  status TEXT NOT NULL CHECK (status IN ('pending', 'finished', 'cancelled')),
  reason TEXT CHECK (reason IN ('merchant', 'till')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
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

CREATE TABLE token_set (
  integration_hash BLOB PRIMARY KEY REFERENCES integration (hash),
  access_hash BLOB NOT NULL UNIQUE CHECK (length(access_hash) = 32),
  refresh_hash BLOB NOT NULL UNIQUE CHECK (length(refresh_hash) = 32),
  access_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row for each page of the connect frame that was shown and not sent yet.
CREATE TABLE form (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  integration_hash BLOB NOT NULL REFERENCES integration (hash),
  -- Null until somebody signed in.
  account_id INTEGER REFERENCES account (id),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX form_of_integration ON form (integration_hash, created_at);
CREATE INDEX form_by_age ON form (created_at);
