"""Check the exit status of the commands that start a training or copy its checkpoints.

A launcher script that uses `subprocess.call` ends well when the training has failed, and the job is called a success.
Its command line, joined with spaces and given to a shell, comes apart at the first argument with a space in it. The
vendor's helper for large checkpoints runs `aws s3 sync` under `Popen` with pipes that nobody reads, waits, and drops
the status: a copy that failed looks like one that worked, and one that says much never ends. Such commands are run so
that a failure stops the script. What a script does with the status, or with a process, is left to it.

The messages of that helper lack the `f` before strings that name a variable in braces; it is put there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of, expression, parsed, with_keyword, without_argument
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument, dotted
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Stage
from codemods.kit.tree import walk

_LAUNCH = "SageMaker: enable Training Compiler, distributed training launcher script"
_COPY = "SageMaker: model parallel troubleshooting, saving checkpoints; Python 3 subprocess, Popen.wait"
_LAUNCHERS = ("torch_xla.distributed.sm_dist", "torch_xla.distributed.xla_spawn", "torch_xla.distributed.xla_dist")
_RUNS = ("subprocess.call", "subprocess.check_call", "subprocess.run", "subprocess.Popen")
_NAMED = re.compile(r"\{([A-Za-z_]\w*)\}")


class ExitStatus(Codemod):
    """Check the exit status of the commands that start a training or copy its checkpoints."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC741", "a training whose failure is dropped is started by check_call", Safety.REVIEW, document=_LAUNCH),
        Rule("TC742", "a command line for the training is a list, without a shell", Safety.REVIEW, document=_LAUNCH),
        Rule("TC743", "a copy to or from S3 is checked for its exit status", Safety.REVIEW,
             advice="a failed copy now raises CalledProcessError: catch it where the training may go on",
             document=_COPY),
        Rule("TC744", "a message that names a variable in braces becomes an f-string", Safety.REVIEW, document=_COPY),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import subprocess\n\nsubprocess.call(["aws", "s3", "sync", source, target])\n',
            smtc='import subprocess\n\nsubprocess.run(["aws", "s3", "sync", source, target], check=True)\n',
            xla='import subprocess\n\nsubprocess.run(["aws", "s3", "sync", source, target], check=True)\n',
        ),
        Example(before='import subprocess\n\nstatus = subprocess.call(["aws", "s3", "sync", source, target])\n'),
    )

    def rewrite(self) -> None:
        calls = [call for call in self.script.calls(*_RUNS) if isinstance(call.func, cst.Attribute)]
        copies = [call for call in calls if self._copies(call)]
        for call in calls:
            if self._launches(call):
                self._start(call)
        for call in copies:
            self._copy(call)
        if copies:
            self._messages()

    # --- what a command is ------------------------------------------------------------------------------------------

    def _launches(self, call: cst.Call) -> bool:
        return any(name in word for word in self._words(call) for name in _LAUNCHERS)

    def _copies(self, call: cst.Call) -> bool:
        return self._words(call)[:2] == ["aws", "s3"]

    def _words(self, call: cst.Call) -> list[str]:
        """The literal words of a command: of its list, its string, or the one thing its name is bound to."""
        command = argument(call, 0, "args")
        node = self._bound(command.value) if command is not None else None
        found = [text(part) for part in walk(node) if isinstance(part, cst.SimpleString)] if node is not None else []
        found += [part.value for part in walk(node) if isinstance(part, cst.FormattedStringText)] if node else []
        return [word for literal in found for word in literal.split()]

    def _bound(self, node: cst.BaseExpression) -> cst.BaseExpression:
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        value = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
        return value if value is not None else node

    def _is_dropped(self, call: cst.Call) -> bool:
        """Whether nothing is done with what a call gives."""
        return isinstance(self.script.tree.parent.get(call), cst.Expr)

    # --- a training -------------------------------------------------------------------------------------------------

    def _start(self, call: cst.Call) -> None:
        checked = argument(call, None, "check") is not None
        command = argument(call, 0, "args")
        if command is None:
            return
        if self._is_dropped(call) and not checked:
            last = (self.script.qualified(call.func) or "").rpartition(".")[2]
            if last == "call":
                edit = self.edit("TC741", call, "the job fails when the training does")
                edit.replace(call, lambda updated: _renamed(updated, "check_call"))
            elif last == "run":
                edit = self.edit("TC741", call, "the job fails when the training does")
                edit.replace(call, lambda updated: with_keyword(updated, "check", "True"))
        shell = argument(call, None, "shell")
        listed = self._as_list(self._bound(command.value)) if shell is not None else None
        if listed is not None:
            edit = self.edit("TC742", command, "the arguments reach the training as they are")
            edit.replace(command, lambda updated: updated.with_changes(value=expression(listed)))
            edit.replace(call, lambda updated: without_argument(updated, "shell"))

    def _as_list(self, command: cst.BaseExpression) -> str | None:
        """The list for `"python -m module " + " ".join(sys.argv[1:])`, or for the same as an f-string."""
        if isinstance(command, cst.BinaryOperation) and isinstance(command.operator, cst.Add):
            head, rest = text(command.left), command.right
        elif isinstance(command, cst.FormattedString) and len(command.parts) == 2:
            first, second = command.parts
            if not isinstance(first, cst.FormattedStringText) or not isinstance(second, cst.FormattedStringExpression):
                return None
            head, rest = first.value, second.expression
        else:
            return None
        words = head.split()
        if not words or not self._joins_arguments(self._bound(rest)):
            return None
        quoted = [self.quoted(word) for word in words]
        if words[0] in ("python", "python3"):
            quoted[0] = "sys.executable"
        return f"[{', '.join(quoted)}, *sys.argv[1:]]"

    def _joins_arguments(self, node: cst.BaseExpression) -> bool:
        """`" ".join(sys.argv[1:])`, also through `[arg for arg in sys.argv[1:]]`."""
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or len(node.args) != 1:
            return False
        joined = node.args[0].value
        if isinstance(joined, cst.ListComp | cst.GeneratorExp):
            if code_of(joined.elt) != code_of(joined.for_in.target) or joined.for_in.ifs:
                return False
            joined = joined.for_in.iter
        return code_of(node.func) in ('" ".join', "' '.join") and code_of(joined) == "sys.argv[1:]"

    # --- a copy -----------------------------------------------------------------------------------------------------

    def _copy(self, call: cst.Call) -> None:
        last = (self.script.qualified(call.func) or "").rpartition(".")[2]
        if last in ("call", "run") and self._is_dropped(call) and argument(call, None, "check") is None:
            edit = self.edit("TC743", call, "a copy that fails stops the script")
            edit.replace(call, lambda updated: with_keyword(_renamed(updated, "run"), "check", "True"))
        elif last == "Popen":
            self._wait(call)

    def _wait(self, call: cst.Call) -> None:
        """`p = subprocess.Popen(...)` that is only waited for, in its own block."""
        tree, names = self.script.tree, self.script.names
        assign = tree.parent.get(call)
        target = assign.targets[0].target if isinstance(assign, cst.Assign) and len(assign.targets) == 1 else None
        if not isinstance(target, cst.Name) or len(names.bindings(target)) != 1:
            return
        bindings = names.bindings(target)
        uses = [use for use in names.named(target.value) if use is not target and names.bindings(use) == bindings]
        waits = [wait for use in uses if (wait := self._waited(use)) is not None]
        if not isinstance(assign, cst.Assign) or len(uses) != 1 or len(waits) != 1:
            return
        if tree.block(assign) is not tree.block(waits[0]):
            return
        edit = self.edit("TC743", call, "a copy that fails stops the script; nothing reads the pipes")
        edit.remove(waits[0])

        def run(updated: cst.Assign) -> cst.Expr:
            ran = _renamed(cst.ensure_type(updated.value, cst.Call), "run")
            return cst.Expr(with_keyword(without_argument(ran, "stdout", "stderr"), "check", "True"))

        edit.replace(assign, run)

    def _waited(self, use: cst.Name) -> cst.CSTNode | None:
        """The statement `p.wait()` that a use of the process is."""
        tree = self.script.tree
        method = tree.parent.get(use)
        call = tree.parent.get(method) if isinstance(method, cst.Attribute) and method.attr.value == "wait" else None
        statement = tree.parent.get(call) if isinstance(call, cst.Call) and not call.args else None
        return statement if isinstance(statement, cst.Expr) else None

    # --- its messages -------------------------------------------------------------------------------------------------

    def _messages(self) -> None:
        for literal in self._raised():
            edit = self.edit("TC744", literal, "names what is in its braces")
            edit.replace(literal, parsed(f"f{literal.value}"))

    def _raised(self) -> Iterator[cst.SimpleString]:
        """Plain strings in `raise Error("... {name} ...")` whose braces all hold parameters of the function."""
        tree = self.script.tree
        for statement in tree.all(cst.Raise):
            function, made = tree.function(statement), statement.exc
            if function is None or not isinstance(made, cst.Call) or dotted(made.func) is None:
                continue
            known = {param.name.value for param in (*function.params.params, *function.params.kwonly_params)}
            for arg in made.args:
                found = _NAMED.findall(text(arg.value)) if isinstance(arg.value, cst.SimpleString) else []
                plain = isinstance(arg.value, cst.SimpleString) and not arg.value.prefix
                if found and plain and set(found) <= known and text(arg.value).count("{") == len(found):
                    yield cst.ensure_type(arg.value, cst.SimpleString)


def _renamed(call: cst.Call, name: str) -> cst.Call:
    """The call of another function of the same module."""
    return call.with_changes(func=cst.ensure_type(call.func, cst.Attribute).with_changes(attr=cst.Name(name)))
