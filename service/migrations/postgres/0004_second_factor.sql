-- As in sqlite/0004_second_factor.sql, which says what each is for.
CREATE TABLE second_factor (
  account_id bigint PRIMARY KEY REFERENCES account (id),
  hash bytea NOT NULL CHECK (length(hash) = 32),
  sealed bytea NOT NULL,
  created_at bigint NOT NULL,
  confirmed_at bigint,
  last_step bigint NOT NULL DEFAULT 0
);

CREATE TABLE recovery_code (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  account_id bigint NOT NULL REFERENCES account (id)
);
CREATE INDEX recovery_code_of_account ON recovery_code (account_id);

CREATE TABLE second_step (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  integration_hash bytea,
  account_id bigint NOT NULL REFERENCES account (id),
  created_at bigint NOT NULL
);
CREATE INDEX second_step_of_account ON second_step (account_id, created_at);
CREATE INDEX second_step_by_age ON second_step (created_at);

ALTER TABLE account ADD COLUMN sign_in_generation bigint NOT NULL DEFAULT 0;
