"""Imported where processes are forked from, so that each begins warm."""

from migrate.lsp_work import warm

warm()
