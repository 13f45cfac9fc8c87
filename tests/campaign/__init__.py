"""Campaigns over many repositories."""
