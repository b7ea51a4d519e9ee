-- As in sqlite/0003_store.sql.
ALTER TABLE token_set ADD COLUMN store_id text;
ALTER TABLE token_set ADD COLUMN store_name text;
