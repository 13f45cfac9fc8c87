"""What a program does before it trains: it makes its device, data, model, optimizer and the rest, in some order."""

from __future__ import annotations

from tests.generate.files import put
from tests.generate.fragments import SETUP
from tests.generate.networks import NETS
from tests.generate.scope import ENTITIES, Scope, container

_GROUP = 'dist.init_process_group("nccl")\n<rank> = dist.get_rank()\nlocal_rank = int(os.environ["LOCAL_RANK"])'
_SPAWNED = (
    'os.environ.setdefault("MASTER_ADDR", "127.0.0.1")\nos.environ.setdefault("MASTER_PORT", "29511")\n'
    'dist.init_process_group("nccl", rank=index, world_size=torch.cuda.device_count())\n'
    "<rank> = local_rank = index"
)
_OF_RANK = {"object": 'torch.device("cuda", local_rank)', "index": "local_rank", "indexed": 'f"cuda:{local_rank}"'}
_OF = "@classmethod\n    def of(cls, width):\n        return cls(width)\n\n    "


def present(scope: Scope) -> list[str]:
    """The entities that the program has, in the order in which they are made."""
    vector = scope.vector
    absent = {
        "rank": not vector["wrapper"].startswith("ddp"),
        "device": vector["device"] == "none" or vector["storage_device"] == "constant",
        "dataset": vector["loader"] not in ("inline", "late"),
        "loader": vector["loader"] in ("inline", "late"),
        "valid": vector["evaluation"] == "none",
        "criterion": vector["criterion"] == "functional",
        "scheduler": vector["scheduler"] in ("none", "by_hand"),
        "scaler": vector["amp"] not in SETUP["scaler"],
        "average": vector["averaging"] == "none",
    }
    return [entity for entity in ENTITIES if entity != "config" and not absent.get(entity, False)]


def setup(scope: Scope) -> str:
    """The statements, resolved."""
    text = "\n".join(filter(None, [_begin(scope), _model_and_optimizer(scope), _rest(scope)]))
    if scope.vector["filled"] == "assigned":
        made = [
            f"{scope.prefix}{scope.root(entity)} = {container(scope.vector['container'], kind, {})}"
            for kind, entity in _containers(scope).items()
        ]
        text = "\n".join([*made, text])
    else:
        text = "\n".join([text, *_collected(scope)])
    return scope.resolve(text)


def _containers(scope: Scope) -> dict[str, str]:
    """The storages that need a container, each with an entity that is kept in it."""
    kinds = {scope.storage(entity): entity for entity in present(scope)}
    return {kind: entity for kind, entity in kinds.items() if kind in ("attribute", "item", "index")}


def _collected(scope: Scope) -> list[str]:
    """What was made as variables, put where it is kept."""
    settled = scope.within(scope.at, scope.prefix)
    lines = []
    for kind, entity in _containers(scope).items():
        held = {name: name for name in present(scope) if scope.storage(name) == kind}
        at_once = scope.vector["filled"] != "updated"
        lines.append(f"{scope.root(entity)} = {container(scope.vector['container'], kind, held if at_once else {})}")
        lines += [] if at_once else [f"{settled.name(name)} = {name}" for name in held]
    lines += [f"{settled.name(name)} = {name}" for name in present(scope) if scope.storage(name) == "shared"]
    return lines


def _begin(scope: Scope) -> str:
    """Process group, seeds, device, data."""
    vector = scope.vector
    parallel = vector["wrapper"].startswith("ddp")
    lines = []
    if parallel:
        lines += [_GROUP if vector["wrapper"] == "ddp" else _SPAWNED, "torch.cuda.set_device(local_rank)"]
    lines.append(SETUP["seed"][vector["seed"]])
    expression = _OF_RANK.get(vector["device"], "") if parallel else ""
    expression = expression or SETUP["device"][vector["device"]]
    if "device" in present(scope):
        lines.append(f"<device> = {expression}")
    call = loader_call(scope, "<config.batch>")
    kind = vector["loader"]
    made = SETUP["loader"][kind].replace("<a>", call)
    scope.files.define("make_loader", "data", put(scope.files.definitions["make_loader"][1], "loader_call",
                                                  loader_call(scope, "batch_size")))  # fmt: skip
    scope.files.define("Data", "data", put(scope.files.definitions["Data"][1], "loader_call",
                                           loader_call(scope, "batch_size")))  # fmt: skip
    dataset = "<dataset>" if kind in ("inline", "late") else "dataset"
    lines += [f"{dataset} = {SETUP['data'][vector['data']]}", made]
    if vector["evaluation"] != "none":
        lines.append("<valid> = DataLoader(@make_data(11, 16), batch_size=8)")
    return "\n".join(filter(None, lines))


def loader_call(scope: Scope, size: str, dataset: str = "dataset") -> str:
    """A call of DataLoader, with the sampling and the shape of batches that the program has."""
    vector = scope.vector
    sampling = SETUP["sampling"][vector["sampling"]]
    if vector["wrapper"].startswith("ddp"):
        kept = {"drop_last": ", drop_last=True", "workers": ", num_workers=2, pin_memory=True"}
        sampling = ", sampler=DistributedSampler(dataset)" + kept.get(vector["sampling"], "")
    collate = "" if vector["batch"] == "tuple" else f", collate_fn=@collate_{vector['batch']}"
    return f"DataLoader(dataset, batch_size={size}{sampling}{collate})".replace("dataset", dataset)


def _maker(scope: Scope) -> str:
    """The expression that makes the model; it defines what it needs."""
    vector = scope.vector
    on_device = vector["placement"] == "self_to"
    bare = vector["device"] == "none"
    net = NETS[vector["network"]].replace("<device_parameter>", ", device" if on_device and not bare else "")
    net = net.replace("<self_to>", ("self.cuda()" if bare else "self.to(device)") if on_device else "")
    inner = "            "
    net = net.replace("<of>", _OF.replace("\n    ", "\n" + inner) if vector["model"] == "classmethod" else "")
    scope.files.define("Net", "models", net)
    maker = SETUP["model"][vector["model"]]
    local = maker.replace("<config.width>", "width")
    scope.files.define("start_file", "models", scope.files.definitions["start_file"][1].replace("<maker>", local))
    if on_device:
        return maker.replace(")", "<device_argument>)")
    if vector["placement"] == "factory":
        parameter, move = ("", "model.cuda()") if bare else (", device", "model.to(device)")
        text = f"def build_placed(width{parameter}):\n    model = {local}\n    return {move}"
        scope.files.define("build_placed", "models", text)
        return "@build_placed(<config.width><device_argument>)"
    return maker + ("<to>" if vector["placement"] == "inline" else "")


def _model_and_optimizer(scope: Scope) -> str:
    """Model, move, wrapper, optimizer and scheduler, in the order chosen."""
    vector = scope.vector
    make = f"<model> = {_maker(scope)}"
    if vector["criterion"] != "functional":
        make = f"<criterion> = {SETUP['criterion'][vector['criterion']]}\n{make}"
    resume = SETUP["resume"][vector["resume"]]
    if vector["resume"] != "full":
        resume = resume.replace("<raw>", "<model>")
    early = vector["resume"] in ("pretrained", "storage")
    move = SETUP["placement"].get(vector["placement"], "")
    parameters = SETUP["parameters"][vector["parameters"]]
    listed = vector["order"] == "parameters_first"
    maker = SETUP["optimizer"][vector["optimizer"]]
    optimizer = "<optimizer> = " + maker.replace("<a>", "params" if listed else parameters)
    schedule = SETUP["scheduler"][vector["scheduler"]]
    scheduler = f"<scheduler> = {schedule}" if schedule else ""
    moved = [move, resume if vector["resume"] == "on_device" else "", _wrap(scope)]
    last = [resume if vector["resume"] == "full" else ""]
    start = [make, resume if early else ""]
    orders = {
        "move_first": [*start, *moved, optimizer, *last, scheduler],
        "optimizer_first": [*start, optimizer, *moved, scheduler],
        "parameters_first": [*start, f"params = {parameters}", *moved, optimizer, scheduler],
        "scheduler_first": [*start, optimizer, scheduler, *moved],
    }
    return "\n".join(filter(None, orders[vector["order"]]))


def _wrap(scope: Scope) -> str:
    """The model in a wrapper of several devices."""
    wrapper, wrapping = scope.vector["wrapper"], scope.vector["wrapping"]
    if wrapper == "none":
        return ""
    ids = {"data_parallel": "", "device_ids": "device_ids=[0]"}.get(wrapper, "device_ids=[local_rank]")
    options = f", {ids}" if ids else ""
    helper = "distribute" if wrapper.startswith("ddp") else "parallel"
    inside = options.replace("local_rank", "torch.cuda.current_device()")
    text = scope.files.definitions[helper][1].replace("<options>", inside)
    scope.files.define(helper, "utils", text)
    if wrapping == "keywords":
        options = ", **options"
    pieces = ids.replace("device_ids=", '"device_ids": ')
    call = SETUP["wrapper"][wrapper].replace("<options>", options)
    return SETUP["wrapping"][wrapping].replace("<a>", call).replace("<b>", pieces).replace("<wrapper>", helper)


def _rest(scope: Scope) -> str:
    """Scaler and average."""
    vector = scope.vector
    lines = []
    if vector["amp"] in SETUP["scaler"]:
        lines.append(f"<scaler> = {SETUP['scaler'][vector['amp']]}")
    if vector["averaging"] != "none":
        lines.append(f"<average> = {SETUP['averaging'][vector['averaging']]}")
    return "\n".join(lines)
