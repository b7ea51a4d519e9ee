-- As in sqlite/0003_admin_key.sql, which says what each is for.
CREATE TABLE admin_key (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  label text NOT NULL UNIQUE,
  key_hash bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  name text NOT NULL,
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint
);
