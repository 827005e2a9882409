"""Machine code: the same as the plain function, kept on disk, and never trusted blindly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from kleene.program import compile as compiling
from kleene.program.compile import compile_ahead, compiled, native, plain
from kleene.program.machine_code import MachineCode
from kleene.program.native import Native
from kleene.program.stored import Store

SOURCE = """\
def kernel(times, prices, flags, window, rate, out):
    found = 0
    for i in range(len(times)):
        if flags[i] == 0 and times[i] < window and float_less(prices[i], rate):
            out[found] = i
            found += 1
    return 7, found
"""
KINDS = (
    *(("times", "RI"), ("prices", "RF"), ("flags", "RB")),
    *(("window", "i"), ("rate", "f"), ("out", "I")),
)
CODE = MachineCode("name", b"object\nfile\0")


def arguments() -> list[object]:
    flags = np.array([0, 1, 0, 0], np.uint8)
    prices = np.array([0.5, 0.5, 0.25, 9.0])
    return [np.arange(4), prices, flags, 3, 0.75, np.zeros(4, np.int64)]


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache of this test's own."""
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path / "mine"))
    native.cache_clear()
    return tmp_path / "mine" / "kernels"


def test_machine_code_does_what_the_source_does(cache: Path) -> None:
    given, lists = arguments(), [np.asarray(each).tolist() for each in arguments()]
    assert compiled(SOURCE, KINDS)(*given) == plain(SOURCE)(*lists) == (7, 2)
    assert np.asarray(given[-1]).tolist() == lists[-1] == [0, 2, 0, 0]


def test_machine_code_is_found_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(SOURCE, KINDS)
    native.cache_clear()
    monkeypatch.setattr(compiling, "_machine_code", None)
    assert compiled(SOURCE, KINDS)(*arguments()) == (7, 2)


def test_what_is_compiled_ahead_is_there(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_ahead(SOURCE, KINDS).join()
    monkeypatch.setattr(compiling, "_machine_code", None)
    assert compiled(SOURCE, KINDS)(*arguments()) == (7, 2)


def test_who_is_late_waits_for_what_is_being_compiled(cache: Path) -> None:
    store, found = Store.of_user(), []

    def late() -> None:
        with store.alone("kernel"):
            found.append(store.read("kernel"))

    with store.alone("kernel"):
        with store.alone("another"):  # it keeps nobody else out
            pass
        other = Thread(target=late)
        other.start()
        other.join(0.1)
        store.write("kernel", CODE)
        assert not found
    other.join()
    assert found == [CODE]
    assert [path.suffix for path in cache.iterdir()] == [".kernel"]


def test_another_process_finds_it_without_numba(cache: Path) -> None:
    compiled(SOURCE, KINDS)
    script = (
        "import sys\n"
        "from kleene.program.compile import compiled\n"
        f"compiled({SOURCE!r}, {KINDS!r})\n"
        "print('numba' in sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert told.stdout == "False\n"


def test_code_that_was_changed_is_not_loaded(cache: Path) -> None:
    compiled(SOURCE, KINDS)
    (file,) = cache.iterdir()
    good = file.read_bytes()
    for place in (0, 20, len(good) // 2, len(good) - 1):
        bad = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
        file.write_bytes(bad)
        native.cache_clear()
        assert compiled(SOURCE, KINDS)(*arguments()) == (7, 2)
        assert file.read_bytes() != bad, "what was changed is written anew"


def test_code_is_not_read_under_another_name(cache: Path) -> None:
    store = Store.of_user()
    store.write("one", CODE)
    (file,) = cache.iterdir()
    store.write("two", CODE)
    (other,) = set(cache.iterdir()) - {file}
    other.write_bytes(file.read_bytes())
    assert store.read("one") == CODE
    assert store.read("two") is None


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_folders_that_others_may_write_are_not_used(cache: Path, mode: int) -> None:
    Store.of_user().write("one", CODE)
    cache.chmod(mode)
    assert Store.of_user() == Store(None)


def test_files_that_others_may_write_are_not_read(cache: Path) -> None:
    store = Store.of_user()
    store.write("one", CODE)
    (file,) = cache.iterdir()
    file.chmod(0o666)
    assert store.read("one") is None


def test_links_are_not_followed(cache: Path, tmp_path: Path) -> None:
    store = Store.of_user()
    store.write("one", CODE)
    (file,) = cache.iterdir()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert store.read("one") is None


def test_without_a_folder_kernels_are_compiled_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path / "file"))
    native.cache_clear()
    assert Store.of_user() == Store(None)
    assert compiled(SOURCE, KINDS)(*arguments()) == (7, 2)


def test_arrays_of_another_type_are_refused(cache: Path) -> None:
    function = compiled(SOURCE, KINDS)
    assert isinstance(function, Native)
    for place, wrong in ((0, np.arange(4, dtype=np.int32)), (1, np.arange(8.0)[::2])):
        given = arguments()
        given[place] = wrong
        with pytest.raises(TypeError, match="a kernel takes an array"):
            function(*given)
