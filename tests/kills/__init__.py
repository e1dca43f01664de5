"""SIGKILL at every step of a mail's way, in a process and on files that are real (TRUST § 5).

`python -m tests.kills --seed S --kills N` dies N times, chosen by the seed; `--all` at every step;
`--books postgres` with a worker that serves books on a real PostgreSQL, and another that takes over from it;
`--door imap` with mail that comes from a mailbox at a real Dovecot.
"""
