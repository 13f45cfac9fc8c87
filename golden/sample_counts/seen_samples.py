import torch
from torch.utils.data import DataLoader


def train(args, dataset):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    seen = images = global_step = total = correct = 0
    while seen < args.samples:
        for batch in loader:
            x, y = batch
            size = x.shape[0]
            out = model(x.cuda())
            loss = torch.nn.functional.cross_entropy(out, y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += size
            images += len(y)
            global_step += args.batch_size
            total += y.size(0)
            correct += (out.argmax(1) == y.cuda()).sum()
            if images % 1000 < len(y):
                print(images)
            if global_step % 1000 == 0:
                print(global_step)
    if total > 0:
        print(correct / total)
