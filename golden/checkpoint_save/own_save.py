import torch
from mylib import torch as t

class Store:
    def save(self, what):
        pass

t.save({}, "x")
Store().save(1)
np.save("a", b)
