-- The four digits of the page and the till, from the integration token: no two pending integrations of a vendor have the
-- same. Null for one that is older than this column, or that expired when another one needed its digits.
ALTER TABLE integration ADD COLUMN code INTEGER CHECK (code BETWEEN 0 AND 9999);
CREATE UNIQUE INDEX integration_by_code ON integration (vendor_id, code) WHERE status = 'pending' AND code IS NOT NULL;
