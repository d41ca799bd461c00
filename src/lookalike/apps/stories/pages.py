"""Extracts the visible text of HTML, block by block, in time that grows only with the length of the page.

A parser that builds a tree takes time that grows with the square of the length if elements are nested deeply, left open
or closed in another order: a page of 400 KB can take minutes. The text can be extracted without a tree.
"""

from __future__ import annotations

import html
import re

BLOCKS = frozenset(
    "address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li "
    "main nav ol optgroup option p pre section select table td th tr ul".split()
)
"""Elements that start and end a line."""

HEAD = frozenset("html head title meta link base basefont bgsound script style noscript template noframes".split())
"""Elements that may precede the body of a page."""

RAW = frozenset("script style iframe noembed noframes textarea title xmp".split())
"""Elements whose content extends to their end tag, even if it contains other tags."""

HIDDEN = frozenset("script style iframe noembed noframes noscript template svg".split())
"""Elements whose content is not visible."""

LEAVE_SVG = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
"""Elements that cannot be in a drawing. They end a drawing that was not closed."""

_TAG = re.compile(
    r"""<(/?)([a-zA-Z][^\x20\t\n\f\r/>]*+)
        (?: [\x20\t\n\f\r/]*+
            [^\x20\t\n\f\r/>][^\x20\t\n\f\r/>=]*+  # a name, even with quotes
            (?: [\x20\t\n\f\r]*+ = [\x20\t\n\f\r]*+
                (?: "[^"]*+"?+ | '[^']*+'?+ | [^\x20\t\n\f\r>"'][^\x20\t\n\f\r>]*+ | (?=>) | \Z ) )?+
        )*+
        ([\x20\t\n\f\r/]*+)(>?)""",
    re.VERBOSE,
)
"""Matches a tag: the "/" of an end tag, the name, the white space and slashes after the last attribute, and ">", unless
the page ends within the tag. It never backtracks by more than these.

A value in quotes may contain ">". A quote or a slash within a value without quotes belongs to the value.
"""

_END_OF_COMMENT = re.compile("--!?>")
_END_OF_HIDDEN = re.compile(rf"</({'|'.join(HIDDEN - RAW)})[\s/>]", re.IGNORECASE)
_END_OF_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW - {"script"}}
_IN_SCRIPT = re.compile(r"<!--|-->|</?script(?=[\s/>])", re.IGNORECASE)
_HUGE_NUMBER = re.compile("&#[0-9]{20,};?")


def to_text(page: str) -> str:
    """Returns the visible text of a page, one line per block, with white space normalised.

    >>> to_text("<title>x</title><h1>Storm</h1><p>It was <b>so</b> loud.</p><script>1</script>")
    'Storm\\nIt was so loud.'
    """
    lines = (" ".join(line.split()) for line in "".join(_pieces(page)).split("\n"))
    return "\n".join(line for line in lines if line)


def _pieces(page: str) -> list[str]:
    """Returns the visible text in pieces, with line breaks around blocks."""
    pieces: list[str] = []
    last_ends = {tag[1].lower(): tag.start() for tag in _END_OF_HIDDEN.finditer(page)}
    at, start, in_body = 0, page.find("<"), False
    while start >= 0:
        if start > at and (in_body or not page[at:start].isspace()):
            in_body = True
            pieces.append(_unescaped(page[at:start]))
        tag = _TAG.match(page, start)
        if tag is None:
            at = _after_other(page, start)
            start = page.find("<", max(at, start + 1))
            continue
        closes, name, _, end = tag.groups()
        if not end:
            return pieces
        at, name = tag.end(), name.lower()
        if name in BLOCKS:
            in_body = in_body or not closes or name == "br"
            pieces.append("\n")
        elif not closes:
            in_body = in_body or name not in HEAD
            if name in RAW:
                content_end = _end_of_raw(page, at, name)
                if in_body and name not in HIDDEN:
                    pieces.append(page[at:content_end] if name == "xmp" else _unescaped(page[at:content_end]))
                at = content_end
            elif name in HIDDEN and last_ends.get(name, 0) >= at and not _is_empty_svg(tag):
                at = _after_hidden(page, at, name)
        start = page.find("<", at)
    pieces.append(_unescaped(page[at:]))
    return pieces


def _unescaped(text: str) -> str:
    """Replaces character references. Numbers with many digits, which would be slow to parse, become U+FFFD."""
    return html.unescape(_HUGE_NUMBER.sub("\ufffd", text)) if "&" in text else text


def _after_other(page: str, at: int) -> int:
    """Returns the position after a comment or declaration at `at`; `at` itself if the character "<" there is text."""
    if page.startswith("<!--", at):
        found = _END_OF_COMMENT.search(page, at + 2)
        return len(page) if found is None else found.end()
    if page.startswith(("<!", "<?", "</"), at):
        return page.find(">", at) + 1 or len(page)
    return at


def _end_of_raw(page: str, at: int, name: str) -> int:
    """Returns the end of the content that starts at `at`, of an element in `RAW`."""
    if name == "script":
        return _end_of_script(page, at)
    found = _END_OF_RAW[name].search(page, at)
    return len(page) if found is None else found.start()


def _end_of_script(page: str, at: int) -> int:
    """Returns the end of a script that starts at `at`. Within a comment, it may contain other scripts."""
    in_comment = in_script = False
    for found in _IN_SCRIPT.finditer(page, at):
        what = found[0].lower()
        if what in ("<!--", "-->"):
            in_comment, in_script = what == "<!--", in_script and what == "<!--"
        elif what == "<script":
            in_script = in_comment
        elif in_script:
            in_script = False
        else:
            return found.start()
    return len(page)


def _after_hidden(page: str, at: int, name: str) -> int:
    """Returns the position after the element `name` in `HIDDEN` whose content starts at `at`.

    The element may be nested.
    """
    depth = 1
    while (start := page.find("<", at)) >= 0:
        tag = _TAG.match(page, start)
        if tag is None:
            at = max(_after_other(page, start), start + 1)
            continue
        at, inner = tag.end(), tag[2].lower()
        if inner == name:
            depth += -1 if tag[1] else not _is_empty_svg(tag)
            if not depth:
                return at
        elif tag[1]:
            continue
        elif name == "svg" and inner in LEAVE_SVG:
            return start
        elif name != "svg" and inner in RAW:
            at = _end_of_raw(page, at, inner)
    return len(page)


def _is_empty_svg(tag: re.Match[str]) -> bool:
    """True for <svg/>. The slash has no meaning in other elements, and in <svg id=x/> it belongs to the value."""
    return tag[2].lower() == "svg" and tag[3].endswith("/")
