"""The door to GitHub: the few requests that a pull request needs, and what goes wrong in plain words."""
