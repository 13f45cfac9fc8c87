"""Evidence of construction: what the calls of classes, functions and methods give."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from codemods.kit.roles.containers import Containers
from codemods.kit.roles.libraries import DEVICE_LOADERS, PASSES_THROUGH, WRAPPERS, library_role
from codemods.kit.roles.values import NONE, Role, Value, Values, linked_value, merged, text_of

_SAME = {"to", "cuda", "cpu", "half", "float", "double", "bfloat16", "train", "eval", "apply", "requires_grad_", "type",
         "share_memory", "detach", "clone", "contiguous", "module_to", "pin_memory"}  # fmt: skip


class Constructed(Containers):
    """What calls give."""

    def _of_call(self, call: cst.Call, path: tuple[int, ...]) -> Values:
        name = self.names.qualified(call.func)
        if name is not None:
            found = self._of_library_call(call, name, path)
            if found is not None:
                return found
            found = self._of_other_file(call, name, path)
            if found:
                return found
        class_ = self.names.local_class(call.func)
        if class_ is not None:
            role = self.class_role(class_)
            origin = class_ if role is Role.OTHER else call
            return (Value(role, class_.name.value, origin, (self._made(call),)),)
        function = self.names.local_function(call.func)
        if function is not None:
            return self._of_returns(function, call, path)
        if isinstance(call.func, cst.Attribute):
            return self._of_method(call, call.func, path) or self._of_result(call, path)
        if isinstance(call.func, cst.Name | cst.Subscript | cst.Call):
            return self._of_callable(call, path) or self._of_result(call, path)
        return NONE

    def _of_result(self, call: cst.Call, path: tuple[int, ...]) -> Values:
        """What a call of something that another file makes gives."""
        if not self.links.results:
            return NONE
        results = self.links.results.get(self.tree.order[call], {}).get(path, ())
        return tuple(
            linked_value(known, call).via(f"called at line {self.tree.statement_line(call)}") for known in results
        )

    def _of_other_file(self, call: cst.Call, name: str, path: tuple[int, ...]) -> Values:
        """What a function or class of another file of the project gives."""
        role = self.links.classes.get(name)
        if role is not None:
            return (Value(role, name, call, (self._made(call),)),)
        seen = f"called at line {self.tree.statement_line(call)}"
        return tuple(linked_value(known, call).via(seen) for known in self.links.returned.get(name, {}).get(path, ()))

    def _made(self, call: cst.Call) -> str:
        return f"{text_of(call.func) or 'a call'}(...) at line {self.tree.statement_line(call)}"

    def _of_library_call(self, call: cst.Call, name: str, path: tuple[int, ...]) -> Values | None:
        role = library_role(name)
        if role is not None:
            return (Value(role, name, call, (self._made(call),)),)
        if name in WRAPPERS and call.args:
            inner = self.value(call.args[0].value, Role.MODEL) or Value(Role.MODEL, name, call, (self._made(call),))
            return (replace(inner, wrapped=(*inner.wrapped, WRAPPERS[name])).via(self._made(call)),)
        if name in DEVICE_LOADERS and call.args:
            moved = self.value(call.args[0].value, Role.LOADER)
            origin = moved.origin if moved else call
            return (Value(Role.LOADER, name, origin, (self._made(call),), wrapped=("device loader",)),)
        if name in PASSES_THROUGH and call.args:
            return merged(tuple(
                Value(Role.ITERATOR, v.of, v.origin, v.evidence, v.wrapped) if v.role is Role.LOADER else v
                for v in self.values(call.args[0].value)
                if v.role in (Role.LOADER, Role.ITERATOR, Role.MODEL)
            ))  # fmt: skip
        if name == "builtins.next" and call.args:
            loader = self.loader(call.args[0].value)
            return (Value(Role.BATCH, loader.of, call, loader.evidence),) if loader else NONE
        if name == "builtins.getattr" and call.args:
            key = call.args[1].value if len(call.args) > 1 else None
            if isinstance(key, cst.SimpleString) and key.raw_value == "module":
                return self.values(call.args[0].value, path)  # getattr(model, "module", model)
            return None
        if name == "horovod.torch.DistributedOptimizer" and call.args:
            return self.values(call.args[0].value, path)
        if name in ("apex.amp.initialize", "torch.compile", "torch.jit.script",
                    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
                    "apex.parallel.convert_syncbn_model"):  # fmt: skip
            if path and path[0] < len(call.args):
                return self.values(call.args[path[0]].value, path[1:])
            return self.values(call.args[0].value) if call.args else NONE
        if name.startswith("builtins."):
            return NONE
        return None

    def _of_method(self, call: cst.Call, func: cst.Attribute, path: tuple[int, ...]) -> Values:
        found = self._of_keyword(call)
        if found:
            return found
        owner = self.values(func.value)
        method = func.attr.value
        for value in owner:
            if value.role is Role.OTHER and isinstance(value.origin, cst.ClassDef):
                function = self.names.method(value.origin, method)
                if function is not None:
                    return (value,) if self._returns_self(function) else self._of_returns(function, call, path)
        if method in _SAME:
            return tuple(v for v in owner if v.role is not Role.OTHER)
        if method == "per_device_loader":
            return merged(tuple(replace(v, role=Role.ITERATOR) for v in owner if v.wrapped))
        if method == "from_pretrained" and self.names.qualified(func.value):
            return self._of_pretrained(call, self.names.qualified(func.value) or "")
        if method in ("next", "__next__") and not call.args:
            return tuple(Value(Role.BATCH, v.of, call, v.evidence) for v in owner if v.role is Role.ITERATOR)[:1]
        for value in owner:
            if value.role in (Role.TENSOR, Role.LOSS, Role.BATCH):
                on_host = method in ("item", "tolist")
                return (Value(Role.OTHER if on_host else Role.TENSOR, value.of, call, value.evidence),)
        if call.args and self._is_gone_through(call):
            # `metric_logger.log_every(loader, ...)`: iterates what it is given.
            inner = self.loader(call.args[0].value)
            if inner is not None:
                return (Value(Role.ITERATOR, inner.of, inner.origin, inner.evidence, inner.wrapped),)
        return NONE

    def _is_gone_through(self, call: cst.Call) -> bool:
        """Whether a loop goes through what a call gives, as it is or in `enumerate(...)`."""
        node: cst.CSTNode = call
        while True:
            parent = self.tree.parent.get(node)
            outer = self.tree.parent.get(parent) if isinstance(parent, cst.Arg) else None
            if not isinstance(outer, cst.Call) or outer.args[0] is not parent:
                return isinstance(parent, cst.For) and parent.iter is node
            if self.names.qualified(outer.func) not in PASSES_THROUGH:
                return False
            node = outer

    def _of_pretrained(self, call: cst.Call, name: str) -> Values:
        last = name.rpartition(".")[2]
        if any(word in last for word in ("Tokenizer", "Config", "Processor", "Extractor", "Scheduler")):
            return (Value(Role.OTHER, name, call),)
        return (Value(Role.MODEL, name, call, (self._made(call),)),)

    def _of_callable(self, call: cst.Call, path: tuple[int, ...]) -> Values:
        func = call.func
        # models.__dict__[args.arch](), getattr(optim, args.optimizer)(...), optim.__dict__[name](...)
        if isinstance(func, cst.Subscript) and isinstance(func.value, cst.Attribute):
            module = self.names.qualified(func.value.value)
            if module and func.value.attr.value == "__dict__":
                return self._member_of(module, call)
        if isinstance(func, cst.Call) and self.names.qualified(func.func) == "builtins.getattr" and func.args:
            module = self.names.qualified(func.args[0].value)
            if module:
                return self._member_of(module, call)
        for value in self.values(func):
            if value.role is Role.MODEL:
                return (Value(Role.TENSOR, "output of " + value.of, call, value.evidence),)
            if value.role is Role.CRITERION:
                return (Value(Role.LOSS, value.of, call, (self._made(call),)),)
        classes = list(self.names.bindings(func)) if isinstance(func, cst.Name) else []
        for binding in classes:
            # Model = A if flag else B; Model(...)
            if binding.kind == "assign" and isinstance(binding.value, cst.IfExp):
                for option in (binding.value.body, binding.value.orelse):
                    class_ = self.names.local_class(option)
                    role = self.class_role(class_) if class_ else library_role(self.names.qualified(option) or "")
                    if role not in (None, Role.OTHER):
                        return (Value(role, text_of(option) or "", call, (self._made(call),)),)
        return NONE

    def _member_of(self, module: str, call: cst.Call) -> Values:
        if module == "torch.optim":
            return (Value(Role.OPTIMIZER, "torch.optim", call, (self._made(call),)),)
        if module == "torch.optim.lr_scheduler":
            return (Value(Role.SCHEDULER, module, call, (self._made(call),)),)
        if module.startswith("torchvision.models") or module.rpartition(".")[2] in ("models", "model"):
            return (Value(Role.MODEL, module, call, (self._made(call),)),)
        return NONE

    def _of_returns(self, function: cst.FunctionDef, call: cst.Call, path: tuple[int, ...]) -> Values:
        found: list[Value] = []
        seen = f"returned by {function.name.value}(), called at line {self.tree.statement_line(call)}"
        for loader in self._yielded_from(function):
            found.append(Value(Role.ITERATOR, loader.of, loader.origin, loader.evidence, loader.wrapped))
        for returned in self.tree.all(cst.Return):
            if returned.value is not None and self.tree.function(returned) is function:
                found += [value.via(seen) for value in self.values(returned.value, path)]
        return merged(tuple(found))

    def _returns_self(self, method: cst.FunctionDef) -> bool:
        return any(
            isinstance(returned.value, cst.Name) and returned.value.value == "self"
            for returned in self.tree.all(cst.Return)
            if self.tree.function(returned) is method
        )

    def _yielded_from(self, function: cst.FunctionDef) -> list[Value]:
        """The loaders a generator of the script yields the batches of."""
        yields = [node for node in self.tree.all(cst.Yield) if self.tree.function(node) is function]
        found = [self.loader(node.value.item) for node in yields if isinstance(node.value, cst.From)]
        for loop in self.tree.all(cst.For) if yields else ():
            if self.tree.function(loop) is function and any(self.tree.contains(loop, node) for node in yields):
                found.append(self.loader(loop.iter))
        return [loader for loader in found if loader is not None]
