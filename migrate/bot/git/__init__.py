"""git for repositories nobody trusts: no working tree, no program that a repository names, no setting but ours."""
