-- When the connect page was first opened in a window or on a phone: the till says so.
ALTER TABLE integration ADD COLUMN opened_at INTEGER;
