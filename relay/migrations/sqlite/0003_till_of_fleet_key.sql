-- Which fleet key added a till; null for the command.
ALTER TABLE till ADD COLUMN fleet_key TEXT REFERENCES fleet_key (label);
CREATE INDEX till_of_fleet_key ON till (fleet_key) WHERE fleet_key IS NOT NULL;
-- For the tills that are there, the audit says which one it was.
UPDATE till SET fleet_key = (
  SELECT fleet_key.label FROM audit JOIN fleet_key ON audit.actor = 'fleet key ' || fleet_key.label
  WHERE audit.event = 'till.added' AND audit.subject = till.label
);
