"""The database: a balanced journal, what is kept of games and members, mails in and mails out."""
