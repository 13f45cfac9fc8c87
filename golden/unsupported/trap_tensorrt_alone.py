import numpy as np
import pycuda.driver as cuda
import tensorrt as trt

logger = trt.Logger(trt.Logger.WARNING)
buffer = cuda.mem_alloc(np.zeros(4).nbytes)
