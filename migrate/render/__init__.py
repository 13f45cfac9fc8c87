"""Text made from a Migration: diffs, notes, tables. Pure: nothing here prints, reads or writes."""
