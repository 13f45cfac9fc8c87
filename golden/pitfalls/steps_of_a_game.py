class Optimizer:
    def step(self):
        return 1


class Loss:
    def backward(self):
        return 1


class Game:
    def __init__(self, loss):
        self.optimizer = Optimizer()
        self.loss = loss

    def play(self, batches, optimizer, agent):
        for x in batches:
            loss = Loss()
            loss.backward()
            self.loss.backward()
            self.optimizer.step()
            optimizer.step()
            agent.step()
