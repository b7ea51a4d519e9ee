-- When a vendor's receiver said that it is gone: it is told nothing more until the operator enables its webhook.
ALTER TABLE webhook ADD COLUMN disabled_at INTEGER;
