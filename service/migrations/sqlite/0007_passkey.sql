-- Passkeys (WebAuthn) of accounts whose second factor is on: a faster second step, beside the codes.
CREATE TABLE passkey (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  -- A keyed hash of the credential's ID, which is registered once; the sealed value is bound to it.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  -- The credential as it was registered: its ID, its public key, and what the browser said of it.
  sealed BLOB NOT NULL,
  -- How often it had signed when it signed last; 0 where a device does not count.
  counter INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_of_account ON passkey (account_id);

-- What a page has asked a browser for: each is answered once.
CREATE TABLE passkey_challenge (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  -- The hash of the page's one-time value; the sealed value is bound to it.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  -- The challenge, and which credentials may answer it.
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenge_of_account ON passkey_challenge (account_id);
CREATE INDEX passkey_challenge_by_age ON passkey_challenge (created_at);
