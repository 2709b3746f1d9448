"""The text box through a real app: exact characters in, exact characters out."""

import pytest
from rollstep.tui.widgets.text_box import TextBox
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.geometry import Region

ODD = (
    "one\u2028two\u2029three\x85four\x0bfive\x0csix\x1cseven\r\nlf\ncr\rend \ud83d \x1b[31m \x00\n"
)


class Host(App[None]):
    def __init__(self, box: TextBox) -> None:
        super().__init__()
        self.box = box

    def compose(self) -> ComposeResult:
        yield self.box


@pytest.mark.parametrize("language", ["text", "json"])
async def test_open_and_read_changes_nothing(language: str) -> None:
    box = TextBox(ODD, language=language)  # type: ignore[arg-type]
    async with Host(box).run_test(size=(60, 12)):
        assert box.value == ODD


async def test_typing_at_the_start_keeps_the_rest() -> None:
    box = TextBox(ODD)
    async with Host(box).run_test(size=(60, 12)) as pilot:
        await pilot.press("A", "enter", "b")
        assert box.value == "A\nb" + ODD
        await pilot.press("ctrl+z", "ctrl+z", "ctrl+z")
        assert box.value == ODD


async def test_pasted_control_characters_are_data_and_never_drawn() -> None:
    box = TextBox("")
    app = Host(box)
    async with app.run_test(size=(60, 12)) as pilot:
        app.screen.post_message(Paste("a\x1b]52;c;aGk=\x07\r\nb\u202ec\ud800"))
        await pilot.pause()
        assert box.value == "a\x1b]52;c;aGk=\x07\nb\u202ec\ud800"
        drawn = "".join(s.text for y in range(3) for s in box.render_line(y))
        assert "␛]52" in drawn
        assert not any(char in drawn for char in "\x1b\x07\u202e\ud800")


async def test_cut_and_paste_moves_exact_characters_and_the_clipboard_holds_signs() -> None:
    box = TextBox("a\x1bb\r\nrest")
    app = Host(box)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("f7", "ctrl+x")
        assert box.value == ""
        assert "\x1b" not in app.clipboard
        await pilot.press("ctrl+v")
        assert box.value == "a\x1bb\r\nrest"


async def test_a_single_line_box_keeps_a_newline_as_a_mark() -> None:
    box = TextBox("get\norder", single_line=True)
    async with Host(box).run_test(size=(60, 12)) as pilot:
        await pilot.press("end", "X")
        assert box.value == "get\norderX"
        assert box.region.height == 1


async def test_the_mark_under_the_cursor_has_a_name() -> None:
    box = TextBox("\u202eab")
    async with Host(box).run_test(size=(60, 12)) as pilot:
        assert box.mark_at_cursor() == "U+202E RIGHT-TO-LEFT OVERRIDE"
        await pilot.press("right")
        assert box.mark_at_cursor() == ""


async def test_a_box_that_is_painted_once_more_after_it_was_removed_is_blank() -> None:
    box = TextBox("text")
    async with Host(box).run_test(size=(60, 12)):
        await box.remove()
        assert [line.text for line in box.render_lines(Region(0, 0, 4, 2))] == ["    ", "    "]


async def test_a_line_is_typed_without_a_layout_and_scrolls_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    box = TextBox("", single_line=True)
    app = Host(box)
    async with app.run_test(size=(20, 3)) as pilot:
        laid_out = []
        refresh_layout = app.screen._refresh_layout
        monkeypatch.setattr(
            app.screen, "_refresh_layout", lambda *a, **k: (laid_out.append(1), refresh_layout())
        )
        for letter in "abcdefghijklmnopqrstuvwxyz0123":
            await pilot.press(letter)
            await pilot.pause()
        assert len(laid_out) <= 2  # where it begins to scroll
        drawn = "".join(segment.text for segment in box.render_line(0))
        assert "0123" in drawn
        assert "a" not in drawn
        await pilot.press("home")
        await pilot.pause()
        assert "abc" in "".join(segment.text for segment in box.render_line(0))
