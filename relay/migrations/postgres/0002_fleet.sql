CREATE INDEX till_by_age ON till (created_at, label);
CREATE INDEX till_of_merchant ON till (merchant, created_at, label);

CREATE TABLE fleet_key (
  label text PRIMARY KEY,
  key_hash bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  name text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint
);

CREATE TABLE till_request (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  till text NOT NULL REFERENCES till (label),
  sealed_key bytea NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX till_request_by_age ON till_request (created_at);
