"""Files of events: Parquet, CSV and JSON lines, told apart by suffix."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from kleene.errors import NOWHERE, InputError

_FORMATS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}


def open_events(paths: list[str]) -> ds.Dataset:
    """The events of files, or of folders of files, of one format."""
    formats = {_format(Path(path)) for path in paths}
    if len(formats) != 1:
        raise InputError(
            "the files of events are of different formats", NOWHERE, "name files of one format"
        )
    try:
        return ds.dataset(paths if len(paths) > 1 else paths[0], format=formats.pop())
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"{', '.join(paths)} cannot be read: {error}") from None


def _format(path: Path) -> str:
    if not path.exists():
        raise InputError(f"there is no file {path}")
    files = (file for file in sorted(path.rglob("*")) if file.suffix in _FORMATS)
    file = next(files, path) if path.is_dir() else path
    if file.suffix not in _FORMATS:
        suffixes = ", ".join(_FORMATS)
        raise InputError(
            f"{path} is of no format that Kleene reads", NOWHERE, f"it reads {suffixes}"
        )
    return _FORMATS[file.suffix]
