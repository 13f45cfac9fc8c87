"""What a migration owes its original, checked by comparing two executions: a room for each theme, `checks` for all."""
