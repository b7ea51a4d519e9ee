-- Nobody signs in with it.
ALTER TABLE account ADD COLUMN disabled_at INTEGER;
