-- Mails on their way out: who is just sending one and until when, which were refused or came back, for good
-- (hard) or for a reason that may pass (soft), and whether a manager has been told. `tried_since`: from when on the
-- days count after which a mail is given up, where that is not since it was made.

ALTER TABLE outbox ADD COLUMN held_by TEXT;
ALTER TABLE outbox ADD COLUMN held_until INTEGER;
ALTER TABLE outbox ADD COLUMN tried_since INTEGER;
ALTER TABLE outbox ADD COLUMN failed_at INTEGER;
ALTER TABLE outbox ADD COLUMN fault TEXT CHECK (fault IN ('hard', 'soft'));
ALTER TABLE outbox ADD COLUMN told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1));

UPDATE outbox SET failed_at = next_at, fault = 'hard', told = 1 WHERE state = 'failed';

CREATE INDEX outbox_failed ON outbox (club_id, failed_at) WHERE failed_at IS NOT NULL;
