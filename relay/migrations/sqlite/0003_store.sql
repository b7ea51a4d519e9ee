-- Which store of the account; unknown for what was kept before.
ALTER TABLE token_set ADD COLUMN store_id TEXT;
ALTER TABLE token_set ADD COLUMN store_name TEXT;
