"""The register: every public name that promises an error, with the study that tests it.

A name promises an error if it is called so (`interval`, `standard_errors`, `p_value`, …), or if it
returns an object that has such a name. They are found in the sources, so that a new one is missing
from the register until a study covers it, or a reason says why none does.
"""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import privet

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .study import Study

__all__ = ["ELSEWHERE", "STUDIES", "covered", "promises"]

_SOURCES = Path(privet.__file__).parent
# They show what others promise, and promise nothing themselves.
_SHOW = {"bulk", "cli", "figures", "paper", "service", "store"}
_CARRIES = re.compile(r"interval|.*standard_errors?|.*p_values?|lower_bound")
_PROMISES = re.compile(
    _CARRIES.pattern + r"|.*margin|low|high|ranks|top|lead|found|remainder|.*_ends"
    r"|clopper_pearson|by_category"
)

# Names without a study of their own, by the reason. Those of the first group compute, or hand on,
# what studies score under another name.
_REASONS = {
    "scored where it is used": """
        privet.analysis.analyst.Estimating.estimator
        privet.analysis.kinds.scale.OneNumber.estimate
        privet.audit.result.Audit.lower_bound
        privet.plan.margins: common_margin mean_margin rare_margin share_margin
        privet.plan.plans.Plan.common_margin
        privet.plan.plans.ScalePlan.share_margin
        privet.plan.plans.SurveyPlan.margin
        privet.plan.questionnaires.PlannedQuestion.standard_error
        privet.analysis.regression.fitted.Logit: predictor profiles
        privet.analysis.regression.fitting: fit fit_linear fit_logit
        privet.analysis.regression.predicting.Predictor.interval
        privet.analysis.regression.profiles.Profiles: interval standard_errors
        privet.analysis.sums.totals.estimate_of
        privet.analysis.sums.totals.FoundTotal: low high
        privet.analysis.sums.totals.Total.hits
        """,
    "known without an error, or an outline": """
        privet.device.answers.scale.Scale: low high
        privet.audit.result.Verdict.found
        privet.analysis.sums.independent.Known: interval standard_error
        privet.analysis.sums.independent.Uncertain: interval standard_error
        """,
    "tests/audit measures its false alarms on real clients": """
        privet.audit.leaks.Leak.lower_bound
        privet.audit.leaks.search
        privet.audit.peers.Audited.lower_bound
        privet.audit.peers.audit_peers
        privet.audit.timing.Timing: low high
        """,
    "tests/poisoning/test_diagnostics.py measures its level": """
        privet.poisoning.trials.Trial: findings standard_error
        privet.poisoning.trials.trial
        """,
    "the error of a simulation, from the number of its repeats": """
        privet.simulate.averaging.Averaged: found standard_errors
        privet.simulate.averaging.averaging
        """,
}


def _listed(names: str) -> Iterator[str]:
    for line in names.split("\n"):
        owner, _, members = line.strip().partition(": ")
        yield from (f"{owner}.{member}" for member in members.split())
        if owner and not members:
            yield owner


ELSEWHERE = {name: reason for reason, names in _REASONS.items() for name in _listed(names)}


def _studies() -> list[Study]:
    """Return the studies of all modules here that have any."""
    package = __name__.rpartition(".")[0]
    modules = [
        import_module(f"{package}.{one.name}")
        for one in iter_modules(import_module(package).__path__)
        if one.name not in ("__main__", "register")
    ]
    return [study for module in modules for study in getattr(module, "STUDIES", ())]


STUDIES = _studies()


def covered() -> set[str]:
    """Return the names that studies cover, where they are defined."""
    return {defined(name) for study in STUDIES for name in study.covers}


def defined(name: str) -> str:
    """Return where a public name is defined; raise AttributeError if it does not exist.

    >>> defined("privet.regression.Logit.predict_interval")
    'privet.analysis.regression.fitted.Logit.predict_interval'
    """
    parts = name.split(".")
    length = max(at for at in range(1, len(parts) + 1) if _is_module(".".join(parts[:at])))
    found: Any = import_module(".".join(parts[:length]))
    for at, part in enumerate(parts[length:], length + 1):
        if not isinstance(found, type):
            found = getattr(found, part)
            continue
        owners = [one for one in found.__mro__ if part in {*vars(one), *_annotated(one)}]
        if not owners or at < len(parts):
            raise AttributeError(name)
        return f"{owners[0].__module__}.{owners[0].__qualname__}.{part}"
    return f"{found.__module__}.{found.__qualname__}"


def _is_module(name: str) -> bool:
    path = _SOURCES.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def _annotated(kind: type) -> Collection[str]:
    return inspect.get_annotations(kind)


def promises() -> set[str]:
    """Return the public names of the package that promise an error."""
    found = dict(_members())
    carriers = {
        name.split(".")[-2]
        for name in found
        if _CARRIES.fullmatch(name.split(".")[-1]) and name.split(".")[-2][:1].isupper()
    }
    returned = re.compile(rf"\b({'|'.join(sorted(carriers))})\b")
    return {
        name
        for name, returns in found.items()
        if _PROMISES.fullmatch(name.rpartition(".")[2]) or returned.search(returns)
    }


def _members() -> Iterator[tuple[str, str]]:
    """Yield the public functions, methods and fields, with what they return."""
    for path in sorted(_SOURCES.rglob("*.py")):
        parts = path.relative_to(_SOURCES.parent).with_suffix("").parts
        if parts[1] in _SHOW:
            continue
        module = ".".join(part for part in parts if part != "__init__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield f"{module}.{node.name}", _text(node.returns)
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from _of_class(f"{module}.{node.name}", node)


def _of_class(name: str, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
            yield f"{name}.{inner.name}", _text(inner.returns)
        elif isinstance(inner, ast.AnnAssign):
            field = ast.unparse(inner.target)
            if not field.startswith("_"):
                yield f"{name}.{field}", _text(inner.annotation)


def _text(annotation: ast.expr | None) -> str:
    return ast.unparse(annotation) if annotation else ""
