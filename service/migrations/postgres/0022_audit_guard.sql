-- What is old is so by the server's clock, too: one row of the future makes no other one old. 30 days.
CREATE OR REPLACE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.at <= least(
    (SELECT max(at) FROM pos_connect_service.audit), (extract(epoch FROM clock_timestamp()) * 1000)::bigint) - 2592000000
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit is kept, and not changed';
END
$$;
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
