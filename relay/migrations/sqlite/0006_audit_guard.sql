-- What is old is so by the machine's clock, too: one row of the future makes no other one old. 30 days.
DROP TRIGGER audit_is_kept;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN OLD.at > min((SELECT max(at) FROM audit), CAST(unixepoch('subsec') * 1000 AS INTEGER)) - 2592000000
BEGIN
  SELECT raise(ABORT, 'the audit is kept');
END;
