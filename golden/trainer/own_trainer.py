class Trainer:
    def train(self):
        pass


if __name__ == "__main__":
    Trainer().train()
