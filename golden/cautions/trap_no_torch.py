import cupy
import triton

x = cupy.zeros(3)
