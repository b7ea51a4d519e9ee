-- As in sqlite/0007_passkey.sql, which says what each is for.
CREATE TABLE passkey (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account (id),
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  sealed bytea NOT NULL,
  counter bigint NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX passkey_of_account ON passkey (account_id);

CREATE TABLE passkey_challenge (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account (id),
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  sealed bytea NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX passkey_challenge_of_account ON passkey_challenge (account_id);
CREATE INDEX passkey_challenge_by_age ON passkey_challenge (created_at);
