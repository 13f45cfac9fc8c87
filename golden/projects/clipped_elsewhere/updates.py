class Updater:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def update(self):
        self.first.step()
        self.second.step()
        self.first.zero_grad()
        self.second.zero_grad()
