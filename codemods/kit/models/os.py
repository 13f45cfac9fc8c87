"""os: environment variables that say the rank, and what only one process may do."""

from meaning import event, fresh, get_world, has_taint, set_world, symbol

_RANKS = ("RANK", "LOCAL_RANK", "SLURM_PROCID", "SLURM_LOCALID", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
          "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK")
_SIZES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "LOCAL_WORLD_SIZE")


class _Environment:
    def get(self, name, default=None):
        return self[name]

    def __getitem__(self, name):
        if name in _RANKS and (get_world("environment " + name) or not get_world("launched")):
            return symbol("environment " + name, "rank")
        return symbol("environment " + str(name))

    def __setitem__(self, name, value):
        event("environment", name)
        set_world("environment " + str(name), True)

    def __contains__(self, name):
        return symbol("environment has " + str(name))

    def setdefault(self, name, value):
        return self[name]

    def copy(self):
        return self

    def pop(self, name, default=None):
        return self[name]

    def update(self, *given, **more):
        event("environment")

    def items(self):
        return [(fresh("name"), fresh("value"))]


environ = _Environment()


def getenv(name, default=None):
    return environ[name]


def makedirs(path, mode=0, exist_ok=False):
    if has_taint(path, "clock"):
        each = ", perhaps one for each," if exist_ok else ""
        event("alone", f"os.makedirs of a directory named by the time{each}")
    event("alone" if not exist_ok else "made", "os.makedirs")


def mkdir(path, *given):
    event("alone", "os.mkdir")


def remove(path):
    event("alone", "os.remove")


unlink = rmdir = rename = removedirs = replace = remove


def _exit(*given):
    from meaning import end
    end()


sep = "/"
linesep = "\n"
name = "posix"


def __getattr__(name):
    from meaning import plain
    return plain("os." + name)
