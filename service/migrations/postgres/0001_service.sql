-- As in sqlite/0001_service.sql, which says what each is for.
CREATE TABLE vendor (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  client_id text NOT NULL UNIQUE,
  name text NOT NULL,
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  previous_secret_hash bytea CHECK (length(previous_secret_hash) = 32),
  previous_secret_until bigint,
  disabled_at bigint,
  created_at bigint NOT NULL,
  logo text,
  CHECK ((previous_secret_hash IS NULL) = (previous_secret_until IS NULL))
);

CREATE TABLE vendor_origin (
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  origin text NOT NULL,
  PRIMARY KEY (vendor_id, origin)
);

CREATE TABLE account (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id text NOT NULL UNIQUE,
  email text UNIQUE,
  password_hash text,
  name text NOT NULL,
  created_at bigint NOT NULL,
  disabled_at bigint,
  message_regions text,
  issuer text,
  subject text,
  login text,
  logo text,
  UNIQUE (issuer, subject),
  CHECK ((email IS NULL) = (password_hash IS NULL)),
  CHECK ((email IS NULL) = (issuer IS NOT NULL AND subject IS NOT NULL AND login IS NOT NULL))
);

CREATE TABLE store (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id text NOT NULL UNIQUE,
  account_id bigint NOT NULL REFERENCES account (id),
  name text NOT NULL,
  profile text NOT NULL DEFAULT '{}',
  external_id text,
  withdrawn_at bigint
);
CREATE UNIQUE INDEX store_by_name ON store (account_id, name) WHERE external_id IS NULL;
CREATE UNIQUE INDEX store_by_external_id ON store (account_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE integration (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  status text NOT NULL CHECK (status IN ('pending', 'finished', 'cancelled')),
  reason text CHECK (reason IN ('merchant', 'till')),
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  code bigint CHECK (code BETWEEN 0 AND 9999),
  opened_at bigint,
  owner_id bigint REFERENCES account (id),
  store_id bigint REFERENCES store (id),
  ereceipt boolean,
  decided_at bigint,
  pickup_until bigint,
  claimed_at bigint,
  CHECK ((status = 'pending') = (decided_at IS NULL)),
  CHECK ((status = 'cancelled') = (reason IS NOT NULL)),
  CHECK ((status = 'finished') = (pickup_until IS NOT NULL)),
  CHECK (status <> 'finished' OR (owner_id IS NOT NULL AND store_id IS NOT NULL AND ereceipt IS NOT NULL)),
  CHECK (claimed_at IS NULL OR status = 'finished')
);
CREATE INDEX integration_by_age ON integration (created_at, hash);
CREATE INDEX integration_of_owner ON integration (owner_id) WHERE owner_id IS NOT NULL;
CREATE UNIQUE INDEX integration_by_code ON integration (vendor_id, code) WHERE status = 'pending' AND code IS NOT NULL;

CREATE TABLE token_set (
  integration_hash bytea PRIMARY KEY REFERENCES integration (hash),
  access_hash bytea NOT NULL UNIQUE CHECK (length(access_hash) = 32),
  refresh_hash bytea NOT NULL UNIQUE CHECK (length(refresh_hash) = 32),
  access_until bigint NOT NULL,
  refresh_until bigint NOT NULL,
  created_at bigint NOT NULL,
  pickup_hash bytea CHECK (length(pickup_hash) = 32),
  reissues bigint NOT NULL DEFAULT 0 CHECK (reissues >= 0),
  used_at bigint,
  revoked_at bigint,
  pair_used_at bigint,
  exchanges bigint NOT NULL DEFAULT 0,
  exchanges_full_at bigint NOT NULL DEFAULT 0,
  CHECK (revoked_at IS NULL OR used_at IS NOT NULL)
);

CREATE TABLE spent_refresh (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  integration_hash bytea NOT NULL REFERENCES integration (hash),
  refresh_until bigint NOT NULL,
  exchange bigint NOT NULL,
  unused boolean NOT NULL
);
CREATE INDEX spent_refresh_by_end ON spent_refresh (refresh_until);
CREATE INDEX spent_refresh_of_integration ON spent_refresh (integration_hash);

CREATE TABLE form (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  integration_hash bytea REFERENCES integration (hash),
  account_id bigint REFERENCES account (id),
  created_at bigint NOT NULL,
  CHECK (integration_hash IS NOT NULL OR account_id IS NOT NULL)
);
CREATE INDEX form_of_integration ON form (integration_hash, created_at);
CREATE INDEX form_by_age ON form (created_at);

CREATE TABLE provider_login (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  browser_hash bytea NOT NULL CHECK (length(browser_hash) = 32),
  integration_hash bytea REFERENCES integration (hash),
  issuer text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX provider_login_of_integration ON provider_login (integration_hash, created_at);
CREATE INDEX provider_login_by_age ON provider_login (created_at);

CREATE TABLE key_check (
  id bigint PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL
);

CREATE TABLE fingerprint_secret (
  id bigint PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL
);

CREATE TABLE sealing_key (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id text NOT NULL UNIQUE,
  public_key text NOT NULL,
  sealed bytea NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  created_at bigint NOT NULL,
  retired_at bigint
);
CREATE UNIQUE INDEX sealing_key_current ON sealing_key ((retired_at IS NULL)) WHERE retired_at IS NULL;

CREATE TABLE customer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  store_id bigint NOT NULL REFERENCES store (id),
  sealed bytea NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX customer_by_age ON customer (updated_at);

CREATE TABLE store_order (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  number bytea NOT NULL CHECK (length(number) = 32),
  sale bytea NOT NULL CHECK (length(sale) = 32),
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  store_id bigint NOT NULL REFERENCES store (id),
  sealed bytea NOT NULL,
  received_at bigint NOT NULL,
  UNIQUE (number, hash)
);

CREATE TABLE stored_bytes (
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  store_id bigint NOT NULL REFERENCES store (id),
  total bigint NOT NULL,
  day bigint NOT NULL,
  on_day bigint NOT NULL,
  PRIMARY KEY (vendor_id, store_id)
);

CREATE TABLE repeatable_call (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
  sealed_answer bytea NOT NULL,
  kept_until bigint NOT NULL
);
CREATE INDEX repeatable_call_by_end ON repeatable_call (kept_until);

CREATE TABLE receipt (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  order_id bigint NOT NULL REFERENCES store_order (id),
  expires_at bigint NOT NULL
);
CREATE INDEX receipt_of_order ON receipt (order_id);
CREATE INDEX receipt_by_end ON receipt (expires_at);

CREATE TABLE message (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id text NOT NULL UNIQUE,
  order_id bigint NOT NULL REFERENCES store_order (id),
  store_id bigint NOT NULL REFERENCES store (id),
  sealed bytea,
  state text NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
  attempts bigint NOT NULL DEFAULT 0,
  due_at bigint NOT NULL,
  failure text,
  CHECK (state <> 'queued' OR sealed IS NOT NULL),
  CHECK (state <> 'sent' OR sealed IS NULL)
);
CREATE INDEX message_of_order ON message (order_id);
CREATE INDEX message_of_store ON message (store_id, due_at) WHERE state = 'queued';
CREATE INDEX dead_letter_by_time ON message (due_at) WHERE state = 'failed' AND sealed IS NOT NULL;

CREATE TABLE number_seal (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  order_id bigint NOT NULL REFERENCES store_order (id)
);
CREATE INDEX number_seal_of_order ON number_seal (order_id);

CREATE TABLE budget (
  key bytea PRIMARY KEY CHECK (length(key) = 32),
  full_at bigint NOT NULL
);

CREATE TABLE sign_in_budget (
  key bytea PRIMARY KEY CHECK (length(key) = 32),
  full_at bigint NOT NULL
);
CREATE INDEX sign_in_budget_by_end ON sign_in_budget (full_at);

CREATE TABLE familiar_address (
  account_id bigint NOT NULL REFERENCES account (id),
  address bytea NOT NULL CHECK (length(address) = 32),
  seen_at bigint NOT NULL,
  PRIMARY KEY (account_id, address)
);

CREATE TABLE webhook (
  vendor_id bigint PRIMARY KEY REFERENCES vendor (id),
  url text NOT NULL,
  sealed bytea NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  quiet_until bigint NOT NULL DEFAULT 0,
  silences bigint NOT NULL DEFAULT 0,
  disabled_at bigint
);

CREATE TABLE event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id text NOT NULL UNIQUE,
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  kind text NOT NULL,
  integration_hash bytea REFERENCES integration (hash),
  at bigint NOT NULL,
  data text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed')),
  attempts bigint NOT NULL DEFAULT 0,
  due_at bigint NOT NULL,
  failure text,
  UNIQUE (integration_hash, kind)
);
CREATE INDEX event_due ON event (vendor_id, state, due_at) WHERE state <> 'sent';
CREATE INDEX event_undelivered ON event (vendor_id, state, at) WHERE state <> 'sent';

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  event text NOT NULL,
  actor text NOT NULL,
  address text,
  subject text
);
CREATE INDEX audit_by_time ON audit (at);
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at <= least(
    (SELECT max(at) FROM pos_connect_service.audit),
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  ) - 2592000000
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit is kept, and not changed';
END
$$;
CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
