import torch
import torch_xla.distributed.parallel_loader as pl


def evaluate(args, model, eval_dataloader):
    model.eval()
    eval_dataloader = pl.MpDeviceLoader(eval_dataloader, args.device)
    for batch in eval_dataloader:
        with torch.no_grad():
            model(input_ids=batch[0], attention_mask=batch[1])


def train(args, model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    device_loader = pl.MpDeviceLoader(loader, args.device)
    for x, y in device_loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        x = x.cpu().numpy()
        labels = y.cpu().numpy()
        args.seen.extend(labels)
    print(loader.batch_size)
