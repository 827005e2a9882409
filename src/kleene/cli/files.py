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
        events = ds.dataset(paths if len(paths) > 1 else paths[0], format=formats.pop())
        _check_columns(events)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"{', '.join(paths)} cannot be read: {error}") from None
    return events


def _check_columns(events: ds.Dataset) -> None:
    """Files of one call have the same columns: what one of them lacks would be null in silence."""
    names = set(events.schema.names)
    for fragment in events.get_fragments():
        if differing := names.symmetric_difference(fragment.physical_schema.names):
            raise InputError(
                f"the column {min(differing)} is in some of the files only: see {fragment.path}",
                NOWHERE,
                "name files with the same columns",
            )


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
