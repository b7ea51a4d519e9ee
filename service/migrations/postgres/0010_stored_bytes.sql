-- What a vendor's tills have stored for a store, in bytes: in all, and on one day (in days since 1970).
CREATE TABLE stored_bytes (
  vendor_id bigint NOT NULL REFERENCES vendor (id),
  store_id bigint NOT NULL REFERENCES store (id),
  total bigint NOT NULL,
  day bigint NOT NULL,
  on_day bigint NOT NULL,
  PRIMARY KEY (vendor_id, store_id)
);
INSERT INTO stored_bytes (vendor_id, store_id, total, day, on_day)
  SELECT vendor_id, store_id, sum(bytes), 0, 0 FROM (
    SELECT vendor_id, store_id, length(sealed) + 200 AS bytes FROM store_order
    UNION ALL SELECT vendor_id, store_id, length(sealed) + 200 FROM customer
  ) AS rows GROUP BY vendor_id, store_id;

-- Orders are as old as their numbers say. Customers change: the purge looks for those that have not for long.
CREATE INDEX customer_by_age ON customer (updated_at);
