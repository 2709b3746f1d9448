"""The numbers of rollouts are counted right, also of none."""

from __future__ import annotations

from rollstep.core.listing.stats import NO_STOP, Stats, count_rollouts
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import ToolCall, target_reply, tool_result, user_message
from rollstep.core.model.steps import Attempt, Call, Step, Usage
from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first, step


def test_nothing_counts_as_nothing() -> None:
    with Library.throwaway() as library:
        assert count_rollouts(library) == Stats()


def test_every_number() -> None:
    with Library.throwaway() as library:
        plain = conversation(2, "a", stop="goal_reached")
        library.commit(first("one", plain, marks=(Mark("a4", verdict="accept", at=5.0),)))
        call = Call("m", usage=Usage(10, 5), cost=0.5, seconds=2.0)
        tooled = (
            step("b0", None, user_message("where?")),
            Step(
                "b1",
                "b0",
                "target",
                target_reply("", (ToolCall("c", "find", "{}"),)),
                "model",
                call=call,
            ),
            step("b2", "b1", tool_result("c", "no", is_error=True)),
            Step("b3", "b2", "target", target_reply("gone"), "model", call=Call("n")),
            Step("b4", "b2", "target", target_reply("lost"), "human", replaces="b3"),
        )
        library.commit(
            first(
                "two",
                tooled,
                head="b4",
                scores=(Score("reward", 0.5), Score("reward2", "good")),
                attempts=(Attempt("x", "b4", "evaluator", "rate", "wait", cost=0.25),),
            )
        )
        stats = count_rollouts(library)
        assert (stats.rollouts, stats.steps, stats.edited_rollouts) == (2, 10, 1)
        assert stats.verdicts == {"accept": 1, "none": 1}
        assert stats.stops == {"goal_reached": 1, NO_STOP: 1}
        assert stats.turns_by_count == {1: 1, 2: 1}
        assert (stats.turns.least, stats.turns.median, stats.turns.most) == (1.0, 1.5, 2.0)
        assert {name: (t.calls, t.errors) for name, t in stats.tools.items()} == {"find": (1, 1)}
        assert stats.edits == {"target": 1}
        assert {name: (m.steps, m.tokens) for name, m in stats.models.items()} == {
            "m": (1, 15),
            "n": (1, 0),
        }
        assert (stats.cost, stats.unknown_prices, stats.failures) == (0.75, 1, {"rate": 1})
        assert list(stats.scores) == ["reward"]
        assert count_rollouts(library, "turns > 1").rollouts == 1
        assert count_rollouts(library, "", lambda done, of: done < 1).rollouts == 1
