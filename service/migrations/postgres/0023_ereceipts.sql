-- An order can have several e-receipts: each has its receipt and its message.
ALTER TABLE receipt DROP CONSTRAINT receipt_order_id_key;
CREATE INDEX receipt_of_order ON receipt (order_id);
ALTER TABLE message DROP CONSTRAINT message_order_id_key;
CREATE INDEX message_of_order ON message (order_id);

-- Hashes of the encapsulated keys that numbers came with: one sealed number is good for one e-receipt.
CREATE TABLE number_seal (
  hash bytea PRIMARY KEY CHECK (length(hash) = 32),
  order_id bigint NOT NULL REFERENCES store_order (id)
);
INSERT INTO number_seal (hash, order_id) SELECT number_seal, id FROM store_order WHERE number_seal IS NOT NULL;
CREATE INDEX number_seal_of_order ON number_seal (order_id);
ALTER TABLE store_order DROP COLUMN number_seal;
