"""Which of a project's fault rules answers a call in the tool simulator's place.

Decided from the run's seed, the place in the path, the call and the take alone, so that stepping,
asking for calls at once and a headless run decide alike. A rule that makes no sense at a place (no
earlier result to be stale) does not fire there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from ..model.messages import ToolResult
from ..model.view import View
from .faults import FAULTS, fault_place, fault_result, fits, why_not
from .views import Injected


def drawn_fault(view: View, injected: Sequence[Injected]) -> tuple[str, ToolResult] | None:
    """The fault that is put in place of the simulator's answer to ``view.call``, and its result;
    None where the simulator is asked. ``injected`` are the faults of the path so far.
    """
    call, project = view.call, view.project
    assert call is not None
    place = None
    rng = random.Random(f"{view.seed}:fault:{len(view.messages)}:{view.take_index}:{call.id}")
    for rule in project.faults:
        # Drawn for every rule, so that what one says changes nothing for the others.
        if rng.random() >= rule.probability or not fits(rule, call):
            continue
        if rule.times is not None:
            before = sum(1 for name, each in injected if name == rule.fault and fits(rule, each))
            if before >= rule.times:
                continue
        place = place or fault_place(project, view.messages, call)
        if not rule.respond and (rule.fault not in FAULTS or why_not(rule.fault, place)):
            continue
        return rule.fault, fault_result(rule.fault, place, rng, rule)
    return None
