"""What the choices are in code: pieces of text by dimension and value.

`<model>` is where the program keeps its model, `<config.lr>` a setting, `<to>` the move to the device as the program
spells it, `@name` a definition of `library`, wherever the program keeps that. `<a>` in a piece is what is put in.
"""

from __future__ import annotations

Pieces = dict[str, dict[str, str]]

SETUP: Pieces = {
    "device": {
        "object": 'torch.device("cuda")',
        "available": 'torch.device("cuda" if torch.cuda.is_available() else "cpu")',
        "string": '"cuda"',
        "index": "0",
        "indexed": 'f"cuda:{0}"',
        "config_string": "<config.device>",
        "config_object": "torch.device(<config.device>)",
        "current": 'torch.device("cuda", torch.cuda.current_device())',
        "function": "@pick_device()",
        "none": "",
    },
    "model": {
        "class": "@Net(<config.width>)",
        "factory": "@build_model(<config.width>)",
        "registry": '@MODELS["net"](<config.width>)',
        "by_name": '@create("Net", <config.width>)',
        "classmethod": "@Net.of(<config.width>)",
        "sequential": "nn.Sequential(nn.Linear(4, <config.width>), nn.ReLU(), nn.Linear(<config.width>, 2))",
    },
    "placement": {
        "assign": "<model> = <model><to>",
        "statement": "<model><to>",
        "arms": "if torch.cuda.is_available():\n    <model> = <model>.cuda()\nelse:\n    <model> = <model>.cpu()",
        "tuple": "<model>, <criterion> = <model><to>, <criterion><to>",
        "loop": "for part in (<model>, <criterion>):\n    part<to>",
        "comprehension": "<model>, <criterion> = [part<to> for part in (<model>, <criterion>)]",
        "helper": "<model> = @place(<model><device_argument>)",
    },
    "parameters": {
        "direct": "<model>.parameters()",
        "list": "list(<model>.parameters())",
        "filter": "filter(lambda p: p.requires_grad, <model>.parameters())",
        "comprehension": "[p for p in <model>.parameters() if p.requires_grad]",
        "groups": '[\n    {"params": [p for p in <model>.parameters() if p.dim() > 1], "weight_decay": 1e-2},\n'
        '    {"params": [p for p in <model>.parameters() if p.dim() < 2]},\n]',
        "grouped": "@group_parameters(<model>)",
    },
    "optimizer": {
        "sgd": "torch.optim.SGD(<a>, lr=<config.lr>, momentum=0.9)",
        "adam": "torch.optim.Adam(<a>, lr=<config.lr>)",
        "factory": "@make_optimizer(<a>, <config.lr>)",
        "by_name": 'getattr(torch.optim, "SGD")(<a>, lr=<config.lr>)',
        "partial": "functools.partial(torch.optim.SGD, lr=<config.lr>)(<a>)",
        "registry": '@OPTIMIZERS["sgd"](<a>, lr=<config.lr>)',
        "subclass": "@Steady(<a>, lr=<config.lr>)",
        "keywords": 'torch.optim.SGD(<a>, **{"lr": <config.lr>, "momentum": 0.9})',
        "of_model": "@optimizer_of(<model>, <config.lr>)",
    },
    "criterion": {
        "functional": "F.cross_entropy",
        "module": "nn.CrossEntropyLoss()",
        "moved": "nn.CrossEntropyLoss()<to>",
        "weighted": "nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0])<to>)",
        "own": "@Smooth(0.1)",
    },
    "data": {
        "tensors": "@make_data(<config.seed>)",
        "own_dataset": "@Points(<config.seed>)",
        "subset": "Subset(@make_data(<config.seed>), range(38))",
        "split": "torch.utils.data.random_split(@make_data(<config.seed>), [36, 4], "
        "generator=torch.Generator().manual_seed(1))[0]",
    },
    "sampling": {
        "none": "",
        "shuffle": ", shuffle=True",
        "generator": ", shuffle=True, generator=torch.Generator().manual_seed(3)",
        "sampler": ", sampler=RandomSampler(dataset)",
        "drop_last": ", shuffle=True, drop_last=True",
        "workers": ", shuffle=True, num_workers=2, pin_memory=True",
    },
    "loader": {
        "direct": "<loader> = <a>",
        "factory": "<loader> = @make_loader(dataset, <config.batch>)",
        "phases": '<loader_root> = {phase: <a> for phase in ("train", "valid")}',
        "inline": "",
        "method": "<loader> = @Data(dataset, <config.batch>)",
        "late": "",
        "tuple": "<loader>, extra = <a>, len(dataset)",
        "items": "<loader_root> = dict(train=<a>, valid=None)",
    },
    "wrapper": {
        "none": "",
        "data_parallel": "<model> = nn.DataParallel(<model><options>)",
        "device_ids": "<model> = nn.DataParallel(<model><options>)",
        "ddp": "<model> = DDP(<model><options>)",
        "ddp_spawn": "<model> = DDP(<model><options>)",
    },
    "wrapping": {
        "plain": "<a>",
        "keywords": "options = {<b>}\n<a>",
        "flag": "if <config.parallel>:\n    <a>",
        "counted": "if torch.cuda.device_count() > 1:\n    <a>",
        "helper": "<model> = @<wrapper>(<model>)",
    },
    "scheduler": {
        "none": "",
        "epoch": "torch.optim.lr_scheduler.StepLR(<optimizer>, 1, 0.5)",
        "iteration": "torch.optim.lr_scheduler.LambdaLR(<optimizer>, lambda step: 0.9**step)",
        "onecycle": "torch.optim.lr_scheduler.OneCycleLR(<optimizer>, <config.lr>, total_steps=100)",
        "plateau": "torch.optim.lr_scheduler.ReduceLROnPlateau(<optimizer>, patience=0)",
        "by_hand": "",
        "factory": "@make_scheduler(<optimizer>)",
    },
    "scaler": {
        "scaler": "torch.cuda.amp.GradScaler()",
        "scaler_new": 'torch.amp.GradScaler("cuda")',
        "scaler_flag": "torch.cuda.amp.GradScaler(enabled=<config.amp>)",
    },
    "averaging": {
        "none": "",
        "deepcopy": "copy.deepcopy(<unwrapped>)",
        "library": "AveragedModel(<model>)",
        "tensors": "{name: value.clone() for name, value in <unwrapped>.state_dict().items()}",
        "class": "@Average(<unwrapped>, 0.9)",
    },
    "seed": {
        "plain": "torch.manual_seed(<config.seed>)",
        "cuda": "torch.manual_seed(<config.seed>)\ntorch.cuda.manual_seed_all(<config.seed>)",
        "everything": "@seed_everything(<config.seed>)",
        "random": "random.seed(<config.seed>)\ntorch.manual_seed(<config.seed>)\n"
        "torch.backends.cudnn.deterministic = True",
        "with_rank": "torch.manual_seed(<config.seed> + <rank>)",
    },
    "resume": {
        "none": "",
        "pretrained": 'saved = torch.load(@start_file(<config.width>), map_location="cpu")\n'
        '<raw>.load_state_dict(saved["model"])',
        "on_device": "saved = torch.load(@start_file(<config.width>), map_location=<map_location>)\n"
        '<raw>.load_state_dict(saved["model"])',
        "storage": "saved = torch.load(@start_file(<config.width>), map_location=lambda storage, place: storage)\n"
        '<raw>.load_state_dict(saved["model"])',
        "full": 'saved = torch.load(@start_file(<config.width>), map_location="cpu")\n'
        '<raw>.load_state_dict(saved["model"])\n<optimizer>.load_state_dict(saved["optimizer"])',
    },
}

TRAINING: Pieces = {
    "batch": {
        "tuple": "x, y = batch",
        "dict": 'x, y = batch["x"], batch["y"]',
        "nested": "(x, extra), y = batch",
        "namespace": "x, y = batch.x, batch.y",
    },
    "move": {
        "pair": "x, y = x<to>, y<to>",
        "separate": "x = x<to>\ny = y<to>",
        "cuda": "x = x.cuda(non_blocking=True)\ny = y.cuda(non_blocking=True)",
        "helper": "x, y = @to_device((x, y)<device_argument>)",
        "comprehension": "x, y = [part<to> for part in (x, y)]",
        "map": "x, y = map(lambda part: part<to>, (x, y))",
        "at_use": "",
        "generator": "",
        "device_loader": "",
    },
    "amp": {
        "none": "<a>",
        "autocast_bf16": 'with torch.autocast("cuda", dtype=torch.bfloat16):\n    <a>',
        "scaler": "with torch.cuda.amp.autocast():\n    <a>",
        "scaler_new": 'with torch.amp.autocast("cuda"):\n    <a>',
        "scaler_flag": "with torch.cuda.amp.autocast(enabled=<config.amp>):\n    <a>",
        "stored": "mixed = torch.cuda.amp.autocast() if <config.amp> else contextlib.nullcontext()\n"
        "with mixed:\n    <a>",
    },
    "accumulation": {
        "none": "",
        "modulo": "if (step + 1) % <config.every> == 0:",
        "counter": "count += 1\nif count == <config.every>:\n    count = 0",
        "divided": "if step % <config.every> == <config.every> - 1:",
        "flag": "ready = (step + 1) % <config.every> == 0\nif ready:",
    },
    "clip": {
        "none": "",
        "norm": "torch.nn.utils.clip_grad_norm_(<model>.parameters(), <config.clip>)",
        "value": "nn.utils.clip_grad_value_(<model>.parameters(), <config.clip>)",
        "imported": "clip_grad_norm_(<model>.parameters(), max_norm=<config.clip>)",
        "helper": "@clip(<model>, <config.clip>)",
        "logged": "norms.append(torch.nn.utils.clip_grad_norm_(<model>.parameters(), <config.clip>).item())",
        "of_groups": 'torch.nn.utils.clip_grad_norm_([p for g in <optimizer>.param_groups for p in g["params"]], '
        "<config.clip>)",
    },
    "reach": {
        "direct": "<optimizer>.step()",
        "bound": "advance()",
        "function": "@update(<optimizer>)",
        "wrapper": "@Stepper(<optimizer>).step()",
        "list": "for one in [<optimizer>]:\n    one.step()",
        "getattr": 'getattr(<optimizer>, "step")()',
        "groups": "chosen = <optimizer>\nchosen.step()",
        "closure": "<optimizer>.step(closure)",
        "scaler": "<scaler>.step(<optimizer>)\n<scaler>.update()",
        "scaler function": "@update_scaled(<scaler>, <optimizer>)",
    },
    "zero": {
        "before": "<optimizer>.zero_grad()",
        "set_to_none": "<optimizer>.zero_grad(set_to_none=True)",
        "model": "<model>.zero_grad()",
        "after": "<optimizer>.zero_grad()",
        "by_hand": "for p in <model>.parameters():\n    p.grad = None",
    },
    "logging before": {
        "none": "",
        "average": "total, seen = 0.0, 0",
        "every": "",
        "meter": "meter = @Meter()",
        "list": "losses = []",
        "detached": "total, seen = 0.0, 0",
        "returned": "total, seen = 0.0, 0",
    },
    "logging": {
        "none": "",
        "average": "total += loss.item() * x.size(0)\nseen += x.size(0)",
        "every": 'if step % 3 == 0:\n    <print>(f"step {step} loss {loss.item():.4f}")',
        "meter": "meter.add(loss.item(), y.size(0))",
        "list": "losses.append(loss.detach())",
        "detached": "total += loss.detach()\nseen += 1",
        "returned": "total += loss.item()\nseen += 1",
    },
    "logging after": {
        "none": "",
        "average": '<print>(f"mean loss {total / seen:.4f}")',
        "every": "",
        "meter": '<print>(f"mean loss {meter.mean:.4f}")',
        "list": '<print>("losses", " ".join(f"{value.item():.4f}" for value in losses))',
        "detached": '<print>(f"mean loss {(total / seen).item():.4f}")',
        "returned": "",
    },
    "averaging": {
        "none": "",
        "deepcopy": "with torch.no_grad():\n    for mean, p in zip(<average>.parameters(), <model>.parameters()):\n"
        "        mean.mul_(0.9).add_(p, alpha=0.1)",
        "library": "<average>.update_parameters(<model>)",
        "tensors": "for name, value in <raw>.state_dict().items():\n"
        "    <average>[name] = 0.9 * <average>[name] + 0.1 * value",
        "class": "<average>.update(<raw>)",
    },
    "averaged": {
        "none": "",
        "deepcopy": "sum(p.abs().sum() for p in <average>.parameters()).item()",
        "library": "sum(p.abs().sum() for p in <average>.module.parameters()).item()",
        "tensors": "sum(value.abs().sum() for value in <average>.values()).item()",
        "class": "<average>.size()",
    },
    "guard": {
        "rank": "if <rank> == 0:",
        "get_rank": "if dist.get_rank() == 0:",
        "helper": "if @is_main():",
        "not_rank": "if not <rank>:",
        "environment": 'if int(os.environ["RANK"]) == 0:',
        "in_pair": "if <rank> in (-1, 0):",
        "early": "if <rank> == 0:",
        "initialised": "if not dist.is_initialized() or dist.get_rank() == 0:",
        "stored": "is_first = <rank> == 0\nif is_first:",
        "less": "if <rank> < 1:",
        "decorator": "if <rank> == 0:",
    },
    "unwrap": {
        "attribute": "<model>.module",
        "hasattr": '(<model>.module if hasattr(<model>, "module") else <model>)',
        "isinstance": "(<model>.module if isinstance(<model>, (nn.DataParallel, DDP)) else <model>)",
        "getattr": 'getattr(<model>, "module", <model>)',
    },
    "save": {
        "state": "torch.save(<raw>.state_dict(), <config.path>)",
        "checkpoint": 'torch.save({"model": <raw>.state_dict(), "optimizer": <optimizer>.state_dict()}, <config.path>)',
        "every": 'torch.save({"epoch": epoch, "model": <raw>.state_dict()}, f"epoch-{epoch}.pt")',
        "best_only": "torch.save(<raw>.state_dict(), <config.path>)",
        "helper": "@save_model(<raw>, <config.path>)",
    },
    "ending": {
        "none": "",
        "weights": 'size = sum(p.abs().sum() for p in <model>.parameters()).item()\n<print>(f"weights {size:.4f}")',
        "loss": '<print>("finished")',
        "evaluated": '<model>.eval()\n<print>("labels", <model>(torch.ones(3, 4)<to>).argmax(1).tolist())',
        "moved_back": "<model>.cpu()\nsize = sum(p.abs().sum() for p in <model>.parameters()).item()\n"
        '<print>(f"weights {size:.4f}")',
    },
}
