"""What Python has from which version on, and what it has no longer: what training programs use of it.

By names of the standard library, as the documents of Python 3.8 to 3.14 give them ("New in version", "Removed"). Those
of 3.9 to 3.13 were asked of these Pythons themselves.
"""

from __future__ import annotations

from codemods.kit.phrases import Version

_NEW = {
    (3, 9): "functools.cache math.lcm math.nextafter math.ulp random.randbytes typing.Annotated types.GenericAlias "
    "asyncio.to_thread importlib.resources.files importlib.resources.as_file ast.unparse graphlib zoneinfo",
    (3, 10): "typing.TypeAlias typing.ParamSpec typing.Concatenate typing.TypeGuard typing.ParamSpecArgs "
    "typing.ParamSpecKwargs typing.is_typeddict types.NoneType types.UnionType types.EllipsisType itertools.pairwise "
    "contextlib.aclosing dataclasses.KW_ONLY inspect.get_annotations statistics.correlation statistics.covariance "
    "statistics.linear_regression importlib.metadata.packages_distributions sys.orig_argv sys.stdlib_module_names",
    (3, 11): "typing.Self typing.Never typing.LiteralString typing.NotRequired typing.Required typing.Unpack "
    "typing.TypeVarTuple typing.assert_never typing.assert_type typing.dataclass_transform typing.reveal_type "
    "typing.get_overloads tomllib enum.StrEnum enum.EnumType enum.ReprEnum enum.member enum.nonmember enum.verify "
    "datetime.UTC contextlib.chdir math.cbrt math.exp2 operator.call hashlib.file_digest asyncio.TaskGroup "
    "asyncio.Runner asyncio.timeout asyncio.Barrier logging.getLevelNamesMapping sys.exception wsgiref.types",
    (3, 12): "typing.override typing.TypeAliasType itertools.batched math.sumprod collections.abc.Buffer "
    "random.binomialvariate types.get_original_bases inspect.BufferFlags os.path.splitroot",
    (3, 13): "typing.TypeIs typing.ReadOnly typing.NoDefault warnings.deprecated copy.replace math.fma glob.translate "
    "os.process_cpu_count statistics.kde queue.ShutDown",
    (3, 14): "annotationlib concurrent.interpreters string.templatelib functools.Placeholder "
    "concurrent.futures.InterpreterPoolExecutor typing.evaluate_forward_ref",
}
_ABSTRACT = (
    "Mapping MutableMapping Sequence MutableSequence Iterable Iterator Callable Hashable Sized Container Set "
    "MutableSet Generator Awaitable Coroutine Reversible Collection ByteString KeysView ValuesView ItemsView"
)
_GONE = {
    (3, 8): "time.clock platform.linux_distribution platform.dist cgi.escape",
    (3, 9): "fractions.gcd base64.encodestring base64.decodestring sys.setcheckinterval "
    "plistlib.readPlist plistlib.writePlist dummy_threading",
    (3, 10): " ".join(f"collections.{name}" for name in _ABSTRACT.split()),
    (3, 11): "inspect.getargspec inspect.formatargspec asyncio.coroutine",
    (3, 12): "imp distutils asynchat asyncore smtpd configparser.SafeConfigParser pkgutil.ImpImporter",
    (3, 13): "cgi imghdr sndhdr audioop telnetlib nntplib unittest.makeSuite",
}
_KEYWORDS = {
    (3, 9): "logging.basicConfig:encoding random.sample:counts hashlib.md5:usedforsecurity "
    "hashlib.sha1:usedforsecurity hashlib.sha256:usedforsecurity argparse.ArgumentParser:exit_on_error",
    (3, 10): "zip:strict dataclasses.dataclass:slots dataclasses.dataclass:kw_only dataclasses.dataclass:match_args "
    "dataclasses.field:kw_only glob.glob:root_dir glob.iglob:root_dir bisect.bisect:key bisect.bisect_left:key "
    "bisect.bisect_right:key bisect.insort:key tempfile.TemporaryDirectory:ignore_cleanup_errors "
    "logging.Formatter:defaults",
    (3, 11): "concurrent.futures.ProcessPoolExecutor:max_tasks_per_child glob.glob:include_hidden "
    "statistics.fmean:weights",
    (3, 12): "shutil.rmtree:onexc tempfile.TemporaryDirectory:delete tempfile.NamedTemporaryFile:delete_on_close",
    (3, 14): "functools.reduce:initial",
}


def _by_name(table: dict[Version, str]) -> dict[str, Version]:
    return {name: version for version, names in table.items() for name in names.split()}


NEW = _by_name(_NEW)
"""Modules, and what is in them, by the first Python that has them."""
GONE = _by_name(_GONE)
"""The same, by the first Python that does not."""
METHODS: dict[str, Version] = {
    "removeprefix": (3, 9), "removesuffix": (3, 9), "is_relative_to": (3, 9), "with_stem": (3, 9), "bit_count": (3, 10),
}  # fmt: skip
"""Methods of a text, a path or a number, which nothing else calls so."""
_SPLIT = {tuple(name.split(":")): version for name, version in _by_name(_KEYWORDS).items()}
KEYWORDS: dict[str, dict[str, Version]] = {}
"""Functions, and the arguments of theirs that came later."""
for (_function, _keyword), _version in _SPLIT.items():
    KEYWORDS.setdefault(_function, {})[_keyword] = _version
GENERIC = ("list", "dict", "tuple", "set", "frozenset", "type", "collections.deque", "collections.defaultdict",
           "collections.OrderedDict", "collections.Counter", "collections.abc.", "re.Pattern", "re.Match",
           "queue.Queue", "os.PathLike", "contextlib.AbstractContextManager")  # fmt: skip
"""Classes that take types in brackets from Python 3.9 on."""
