"""A short run of scripts/fuzz_parser.py, always with the same mutations."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "fuzz_parser.py"


def test_mutated_queries_are_queries_or_errors() -> None:
    run = subprocess.run(
        [sys.executable, SCRIPT, "20000", "--seed", "1", "--processes", "2"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "20000 mutations" in run.stdout
