"""An experiment from order to report: on the terminal while it runs, then in files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console, RenderableType
from rich.table import Table

from kleene.bench.data import default_folder
from kleene.bench.experiment import Case, Experiment
from kleene.bench.machine import described
from kleene.bench.picture import draw
from kleene.bench.registry import MODULES, find, load
from kleene.bench.results import CaseResult, Result, as_json
from kleene.bench.runner import Settings, conduct
from kleene.bench.table import case_table, ratio_table, target_table
from kleene.errors import NOWHERE, InputError, nearest

_PICTURES = (".png", ".svg", ".pdf")
_WIDTH = 110


@dataclass(frozen=True)
class Files:
    """Where a result is written to, besides the terminal: all forms of it in a folder, or one."""

    folder: Path | None = None
    json: Path | None = None
    picture: Path | None = None

    def check(self) -> None:
        """Refuse before the run what cannot be written after it."""
        if self.picture is not None and self.picture.suffix not in _PICTURES:
            hint = f"it is one of {', '.join(_PICTURES)}"
            raise InputError(f"{self.picture} is of no format of pictures", NOWHERE, hint)
        folders = [self.folder, *(f.parent for f in (self.json, self.picture) if f is not None)]
        for folder in folders:
            if folder is not None:
                try:
                    folder.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise InputError(f"{folder} cannot be written to: {error}") from None


@dataclass(frozen=True)
class Order:
    """What is asked for on the command line."""

    name: str
    quick: bool = False
    rounds: int = 5
    cases: tuple[str, ...] = ()
    data: Path | None = None
    install: str | None = None
    files: Files = Files()


def show_experiments(out: Console) -> None:
    """Each experiment on a line."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, module in MODULES.items():
        table.add_row(name, load(module).summary)
    out.print(table)


def run(order: Order, out: Console, progress: Console) -> Result:
    """Run an experiment; each case is shown as soon as it is done."""
    experiment, module = find(order.name)
    experiment = _only(experiment, order)
    order.files.check()
    folder = default_folder() if order.data is None else order.data
    folder.mkdir(parents=True, exist_ok=True)
    if order.install is not None:
        _install(experiment, order.install, folder, progress)
    settings = Settings.for_tests(folder) if order.quick else Settings(folder, rounds=order.rounds)
    with progress.status(f"{order.name}: starting") as status:

        def case_done(case: CaseResult) -> None:
            out.print(case_table(case), soft_wrap=False)

        result = conduct(
            experiment,
            module,
            settings,
            tell=lambda text: status.update(f"{order.name}, {text}"),
            case_done=case_done,
        )
    for part in _conclusions(experiment, result):
        out.print(part, soft_wrap=False)
    _write(experiment, result, order.files)
    return result


def _only(experiment: Experiment, order: Order) -> Experiment:
    """The experiment with the cases that were asked for."""
    if not order.cases:
        return experiment
    known = [case.name for case in experiment.cases(order.quick)]
    for name in order.cases:
        if name not in known:
            hints = nearest(name, known) or (f"cases are {', '.join(known)}",)
            raise InputError(f"{order.name} has no case {name}", NOWHERE, *hints)

    def chosen(quick: bool) -> tuple[Case, ...]:  # noqa: FBT001 - the signature of cases
        return tuple(case for case in experiment.cases(quick) if case.name in order.cases)

    return replace(experiment, cases=chosen)


def _install(experiment: Experiment, peer: str, folder: Path, progress: Console) -> None:
    if peer not in experiment.installs:
        known = ", ".join(experiment.installs) or "none"
        hint = f"installed by it: {known}"
        raise InputError(f"{experiment.name} does not install {peer}", NOWHERE, hint)
    with progress.status(f"installing {peer}"):
        experiment.installs[peer](folder)


def _conclusions(experiment: Experiment, result: Result) -> Iterator[RenderableType]:
    if experiment.conclusions is not None:
        yield from experiment.conclusions(result)
    elif len(result.cases) > 1:
        yield ratio_table(result)
    if any(case.case.targets for case in result.cases) and not result.quick:
        yield target_table(result)
    yield described(dict(result.machine))


def _write(experiment: Experiment, result: Result, files: Files) -> None:
    draw_it = experiment.draw or draw
    text = json.dumps(as_json(result), indent=2) + "\n"
    if files.json is not None:
        files.json.write_text(text, "utf-8")
    if files.picture is not None:
        draw_it(result, files.picture)
    if files.folder is not None:
        name = result.experiment
        (files.folder / f"{name}.json").write_text(text, "utf-8")
        draw_it(result, files.folder / f"{name}.png")
        with (files.folder / f"{name}.txt").open("w", encoding="utf-8") as lines:
            plain = Console(file=lines, width=_WIDTH)
            for part in (*map(case_table, result.cases), *_conclusions(experiment, result)):
                plain.print(part)
