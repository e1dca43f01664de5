"""Move a club's books: migrate-to."""

from __future__ import annotations

import argparse
from pathlib import Path

from mailflow import ambient
from mailflow.command_line.parts import Commands, add, add_folder, show_lines


def add_to(commands: Commands) -> None:
    """Add these sub-commands."""
    parser = add(commands, "migrate-to", _migrate_to, "move the books from their file into PostgreSQL")
    parser.add_argument("url", metavar="URL", help="postgresql://user@host:5432/name")
    parser.add_argument("--password-file", type=Path, metavar="FILE", help="holds the password, nothing else")
    add_folder(parser)


def _migrate_to(options: argparse.Namespace) -> int:
    from mailflow.removal import migrate_to
    from mailflow.sections.database import server_of
    from mailflow.settings import load

    server = server_of(options.url, options.password_file, "the URL")
    return show_lines(migrate_to(load(options.dir), server, ambient.now()))
