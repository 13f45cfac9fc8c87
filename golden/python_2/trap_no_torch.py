print "no tensors here"
