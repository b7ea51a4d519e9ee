-- What shows that the storage key is the right one.
CREATE TABLE key_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed BLOB NOT NULL
) STRICT;

-- What shoppers may know of a store: JSON, as the last change left it.
ALTER TABLE store ADD COLUMN profile TEXT NOT NULL DEFAULT '{}';

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
CREATE INDEX customer_of_store ON customer (store_id, vendor_id);

CREATE TABLE store_order (
  id INTEGER PRIMARY KEY,
  -- Keyed hash of vendor, store and external id.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  store_id INTEGER NOT NULL REFERENCES store (id),
  -- Keyed hash of the content: tells whether the same order came again.
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  sealed BLOB NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX order_of_store ON store_order (store_id, vendor_id, received_at);

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

-- The page behind a link. Only the link's hash is kept.
CREATE TABLE receipt (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  order_id INTEGER NOT NULL UNIQUE REFERENCES store_order (id),
  expires_at INTEGER NOT NULL
) STRICT;

-- What is to be sent by text message: one for each order.
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  order_id INTEGER NOT NULL UNIQUE REFERENCES store_order (id),
  -- Number and link; erased as soon as the message is delivered.
  sealed BLOB,
  state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  CHECK ((state = 'sent') = (sealed IS NULL))
) STRICT;
CREATE INDEX message_by_time ON message (due_at) WHERE state = 'queued';
