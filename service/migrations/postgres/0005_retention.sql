-- Receipts that cannot be opened any more, and the numbers in dead letters, are erased.
CREATE INDEX receipt_by_end ON receipt (expires_at);
CREATE INDEX dead_letter_by_time ON message (due_at) WHERE state = 'failed' AND sealed IS NOT NULL;
