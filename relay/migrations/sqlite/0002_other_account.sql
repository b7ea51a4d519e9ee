-- Of another account than the merchant's: never used, only revoked.
ALTER TABLE token_set ADD COLUMN refused INTEGER NOT NULL DEFAULT 0 CHECK (refused IN (0, 1));

-- Merchants whose next connection may be to another account.
CREATE TABLE allowed_change (
  merchant TEXT PRIMARY KEY,
  allowed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
