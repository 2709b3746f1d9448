"""Why it failed: what scores say of the branch that is shown, in the header, in the inspector and
as flags on the steps that they cite. Imports no Textual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rollstep.core.model.marks import Score
from rollstep.core.rules.lint.findings import Finding
from rollstep.core.rules.scoring import failing, score_words, standing

from .document import Block
from .presenter import DebuggerModel
from .sanitize import one_line

CITED = "cited"
"""The rule of the flags on steps that a score cites."""
_CITED_WORDS = 200
_STYLES = {"failed": "error", "passed": "ok", "": "strong"}


def outcome(model: DebuggerModel) -> tuple[str, str] | None:
    """That it failed, by which score and why, with its style; None where no score says so."""
    score = failing(model.scores)
    if score is None:
        return None
    words = one_line(_with_reason(score))
    if of_another_branch(model):
        return f"as imported: FAILED {words}", "bar"
    return f"FAILED {words}", "bar:alarm"


def of_another_branch(model: DebuggerModel) -> bool:
    """Whether the scores are of what was imported, and the branch shown is another by now."""
    if not model.rollout.header.format or model.leaf is None:
        return False
    leaf = model.rollout.steps[model.leaf]
    # What an imported step follows was imported with it.
    return leaf.origin != "import" or leaf.copied_from is not None


def citations(scores: Iterable[Score]) -> Iterator[tuple[str, Finding]]:
    """A flag for each step that a score cites which does not say that all is well."""
    for score in scores:
        if standing(score) == "passed":
            continue
        words = _with_reason(score)
        if len(words) > _CITED_WORDS:
            words = f"{words[: _CITED_WORDS - 1]}…"
        for step_id in score.step_ids:
            yield step_id, Finding(step_id, CITED, words)


def score_blocks(model: DebuggerModel) -> Iterator[Block]:
    """What the inspector's first page begins with: all scores at the start and at the end of the
    branch, those that cite the step on it, and one line elsewhere.
    """
    if not model.scores:
        return
    step = model.step
    old = ", of the imported branch" if of_another_branch(model) else ""
    if step is None or not model.ahead:
        yield Block("heading", f"scores{old}")
        for score in model.scores:
            yield from _whole(model, score)
    else:
        citing = [score for score in model.scores if step.id in score.step_ids]
        if citing:
            yield Block("heading", f"scores that cite this step{old}")
        for score in citing:
            yield from _whole(model, score)
        failed = failing(model.scores)
        if failed is None or failed in citing:
            return
        yield Block("error", f"FAILED {score_words(failed)}{old}{_cites(model, failed)}")
    yield Block("text", "")


def _whole(model: DebuggerModel, score: Score) -> Iterator[Block]:
    found = standing(score)
    failed = "FAILED " if found == "failed" else ""
    yield Block(_STYLES[found], f"{failed}{score_words(score)}{_cites(model, score)}")
    if score.explanation:
        yield Block("text", score.explanation, 2)


def _cites(model: DebuggerModel, score: Score) -> str:
    """The numbers of the steps that it cites on this branch, and how to get there."""
    at = model.path.at
    numbers = sorted(at[step_id] + 1 for step_id in score.step_ids if step_id in at)
    if not numbers:
        return ""
    listed = ", ".join(map(str, numbers[:12])) + (" …" if len(numbers) > 12 else "")
    keys = "" if standing(score) == "passed" else " ([ ] go there)"
    return f", step{'s' if len(numbers) > 1 else ''} {listed}{keys}"


def _with_reason(score: Score) -> str:
    reason = " ".join(score.explanation.split())
    return f"{score_words(score)}: {reason}" if reason else score_words(score)
