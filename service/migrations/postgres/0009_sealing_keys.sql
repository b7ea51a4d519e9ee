-- What shoppers' numbers are sealed for in tills: HPKE key pairs. One is current, the others open what came before.
CREATE TABLE sealing_key (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id text NOT NULL UNIQUE,
  public_key text NOT NULL,
  -- The private key, and what it is bound to.
  sealed bytea NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  created_at bigint NOT NULL,
  retired_at bigint
);
CREATE UNIQUE INDEX sealing_key_current ON sealing_key ((retired_at IS NULL)) WHERE retired_at IS NULL;

-- Hash of the encapsulated key that an order's number came with: one sealed number is good for one order.
ALTER TABLE store_order ADD COLUMN number_seal bytea CHECK (length(number_seal) = 32);
CREATE UNIQUE INDEX order_of_number_seal ON store_order (number_seal) WHERE number_seal IS NOT NULL;

-- Fingerprints of orders had the shopper's number in them: whoever has the key could try all numbers. What is kept of
-- an order tells as well whether it came again. The fingerprints of the kept answers go with the answers.
UPDATE store_order SET fingerprint = sha256(''::bytea);
ALTER TABLE store_order DROP COLUMN fingerprint;
DELETE FROM repeatable_call;
