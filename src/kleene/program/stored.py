"""Machine code on disk: private to its user, verified when read, never unpickled."""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4

import llvmlite.binding as llvm

from kleene.program.machine_code import MachineCode

_FOR_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MAGIC = b"kleene kernel 1\n"
_DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of machine code; without one nothing is kept."""

    folder: Path | None

    @classmethod
    def of_user(cls) -> Store:
        """The store of this user: where KLEENE_CACHE says, else where caches are, else nowhere.

        Spark may run its workers as users whose home is not theirs to write.
        """
        return cls(next((folder for base in _bases() if (folder := _private(base))), None))

    def read(self, name: str) -> MachineCode | None:
        """The code of that name for this kind of processor, if it is there as it was written."""
        if self.folder is None:
            return None
        path = self.folder / _file(name)
        try:
            if not _is_private(path, stat.S_ISREG):
                return None
            content = path.read_bytes()
        except OSError:
            return None
        body = content[len(_MAGIC) + _DIGEST :]
        if content != _sealed(name, body):
            return None
        function, _, object_file = body.partition(b"\n")
        return MachineCode(function.decode(), object_file)

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Keep other processes out that want the same name: a kernel is compiled by one of them.

        Where files cannot be locked each compiles it, which costs time, not the result.
        """
        if self.folder is None:
            yield
            return
        path = self.folder / f"{_file(name)}.lock"
        try:
            file = open(path, "ab", opener=_for_this_user)  # noqa: SIM115 - closed below
        except OSError:
            yield
            return
        with file:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                with suppress(OSError):
                    path.unlink(missing_ok=True)

    def write(self, name: str, code: MachineCode) -> None:
        """Keep code; other processes see it as a whole or not at all."""
        if self.folder is None:
            return
        body = code.function.encode() + b"\n" + code.object_file
        fresh = self.folder / f"{uuid4().hex}.new"
        try:
            with open(fresh, "xb", opener=_for_this_user) as file:
                file.write(_sealed(name, body))
            fresh.replace(self.folder / _file(name))
        except OSError:  # a full or read-only disk costs time, not the result
            fresh.unlink(missing_ok=True)


def _sealed(name: str, body: bytes) -> bytes:
    """The content of a file: a hash tells whether the body is the one that was written there."""
    return _MAGIC + hashlib.sha256(_file(name).encode() + b"\n" + body).digest() + body


def _file(name: str) -> str:
    """Code is good for one kind of processor and for what one version of the compilers makes."""
    return f"{hashlib.sha256(f'{name} {_machine()}'.encode()).hexdigest()[:40]}.kernel"


@cache
def _machine() -> str:
    compilers = (f"{package} {version(package)}" for package in ("numba", "llvmlite"))
    features = llvm.get_host_cpu_features().flatten()
    return " ".join((*compilers, llvm.get_default_triple(), llvm.get_host_cpu_name(), features))


def _for_this_user(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)


def _bases() -> list[Path]:
    named = os.environ.get("KLEENE_CACHE")
    if named:
        return [Path(named)]
    cached = os.environ.get("XDG_CACHE_HOME")
    home = Path(cached) if cached else Path("~/.cache").expanduser()
    return [home / "kleene", Path(tempfile.gettempdir()) / f"kleene-{os.getuid()}"]


def _private(base: Path) -> Path | None:
    """A folder for kernels below `base` that is this user's alone, or None."""
    folder = base / "kernels"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        private = all(_is_private(each, stat.S_ISDIR) for each in (base, folder))
        return folder if private and os.access(folder, os.W_OK | os.X_OK) else None
    except OSError:
        return None


def _is_private(path: Path, is_kind: object) -> bool:
    """Whether a path is what it should be, no link, and nobody else may change it."""
    assert callable(is_kind)
    found = path.lstat()
    mine = bool(is_kind(found.st_mode)) and found.st_uid == os.getuid()
    return mine and not found.st_mode & _FOR_OTHERS
