"""An HTML document as a tree that tests can ask."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

_VOID = {"meta", "input", "br", "link", "img"}


class Element:
    """An element: its tag, its attributes, and what is in it."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.inner: list[Element | str] = []

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.inner)

    def walk(self) -> Iterator[Element]:
        yield self
        for each in self.inner:
            if isinstance(each, Element):
                yield from each.walk()

    def all(self, tag: str = "", cls: str = "") -> list[Element]:
        return [
            each
            for each in self.walk()
            if (not tag or each.tag == tag) and (not cls or cls in each.classes)
        ]

    def one(self, tag: str = "", cls: str = "") -> Element:
        (found,) = self.all(tag, cls)
        return found

    def by_id(self, name: str) -> Element:
        (found,) = (each for each in self.walk() if each.attributes.get("id") == name)
        return found


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inner.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].inner.append(data)


def parse(data: bytes) -> Element:
    """The document; every element must be closed in its place."""
    builder = _Builder()
    builder.feed(data.decode("utf-8"))
    builder.close()
    assert len(builder.open) == 1, f"<{builder.open[-1].tag}> is not closed"
    return builder.open[0]
