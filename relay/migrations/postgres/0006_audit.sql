-- Who did what, and when.
CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  event text NOT NULL,
  actor text NOT NULL,
  merchant text,
  subject text
);
CREATE INDEX audit_by_time ON audit (at);
-- Rows are added, and go when they are old: after 30 days at the earliest.
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at <= (SELECT max(at) FROM pos_connect_relay.audit) - 2592000000 THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit is kept, and not changed';
END
$$;
CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
