-- What shoppers' numbers are sealed for in tills: HPKE key pairs. One is current, the others open what came before.
CREATE TABLE sealing_key (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  -- The private key, and what it is bound to.
  sealed BLOB NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL,
  retired_at INTEGER
) STRICT;
CREATE UNIQUE INDEX sealing_key_current ON sealing_key (retired_at IS NULL) WHERE retired_at IS NULL;

-- Hash of the encapsulated key that an order's number came with: one sealed number is good for one order.
ALTER TABLE store_order ADD COLUMN number_seal BLOB CHECK (length(number_seal) = 32);
CREATE UNIQUE INDEX order_of_number_seal ON store_order (number_seal) WHERE number_seal IS NOT NULL;

-- Fingerprints of orders had the shopper's number in them: whoever has the key could try all numbers. What is kept of
-- an order tells as well whether it came again. The fingerprints of the kept answers go with the answers.
ALTER TABLE store_order DROP COLUMN fingerprint;
DELETE FROM repeatable_call;
