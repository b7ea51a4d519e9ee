-- As in sqlite/0005_mode.sql, which says what each is for.
ALTER TABLE vendor ADD COLUMN mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test'));
ALTER TABLE account ADD COLUMN mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test'));
ALTER TABLE audit ADD COLUMN mode text CHECK (mode IN ('live', 'test'));
