def update(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def advance(thing):
    thing.step()
