-- Mails taken from mailboxes: which UIDs of which folder were kept, as which mail, and whether they have been
-- moved to where they belong since. A folder whose UIDVALIDITY changes is another mailbox (RFC 3501 2.3.1.1).

CREATE TABLE mailbox (
    id INTEGER PRIMARY KEY,
    club_id INTEGER NOT NULL REFERENCES club (id),
    account TEXT NOT NULL,
    folder TEXT NOT NULL,
    uidvalidity INTEGER NOT NULL,
    UNIQUE (club_id, account, folder, uidvalidity)
) STRICT;

CREATE TABLE mailbox_mail (
    mailbox_id INTEGER NOT NULL REFERENCES mailbox (id),
    uid INTEGER NOT NULL,
    inbox_id INTEGER NOT NULL REFERENCES inbox (id),
    digest TEXT NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1)),
    PRIMARY KEY (mailbox_id, uid)
) STRICT, WITHOUT ROWID;

CREATE INDEX mailbox_mail_digest ON mailbox_mail (digest);
CREATE INDEX mailbox_mail_unsettled ON mailbox_mail (mailbox_id, uid) WHERE settled = 0;
