-- Where a vendor is told what happened to its integrations.
CREATE TABLE webhook (
  vendor_id INTEGER PRIMARY KEY REFERENCES vendor (id),
  url TEXT NOT NULL,
  -- The secrets that calls are signed with, and what they are bound to.
  sealed BLOB NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32)
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
CREATE INDEX event_by_time ON event (due_at) WHERE state = 'queued';
CREATE INDEX event_of_vendor ON event (vendor_id, due_at) WHERE state <> 'sent';
