"""tqdm.std."""

from tqdm import tqdm, trange
