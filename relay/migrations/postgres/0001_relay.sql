-- As in sqlite/0001_relay.sql, which says what each is for.
CREATE TABLE till (
  label text PRIMARY KEY,
  key_hash bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  merchant text NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint
);

CREATE TABLE integration (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  till text NOT NULL REFERENCES till (label),
  sealed_token bytea NOT NULL,
  reissues boolean NOT NULL,
  sealed_pickup bytea,
  pickup text NOT NULL DEFAULT 'none' CHECK (pickup IN ('none', 'open', 'kept', 'lost')),
  created_at bigint NOT NULL,
  -- Counts the relays that worked on the integration, one after the other: what an earlier one writes late is refused.
  fence bigint NOT NULL DEFAULT 0,
  -- Until when a call to the service may be on its way, in milliseconds since 1970 by this server's clock: the next
  -- relay waits for that long.
  calls_until bigint NOT NULL DEFAULT 0,
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
  store_id text,
  store_name text,
  kept_at bigint NOT NULL,
  acknowledged_at bigint,
  ended_at bigint,
  sealed_ended bytea,
  refused boolean NOT NULL DEFAULT false,
  CHECK (acknowledged_at IS NULL OR (handed_out AND sealed_tokens IS NULL)),
  CHECK ((account_id IS NULL) = (account_name IS NULL))
);
CREATE INDEX token_set_of_merchant ON token_set (merchant, number);
CREATE INDEX token_set_due ON token_set (expires_at)
  WHERE NOT handed_out AND ended_at IS NULL AND sealed_tokens IS NOT NULL;
CREATE INDEX token_set_ended ON token_set (ended_at) WHERE sealed_ended IS NOT NULL;

CREATE TABLE allowed_change (
  merchant text PRIMARY KEY,
  allowed_at bigint NOT NULL
);

CREATE TABLE key_check (
  id bigint PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL
);

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  event text NOT NULL,
  actor text NOT NULL,
  merchant text,
  subject text
);
CREATE INDEX audit_by_time ON audit (at);
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at <= least(
    (SELECT max(at) FROM pos_connect_relay.audit),
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
