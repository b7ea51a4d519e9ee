-- All times are milliseconds since 1970, by the clock of the service that wrote them; `sign_in_budget` says otherwise.
CREATE TABLE vendor (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  client_id text NOT NULL UNIQUE,
  name text NOT NULL,
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  -- The secret before the last rotation, and until when it still works.
  previous_secret_hash bytea CHECK (length(previous_secret_hash) = 32),
  previous_secret_until bigint,
  disabled_at bigint,
  created_at bigint NOT NULL,
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
  email text NOT NULL UNIQUE,
  name text NOT NULL,
  password_hash text NOT NULL,
  created_at bigint NOT NULL,
  -- Nobody signs in with it.
  disabled_at bigint
);

CREATE TABLE store (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id text NOT NULL UNIQUE,
  account_id bigint NOT NULL REFERENCES account (id),
  name text NOT NULL,
  -- What shoppers may know of a store: JSON, as the last change left it.
  profile text NOT NULL DEFAULT '{}',
  UNIQUE (account_id, name)
);

CREATE TABLE integration (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  status text NOT NULL CHECK (status IN ('pending', 'finished', 'cancelled')),
  reason text CHECK (reason IN ('merchant', 'till')),
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  -- The account that signed in first.
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
-- Integrations in the order in which they can end: looked for by the purge.
CREATE INDEX integration_by_age ON integration (created_at, hash);
CREATE INDEX integration_of_owner ON integration (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE token_set (
  -- The key: an integration never has two pairs of tokens, so no two can be valid.
  integration_hash bytea PRIMARY KEY REFERENCES integration (hash),
  access_hash bytea NOT NULL UNIQUE CHECK (length(access_hash) = 32),
  refresh_hash bytea NOT NULL UNIQUE CHECK (length(refresh_hash) = 32),
  access_until bigint NOT NULL,
  refresh_until bigint NOT NULL,
  -- When it was picked up.
  created_at bigint NOT NULL,
  -- Hash of the random text that the pick-up carried, if it did.
  pickup_hash bytea CHECK (length(pickup_hash) = 32),
  reissues bigint NOT NULL DEFAULT 0 CHECK (reissues >= 0),
  -- When one of its tokens was used first.
  used_at bigint,
  revoked_at bigint,
  -- When a token of the pair that is valid now was used first.
  pair_used_at bigint,
  -- How many refresh tokens were exchanged, not counting those that were exchanged again.
  exchanges bigint NOT NULL DEFAULT 0,
  CHECK (revoked_at IS NULL OR used_at IS NOT NULL)
);

-- Refresh tokens that were exchanged: one that turns up again is in two hands.
CREATE TABLE spent_refresh (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  integration_hash bytea NOT NULL REFERENCES integration (hash),
  -- When it would have expired unspent; nobody needs to remember it longer.
  refresh_until bigint NOT NULL,
  -- Which exchange ended it.
  exchange bigint NOT NULL,
  -- It was never exchanged; the token before it was, again, and its pair was replaced unused.
  unused boolean NOT NULL
);
CREATE INDEX spent_refresh_by_end ON spent_refresh (refresh_until);
CREATE INDEX spent_refresh_of_integration ON spent_refresh (integration_hash);

-- One row for each page of the connect frame that was shown and not sent yet.
CREATE TABLE form (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  -- Null on the merchant's list of connections.
  integration_hash bytea REFERENCES integration (hash),
  -- Null until somebody signed in.
  account_id bigint REFERENCES account (id),
  created_at bigint NOT NULL,
  CHECK (integration_hash IS NOT NULL OR account_id IS NOT NULL)
);
CREATE INDEX form_of_integration ON form (integration_hash, created_at);
CREATE INDEX form_by_age ON form (created_at);

-- What shows that the storage key is the right one.
CREATE TABLE key_check (
  id bigint PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL
);

-- The secret of the keyed hashes, sealed, once the storage key was changed: it stays what it was. Before, it is derived
-- from the storage key.
CREATE TABLE fingerprint_secret (
  id bigint PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL
);

-- Personal data, so nothing of it is in plain: tills use phone numbers as ids, too.
CREATE TABLE customer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Keyed hash of vendor, store and external id.
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  store_id bigint NOT NULL REFERENCES store (id),
  sealed bytea NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX customer_of_store ON customer (store_id, vendor_id);

CREATE TABLE store_order (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Keyed hash of vendor, store and external id.
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  store_id bigint NOT NULL REFERENCES store (id),
  -- Keyed hash of the content: tells whether the same order came again.
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
  sealed bytea NOT NULL,
  received_at bigint NOT NULL
);
CREATE INDEX order_of_store ON store_order (store_id, vendor_id, received_at);

-- Calls that can be repeated: the answer is kept for a while.
CREATE TABLE repeatable_call (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Keyed hash of vendor, store, operation and Idempotency-Key.
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  -- Keyed hash of the body.
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
  sealed_answer bytea NOT NULL,
  kept_until bigint NOT NULL
);
CREATE INDEX repeatable_call_by_end ON repeatable_call (kept_until);

-- The page behind a link. Only the link's hash is kept.
CREATE TABLE receipt (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  order_id bigint NOT NULL UNIQUE REFERENCES store_order (id),
  expires_at bigint NOT NULL
);

-- What is to be sent by text message: one for each order. One that cannot be delivered is kept, and listed; one that the
-- operator drops keeps its state, and nothing of the shopper's.
CREATE TABLE message (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_id text NOT NULL UNIQUE,
  order_id bigint NOT NULL UNIQUE REFERENCES store_order (id),
  -- Number and link; erased as soon as the message is delivered, or dropped.
  sealed bytea,
  state text NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
  attempts bigint NOT NULL DEFAULT 0,
  due_at bigint NOT NULL,
  -- Why the last attempt failed, in words of ours.
  failure text,
  CHECK (state <> 'queued' OR sealed IS NOT NULL),
  CHECK (state <> 'sent' OR sealed IS NULL)
);
CREATE INDEX message_by_time ON message (due_at) WHERE state = 'queued';

-- How often passwords were tried: when a budget is full again, in microseconds since 1970.
CREATE TABLE sign_in_budget (
  key bytea PRIMARY KEY CHECK (length(key) = 32),
  full_at bigint NOT NULL
);
CREATE INDEX sign_in_budget_by_end ON sign_in_budget (full_at);

-- Where an account was signed in to from: a hash of account and network.
CREATE TABLE familiar_address (
  account_id bigint NOT NULL REFERENCES account (id),
  address bytea NOT NULL CHECK (length(address) = 32),
  seen_at bigint NOT NULL,
  PRIMARY KEY (account_id, address)
);

-- Who did what, when and from where.
CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  event text NOT NULL,
  actor text NOT NULL,
  address text,
  subject text
);
CREATE INDEX audit_by_time ON audit (at);
-- Rows are added, and go when they are old: after 30 days at the earliest.
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at <= (SELECT max(at) FROM pos_connect_service.audit) - 2592000000 THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit is kept, and not changed';
END
$$;
CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
