"""The page beside the table says what is true of the rollout now."""

from __future__ import annotations

from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import Stop, target_reply
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library
from rollstep.tui.library.preview import preview

from tests.core.store.making import first, step


def page(library: Library, *words: str) -> list[str]:
    return [block.text for block in preview(library.load("a"), None, words).blocks]


def flagged() -> Library:
    """One that was parked for a reply with nothing in it."""
    library = Library.throwaway()
    steps = (
        step("s1", None, "hi"),
        step("s2", "s1", target_reply("a reply")),
        step("s3", "s2", "go on"),
        step("s4", "s3", target_reply("")),
        step("s5", "s4", Stop("done", "evaluator")),
    )
    note = "flag empty at step 4: no text and no tool call"
    library.commit(first("a", steps, head="s5", status="parked", status_note=note))
    return library


def test_why_it_waits_is_said_until_it_waits_no_more() -> None:
    with flagged() as library:
        assert "parked: flag empty at step 4: no text and no tool call" in page(library)
        library.commit(Change("a", marks=(Mark("s5", verdict="accept", by="ann"),)))
        assert not [text for text in page(library) if "parked" in text]


async def test_the_title_is_named_only_where_the_words_stand_in_it() -> None:
    with flagged() as library:
        session = Session.reopen(library.load("a"), library)
        await session.override("s2", target_reply("the zebra answers"), "stay")
        assert any("zebra" in text for text in page(library, "zebra"))
        await session.undo()
        await session.close()
        assert not [text for text in page(library, "zebra") if "zebra" in text]
        assert "'TITLE OF' stands in its title" in page(library, "TITLE OF")
