-- Both tokens of a set that the service stopped taking, encrypted; erased a few days later. The service may have been
-- restored from an older copy, and take them again.
ALTER TABLE token_set ADD COLUMN sealed_ended bytea;
CREATE INDEX token_set_ended ON token_set (ended_at) WHERE sealed_ended IS NOT NULL;
