"""Replace or remove calls of `torch.cuda` that have to do with the GPU itself.

| in the script | becomes |
|---|---|
| `synchronize()` | executing the pending graph and waiting for it, also where the function is passed on |
| `set_device`, `empty_cache`, `reset_peak_memory_stats`, NVTX ranges and the like | nothing: one device a process |
| `with torch.cuda.device(n):`, `with nvtx.range(...):` | their body |
| `get_device_name(n)` | the kind of hardware: `"TPU"`, `"GPU"` or `"CUDA"`, `"CPU"` |
| `current_device()` | the rank on this host |
| `device_count()` as a number | the number of devices of this host |
| `memory_allocated()` and its relatives | the memory in use, which is what XLA tells: it knows no peak |
| `get_device_properties(n).total_memory` | the memory there is |
| `is_bf16_supported()` | the same question to torch_xla, where it can be asked |

What reports CUDA's own statistics (`memory_summary`, `memory_stats`) and is only printed goes with its print. What has
no counterpart (compute capability, NCCL, peer access) is noted: it raises where there is no CUDA. Guards on
`torch.cuda.is_available()` are the codemod `cuda_branch`, streams, events and graphs `cuda_streams`.

Sources: torch_xla 1.13 and 2.9 core/xla_model.py (`wait_device_ops`, `get_memory_info`, `xla_device_hw`), runtime.py.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from codemods.kit.build import code_of, expression, parenthesized
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.entry import runs_ahead
from codemods.kit.fold import in_place_of
from codemods.kit.launch import XLA_LAUNCHES
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.starters import counts_for_starters

_REMOVED = frozenset((
    "set_device", "set_device_index", "empty_cache", "ipc_collect", "init", "set_sync_debug_mode",
    "set_per_process_memory_fraction", "reset_peak_memory_stats", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_accumulated_memory_stats", "reset_accumulated_host_memory_stats",
    "reset_peak_host_memory_stats", "_record_memory_history", "_dump_snapshot", "_lazy_init", "nvtx.range_push",
    "nvtx.range_pop", "nvtx.mark", "nvtx.range_start", "nvtx.range_end", "profiler.start", "profiler.stop",
    "profiler.init",
))  # fmt: skip
_CONTEXTS = frozenset((
    "device", "device_of", "nvtx.range", "profiler.profile", "device_index",
))  # fmt: skip
_IN_USE = frozenset((
    "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_cached",
    "max_memory_cached",
))  # fmt: skip
_REPORTS = frozenset((
    "memory_summary", "memory_stats", "memory_stats_as_nested_dict", "memory_snapshot", "list_gpu_processes",
))  # fmt: skip
_NO_COUNTERPART = frozenset((
    "get_device_properties", "get_device_capability", "get_gencode_flags",
    "can_device_access_peer", "memory_summary", "memory_stats", "memory_stats_as_nested_dict", "memory_snapshot",
    "list_gpu_processes", "utilization", "temperature", "power_draw", "clock_rate", "cudart",
    "nccl", "comm", "caching_allocator_alloc", "caching_allocator_delete", "get_allocator_backend",
    "change_current_allocator", "CUDAPluggableAllocator", "MemPool", "use_mem_pool", "memory_usage",
    "get_sync_debug_mode",
))  # fmt: skip
_ONLY_CUDA = {
    "OutOfMemoryError": "an XLA device that runs out of memory raises a RuntimeError",
    "get_arch_list": "is empty where torch has no CUDA",
}
_PROFILERS = ("torch.autograd.profiler.profile", "torch.autograd.profiler.emit_nvtx")
_SAYS = frozenset(("print", "info", "debug", "warning", "log", "write", "log_info"))
_MEMORY = "torch_xla 2.4 core/xla_model.py get_memory_info"


class CudaCalls(Codemod):
    """Replace or remove calls of `torch.cuda` that have to do with the GPU itself."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC140", "torch.cuda.synchronize() executes the graph and waits", Safety.EXACT,
             document="torch_xla 1.13 core/xla_model.py wait_device_ops; torch_xla 2.5 torch_xla.py sync"),
        Rule("TC141", "a call that only manages the GPU goes", Safety.EXACT,
             document="torch_xla 2.1 API_GUIDE.md: one device a process"),
        Rule("TC142", "a context of the GPU is dissolved", Safety.EXACT),
        Rule("TC143", "what the GPU is or how many there are is asked of torch_xla", Safety.REVIEW,
             advice="check what the answer is used for: XLA names kinds of hardware, not models of GPUs",
             document="torch_xla 2.1 core/xla_model.py xla_device_hw; torch_xla 2.1 runtime.py"),
        Rule("TC144", "memory figures are asked of torch_xla", Safety.REVIEW,
             advice="XLA tells the memory in use, no peak; its CPU client tells nothing and raises", document=_MEMORY),
        Rule("TC145", "a call of torch.cuda without a counterpart", Safety.NOTE, Severity.ERROR,
             advice="remove it, or guard it by torch.cuda.is_available(): it fails where there is no CUDA"),
        Rule("TC146", "something that only CUDA tells or records", Safety.NOTE, Severity.WARNING,
             advice="decide it for the XLA device; profile with torch_xla.debug.profiler",
             document="torch_xla 2.1 debug/profiler.py"),
        Rule("TC147", "GPUs are counted when a module is imported", Safety.NOTE, Severity.ERROR,
             advice="ask for xr.world_size() in what each process runs: asked before, the runtime starts too early",
             document="torch_xla 2.9 distributed/xla_multiprocessing.py spawn: Runtime is already initialized"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import time\n\nimport torch\n\ntorch.cuda.set_device(0)\nstep()\ntorch.cuda.synchronize()\n"
            "end = time.time()\ntorch.cuda.empty_cache()\n",
            smtc="import time\n\nimport torch\nimport torch_xla.core.xla_model as xm\n\nstep()\nxm.mark_step()\n"
            "xm.wait_device_ops()\nend = time.time()\n",
            xla="import time\n\nimport torch\nimport torch_xla\n\nstep()\n"
            "torch_xla.sync(wait=True)\nend = time.time()\n",
        ),
        Example(
            before="import torch\n\nwith torch.cuda.device(1):\n    run()\n",
            smtc="import torch\n\nrun()\n",
            xla="import torch\n\nrun()\n",
        ),
        Example(
            before="import torch\n\n\nclass Clock:\n    def synchronize(self):\n        pass\n\n\n"
            "Clock().synchronize()\n",
        ),
    )

    def rewrite(self) -> None:
        for library in ("torch.cuda", "torch.accelerator"):
            for name, node in self.script.names.uses(library):
                if not self._is_alias(node):
                    self._use(name.removeprefix(library + "."), node)
        self._profile()

    def _is_alias(self, node: cst.BaseExpression) -> bool:
        """A name of the script's own for a function: it follows its definition."""
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        return any(binding.kind == "assign" for binding in bindings)

    def _use(self, name: str, node: cst.BaseExpression) -> None:
        if name == "synchronize":
            self._synchronize(node)
        elif name in _REMOVED:
            self._remove(name, node)
        elif name in _CONTEXTS:
            self._dissolve(name, node)
        elif name in _IN_USE:
            self._ask("TC144", node, Idiom.MEMORY_USED, "the memory in use is asked of torch_xla")
        elif name == "mem_get_info":
            self._memory_info(node)
        elif name == "get_device_name":
            self._ask("TC143", node, Idiom.DEVICE_HARDWARE, "the kind of hardware is asked of torch_xla")
        elif name in ("current_device", "current_device_index", "current_device_idx"):
            self._current_device(node)
        elif name == "device_count":
            self._device_count(node)
        elif name == "is_bf16_supported":
            self._bfloat16(node)
        elif name in _ONLY_CUDA:
            self.note("TC146", node, _ONLY_CUDA[name])
        elif name.partition(".")[0] in _NO_COUNTERPART:
            self._without_counterpart(name, node)

    def _called(self, node: cst.BaseExpression) -> cst.Call | None:
        """The call of a function, or None where the function itself is passed on."""
        parent = self.script.tree.parent.get(node)
        return parent if isinstance(parent, cst.Call) and parent.func is node else None

    def _is_statement(self, node: cst.CSTNode) -> bool:
        return isinstance(self.script.tree.parent.get(node), cst.Expr)

    # --- synchronize ------------------------------------------------------------------------------------------------

    def _synchronize(self, node: cst.BaseExpression) -> None:
        call = self._called(node)
        edit = self.edit("TC140", node, "executes the pending graph and waits for it")
        if call is not None and self._is_statement(call):
            edit.instead(call, Idiom.SYNCHRONIZE)
            return
        first, *rest = edit.say_expressions(Idiom.SYNCHRONIZE)
        together = first if not rest else expression(f"({', '.join(map(code_of, [first, *rest]))})")
        if call is None:
            self._pass_on(edit, node, together)
        else:
            edit.replace(call, together)

    def _pass_on(self, edit: Edit, node: cst.BaseExpression, body: cst.BaseExpression) -> None:
        """A function in the place of one: `sync = torch.cuda.synchronize if cuda else None`."""
        made = cst.Lambda(cst.Parameters(), body)
        parent = self.script.tree.parent.get(node)
        alone = isinstance(parent, cst.Assign | cst.AnnAssign | cst.Arg | cst.Return | cst.Param | cst.DictElement)
        edit.replace(node, made if alone else parenthesized(made))

    # --- what goes --------------------------------------------------------------------------------------------------

    def _remove(self, name: str, node: cst.BaseExpression) -> None:
        call = self._called(node)
        edit = self.edit("TC141", node, f"{name} has nothing to do on an XLA device")
        if call is None:
            self._pass_on(edit, node, cst.Name("None"))
        elif self._is_statement(call):
            edit.remove(call)
        else:
            edit.replace(call, cst.Name("None"))

    def _dissolve(self, name: str, node: cst.BaseExpression) -> None:
        call = self._called(node)
        holder = self.script.tree.parent.get(call) if call is not None else None
        if isinstance(holder, cst.WithItem | cst.Decorator) and getattr(holder, "asname", None) is None:
            edit = self.edit("TC142", node, f"{name} has nothing to do on an XLA device")
            edit.replace(holder, lambda updated: None)
        elif isinstance(self.script.tree.parent.get(node), cst.Annotation):
            return
        else:
            self.note("TC145", node, f"{name} needs CUDA: use contextlib.nullcontext() in its place")

    # --- what is asked ----------------------------------------------------------------------------------------------

    def _ask(self, rule: str, node: cst.BaseExpression, idiom: Idiom, message: str) -> None:
        call = self._called(node)
        if call is None:
            self.note("TC145", node, f"{code_of(node)} is passed on: pass a function that asks torch_xla")
        elif self._is_statement(call):
            self.edit("TC141", node, f"{code_of(node)} is not used").remove(call)
        else:
            self._put(rule, call, message, lambda edit: edit.say(idiom, device=edit.device(call)))

    def _put(
        self, rule: str, node: cst.BaseExpression, message: str, make: Callable[[Edit], cst.BaseExpression]
    ) -> None:
        edit = self.edit(rule, node, message)
        if edit.allowed:
            made = make(edit)
            bare = isinstance(self.script.tree.parent.get(node), cst.Assign | cst.Arg | cst.Return)
            if bare and not isinstance(made, cst.Tuple):
                made = made.with_changes(lpar=(), rpar=())
            edit.replace(node, lambda updated: in_place_of(updated, made))

    def _memory_info(self, node: cst.BaseExpression) -> None:
        call = self._called(node)
        if call is None or self._is_statement(call):
            self._ask("TC144", node, Idiom.MEMORY_USED, "")
            return

        def make(edit: Edit) -> cst.BaseExpression:
            device = edit.device(call)
            total, used = (edit.say(idiom, device=device) for idiom in (Idiom.MEMORY_TOTAL, Idiom.MEMORY_USED))
            return expression("({total} - {used}, {total})", total=total, used=used)

        self._put("TC144", call, "free and total memory are asked of torch_xla", make)

    def _current_device(self, node: cst.BaseExpression) -> None:
        tree, call = self.script.tree, self._called(node)
        if call is None:
            self.note("TC145", node, f"{code_of(node)} is passed on: pass the XLA device")
            return
        defining = self.script.device_positions.defining
        if self.script.ranks.only_places(call) or any(found in defining for found in (call, *tree.ancestors(call))):
            return  # the codemod device puts the XLA device there
        if self._is_statement(call):
            self.edit("TC141", node, f"{code_of(node)} is not used").remove(call)
        else:
            self._put("TC143", call, "the index of the device is the rank on this host",
                      lambda edit: edit.say(Idiom.LOCAL_ORDINAL))  # fmt: skip

    def _device_count(self, node: cst.BaseExpression) -> None:
        call = self._called(node)
        if call is None:
            self.note("TC145", node, f"{code_of(node)} is 0 where there is no CUDA")
        elif call in counts_for_starters(self.script):
            return  # the codemod process_starter speaks of it
        elif self._is_settled(call):
            return
        elif self._is_imported(call) and not self.can(Idiom.LOCAL_SIZE_AHEAD):
            if not self._is_ahead(call) or isinstance(self.script.tree.parent[call], cst.Comparison):  # else TC533
                self.note("TC147", call, "the GPUs are counted when this is imported, before the processes start")
        elif self.can(Idiom.LOCAL_SIZE_AHEAD) or not self._is_ahead(call):
            self._put("TC143", call, "the number of devices of this host is asked of torch_xla",
                      lambda edit: edit.say(Idiom.LOCAL_SIZE))  # fmt: skip

    def _is_imported(self, call: cst.Call) -> bool:
        """In a module that is imported before the processes start, or in a class body or a default of the script that
        starts them: its other statements move into what each process runs."""
        if self.script.tree.function(call) is not None or not self.script.launch.several:
            return runs_ahead(self.script, call)
        return self.script.tree.enclosing(call, cst.ClassDef, cst.FunctionDef) is not None

    def _is_ahead(self, call: cst.Call) -> bool:
        """Before the processes start, in the function that starts them: the codemod spawned_count speaks of it."""
        tree = self.script.tree
        spawns = (*self.script.launch.starts, *self.script.calls(*XLA_LAUNCHES))
        return any(tree.function(spawn) is tree.function(call) and tree.before(call, spawn) for spawn in spawns)

    def _is_settled(self, call: cst.Call) -> bool:
        """Compared in a guard, or counted by the codemods that start the processes."""
        for found in (call, *self.script.tree.ancestors(call)):
            if isinstance(found, cst.BooleanOperation | cst.Assert | cst.BaseStatement | cst.BaseSuite):
                return False
            if found in self.edits.touched and not isinstance(found, cst.IfExp):  # of which an arm stays
                return True
        return False

    def _bfloat16(self, node: cst.BaseExpression) -> None:
        call = self._called(node)
        if call is not None and self.can(Idiom.BF16_SUPPORTED):
            self._put("TC143", call, "torch_xla is asked for bfloat16", lambda edit: edit.say(Idiom.BF16_SUPPORTED))
        else:
            self.note("TC146", node, "asks CUDA for bfloat16")

    # --- what has no counterpart ------------------------------------------------------------------------------------

    def _without_counterpart(self, name: str, node: cst.BaseExpression) -> None:
        tree, call = self.script.tree, self._called(node)
        statement = tree.small_statement(node)
        attribute = tree.parent.get(call) if call is not None else None
        if call is not None and name == "get_device_properties" and isinstance(attribute, cst.Attribute):
            idiom = {"total_memory": Idiom.MEMORY_TOTAL, "name": Idiom.DEVICE_HARDWARE}.get(attribute.attr.value)
            if idiom is not None:
                rule = "TC144" if idiom is Idiom.MEMORY_TOTAL else "TC143"
                self._put(rule, attribute, f"{idiom.value} is asked of torch_xla",
                          lambda edit: edit.say(idiom, device=edit.device(call)))  # fmt: skip
                return
        if call is not None and statement is not None and (name in _REPORTS and self._only_says(call, statement)):
            self.edit("TC141", node, f"there is no {name} of an XLA device to report").remove(statement)
        elif call is not None and name == "cudart" and isinstance(statement, cst.Expr):
            self.edit("TC141", node, "the CUDA runtime has nothing to do").remove(statement)
        else:
            self.note("TC145", node, f"torch.cuda.{name} has no counterpart on an XLA device")

    def _profile(self) -> None:
        """Profilers that are told to record CUDA."""
        for _, node in self.script.names.uses("torch.profiler.ProfilerActivity.CUDA"):
            self.note("TC146", node, "the profiler records nothing of an XLA device")
        for name in _PROFILERS:
            for call in self.script.calls(name):
                used = argument(call, 1, "use_cuda")
                if name.endswith("emit_nvtx") or (used is not None and code_of(used.value) != "False"):
                    self.note("TC146", call, "the profiler records nothing of an XLA device")

    def _only_says(self, call: cst.Call, statement: cst.CSTNode) -> bool:
        """`print(torch.cuda.memory_summary())`, or the call alone."""
        if not isinstance(statement, cst.Expr):
            return False
        if statement.value is call:
            return True
        outer, arg = statement.value, self.script.tree.parent.get(call)
        if not isinstance(outer, cst.Call) or len(outer.args) != 1 or outer.args[0] is not arg:
            return False
        said = outer.func.attr.value if isinstance(outer.func, cst.Attribute) else code_of(outer.func)
        return said in _SAYS
