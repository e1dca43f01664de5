-- How each mail was read: what counted, what was cut and why. Asked for by the mail's number.

CREATE TABLE reading (
    inbox_id INTEGER PRIMARY KEY NOT NULL REFERENCES inbox (id),
    member_id INTEGER REFERENCES member (id),
    record_json TEXT NOT NULL
) STRICT;
