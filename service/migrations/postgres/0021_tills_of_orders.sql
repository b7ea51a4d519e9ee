-- Keyed hash of vendor, store and external id. The hash has the till, too, where a relay tells tills apart: each may
-- count from 1.
ALTER TABLE store_order ADD COLUMN number bytea CHECK (length(number) = 32);
UPDATE store_order SET number = hash;
CREATE INDEX order_of_number ON store_order (number);
