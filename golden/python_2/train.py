import torch
import cPickle

model = torch.nn.Linear(2, 2).cuda()
try:
    for i in xrange(3):
        x = torch.zeros(2).cuda(async=True)
        print "step", i, model(x)
except KeyboardInterrupt, e:
    print >>log, "stopped"
