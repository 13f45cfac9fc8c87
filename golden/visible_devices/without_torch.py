import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf
