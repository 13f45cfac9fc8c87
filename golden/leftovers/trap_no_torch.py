import cupy

x = cupy.zeros(3).cuda()
y = x.to("cuda:0")
