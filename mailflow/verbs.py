"""Where the grammar was once."""

from mailflow.catalogue import GRAMMAR as GRAMMAR
