"""yacs."""
