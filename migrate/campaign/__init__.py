"""One migration in many repositories: what is to be done in each, what was done, and a report of it all."""
