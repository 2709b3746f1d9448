"""Silencing a flag with a reason, and letting it be heard again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.rules.lint.findings import RULES, Finding

if TYPE_CHECKING:
    from .debugger import DebuggerScreen

_KEPT = 12
"""Reasons that are remembered between starts."""


class Actions:
    """These actions of the debugger screen."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen

    def do_silence(self) -> None:
        """Choose a flag of this step, where it has several; then say why it may stand."""
        model = self.screen.model
        step = model.step
        rules = _by_rule(model.lint.at(model.cursor)) if step is not None else {}
        if step is None or not rules:
            self.screen.flash("No flag on this step; ] and [ go to the steps that have one.", "dim")
        elif self.screen.make.idle():
            self._choose(step.id, rules)

    def _choose(self, step_id: str, rules: dict[str, str]) -> None:
        silences = {e.rule: e for e in self.screen.model.silences if e.step_id == step_id}
        options = []
        for place, (rule, words) in enumerate(rules.items(), 1):
            silence = silences.get(rule)
            what = f"silence: {words}"
            if silence is not None:
                what = f"hear again: {words} (silenced{silence.reason and ': ' + silence.reason})"
            options.append((rule, what, str(place) if place < 10 else ""))

        def chosen(rule: str) -> None:
            if rule in silences:
                self._lift(step_id, rule)
            else:
                self._ask(step_id, rule, rules[rule])

        if len(options) == 1 and not silences:
            chosen(options[0][0])
        else:
            title = f"Flags of step {self.screen.model.cursor + 1}"
            self.screen.rollstep.dialogs.choose(title, tuple(options), chosen)

    def _ask(self, step_id: str, rule: str, words: str) -> None:
        from .reason import ReasonRequest, ReasonScreen

        app = self.screen.rollstep
        request = ReasonRequest(
            f"Why may this flag stand? ({rule}; a reason is optional)",
            f"! {words}\n{RULES.get(rule, '')}",
            "Enter silence it",
            self._earlier(),
        )

        def answered(reason: str | None) -> None:
            if reason is None:
                return
            app.guard.opened("the dialog")
            self._remember(reason)
            done = app.controller.command(
                "silence", lambda session: session.silence(step_id, rule, reason)
            )
            if done:
                self.screen.flash("Silenced; ! lets it be heard again, u undoes it.", "ok")

        app.push_screen(ReasonScreen(request), answered)

    def _lift(self, step_id: str, rule: str) -> None:
        controller = self.screen.rollstep.controller
        if controller.command("silence", lambda session: session.unsilence(step_id, rule)):
            self.screen.flash("The flag is heard again.", "ok")

    def _earlier(self) -> tuple[str, ...]:
        """Reasons given before, in this rollout or another, the last one first."""
        here = sorted(self.screen.model.silences, key=lambda each: -each.at)
        kept = self.screen.rollstep.settings.reasons
        found = dict.fromkeys([*(each.reason for each in here), *kept])
        return tuple(reason for reason in found if reason)

    def _remember(self, reason: str) -> None:
        app = self.screen.rollstep
        kept = tuple(dict.fromkeys([reason, *app.settings.reasons]))[:_KEPT]
        if reason and kept != app.settings.reasons:
            app.remember(reasons=kept)


def _by_rule(found: tuple[Finding, ...]) -> dict[str, str]:
    """The rules that flag a step, each with all its words: a silence is over a rule."""
    rules: dict[str, str] = {}
    for each in found:
        rules[each.rule] = "; ".join(filter(None, (rules.get(each.rule, ""), each.words)))
    return rules
