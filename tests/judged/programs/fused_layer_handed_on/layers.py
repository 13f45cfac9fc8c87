from apex.normalization import FusedLayerNorm as Norm
