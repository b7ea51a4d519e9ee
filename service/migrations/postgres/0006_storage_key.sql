-- A row for each key that something may be encrypted with, by the id that is in each value; and when a program that
-- encrypts with it was seen last.
CREATE TABLE storage_key (
  key_id text PRIMARY KEY,
  noted_at bigint NOT NULL
);
INSERT INTO storage_key SELECT encode(substring(sealed FROM 4 FOR 4), 'hex'), 0 FROM key_check;
DROP TABLE key_check;
