import torch
import torch.multiprocessing as mp


class Cache:
    def share_memory(self):
        return self


def train(model):
    model.train()


if __name__ == "__main__":
    model = torch.nn.Linear(4, 2).cuda()
    model.share_memory()
    Cache().share_memory()
    process = mp.Process(target=train, args=(model,))
    process.start()
    process.join()
