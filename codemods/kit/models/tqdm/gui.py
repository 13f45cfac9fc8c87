"""tqdm.gui."""

from tqdm import tqdm, trange
