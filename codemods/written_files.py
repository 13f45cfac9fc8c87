"""Say which files every process writes.

A script that drove all GPUs from one process, by DataParallel, opened its log and its summary writer once. On XLA each
device has a process, and all of them write to the same file: lines come as often as there are processes, or half a line
of one inside another's. Only the script's author knows which of it one process should write and which all of them need,
so this is said and not edited. The same goes for pictures, arrays, tables and scores that one process wrote: whoever
reads such a file while others write it may find half of it. A guard around a call that saves a tensor of the device
would not do: reading it runs what is pending, which all processes have to run where gradients are averaged in it. A
file with the rank in its name is each process's own, and what stands under a question for the rank is written once.
(Checkpoints are `checkpoint_save`'s, directories `made_directories`'.)
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.guards import names_rank
from codemods.kit.names import argument
from codemods.kit.once import ran_once
from codemods.kit.options import text
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_OPENERS = {
    "builtins.open": 1, "io.open": 1, "codecs.open": 1, "gzip.open": 1, "bz2.open": 1, "lzma.open": 1,
    "tarfile.open": 1, "zipfile.ZipFile": 1, "h5py.File": 1,
}  # fmt: skip
"""What opens a file for reading or writing, each with the position of the mode."""
_WRITERS: dict[str, tuple[int, str]] = {
    "torch.utils.tensorboard.SummaryWriter": (0, "log_dir"),
    "torch.utils.tensorboard.writer.SummaryWriter": (0, "log_dir"),
    "tensorboardX.SummaryWriter": (0, "logdir"),
    "logging.FileHandler": (0, "filename"),
    "logging.handlers.RotatingFileHandler": (0, "filename"),
    "torchvision.utils.save_image": (1, "fp"),
    **{f"torchvision.io.{name}": (1, "filename") for name in ("write_png", "write_jpeg")},
    **{f"torchvision.io.{name}": (0, "filename") for name in ("write_video", "write_file")},
    **{f"numpy.{name}": (0, "file") for name in ("save", "savez", "savez_compressed")},
    "numpy.savetxt": (0, "fname"),
    "matplotlib.pyplot.savefig": (0, "fname"),
    "matplotlib.pyplot.imsave": (0, "fname"),
    **{f"{module}.{name}": (0, "uri") for module in ("imageio", "imageio.v2", "imageio.v3")
       for name in ("imwrite", "imsave", "mimsave", "mimwrite", "get_writer", "volwrite")},
    "cv2.imwrite": (0, "filename"),
    "cv2.VideoWriter": (0, "filename"),
    "skimage.io.imsave": (0, "fname"),
    "scipy.misc.imsave": (0, "name"),
    "scipy.io.savemat": (0, "file_name"),
    "scipy.io.wavfile.write": (0, "filename"),
    "soundfile.write": (0, "file"),
    "torchaudio.save": (0, "uri"),
    "librosa.output.write_wav": (0, "path"),
    "ffmpeg.output": (1, "filename"),
    "joblib.dump": (1, "filename"),
    "safetensors.torch.save_file": (1, "filename"),
    **{f"shutil.{name}": (1, "dst") for name in ("copy", "copy2", "copyfile", "copytree")},
}  # fmt: skip
"""What writes a file whenever it is called, each with the argument that says which."""
_METHODS = {"savefig": "fname", "to_csv": "path_or_buf", "to_pickle": "path", "to_excel": "excel_writer",
            "to_parquet": "path", "write_text": "", "write_bytes": "", "tofile": "fid", "write_videofile": "filename",
            "write_gif": "filename"}  # fmt: skip
"""Methods that write a file, of figures, tables, paths, arrays and clips; the first argument of most says which."""
_BEFORE = (
    "import torch\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(2, 2))\n"
    'with open("log.csv", "a") as log:\n    log.write("1,0.5")\n'
)


class WrittenFiles(Codemod):
    """Say which files every process writes."""

    STAGE = Stage.SAVE
    BY_ALL = True
    RULES = (
        Rule("TC611", "every process writes the same file", Safety.NOTE, Severity.WARNING,
             "write it under `if xm.is_master_ordinal():`, or give each process its own",
             "torch_xla 2.1 core/xla_model.py is_master_ordinal"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE),)

    def rewrite(self) -> None:
        if not self.script.distributed:
            return
        for name, position in _OPENERS.items():
            for call in self.script.calls(name):
                if _writes(argument(call, position, "mode")):
                    self._say(call, argument(call, 0, "file"))
        for name, (place, keyword) in _WRITERS.items():
            for call in self.script.calls(name):
                self._say(call, argument(call, place, keyword))
        for call in self.script.tree.all(cst.Call):
            self._method(call)

    def _method(self, call: cst.Call) -> None:
        """A method of what no import names: `figure.savefig(path)`, `table.to_csv(path)`, `(folder / "log").open("w")`,
        `Image.fromarray(pixels).save(path)`."""
        func = call.func
        if not isinstance(func, cst.Attribute) or self.script.qualified(func) is not None:
            return
        name = func.attr.value
        if name in _METHODS and call.args:  # `table.to_csv()` gives the text
            self._say(call, argument(call, 0, _METHODS[name]) if _METHODS[name] else cst.Arg(func.value))
        elif name == "open" and _writes(argument(call, 0, "mode")):
            self._say(call, cst.Arg(func.value))
        elif name == "save_pretrained" and (self.can(Idiom.SAVED) or not self.script.is_a(func.value, Role.MODEL)):
            self._say(call, argument(call, 0, "save_directory"))  # else xm.save writes it once: see checkpoint_save
        elif name == "save" and self._is_picture(func.value):
            self._say(call, argument(call, 0, "fp"))

    def _is_picture(self, node: cst.BaseExpression) -> bool:
        """Whether PIL made a value: `Image.fromarray(pixels)`, also by the name it got."""
        held = [binding.value for binding in self.script.names.bindings(node)] if isinstance(node, cst.Name) else [node]
        made = [value for value in held if isinstance(value, cst.Call)]
        return any((self.script.qualified(call.func) or "").startswith("PIL.Image.") for call in made)

    def _say(self, call: cst.Call, file: cst.Arg | None) -> None:
        if not ran_once(self.script, self.edits.target, call):
            return
        if file is not None and names_rank(self.script, file.value):
            return
        what = code_of(file.value) if file is not None else code_of(call.func)
        shown = what if len(what) <= 40 and "\n" not in what else "a file"
        self.note("TC611", call, f"every process writes {shown}: one did before")


def _writes(mode: cst.Arg | None) -> bool:
    """Whether a file is opened with a mode that writes: "w", "a", "x", "r+", "w:gz"."""
    return mode is not None and bool(set(text(mode.value)) & set("wax+"))
