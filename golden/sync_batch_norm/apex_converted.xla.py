from apex.parallel import DistributedDataParallel

model = DistributedDataParallel(model)
