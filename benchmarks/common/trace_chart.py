"""Draws a trace of a run: one row per thread, and how many threads are busy, over time."""

from __future__ import annotations

from collections.abc import Sequence

from common.thread_samples import Samples

from lookalike.drawing.canvas import Canvas
from lookalike.drawing.markup import tag, text

WIDTH, LEFT, RIGHT, TOP, ROW, CURVE = 900, 96, 16, 64, 18, 70
SHORT = 0.02
"""Threads that are busy for a smaller share of the run are drawn in one row."""
STYLE = """
text{font:13px ui-sans-serif,system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.strong{font-weight:600;font-size:14px}.quiet{fill:#59636e;font-size:12px}
.busy{fill:#2a9d90}.held{fill:#b4541a}.few{fill:#b4541a;fill-opacity:.18}.edge{stroke:#818b98;stroke-dasharray:3 3}
@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.quiet{fill:#9198a1}.edge{stroke:#656c76}}
""".replace("\n", "")


def drawn(samples: Samples, stages: Sequence[tuple[str, float, float]], threads: int, title: str) -> str:
    """The chart as a complete SVG file."""
    length = samples.ended - samples.began
    columns = WIDTH - LEFT - RIGHT
    busy, held, full = _shares(samples, columns, threads)
    long = sorted(t for t, shares in busy.items() if sum(shares) > SHORT * columns)
    rows = {t: "main" if t == samples.process else f"worker {n}" for n, t in enumerate(long)}
    short = [t for t in busy if t not in rows]
    canvas = Canvas(WIDTH, TOP + ROW * (len(rows) + bool(short)) + CURVE + 60, left=LEFT, right=RIGHT)
    canvas.words(12, 22, f"{title}: {length:.2f} s on {threads} threads", "strong", "start")
    bottom = TOP + ROW * (len(rows) + bool(short)) + CURVE + 16
    for first, last in _stretches(full):
        canvas.parts.append(
            tag("rect", kind="few", x=LEFT + first, y=TOP - 4, width=last - first, height=bottom - TOP + 4)
        )
    before = -100.0
    for name, began, _ in stages:
        x = LEFT + columns * (began - samples.began) / length
        canvas.line((round(x, 1), TOP - 8), (round(x, 1), bottom), "edge")
        if x - before > 46:  # otherwise the names would overlap
            canvas.words(x + 3, TOP - 12, name, "quiet", "start")
            before = x
    for place, (thread, name) in enumerate(rows.items()):
        _row(canvas, TOP + ROW * place, name, busy[thread], held.get(thread, []))
    if short:
        together = [min(1.0, sum(column)) for column in zip(*(busy[t] for t in short), strict=True)]
        _row(canvas, TOP + ROW * len(rows), "others", together, [])
    _curve(canvas, bottom, [sum(column) for column in zip(*busy.values(), strict=True)], threads)
    for second in range(int(length) + 1):
        canvas.words(LEFT + columns * second / length, bottom + 18, f"{second} s", "quiet")
    notes = "Green: busy. Orange: holds the interpreter's lock. Shaded: fewer threads are busy than the run may use."
    canvas.words(12, bottom + 38, notes, "quiet", "start")
    return canvas.svg(f"Which threads are busy over {length:.2f} seconds of {title}", STYLE)


def _shares(
    samples: Samples, columns: int, threads: int
) -> tuple[dict[int, list[float]], dict[int, list[float]], list[float]]:
    """For each thread, and each column, the share of samples in which it is busy, and in which it holds the lock; and
    the share of samples in which enough threads are busy."""
    counts = [0] * columns
    busy: dict[int, list[float]] = {}
    held: dict[int, list[float]] = {}
    full = [0.0] * columns
    length = samples.ended - samples.began
    for when, some, holder in zip(samples.times, samples.busy, samples.holders, strict=True):
        column = min(columns - 1, int(columns * (when - samples.began) / length))
        counts[column] += 1
        full[column] += len(some) >= threads
        for thread in some:
            busy.setdefault(thread, [0.0] * columns)[column] += 1
        if holder in some:
            held.setdefault(holder, [0.0] * columns)[column] += 1
    for shares in [*busy.values(), *held.values(), full]:
        shares[:] = [share / max(1, count) for share, count in zip(shares, counts, strict=True)]
    return busy, held, full


def _stretches(full: list[float]) -> list[tuple[int, int]]:
    """Consecutive columns in which, for half of the time or more, fewer threads are busy than the run may use."""
    found: list[tuple[int, int]] = []
    for column, share in enumerate(full):
        if share > 0.5:
            continue
        if found and found[-1][1] == column:
            found[-1] = (found[-1][0], column + 1)
        else:
            found.append((column, column + 1))
    return found


def _row(canvas: Canvas, y: int, name: str, busy: list[float], held: list[float]) -> None:
    canvas.words(LEFT - 10, y + 12, name, anchor="end")
    bottom = y + ROW - 3
    for shares, kind in ((busy, "busy"), (held, "held")):
        steps = "".join(
            f"M{LEFT + x} {bottom}v{-share * (ROW - 4):.1f}h1V{bottom}z" for x, share in enumerate(shares) if share > 0
        )
        if steps:
            canvas.parts.append(tag("path", tag("title", text(f"{name}, {kind}")), kind=kind, d=steps))


def _curve(canvas: Canvas, bottom: int, together: list[float], threads: int) -> None:
    most = max(threads + 1.0, max(together, default=0.0))
    canvas.words(LEFT - 10, bottom - CURVE / 2, "busy", anchor="end")
    points = "".join(f"L{LEFT + x} {bottom - CURVE * count / most:.1f}" for x, count in enumerate(together))
    canvas.parts.append(tag("path", kind="busy", d=f"M{LEFT} {bottom}{points}V{bottom}z"))
    level = round(bottom - CURVE * threads / most, 1)
    canvas.line((LEFT, level), (WIDTH - RIGHT, level), "edge")
    canvas.words(LEFT - 10, level + 4, threads, "quiet", "end")
