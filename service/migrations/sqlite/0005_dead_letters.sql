-- A message that cannot be delivered is kept, and listed; one that the operator drops keeps its state, and nothing of the
-- shopper's.
CREATE TABLE message_new (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  order_id INTEGER NOT NULL UNIQUE REFERENCES store_order (id),
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
INSERT INTO message_new (id, public_id, order_id, sealed, state, attempts, due_at)
  SELECT id, public_id, order_id, sealed, state, attempts, due_at FROM message;
DROP TABLE message;
ALTER TABLE message_new RENAME TO message;
CREATE INDEX message_by_time ON message (due_at) WHERE state = 'queued';
