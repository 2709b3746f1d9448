"""Telling how far the reading of files is, on stderr: one line on a terminal, lines elsewhere."""

from __future__ import annotations

from rollstep.core.importing.summary import FileProgress

from .progress import StatusLine


class FileLine(StatusLine):
    """How much of some files has been read, how fast, and how long the rest will take."""

    def __call__(self, progress: FileProgress) -> None:
        """Tell it, if it has not been told just now."""
        self.tell(lambda seconds: progress_words(progress, seconds))


def progress_words(progress: FileProgress, seconds: float) -> str:
    """The line: records, their rate, bytes, time left, and the file where there are several."""
    rate = progress.read / seconds if seconds > 0 else 0.0
    pieces = [f"{progress.read:,} records", f"{rate:,.0f}/s"]
    if progress.size:
        share = min(progress.done / progress.size, 1.0)
        pieces.append(f"{share:.0%} of {_bytes(progress.size)}")
        if 0 < share < 1 and seconds > 1:
            pieces.append(f"{_time(seconds / share - seconds)} left")
    if progress.of_files > 1:
        pieces.append(f"file {progress.files:,} of {progress.of_files:,}: {progress.path.name}")
    return ", ".join(pieces)


def _bytes(number: int) -> str:
    size = float(number)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
