-- Counts the relays that worked on the integration, one after the other: what an earlier one writes late is refused.
ALTER TABLE integration ADD COLUMN fence bigint NOT NULL DEFAULT 0;
-- Until when a call to the service may be on its way, in milliseconds since 1970 by this server's clock: the next relay
-- waits for that long.
ALTER TABLE integration ADD COLUMN calls_until bigint NOT NULL DEFAULT 0;
