"""The log of a service: a line for people, or an object of JSON per line (structlog); on standard error.

What is logged is what the program says itself, never a mail's words, a token or a secret (T-28).
"""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog

FORMS = ("lines", "json")


def begin(form: str, stream: TextIO | None = None) -> None:
    """Have all that is logged from now on written in this form."""
    handler = logging.StreamHandler(stream or sys.stderr)
    if form == "json":
        handler.setFormatter(_json())
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


def _json() -> logging.Formatter:
    stamps = structlog.processors.TimeStamper(fmt="iso", utc=True, key="at")
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            stamps,
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )
