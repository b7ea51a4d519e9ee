-- The secret of the keyed hashes, sealed, once the storage key was changed: it stays what it was. Before, it is derived
-- from the storage key.
CREATE TABLE fingerprint_secret (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed BLOB NOT NULL
) STRICT;
