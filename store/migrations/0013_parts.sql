-- What a mail carries besides its words: files, and pictures that stand in its page. Made when the mail is queued and
-- kept as bytes until it is over, so that each try sends the same.

CREATE TABLE outbox_part (
    outbox_id INTEGER NOT NULL REFERENCES outbox (id),
    number INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    name TEXT NOT NULL,
    content_id TEXT,
    content BLOB NOT NULL,
    PRIMARY KEY (outbox_id, number)
) STRICT;

CREATE TRIGGER sent_mail_keeps_no_parts AFTER UPDATE OF state ON outbox WHEN new.state = 'sent'
BEGIN
    DELETE FROM outbox_part WHERE outbox_id = new.id;
END;
