"""Words in which the facts of an execution speak to the rooms that ask for them, which need not load the engine."""

from __future__ import annotations

HOST_DEVICE = "torch.device of the host"
"""What a part is of that is a device, and not the accelerator."""
NAMED = "its named tuples become lists"
"""Why a device loader does not hand out batches as they were, where unpacking them does not notice."""
MOVED = "its batches are on the device already"
"""Why, where only loops of the file that makes the loader go through it."""
AFAR = ", and more than its file goes through them"
READ = "elements of its batches are read one by one on the host"
"""Why a batch stays on the host, and what is computed with moves by itself."""
