CREATE INDEX till_by_age ON till (created_at, label);
CREATE INDEX till_of_merchant ON till (merchant, created_at, label);

-- What the vendor's server proves itself with: it adds and revokes tills.
CREATE TABLE fleet_key (
  label TEXT PRIMARY KEY,
  key_hash BLOB NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- Calls of the vendor's server that added a till: one that is repeated gets the same answer. Erased after two days.
CREATE TABLE till_request (
  -- The hash of the fleet key's label and the Idempotency-Key.
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  till TEXT NOT NULL REFERENCES till (label),
  -- The till's key, encrypted.
  sealed_key BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX till_request_by_age ON till_request (created_at);
