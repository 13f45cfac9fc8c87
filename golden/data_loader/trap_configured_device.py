import torch


def evaluate(args, model, eval_dataloader):
    model.eval()
    for batch in eval_dataloader:
        batch = tuple(t.to(args.device) for t in batch)
        with torch.no_grad():
            model(input_ids=batch[0], attention_mask=batch[1])


def train(args, model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        x = x.to(args.device)
        loss = torch.nn.functional.cross_entropy(model(x), y.to(args.device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        x = x.cpu().numpy()
        labels = y.numpy()
        args.seen.extend(labels)
    print(loader.batch_size)
