"""Libraries of compiled kernels: which of them a script imports for what runs on the device, and what can take their
place. Kernels of CUDA do not run on XLA, and kernels of the host do not take its tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.names import dotted

if TYPE_CHECKING:
    from codemods.kit.script import Script

CUDA = frozenset(
    ("triton", "flash_attn", "flash_attn_interface", "flash_attn_2_cuda", "xformers", "cupy", "pycuda", "bitsandbytes",
     "tensorrt", "torch_tensorrt", "pynvml", "amp_C", "apex_C", "transformer_engine", "nvidia_smi", "py3nvml", "cudf",
     "cuml", "cugraph", "numba.cuda", "causal_conv1d", "causal_conv1d_cuda", "mamba_ssm", "selective_scan_cuda",
     "tinycudann", "nvdiffrast", "pointnet2_ops", "pointnet2_cuda", "knn_cuda", "diff_gaussian_rasterization",
     "simple_knn", "gsplat", "nerfacc", "sageattention", "liger_kernel", "auto_gptq", "fused_dense_lib", "rotary_emb",
     "torch2trt", "trtorch", "tensorrt_llm", "onnx_tensorrt", "dropout_layer_norm", "xentropy_cuda_lib",
     "correlation_cuda", "resample2d_cuda", "channelnorm_cuda", "deform_conv_cuda", "torch_radon")
)  # fmt: skip
"""Of CUDA only."""
_BOTH = {
    "inplace_abn": "nn.BatchNorm2d and the activation", "torch_scatter": "Tensor.scatter_reduce",
    "torch_sparse": "dense tensors", "torch_cluster": "torch.cdist and topk", "torch_spline_conv": "torch operations",
    "pyg_lib": "torch operations", "pytorch3d.ops": "torch.cdist and topk", "pytorch3d.renderer": "torch operations",
    "pytorch3d._C": "torch operations", "mmcv.ops": "torchvision.ops", "mmcv._ext": "torchvision.ops",
    "mmdet.ops": "torchvision.ops", "mmdet3d.ops": "torch operations", "detectron2._C": "torchvision.ops",
    "detectron2.layers.DeformConv": "torchvision.ops.DeformConv2d",
    "detectron2.layers.ModulatedDeformConv": "torchvision.ops.DeformConv2d",
    "detectron2.layers.ROIAlignRotated": "torch operations", "detectron2.layers.nms_rotated": "torch operations",
    "dcn_v2": "torchvision.ops.DeformConv2d", "spconv": "dense convolutions", "torchsparse": "dense convolutions",
    "MinkowskiEngine": "dense convolutions", "natten": "attention with a mask", "dgl": "torch operations",
    "kaolin": "torch operations", "MultiScaleDeformableAttention": "F.grid_sample", "warpctc_pytorch": "nn.CTCLoss",
    "warp_rnnt": "torch operations", "warprnnt_pytorch": "torch operations", "lietorch": "torch operations",
    "torch_points_kernels": "torch operations", "spatial_correlation_sampler": "F.unfold",
}  # fmt: skip
"""Of CUDA and the host -> what does the same."""
_PLAIN = tuple(f"torch_scatter.{name}" for name in ("scatter_add", "scatter_sum", "scatter_mean", "scatter_std"))
"""Of these libraries, but written with operations of torch."""
_ROOTS = frozenset(name.partition(".")[0] for name in (*CUDA, *_BOTH))


def compiled(script: Script) -> Iterator[tuple[cst.CSTNode, str]]:
    """Each import of such a library, and what is wrong with it."""
    if not script.names.modules & _ROOTS:
        return
    for node, name in _imports(script):
        library = _within(name, CUDA)
        if library is not None:
            yield node, f"{library} runs on CUDA only"
        elif (library := _within(name, _BOTH)) is not None and not _stays_on_host(script, name):
            yield node, f"the kernels of {library} take no tensors of XLA: use {_BOTH[library]}"


def _within(name: str, libraries: frozenset[str] | dict[str, str]) -> str | None:
    parts = name.split(".")
    begins = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((begin for begin in begins if begin in libraries), None)


def _imports(script: Script) -> Iterator[tuple[cst.CSTNode, str]]:
    """Import statements with the full names they bring; of `import mmcv` what is used of it."""
    for statement in script.tree.all(cst.Import):
        for alias in statement.names:
            name = dotted(alias.name) or ""
            uses = (use for use, _ in script.names.uses(name))
            yield from ((statement, used) for used in dict.fromkeys((name, *uses)))
    for from_ in script.tree.all(cst.ImportFrom):
        if not from_.relative and from_.module is not None:
            names = ("*",) if isinstance(from_.names, cst.ImportStar) else (dotted(one.name) for one in from_.names)
            yield from ((from_, f"{dotted(from_.module)}.{name}") for name in names)


def _stays_on_host(script: Script, name: str) -> bool:
    """Whether all that is used of an import runs in a dataset, or is written with operations of torch."""
    uses = list(script.names.uses(name))
    return bool(uses) and all(
        used.startswith(_PLAIN) or _adds(script, used, node) or _reads_data(script, node) for used, node in uses
    )


def _adds(script: Script, used: str, node: cst.BaseExpression) -> bool:
    """Whether it is `torch_scatter.scatter(...)` of a sum or a mean."""
    call = script.tree.parent.get(node)
    if used != "torch_scatter.scatter" or not isinstance(call, cst.Call) or call.func is not node:
        return False
    reduce = [code_of(arg.value).strip("'\"") for arg in call.args if arg.keyword and arg.keyword.value == "reduce"]
    return len(call.args) - len(reduce) < 6 and all(how in ("sum", "add", "mean") for how in reduce)


def _reads_data(script: Script, node: cst.CSTNode) -> bool:
    class_ = script.tree.class_of(node)
    return class_ is not None and script.names.method(class_, "__getitem__") is not None
