"""Tests of the pull-request bot."""
