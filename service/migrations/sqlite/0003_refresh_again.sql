-- When a token of the pair that is valid now was used first.
ALTER TABLE token_set ADD COLUMN pair_used_at INTEGER;
-- How many refresh tokens were exchanged, not counting those that were exchanged again.
ALTER TABLE token_set ADD COLUMN exchanges INTEGER NOT NULL DEFAULT 0;
-- Of the pairs before this step it is not known which of them was used: as if all were.
UPDATE token_set SET pair_used_at = used_at;

-- Which of these exchanges ended it.
ALTER TABLE spent_refresh ADD COLUMN exchange INTEGER NOT NULL DEFAULT 0;
-- 1: it was never exchanged; the token before it was, again, and its pair was replaced unused.
ALTER TABLE spent_refresh ADD COLUMN unused INTEGER NOT NULL DEFAULT 0 CHECK (unused IN (0, 1));
