-- The triggers of 0001_first.sql, in PostgreSQL's words. They refuse with the class of errors that a broken
-- constraint has. TRUNCATE passes row triggers by, so it is refused where nothing may be deleted.
--
-- entry_is_new has no twin: nothing here can put a row in the place of another.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER game_stays_ended BEFORE UPDATE OF state ON game FOR EACH ROW
WHEN (OLD.state IN ('final', 'cancelled') AND NEW.state <> OLD.state)
EXECUTE FUNCTION refuse('nothing leaves final or cancelled');

-- ------------------------------------------------------------ the journal

CREATE FUNCTION posting_before_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM seal WHERE entry_id = NEW.entry_id) THEN
        RAISE EXCEPTION 'the entry is sealed' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER posting_before_seal BEFORE INSERT ON posting FOR EACH ROW
EXECUTE FUNCTION posting_before_seal();

CREATE FUNCTION posting_keeps_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account SET balance_cents = balance_cents + NEW.amount_cents WHERE id = NEW.account_id;
    RETURN NULL;
END $$;

CREATE TRIGGER posting_keeps_balance AFTER INSERT ON posting FOR EACH ROW
EXECUTE FUNCTION posting_keeps_balance();

CREATE FUNCTION seal_needs_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) >= 2 AND sum(amount_cents) = 0 FROM posting WHERE entry_id = NEW.entry_id) IS NOT TRUE
    THEN
        RAISE EXCEPTION 'the entry has fewer than two postings or does not sum to zero'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER seal_needs_balance BEFORE INSERT ON seal FOR EACH ROW
EXECUTE FUNCTION seal_needs_balance();

CREATE FUNCTION seal_needs_one_club() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM posting p
        JOIN entry e ON e.id = p.entry_id
        JOIN account a ON a.id = p.account_id
        WHERE p.entry_id = NEW.entry_id AND (a.club_id <> e.club_id OR p.at <> e.at)
    ) THEN
        RAISE EXCEPTION 'a posting is of another club or instant than its entry'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER seal_needs_one_club BEFORE INSERT ON seal FOR EACH ROW
EXECUTE FUNCTION seal_needs_one_club();

CREATE TRIGGER entry_keeps BEFORE UPDATE ON entry FOR EACH ROW
EXECUTE FUNCTION refuse('the journal is append-only');
CREATE TRIGGER entry_stays BEFORE DELETE ON entry FOR EACH ROW
EXECUTE FUNCTION refuse('the journal is append-only');
CREATE TRIGGER entry_stays_whole BEFORE TRUNCATE ON entry
EXECUTE FUNCTION refuse('the journal is append-only');

CREATE TRIGGER posting_keeps BEFORE UPDATE ON posting FOR EACH ROW
EXECUTE FUNCTION refuse('the journal is append-only');
CREATE TRIGGER posting_stays BEFORE DELETE ON posting FOR EACH ROW
EXECUTE FUNCTION refuse('the journal is append-only');
CREATE TRIGGER posting_stays_whole BEFORE TRUNCATE ON posting
EXECUTE FUNCTION refuse('the journal is append-only');

CREATE TRIGGER seal_keeps BEFORE UPDATE ON seal FOR EACH ROW
EXECUTE FUNCTION refuse('the journal is append-only');
CREATE TRIGGER seal_stays BEFORE DELETE ON seal FOR EACH ROW
EXECUTE FUNCTION refuse('the journal is append-only');
CREATE TRIGGER seal_stays_whole BEFORE TRUNCATE ON seal
EXECUTE FUNCTION refuse('the journal is append-only');

-- ------------------------------------------------------------ audit

CREATE FUNCTION audit_appends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM audit WHERE club_id = NEW.club_id) THEN
        RAISE EXCEPTION 'the audit chain is append-only' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER audit_appends BEFORE INSERT ON audit FOR EACH ROW
EXECUTE FUNCTION audit_appends();
CREATE TRIGGER audit_keeps BEFORE UPDATE ON audit FOR EACH ROW
EXECUTE FUNCTION refuse('the audit chain is append-only');
CREATE TRIGGER audit_stays BEFORE DELETE ON audit FOR EACH ROW
EXECUTE FUNCTION refuse('the audit chain is append-only');
CREATE TRIGGER audit_stays_whole BEFORE TRUNCATE ON audit
EXECUTE FUNCTION refuse('the audit chain is append-only');
