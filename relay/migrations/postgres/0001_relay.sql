-- As in sqlite/0001_relay.sql, which says what each column is for.
CREATE TABLE till (
  label text PRIMARY KEY,
  key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
  merchant text NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint
);

CREATE TABLE integration (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  till text NOT NULL REFERENCES till (label),
  sealed_token bytea NOT NULL,
  reissues boolean NOT NULL,
  sealed_pickup bytea,
  pickup text NOT NULL DEFAULT 'none' CHECK (pickup IN ('none', 'open', 'kept', 'lost')),
  created_at bigint NOT NULL,
  CHECK (pickup NOT IN ('open', 'kept') OR sealed_pickup IS NOT NULL)
);
CREATE INDEX integration_open ON integration (hash) WHERE pickup = 'open';
CREATE INDEX integration_by_age ON integration (created_at) WHERE pickup <> 'kept';

CREATE TABLE token_set (
  integration_hash bytea PRIMARY KEY REFERENCES integration (hash),
  merchant text NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  version bigint NOT NULL DEFAULT 0,
  sealed_tokens bytea,
  handed_out boolean NOT NULL,
  ereceipt boolean NOT NULL,
  expiration text,
  expires_at bigint,
  account_id text,
  account_name text,
  kept_at bigint NOT NULL,
  acknowledged_at bigint,
  ended_at bigint,
  CHECK (acknowledged_at IS NULL OR (handed_out AND sealed_tokens IS NULL)),
  CHECK ((account_id IS NULL) = (account_name IS NULL))
);
CREATE INDEX token_set_of_merchant ON token_set (merchant, number);
CREATE INDEX token_set_due ON token_set (expires_at) WHERE NOT handed_out AND ended_at IS NULL AND sealed_tokens IS NOT NULL;

CREATE TABLE key_check (
  id integer PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL
);
