"""Extracts the visible text of HTML, block by block. Only this module uses selectolax."""

from __future__ import annotations

UNSEEN = ["script", "style", "noscript", "template", "svg", "iframe", "head"]
BLOCKS = (
    "address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li "
    "main nav ol option p pre section table td th tr ul"
).split()


def to_text(html: str) -> str:
    """The visible text of a page, one line per block, with white space normalised.

    >>> to_text("<title>x</title><h1>Storm</h1><p>It was <b>so</b> loud.</p><script>1</script>")
    'Storm\\nIt was so loud.'
    """
    from selectolax.lexbor import LexborHTMLParser  # imported here: only runs on HTML need it

    body = LexborHTMLParser(html).body
    if body is None:
        return ""
    body.strip_tags(UNSEEN, recursive=True)
    for node in body.css(",".join(BLOCKS)):
        node.insert_before("\n")
        node.insert_after("\n")
    lines = (" ".join(line.split()) for line in body.text(deep=True).split("\n"))
    return "\n".join(line for line in lines if line)
