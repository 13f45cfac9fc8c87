import torch
_tc_migrate_end_of_cell_1
_tc_migrate_broken_cell_1_  # invalid syntax (line 2)

_tc_migrate_end_of_cell_2
