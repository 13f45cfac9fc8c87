import torch as th

FT = th.cuda.FloatTensor
x = FT(2, 3)
y = x.type(FT)
if y is not None: z = th.cuda.IntTensor([0]); print(z)
