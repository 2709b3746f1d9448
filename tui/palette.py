"""From the names of styles (``rows``) to colours: what a theme looks like on the screen."""

from __future__ import annotations

from rich.color import Color
from rich.style import Style
from textual.theme import Theme as TextualTheme

from .themes import Theme

_PLAIN = {
    "text": "text",
    "dim": "dim",
    "rule": "rule",
    "turn": "dim",
    "stop": "text",
    "more": "dim",
    "call": "target",
    "name": "tool",
    "reasoning": "dim",
    "heading": "dim",
    "title": "text",
    "strong": "text",
    "cursor": "key",
    "busy": "key",
    "alarm": "error",
    "evaluator": "evaluator",
    "target": "target",
    "tool": "tool",
    "human": "human",
    "ok": "ok",
    "warn": "warn",
    "error": "error",
    "key": "key",
    "added": "ok",
    "removed": "error",
}
_BOLD = frozenset({"title", "strong", "cursor", "stop", "alarm", "heading", "error"})
_ITALIC = frozenset({"reasoning"})


class Palette:
    """Styles by name for one theme; each is made once."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._colours = {name: Color.parse(value) for name, value in theme.colours.items()}
        self._styles: dict[str, Style] = {}

    def style(self, name: str) -> Style:
        """The style of a name with its modifiers."""
        style = self._styles.get(name)
        if style is None:
            style = self._styles[name] = self._make(name.split(":"))
        return style

    def _make(self, words: list[str]) -> Style:
        colours = self._colours
        ground = colours["surface" if words[0] == "bar" else "background"]
        bold = italic = underline = reverse = False
        front = colours["text"]
        for place, word in enumerate(words):
            if word == "strong" and place:
                bold = True
            elif word in _PLAIN:
                front = colours[_PLAIN[word]]
                bold = bold or word in _BOLD
                italic = italic or word in _ITALIC
                reverse = reverse or word == "alarm"
            elif word == "ahead":
                front, bold = colours["dim"], False
            elif word == "sel":
                ground = colours["selection"]
            elif word == "hit":
                ground, underline, bold = colours["hit"], True, True
            elif word == "new":
                underline = True
            elif word == "here":
                bold = True
        if words[0] == "cursor":
            reverse = True
        return Style(
            color=front,
            bgcolor=ground,
            bold=bold or None,
            italic=italic or None,
            underline=underline or None,
            reverse=reverse or None,
        )


def textual_theme(theme: Theme) -> TextualTheme:
    """The same theme for Textual's own widgets, in the dialogs."""
    colours = theme.colours
    return TextualTheme(
        name=f"rollstep-{theme.id}",
        primary=colours["key"],
        secondary=colours["evaluator"],
        accent=colours["human"],
        foreground=colours["text"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["surface"],
        success=colours["ok"],
        warning=colours["warn"],
        error=colours["error"],
        dark=theme.dark,
        variables={
            "border": colours["rule"],
            "border-blurred": colours["rule"],
            "text-muted": colours["dim"],
            "rs-dim": colours["dim"],
            "rs-rule": colours["rule"],
            "rs-selection": colours["selection"],
            "rs-evaluator": colours["evaluator"],
            "rs-target": colours["target"],
            "rs-tool": colours["tool"],
            "rs-human": colours["human"],
            "rs-key": colours["key"],
            "footer-key-foreground": colours["key"],
            "input-selection-background": colours["selection"],
            "screen-selection-background": colours["selection"],
        },
    )
