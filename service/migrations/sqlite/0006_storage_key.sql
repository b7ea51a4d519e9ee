-- A row for each key that a value may be encrypted with, by the id that is in each value.
CREATE TABLE storage_key (
  key_id TEXT PRIMARY KEY,
  sealed BLOB NOT NULL
) STRICT;
INSERT INTO storage_key SELECT lower(hex(substr(sealed, 4, 4))), sealed FROM key_check;
DROP TABLE key_check;
