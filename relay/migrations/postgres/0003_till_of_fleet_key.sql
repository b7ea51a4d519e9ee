ALTER TABLE till ADD COLUMN fleet_key text REFERENCES fleet_key (label);
CREATE INDEX till_of_fleet_key ON till (fleet_key) WHERE fleet_key IS NOT NULL;
UPDATE till SET fleet_key = (
  SELECT fleet_key.label FROM audit JOIN fleet_key ON audit.actor = 'fleet key ' || fleet_key.label
  WHERE audit.event = 'till.added' AND audit.subject = till.label
);
