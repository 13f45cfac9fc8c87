"""tqdm.asyncio."""

from tqdm import tqdm, trange
