-- A vendor that does not answer is left alone until then, by every service; how often in a row it was silent.
ALTER TABLE webhook ADD COLUMN quiet_until bigint NOT NULL DEFAULT 0;
ALTER TABLE webhook ADD COLUMN silences bigint NOT NULL DEFAULT 0;

-- Who has something due is found by vendor; what lies ahead, or has failed, is not looked through.
DROP INDEX event_by_time;
DROP INDEX event_of_vendor;
CREATE INDEX event_due ON event (vendor_id, state, due_at) WHERE state <> 'sent';
CREATE INDEX event_untold ON event (vendor_id, state, at) WHERE state <> 'sent';
