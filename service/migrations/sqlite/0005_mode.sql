-- Whether a vendor or an account is real: live, or test. All that were there before are live.
ALTER TABLE vendor ADD COLUMN mode TEXT NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test'));
ALTER TABLE account ADD COLUMN mode TEXT NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test'));
-- Null where a row is about neither, or is older.
ALTER TABLE audit ADD COLUMN mode TEXT CHECK (mode IN ('live', 'test'));
