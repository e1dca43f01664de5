-- The trigger of 0013_parts.sql, in PostgreSQL's words.

CREATE FUNCTION sent_mail_keeps_no_parts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM outbox_part WHERE outbox_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER sent_mail_keeps_no_parts AFTER UPDATE OF state ON outbox FOR EACH ROW
WHEN (NEW.state = 'sent')
EXECUTE FUNCTION sent_mail_keeps_no_parts();
