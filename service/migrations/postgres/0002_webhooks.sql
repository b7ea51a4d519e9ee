-- Where a vendor is told what happened to its integrations.
CREATE TABLE webhook (
  vendor_id bigint PRIMARY KEY REFERENCES vendor (id),
  url text NOT NULL,
  -- The secrets that calls are signed with, and what they are bound to.
  sealed bytea NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32)
);

-- What happened: each kind once for an integration. A cancelled one may lie ahead, when the time runs out.
CREATE TABLE event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id text NOT NULL UNIQUE,
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  kind text NOT NULL,
  -- Null if it is about none, as a test.
  integration_hash bytea REFERENCES integration (hash),
  at bigint NOT NULL,
  -- JSON; nothing personal, no secret.
  data text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed')),
  attempts bigint NOT NULL DEFAULT 0,
  due_at bigint NOT NULL,
  -- Why the last attempt failed.
  failure text,
  UNIQUE (integration_hash, kind)
);
CREATE INDEX event_by_time ON event (due_at) WHERE state = 'queued';
CREATE INDEX event_of_vendor ON event (vendor_id, due_at) WHERE state <> 'sent';
