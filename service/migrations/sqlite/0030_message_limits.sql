-- Stores have their messages handed over in turns.
ALTER TABLE message ADD COLUMN store_id INTEGER REFERENCES store (id);
UPDATE message SET store_id = (SELECT store_id FROM store_order WHERE store_order.id = message.order_id);
DROP INDEX message_by_time;
CREATE INDEX message_of_store ON message (store_id, due_at) WHERE state = 'queued';

-- What was done of what has a limit, by number, till and store: when a budget is full again, in microseconds since 1970.
CREATE TABLE budget (
  -- Keyed hash of whose it is.
  key BLOB PRIMARY KEY CHECK (length(key) = 32),
  full_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_by_end ON budget (full_at);

-- The countries whose numbers its receipts go to, as 'IL US'. Null: those of the service's setting.
ALTER TABLE account ADD COLUMN message_regions TEXT;
