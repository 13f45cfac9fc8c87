"""Which calls write a file: functions of libraries, and methods of figures, tables, paths and pictures."""

from __future__ import annotations

import libcst as cst

from codemods.kit.names import argument
from codemods.kit.options import text
from codemods.kit.script import Script
from codemods.kit.tree import walk

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
_METHODS = {
    "savefig": "fname", "to_csv": "path_or_buf", "to_pickle": "path", "to_excel": "excel_writer", "to_parquet": "path",
    "save_pretrained": "save_directory", "write_text": "", "write_bytes": "", "tofile": "fid",
    "write_videofile": "filename", "write_gif": "filename",
}  # fmt: skip
"""Methods that write a file, of figures, tables, paths, arrays and clips; the first argument of most says which."""
_STARTS = ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen",
           "os.system", "os.popen", "wandb.init", "mlflow.start_run", "builtins.input")  # fmt: skip
"""What does something outside of the process, and gives something back."""
_FOLLOWED = 3
"""Functions that are followed, one calling the other."""


def written(script: Script, call: cst.Call) -> tuple[bool, cst.Arg | None]:
    """Whether a call writes a file, and the argument that says which."""
    name = script.qualified(call.func)
    if name in _OPENERS:
        return _writes(argument(call, _OPENERS[name], "mode")), argument(call, 0, "file")
    if name in _WRITERS:
        return True, argument(call, *_WRITERS[name])
    func = call.func
    if name is not None or not isinstance(func, cst.Attribute):
        return False, None
    method = func.attr.value
    if method in _METHODS:  # `table.to_csv()` gives the text
        return bool(call.args), argument(call, 0, _METHODS[method]) if _METHODS[method] else cst.Arg(func.value)
    if method == "open":
        return _writes(argument(call, 0, "mode")), cst.Arg(func.value)
    return method == "save" and _is_picture(script, func.value), argument(call, 0, "fp")


def acts_outside(script: Script, node: cst.CSTNode, depth: int = _FOLLOWED) -> bool:
    """Whether an expression writes a file, starts a program or a run, itself or by functions of the script."""
    for call in (part for part in walk(node) if isinstance(part, cst.Call)):
        if written(script, call)[0] or script.qualified(call.func) in _STARTS:
            return True
        function = script.names.local_function(call.func) if depth else None
        if function is not None and acts_outside(script, function.body, depth - 1):
            return True
    return False


def _is_picture(script: Script, node: cst.BaseExpression) -> bool:
    """Whether PIL made a value: `Image.fromarray(pixels)`, also by the name it got."""
    held = [binding.value for binding in script.names.bindings(node)] if isinstance(node, cst.Name) else [node]
    made = [value for value in held if isinstance(value, cst.Call)]
    return any((script.qualified(call.func) or "").startswith("PIL.Image.") for call in made)


def _writes(mode: cst.Arg | None) -> bool:
    """Whether a file is opened with a mode that writes: "w", "a", "x", "r+", "w:gz"."""
    return mode is not None and bool(set(text(mode.value)) & set("wax+"))
