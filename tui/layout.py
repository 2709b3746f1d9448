"""Which line of which step stands where: the three lanes share one layout and one scroll place.

There is no global line number. A place is an ``Anchor``: a band, and a line inside it. Bands are
measured only when they come into view, so the end of 10,000 steps costs one screenful.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .path import Band

_KEPT = 400
"""Measured bands that are remembered."""


class Anchor(NamedTuple):
    """A place: the band, and the line inside it."""

    band: int
    line: int


TOP = Anchor(0, 0)


class Source(Protocol):
    """What the layout needs to know of the path that it lays out."""

    def bands(self) -> list[Band]:
        """The bands, in order."""
        ...

    def band_of(self, item: int) -> int:
        """The band that holds an item."""
        ...

    def lane_of(self, item: int) -> int:
        """The lane of an item, from 0."""
        ...

    def height_of(self, item: int, lane: int) -> int:
        """Lines that an item takes in a lane."""
        ...

    def band_version(self, band: Band) -> object:
        """Changes whenever the band has to be measured anew."""
        ...


class OneLane:
    """What a source says whose items stand under one another, each in a band of its own, and never
    change. ``_bands`` has one ``band`` for each.
    """

    _bands: list[Band]

    @staticmethod
    def band(item: int) -> Band:
        """The band of one item."""
        return Band("more", 0, item, item + 1)

    def bands(self) -> list[Band]:
        """One band for each item."""
        return self._bands

    def band_of(self, item: int) -> int:
        """The band of an item is its own."""
        return item

    def lane_of(self, item: int) -> int:
        """There is one lane."""
        return 0

    def band_version(self, band: Band) -> int:
        """Items never change."""
        return 0


class Box(NamedTuple):
    """A measured band. ``lanes`` holds, per lane, ``(item, line of the item)`` for each line below
    the head; ``spans`` the first line and number of lines of each item, counted from the band's
    top.
    """

    height: int
    head: int
    lanes: tuple[list[tuple[int, int]], ...]
    spans: dict[int, tuple[int, int]]
    version: object


class LaneLayout:
    """Lays out bands in ``lanes`` columns; with one lane, all steps stack in time order."""

    def __init__(self, source: Source, lanes: int = 3) -> None:
        self._source = source
        self.lanes = lanes
        self._boxes: dict[int, Box] = {}

    def reset(self, lanes: int | None = None) -> None:
        """Forget what was measured (other widths, another path)."""
        self._boxes.clear()
        if lanes is not None:
            self.lanes = lanes

    def box(self, index: int) -> Box:
        """The band's measures."""
        band = self._source.bands()[index]
        version = (band.first, band.end, self._source.band_version(band))
        box = self._boxes.get(index)
        if box is None or box.version != version:
            if len(self._boxes) >= _KEPT:
                self._boxes.clear()
            box = self._boxes[index] = self._measure(band, version)
        return box

    def _measure(self, band: Band, version: object) -> Box:
        head = 0 if band.kind == "more" else 1
        lanes: tuple[list[tuple[int, int]], ...] = tuple([] for _ in range(self.lanes))
        spans: dict[int, tuple[int, int]] = {}
        for item in range(band.first, band.end):
            lane = self._source.lane_of(item) if self.lanes > 1 else 0
            rows = lanes[lane]
            height = self._source.height_of(item, lane)
            spans[item] = (head + len(rows), height)
            rows.extend((item, line) for line in range(height))
        if band.kind == "stop":
            spans = {item: (0, head + height) for item, (_, height) in spans.items()}
        return Box(head + max(map(len, lanes)), head, lanes, spans, version)

    def rows(self, anchor: Anchor, height: int) -> list[Anchor]:
        """The places seen from ``anchor`` on, at most ``height``."""
        places: list[Anchor] = []
        band, line = anchor
        count = len(self._source.bands())
        while band < count and len(places) < height:
            tall = self.box(band).height
            while line < tall and len(places) < height:
                places.append(Anchor(band, line))
                line += 1
            band, line = band + 1, 0
        return places

    def end(self, height: int) -> Anchor:
        """The lowest anchor that still fills the view."""
        count = len(self._source.bands())
        return self.back(Anchor(count - 1, self.box(count - 1).height), height) if count else TOP

    def back(self, anchor: Anchor, lines: int) -> Anchor:
        """The place ``lines`` above, or the top."""
        band, line = anchor
        while lines > line:
            if band == 0:
                return TOP
            lines -= line
            band -= 1
            line = self.box(band).height
        return Anchor(band, line - lines)

    def scroll(self, anchor: Anchor, lines: int, height: int) -> Anchor:
        """The place ``lines`` further (or back), never past the last screenful."""
        if lines < 0:
            return self.back(self.clamp(anchor), -lines)
        band, line = anchor
        count = len(self._source.bands())
        line += lines
        while band < count and line >= self.box(band).height:
            line -= self.box(band).height
            band += 1
        return min(Anchor(band, line), self.end(height))

    def clamp(self, anchor: Anchor) -> Anchor:
        """The nearest place that exists."""
        count = len(self._source.bands())
        if not count:
            return TOP
        band = min(max(anchor.band, 0), count - 1)
        return Anchor(band, min(anchor.line, max(self.box(band).height - 1, 0)))

    def show(self, anchor: Anchor, height: int, item: int, margin: int = 1) -> Anchor:
        """The anchor moved as little as possible so that ``item`` is seen, its first line before
        all, with ``margin`` lines around it where there is room.
        """
        if not self._source.bands():
            return TOP
        anchor = min(self.clamp(anchor), self.end(height))
        band = self._source.band_of(item)
        first, tall = self.box(band).spans[item]
        top = Anchor(band, first)
        margin = min(margin, max((height - tall) // 2, 0))
        if first <= self.box(band).head and margin:
            top = Anchor(band, 0)
        if top < anchor:
            return min(top, self.end(height))
        # Where the item is taller than the view, its first lines win over its last.
        low = Anchor(band, first + min(tall, height) - 1 + margin)
        lowest = self.back(low, height - 1)
        return min(max(anchor, lowest), max(top, TOP), self.end(height))
