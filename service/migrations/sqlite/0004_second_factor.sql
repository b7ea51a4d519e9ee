-- What an account with a password asks for beside it: codes of an authenticator app (RFC 6238).
CREATE TABLE second_factor (
  account_id INTEGER PRIMARY KEY REFERENCES account (id),
  -- What the sealed value is bound to.
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- The secret of the codes.
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- Null until a code has shown that the app has the secret: nobody is asked for codes before.
  confirmed_at INTEGER,
  -- The time step of the last code that counted: none of it or before it counts any more.
  last_step INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Those that nobody has used yet.
CREATE TABLE recovery_code (
  -- A keyed hash of the account and the code.
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  account_id INTEGER NOT NULL REFERENCES account (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_code_of_account ON recovery_code (account_id);

-- One row for each sign-in whose password was right, and whose code is awaited. It is no row of `form`, so that no
-- other page takes it for a sign-in.
CREATE TABLE second_step (
  -- The hash of the page's one-time value.
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  -- Null on the merchant's list of connections. No reference: a row lives for minutes.
  integration_hash BLOB,
  account_id INTEGER NOT NULL REFERENCES account (id),
  -- When the password was right.
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX second_step_of_account ON second_step (account_id, created_at);
CREATE INDEX second_step_by_age ON second_step (created_at);

-- How often everything that was signed in to the account was ended. Nothing goes on from a sign-in of an earlier count,
-- also where a page of it was sent and the next one is not there yet.
ALTER TABLE account ADD COLUMN sign_in_generation INTEGER NOT NULL DEFAULT 0;
