from apex.parallel import DistributedDataParallel, convert_syncbn_model

if args.sync_bn: model = convert_syncbn_model(model)
model = convert_syncbn_model(DistributedDataParallel(model))
