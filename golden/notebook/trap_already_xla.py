import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
_tc_migrate_end_of_cell_1


def train(index):
    print(xm.get_ordinal())


xmp.spawn(train, start_method="fork")
_tc_migrate_end_of_cell_2
