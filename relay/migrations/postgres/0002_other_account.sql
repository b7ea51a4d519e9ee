-- As in sqlite/0002_other_account.sql, which says what each is for.
ALTER TABLE token_set ADD COLUMN refused boolean NOT NULL DEFAULT false;

CREATE TABLE allowed_change (
  merchant text PRIMARY KEY,
  allowed_at bigint NOT NULL
);
