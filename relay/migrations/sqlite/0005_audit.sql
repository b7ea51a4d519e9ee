-- Who did what, and when.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  actor TEXT NOT NULL,
  merchant TEXT,
  subject TEXT
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
-- Rows are added, and go when they are old.
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT raise(ABORT, 'the audit is not changed');
END;
-- 30 days.
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN OLD.at > (SELECT max(at) FROM audit) - 2592000000
BEGIN
  SELECT raise(ABORT, 'the audit is kept');
END;
