"""Say where packed sequences fail on XLA.

`pack_padded_sequence` of a tensor on the device gives a sequence that `nn.LSTM` and `pad_packed_sequence` fail on:
"data is not allocated yet". Packed on the host and moved as a whole it runs, but is compiled for each set of lengths.
The usual way is to leave packing out: the padded batch goes through the layer, a mask keeps padding out of the loss.
"""

from __future__ import annotations

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_PACKS = ("torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence")
_BEFORE = """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence


def encode(rnn, x, lengths):
    return rnn(pack_padded_sequence(x.cuda(), lengths, batch_first=True))
"""


class PackedSequence(Codemod):
    """Say where packed sequences fail on XLA."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC926", "a packed sequence of a tensor on the device", Safety.NOTE, Severity.ERROR,
             advice="run the layer over the padded batch and mask the padding; or pack on the host, where it is "
             "compiled for each set of lengths: pack_padded_sequence(x.cpu(), lengths.cpu()).to(device)",
             document="measured with torch_xla 2.1 and 2.9: data is not allocated yet"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE),)

    def rewrite(self) -> None:
        if self.script.on_cpu:
            return
        for call in self.script.calls(*_PACKS):
            if call.args and not code_of(call.args[0].value).endswith((".cpu()", '.to("cpu")', ".to('cpu')")):
                self.note("TC926", call, "layers fail on what this packs of a tensor on the device")
