import torch


class Cursor:
    def next(self):
        return 1


cursor = Cursor()
cursor.next()
rows.next()
first = torch.zeros(3, 2).data[0]
store.data[0] = 1
loss = compute()
print(loss.data[0])
