"""Tie shared weights again after the model has moved.

`self.decoder.weight = self.encoder.weight` makes two modules share one Parameter. `.to(xla_device)` gives each of them
a new one (torch_xla 2.1 and 2.9), so the weights part, silently; on CUDA they stay shared. The tie is made again, on
the instance, where the model has moved; models of transformers have `tie_weights()` for it.

What a class ties is read off it; what else is shared when a model moves, tied by a helper or in a loop, shows when the
original is executed abstractly (`codemods/kit/meaning/tied.py`). What then has no name, a weight of each layer of a
list, and what a plain list of parameters beside the modules holds, stays the same from torch 2.3 on when parameters are
swapped (`torch.__future__.set_swap_module_params_on_conversion`); before that it is an error at the move. A helper that
ties what it is given is one where the execution did not come.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.meaning.shown import Part
from codemods.kit.meaning.tied import Tied
from codemods.kit.model_moves import ModelMove
from codemods.kit.names import dotted
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role, Value, spelling
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.ties import Tie, find_ties

_DOCUMENT = "torch 1.13 torch/nn/modules/module.py Module._apply: a new Parameter where devices are not compatible"
_SWAPPED = "torch 2.9 torch/nn/modules/module.py Module._apply, torch.utils.swap_tensors; tried with torch_xla 2.9"
_WITH_HEAD = ("CausalLM", "MaskedLM", "Seq2SeqLM", "ConditionalGeneration", "LMHead", "ForPreTraining", "HeadModel")


class TiedWeights(Codemod):
    """Tie shared weights again after the model has moved."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC116", "shared weights are tied again after the move", Safety.EXACT, document=_DOCUMENT),
        Rule("TC119", "shared weights part when the model moves", Safety.NOTE, Severity.WARNING,
             advice="tie them again after model.to(device)", document=_DOCUMENT),
        Rule("TC138", "shared weights part here, and have no name that is known", Safety.NOTE, Severity.ERROR,
             advice="tie them again below this line, as is done where the model is made", document=_DOCUMENT),
        Rule("TC168", "what keeps parameters of a model keeps those of before its move", Safety.NOTE, Severity.ERROR,
             advice="fill the list or dict again below this line", document=_DOCUMENT),
        Rule("TC167", "parameters stay the same ones when a model moves", Safety.REVIEW,
             advice="a move after a backward, with a graph alive, raises", document=_SWAPPED),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.i = nn.Embedding(4, 2)\n        self.o = nn.Linear(2, 4)\n"
            "        self.o.weight = self.i.weight\n\n\nnet = Net().cuda()\n",
            smtc="from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.i = nn.Embedding(4, 2)\n        self.o = nn.Linear(2, 4)\n"
            "        self.o.weight = self.i.weight\n\n\nnet = Net().cuda()\nnet.o.weight = net.i.weight\n",
            xla="from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.i = nn.Embedding(4, 2)\n        self.o = nn.Linear(2, 4)\n"
            "        self.o.weight = self.i.weight\n\n\nnet = Net().cuda()\nnet.o.weight = net.i.weight\n",
        ),
        Example(before="from torch import nn\n\nnet = nn.Linear(2, 2).cuda()\n"),
    )

    def rewrite(self) -> None:
        ties = find_ties(self.script)
        elsewhere = self.script.links.ties
        pretrained = "from_pretrained" in self.script.tree.source or "get_output_embeddings" in self.script.tree.source
        meaning = self.script.links.meaning
        seen = meaning.tied if meaning is not None else {}
        for assign in self._helpers():
            self.note("TC138", assign, "what is tied here parts when the model moves to the XLA device")
        if not ties and not pretrained and not elsewhere and not seen:
            return
        self._said: dict[cst.CSTNode, set[str]] = {}
        first: dict[cst.CSTNode, ModelMove] = {}
        for move in self.script.model_moves.moves:
            if move.value is not None:
                first.setdefault(move.value.origin, move)
        for tie in ties:
            moves = [move for move in first.values() if move.value is not None and self._is_of(move, tie.class_)]
            said = [self._tie(tie, move) for move in moves]
            retied = self.script.tree.qualname(tie.class_) in self.script.links.retied
            if not all(said) or not (moves or retied):
                self.note("TC119", tie.assign, "this tie is lost when the model moves to the XLA device")
        for call, model, code in self._ties_elsewhere(list(first.values()), elsewhere):
            self._put(call, code, f"{model} is of a class of another file, which ties them")
        for move in first.values():
            if move.value is not None and (self._has_head(move.value.of) or self._derives(move.value)):
                self._tie_pretrained(move)
        for move in self.script.model_moves.moves if seen else ():
            found = seen.get(self.script.roles.key(move.call))
            if found is not None:
                self._tie_seen(found, move)

    def _helpers(self) -> Iterator[cst.Assign]:
        """Ties of what a function is given, `a.weight = b.weight`, that the execution did not come to."""
        meaning, tree = self.script.links.meaning, self.script.tree
        for assign in tree.all(cst.Assign):
            target, value, function = assign.targets[0].target, assign.value, tree.function(assign)
            if not isinstance(target, cst.Attribute) or not isinstance(value, cst.Attribute) or function is None:
                continue
            names = {parameter.name.value for parameter in function.params.params} - {"self"}
            same = target.attr.value == value.attr.value == "weight"
            given = all((dotted(one.value) or "").partition(".")[0] in names for one in (target, value))
            key = (tree.statement_number(assign), spelling(target.value))
            if same and given and (meaning is None or not any(map(_is_known, meaning.parts.get(key, ())))):
                yield assign

    # --- ties that the execution showed ------------------------------------------------------------------------------

    def _tie_seen(self, tied: Tied, move: ModelMove) -> None:
        model, said = self._name(move), self._said.get(move.call, set())
        if any(one.endswith(")") and not one.endswith(".tie_weights()") for one in said):
            return  # a method of the class ties them all
        codes = [f"{model}{name}.tie_weights()" for name in tied.pretrained]
        codes += [f"{model}{other} = {model}{first}" for other, first in tied.pairs]
        turned = {f"{model}{first} = {model}{other}" for other, first in tied.pairs}
        known = bool(said & turned) or any(map(self._is_there, turned))
        for code in codes if model and not known else ():
            if code not in said and not self._is_there(code):
                self._put(move, code, "shared when it moved: tied where the model was made")
        if tied.nameless or (codes and not model):
            self._keep(move, "TC138", "weights that parts of this model share are separate ones after it")
        elif tied.kept:
            self._keep(move, "TC168", "a list or dict of this model's keeps the parameters of before it")

    def _keep(self, move: ModelMove, rule: str, what: str) -> None:
        """Let the parameters be the same ones after a move, as on CUDA; or say that they are not."""
        if self.script.calls("torch.__future__.set_swap_module_params_on_conversion"):
            return
        if not self.can(Idiom.SAME_PARAMETERS):
            self.note(rule, move.call, what)
            return
        edit = self.edit("TC167", move.call, "the parameters stay the same ones when the model moves", [what])
        edit.before(move.call, edit.say_statements(Idiom.SAME_PARAMETERS))

    # --- ties of the script's classes -------------------------------------------------------------------------------

    def _ties_elsewhere(
        self, moves: list[ModelMove], ties: dict[str, tuple[tuple[str, str], ...]]
    ) -> list[tuple[ModelMove, str, str]]:
        """The ties of classes of other files, once for each move of an instance: the move, the model, the statement."""
        found: dict[tuple[cst.Call, str], tuple[ModelMove, str, str]] = {}
        for move in moves:
            model = self._name(move)
            for target, value in ties.get(move.value.of, ()) if move.value is not None and model else ():
                code = f"{model}.{target} = {model}.{value}"
                if not self._is_there(code):
                    found.setdefault((move.call, code), (move, model, code))
        return list(found.values())

    def _is_of(self, move: ModelMove, class_: cst.ClassDef) -> bool:
        origin = move.value.origin if move.value is not None else None
        return isinstance(origin, cst.Call) and self.script.names.local_class(origin.func) is class_

    def _tie(self, tie: Tie, move: ModelMove) -> bool:
        model = self._name(move)
        tests = [self._said_of(test, tie, move, model) for test in tie.tests] if model else []
        if not model or None in tests:
            return False
        if tie.method == "__init__":
            target, value = dotted(tie.assign.targets[0].target) or "", dotted(tie.assign.value) or ""
            code = f"{model}{target.removeprefix('self')} = {model}{value.removeprefix('self')}"
        else:
            code = f"{model}.{tie.method}()"
        asked = [test for test in reversed(tests) if test not in ("True", None)]
        if "False" not in asked and not self._is_there(code):
            guarded = f"if {' and '.join(map(str, asked))}:\n    {code}\n" if asked else code
            self._put(move, guarded, f"tied at line {self.script.tree.line(tie.assign)}")
        return True

    def _name(self, move: ModelMove) -> str:
        """What the moved model is called after the statement that moves it."""
        if move.model:
            return move.across or move.model
        statement = self.script.tree.small_statement(move.call)
        return dotted(statement.targets[0].target) or "" if isinstance(statement, cst.Assign) else ""

    def _said_of(self, test: cst.BaseExpression, tie: Tie, move: ModelMove, model: str) -> str | None:
        """A condition of the class, said where the model is moved: parameters by what was passed for them."""
        negated = isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)
        inner = test.expression if isinstance(test, cst.UnaryOperation) and negated else test
        chain = dotted(inner)
        if chain is None:
            return None
        root, _, rest = chain.partition(".")
        if root == "self" and rest:
            said: str | None = f"{model}.{rest}"
        else:
            said = self._passed(root, tie, move)
            said = f"{said}.{rest}" if said and rest else said
        if said is None or not negated:
            return said
        return {"True": "False", "False": "True"}.get(said, f"not {said}")

    def _passed(self, name: str, tie: Tie, move: ModelMove) -> str | None:
        init = self.script.names.method(tie.class_, "__init__")
        origin = move.value.origin if move.value is not None else None
        if init is None or not isinstance(origin, cst.Call) or self.script.tree.function(tie.assign) is not init:
            return None
        parameter = next((p for p in init.params.params if p.name.value == name), None)
        if parameter is None:
            return None
        passed = self.script.roles.parameter_argument(init, parameter, origin)
        value = passed.value if passed is not None else parameter.default
        return dotted(value)

    # --- where ------------------------------------------------------------------------------------------------------

    def _put(self, move: ModelMove, code: str, why: str) -> None:
        self._said.setdefault(move.call, set()).add(code.rpartition("\n    ")[2].strip() or code)
        edit = self.edit("TC116", move.call, "shared weights are tied again after the move", [why])
        placement = self.script.placements.around(move.call)
        below = Stage.DATA  # below the move, which another codemod of this stage may put there
        if move.optimizer is not None:
            edit.before(move.optimizer, code, below)
        elif placement is not None:
            edit.after(placement.tree, code, below)
        else:
            edit.after(move.call, code, below)

    def _is_there(self, code: str) -> bool:
        statements = (*self.script.tree.all(cst.Assign), *self.script.tree.all(cst.Expr))
        return any(code_of(found) == code for found in statements)

    def _has_head(self, name: str) -> bool:
        return name.startswith("transformers.") and any(word in name for word in _WITH_HEAD)

    def _derives(self, value: Value) -> bool:
        """Whether a model is of a class of the script's own that derives from one of transformers and has a head."""
        class_ = self.script.names.local_class(value.origin.func) if isinstance(value.origin, cst.Call) else None
        bases = [self.script.qualified(base.value) or "" for base in class_.bases] if class_ else []
        heads = class_ is not None and self.script.names.method(class_, "get_output_embeddings") is not None
        return heads and any(base.startswith("transformers.") for base in bases)

    def _tie_pretrained(self, move: ModelMove) -> None:
        model = self._name(move)
        if model and not self._is_there(f"{model}.tie_weights()"):
            self._put(move, f"{model}.tie_weights()", "its input and output embeddings are shared")


def _is_known(part: Part) -> bool:
    """Whether something was a model of the program or of a library, and not one that is only taken for one."""
    return part.role == Role.MODEL.value and part.of != "torch.nn.Leaf"
