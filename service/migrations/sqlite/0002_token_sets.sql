-- Made anew: what was picked up before this step needs the end of its refresh token's life, which no default can give.
CREATE TABLE new_token_set (
  -- The key: an integration never has two pairs of tokens, so no two can be valid.
  integration_hash BLOB PRIMARY KEY REFERENCES integration (hash),
  access_hash BLOB NOT NULL UNIQUE CHECK (length(access_hash) = 32),
  refresh_hash BLOB NOT NULL UNIQUE CHECK (length(refresh_hash) = 32),
  access_until INTEGER NOT NULL,
  refresh_until INTEGER NOT NULL,
  -- When it was picked up.
  created_at INTEGER NOT NULL,
  -- Hash of the random text that the pick-up carried, if it did.
  pickup_hash BLOB CHECK (length(pickup_hash) = 32),
  reissues INTEGER NOT NULL DEFAULT 0 CHECK (reissues >= 0),
  -- When one of its tokens was used first.
  used_at INTEGER,
  revoked_at INTEGER,
  CHECK (revoked_at IS NULL OR used_at IS NOT NULL)
) STRICT, WITHOUT ROWID;
-- 90 days.
INSERT INTO new_token_set (integration_hash, access_hash, refresh_hash, access_until, refresh_until, created_at)
  SELECT integration_hash, access_hash, refresh_hash, access_until, created_at + 7776000000, created_at FROM token_set;
DROP TABLE token_set;
ALTER TABLE new_token_set RENAME TO token_set;

-- Refresh tokens that were exchanged: one that turns up again is in two hands.
CREATE TABLE spent_refresh (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  integration_hash BLOB NOT NULL REFERENCES integration (hash),
  -- When it would have expired unspent; nobody needs to remember it longer.
  refresh_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_refresh_by_end ON spent_refresh (refresh_until);
