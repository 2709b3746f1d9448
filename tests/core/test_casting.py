"""Whose roles are made when, and what ends with what."""

from __future__ import annotations

from pathlib import Path

import msgspec
from rollstep.core.casting import Cast, DefaultRoles
from rollstep.core.model.project import LlmEvaluator, LlmTarget, Project, PythonEvaluator
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.workers.pool import Workers

from .projects_for_tests import refund

LIVE = Project("Live", LlmTarget("m"), LlmEvaluator("m"))
replace = msgspec.structs.replace


class Kept(Workers):
    """Workers that note their end."""

    ended = 0

    async def aclose(self) -> None:
        self.ended += 1


def counting(made: list[tuple[Project, Roles, Kept]]) -> object:
    def make(project: Project) -> Roles:
        built, workers = build_roles(refund()), Kept()
        roles = Roles(
            built.evaluator, built.target, built.tool_simulator, built.names, built.kinds, workers
        )
        made.append((project, roles, workers))
        return roles

    return make


async def test_variants_are_kept_beside_the_project_and_end_with_it() -> None:
    made: list[tuple[Project, Roles, Kept]] = []
    cast = Cast(counting(made))  # type: ignore[arg-type]
    main = await cast.of(LIVE)
    variant = replace(LIVE, target=LlmTarget("other"))
    other = await cast.of(LIVE, variant)
    assert await cast.of(LIVE, replace(LIVE, target=LlmTarget("other"))) is other
    assert await cast.of(LIVE) is main
    assert [workers.ended for _, _, workers in made] == [0, 0]
    revised = replace(LIVE, goal="another")
    await cast.of(revised)
    assert [workers.ended for _, _, workers in made] == [1, 1, 0]
    await cast.close()
    assert [workers.ended for _, _, workers in made] == [1, 1, 1]


async def test_only_a_few_variants_are_kept_and_the_oldest_ends_first() -> None:
    made: list[tuple[Project, Roles, Kept]] = []
    cast = Cast(counting(made))  # type: ignore[arg-type]
    await cast.of(LIVE)
    for name in ("a", "b", "c", "a", "d"):
        await cast.of(LIVE, replace(LIVE, target=LlmTarget(name)))
    named = {project.target.model: workers.ended for project, _, workers in made}  # type: ignore[union-attr]
    assert named == {"m": 0, "a": 0, "b": 1, "c": 0, "d": 0}


def test_built_in_roles_of_one_session_share_their_gateway() -> None:
    default = DefaultRoles()
    one, two = default(LIVE), default(replace(LIVE, target=LlmTarget("other")))
    assert one.workers is not None
    assert two.workers is not None
    assert one.workers is not two.workers
    assert one.workers.shared("gateway") is two.workers.shared("gateway")
    assert DefaultRoles()(LIVE).workers.shared("gateway") is not one.workers.shared("gateway")  # type: ignore[union-attr]


async def test_roles_that_share_a_gateway_keep_their_own_code_and_leave_the_gateway(
    tmp_path: Path,
) -> None:
    models = Workers()
    own = replace(LIVE, evaluator=PythonEvaluator("mine:next"))
    one = build_roles(own, base_folder=tmp_path, trusted=True, models=models)
    two = build_roles(own, base_folder=tmp_path, trusted=True, models=models)
    assert one.workers is not None
    assert two.workers is not None
    assert one.workers.pool("s", b"x", "l") is not two.workers.pool("s", b"x", "l")
    closed: list[str] = []

    async def note() -> None:
        closed.append("gateway")

    models.shared("gateway").aclose = note  # type: ignore[method-assign]
    assert one.workers.shared("gateway") is models.shared("gateway")
    await one.aclose()
    assert closed == []
    await models.aclose()
    assert closed == ["gateway"]
