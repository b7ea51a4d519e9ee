-- Integrations in the order in which they can end, and what goes with one: looked for by the purge.
CREATE INDEX integration_by_age ON integration (created_at);
CREATE INDEX spent_refresh_of_integration ON spent_refresh (integration_hash);
