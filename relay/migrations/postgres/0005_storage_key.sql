-- A row for each key that a value may be encrypted with, by the id that is in each value.
CREATE TABLE storage_key (
  key_id text PRIMARY KEY,
  sealed bytea NOT NULL
);
INSERT INTO storage_key SELECT encode(substring(sealed FROM 4 FOR 4), 'hex'), sealed FROM key_check;
DROP TABLE key_check;
