-- Who gets the weekly digest, and which mails came unasked: of those nobody gets two on one day. Older ones are
-- told by their kinds.

ALTER TABLE member ADD COLUMN digest INTEGER NOT NULL DEFAULT 1 CHECK (digest IN (0, 1));

ALTER TABLE outbox ADD COLUMN unasked INTEGER NOT NULL DEFAULT 0 CHECK (unasked IN (0, 1));

UPDATE outbox SET unasked = 1
WHERE kind IN ('digest.weekly', 'reminder.daily', 'reminder.weekly', 'inactivity.nudge');

CREATE INDEX outbox_unasked ON outbox (club_id, created_at) WHERE unasked = 1;
