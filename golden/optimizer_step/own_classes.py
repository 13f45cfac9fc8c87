class SGD:
    def __init__(self, params):
        self.params = params

    def zero_grad(self):
        pass

    def step(self):
        pass


def make(kind, params):
    return {"sgd": SGD}[kind](params)


def train(model, data):
    optimizer = make("sgd", model.parameters())
    for x in data:
        optimizer.zero_grad()
        loss = model(x)
        loss.backward()
        optimizer.step()


def test(net, opt):
    opt.zero_grad()
    net.backward()
    opt.step()
