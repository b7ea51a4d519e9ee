-- How often passwords were tried: when a budget is full again, in microseconds since 1970.
CREATE TABLE sign_in_budget (
  key BLOB PRIMARY KEY CHECK (length(key) = 32),
  full_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_budget_by_end ON sign_in_budget (full_at);

-- Where an account was signed in to from: a hash of account and network.
CREATE TABLE familiar_address (
  account_id INTEGER NOT NULL REFERENCES account (id),
  address BLOB NOT NULL CHECK (length(address) = 32),
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, address)
) STRICT, WITHOUT ROWID;
