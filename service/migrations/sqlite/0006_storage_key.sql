-- A row for each key that something may be encrypted with, by the id that is in each value; and when a program that
-- encrypts with it was seen last.
CREATE TABLE storage_key (
  key_id TEXT PRIMARY KEY,
  noted_at INTEGER NOT NULL
) STRICT;
INSERT INTO storage_key SELECT lower(hex(substr(sealed, 4, 4))), 0 FROM key_check;
DROP TABLE key_check;
