"""The pull-request bot: what a migration should look like on the forge, and the doors that bring it there."""
