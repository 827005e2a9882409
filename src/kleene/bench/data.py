"""Events made for experiments: always the same ones, and made once."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from kleene.errors import NOWHERE, InputError

_ROW_GROUP = 1 << 19


@dataclass(frozen=True)
class Dataset:
    """Events that a function makes from parameters, `events` of them, kept as a Parquet file."""

    name: str
    make: Callable[..., pa.Table]
    parameters: Mapping[str, int | float | str]
    events: int

    def file(self, folder: Path) -> Path:
        """The file of the events, made if it is not there; another maker gives another name."""
        module = inspect.getmodule(self.make)
        assert module is not None
        recipe = inspect.getsource(module) + json.dumps(dict(self.parameters), sort_keys=True)
        digest = hashlib.sha256(f"{recipe}{self.events}".encode()).hexdigest()[:12]
        path = folder / f"{self.name}-{digest}.parquet"
        if not path.exists():
            fresh = folder / f"{uuid4().hex}.new"
            table = self.make(self.events, **self.parameters)
            # Without the schema of Arrow readers find plain types, as in anyone's file.
            pq.write_table(table, fresh, row_group_size=_ROW_GROUP, store_schema=False)
            fresh.replace(path)
        return path


def default_folder() -> Path:
    """A temporary folder for data: of this user alone, or it is not used."""
    folder = Path(tempfile.gettempdir()) / f"kleene-bench-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or shared:
        reason = f"{folder} is not private to its user, so no data is kept there"
        raise InputError(reason, NOWHERE, "--data names another folder")
    return folder
