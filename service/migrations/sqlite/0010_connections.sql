-- Made anew: a page of the merchant's own list of connections is about no integration. Who has a page open signs in again.
DROP TABLE form;
CREATE TABLE form (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  -- Null on the list of connections.
  integration_hash BLOB REFERENCES integration (hash),
  -- Null until somebody signed in.
  account_id INTEGER REFERENCES account (id),
  created_at INTEGER NOT NULL,
  CHECK (integration_hash IS NOT NULL OR account_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX form_of_integration ON form (integration_hash, created_at);
CREATE INDEX form_by_age ON form (created_at);
-- The integrations of an account.
CREATE INDEX integration_of_owner ON integration (owner_id) WHERE owner_id IS NOT NULL;
