-- An order can have several e-receipts: each has its receipt and its message.
CREATE TABLE receipt_new (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  order_id INTEGER NOT NULL REFERENCES store_order (id),
  expires_at INTEGER NOT NULL
) STRICT;
INSERT INTO receipt_new (id, hash, order_id, expires_at) SELECT id, hash, order_id, expires_at FROM receipt;
DROP TABLE receipt;
ALTER TABLE receipt_new RENAME TO receipt;
CREATE INDEX receipt_of_order ON receipt (order_id);
CREATE INDEX receipt_by_end ON receipt (expires_at);

CREATE TABLE message_new (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  order_id INTEGER NOT NULL REFERENCES store_order (id),
  store_id INTEGER REFERENCES store (id),
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
INSERT INTO message_new (id, public_id, order_id, store_id, sealed, state, attempts, due_at, failure)
  SELECT id, public_id, order_id, store_id, sealed, state, attempts, due_at, failure FROM message;
DROP TABLE message;
ALTER TABLE message_new RENAME TO message;
CREATE INDEX message_of_order ON message (order_id);
CREATE INDEX message_of_store ON message (store_id, due_at) WHERE state = 'queued';
CREATE INDEX dead_letter_by_time ON message (due_at) WHERE state = 'failed' AND sealed IS NOT NULL;

-- Hashes of the encapsulated keys that numbers came with: one sealed number is good for one e-receipt.
CREATE TABLE number_seal (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  order_id INTEGER NOT NULL REFERENCES store_order (id)
) STRICT, WITHOUT ROWID;
INSERT INTO number_seal (hash, order_id) SELECT number_seal, id FROM store_order WHERE number_seal IS NOT NULL;
CREATE INDEX number_seal_of_order ON number_seal (order_id);
DROP INDEX order_of_number_seal;
ALTER TABLE store_order DROP COLUMN number_seal;
