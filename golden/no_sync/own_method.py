import torch.nn as nn


class Replica(nn.Module):
    def no_sync(self):
        return self.lock

    def join(self):
        pass


class Database:
    def no_sync(self):
        return open("x")


replica, database = Replica(), Database()
with replica.no_sync():
    pass
with database.no_sync() as f: f.read()
replica.join()
"no_sync()"
