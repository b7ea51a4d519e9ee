-- What back offices of the operator's call the admin API with.
CREATE TABLE admin_key (
  id INTEGER PRIMARY KEY,
  -- What the audit calls it: the first digits of its hash.
  label TEXT NOT NULL UNIQUE,
  key_hash BLOB NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  name TEXT NOT NULL,
  -- Words with spaces between them.
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
