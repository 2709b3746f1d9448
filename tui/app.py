"""Running the app: the engine opens its library and rollout while Textual is being loaded."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.errors import InputError, UsageError

from .remapping import apply_keys
from .sanitize import visible
from .settings import Settings, config_folder, configuration, load_settings
from .start import start_controller
from .target import OpenTarget

if TYPE_CHECKING:
    from concurrent.futures import Future

    from rollstep.core.config.keys import Config, ReviewKeys
    from rollstep.core.review.keeping import KeptQueue

    from .palette import Palette
    from .review.model import ReviewModel
    from .snapshot import Snapshot

_PAINTS = "120"
"""Textual paints so often in a second at most, and only what has changed. A key that comes right
after a paint waits for the next one, and so does the end of the first picture.
"""


def run_app(
    *,
    library: Path | None,
    throwaway: bool = False,
    target: OpenTarget | None = None,
    roles: Path | None = None,
    trust: bool = False,
    config: Path | None = None,
    library_query: str | None = None,
    review: KeptQueue | None = None,
) -> int:
    """Run the app; its exit status. Raises RollstepError when the target cannot be opened, before
    any screen is shown. ``throwaway`` keeps nothing; ``roles`` is a file that gives seed rows
    their roles; ``trust`` lets the project run its own code without asking. ``library_query`` opens
    the library's list, of what it means; ``review`` a queue, for the person that it is of.
    """
    gc.disable()
    os.environ.setdefault("TEXTUAL_FPS", _PAINTS)  # before it is loaded
    config = config or config_folder()
    loaded = configuration()
    chosen, guide = loaded.config, ""
    if review is not None:
        from rollstep.core.config.loading import guide_of

        guide = guide_of(loaded)
    apply_keys(loaded)
    author = review.queue.by if review is not None else author_of(chosen)
    controller = start_controller(
        library, throwaway=throwaway, roles=roles, trust=trust, author=author
    )
    try:
        opening = controller.open(target) if target is not None else None
        from .rollstep_app import RollstepApp

        settings = load_settings(config)
        if chosen.theme:
            settings = settings._replace(theme=chosen.theme)
        palette, words = _palette(settings, config)
        controller.started.result()
        snapshot, pick_from = _opened(opening)
        _needs_a_terminal()
        app = RollstepApp(controller, snapshot, settings=settings, config=config, palette=palette)
        app.pick_from = pick_from
        app.startup_words = words
        app.library_query = library_query
        app.review_keys = chosen.review
        app.review_guide = guide
        app.review = _review(review, chosen.review)
        app.beside = target.beside if target is not None else None
        status = app.run()
    finally:
        controller.stop()
        if rescued := controller.take_rescued():
            print(visible(rescued), file=sys.stderr)
    if app.crash_words:
        print(visible(app.crash_words), file=sys.stderr)
        return 1
    if rescued:
        return 1
    return status if isinstance(status, int) else app.return_code or 0


def author_of(config: Config) -> str:
    """The name that marks and edits carry: the configuration's, or what the system calls the
    user.
    """
    return config.author or _who_sits_here()


def _review(queue: KeptQueue | None, keys: ReviewKeys) -> ReviewModel | None:
    if queue is None:
        return None
    from .review.model import ReviewModel

    return ReviewModel(queue, show_others=keys.show_others)


def _needs_a_terminal() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "The screen needs a terminal, and this is none: its input or output is a pipe or a "
            "file. `rollstep --help` names the commands that print."
        )


def _opened(opening: Future[Snapshot] | None) -> tuple[Snapshot | None, OpenTarget | None]:
    """What was opened; or the log of which a sample has to be picked first."""
    from .logs import SeveralSamples

    try:
        return (opening.result() if opening is not None else None), None
    except SeveralSamples as several:
        return None, several.log


def _palette(settings: Settings, config: Path | None) -> tuple[Palette, str]:
    """The remembered theme; the usual one, and words, where it cannot be had."""
    from .palette import Palette
    from .themes import DEFAULT, find_theme

    try:
        return Palette(find_theme(settings.theme, config)), ""
    except InputError as error:
        return Palette(find_theme(DEFAULT, None)), str(error)


def _who_sits_here() -> str:
    """The name that edits carry: what the system calls the user."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        if os.environ.get(name):
            return os.environ[name]
    try:  # nobody has set them: a container, a job at night
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""
