"""Small projects that many tests play, offline."""

from rollstep.core.model.messages import Payload, payload_text
from rollstep.core.model.project import (
    EvaluatorLine,
    Project,
    RulesSimulator,
    ScriptedCall,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    Tool,
    ToolRule,
    When,
)
from rollstep.core.model.steps import Step
from rollstep.core.session import Session

ORDER = '{"status": "delivered", "price": 49.0}'
LOST = '{"status": "lost"}'


def refund(**changes: object) -> Project:
    """A refund in two turns: two parallel calls in the first, and other endings after overrides."""
    fields: dict[str, object] = {
        "title": "Refund",
        "goal": "The customer gets a refund.",
        "opening": "My blender is broken.",
        "target": ScriptedTarget(
            (
                TargetLine(
                    "Let me look.",
                    tool_calls=(
                        ScriptedCall("get_order", '{"order_id": "4471"}'),
                        ScriptedCall("check_policy", "{}"),
                    ),
                ),
                TargetLine("It is lost, I am sorry.", when=When(text='"lost"')),
                TargetLine("You will get 49.00 back.", takes=("Here are your 49.00.",)),
                TargetLine("Goodbye."),
                TargetLine("Anything else?"),
                TargetLine("Really goodbye."),
            ),
            system="You are the shop's agent.",
        ),
        "evaluator": ScriptedEvaluator((EvaluatorLine("Thank you."),), sees_tools="full"),
        "tools": (Tool("get_order"), Tool("check_policy")),
        "tool_simulator": RulesSimulator(
            (ToolRule("get_order", ORDER), ToolRule("check_policy", '"refundable"'))
        ),
    }
    return Project(**{**fields, **changes})  # type: ignore[arg-type]


def texts(session: Session, leaf: str | None = None) -> list[str]:
    """The texts of the path to ``leaf``, or to the head; a stop as ``[reason]``."""
    return [said(step.payload) for step in session.rollout.path(leaf or session.head)]


def said(payload: Payload) -> str:
    """A payload in a word."""
    reason = getattr(payload, "reason", None)
    return f"[{reason}]" if reason else payload_text(payload)


async def played(project: Project | None = None, **kwargs: object) -> Session:
    """A session played to its end."""
    session = Session.start(project or refund(), **kwargs)  # type: ignore[arg-type]
    async for _ in session.run():
        pass
    return session


def takes(session: Session, step: Step) -> list[str]:
    """The texts of all takes at the place of a step."""
    rollout = session.rollout
    return [payload_text(rollout.steps[take].payload) for take in rollout.takes(step.id)]
