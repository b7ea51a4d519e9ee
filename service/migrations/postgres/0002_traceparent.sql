-- The trace of the call that left it; an attempt to deliver it goes on with that trace.
ALTER TABLE message ADD COLUMN traceparent TEXT;
ALTER TABLE event ADD COLUMN traceparent TEXT;
