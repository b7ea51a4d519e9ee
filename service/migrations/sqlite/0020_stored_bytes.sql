-- What a vendor's tills have stored for a store, in bytes: in all, and on one day (in days since 1970).
CREATE TABLE stored_bytes (
  vendor_id INTEGER NOT NULL REFERENCES vendor (id),
  store_id INTEGER NOT NULL REFERENCES store (id),
  total INTEGER NOT NULL,
  day INTEGER NOT NULL,
  on_day INTEGER NOT NULL,
  PRIMARY KEY (vendor_id, store_id)
) STRICT, WITHOUT ROWID;
INSERT INTO stored_bytes (vendor_id, store_id, total, day, on_day)
  SELECT vendor_id, store_id, sum(bytes), 0, 0 FROM (
    SELECT vendor_id, store_id, length(sealed) + 200 AS bytes FROM store_order
    UNION ALL SELECT vendor_id, store_id, length(sealed) + 200 FROM customer
  ) GROUP BY vendor_id, store_id;

-- Orders are as old as their numbers say. Customers change: the purge looks for those that have not for long.
CREATE INDEX customer_by_age ON customer (updated_at);
