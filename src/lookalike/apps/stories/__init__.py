"""Finds news pages that carry the same story, despite different menus and teasers around the article.

Each shingle starts with a stop word. Articles are full of stop words and boilerplate is not, so the article counts for
more than the rest of the page (MMDS, chapter 3).
"""

from __future__ import annotations

from typing import Any, Unpack

from lookalike.apps.stories.find import BATCH_ROWS, Stories, StoryCriteria, find_stories
from lookalike.apps.stories.stoplists import languages, stop_list
from lookalike.flow.checks import check_names, check_threads
from lookalike.flow.progress import callback
from lookalike.flow.threshold import Threshold
from lookalike.io.open import check_column, open_source
from lookalike.requests import applications as requests
from lookalike.requests.option import part
from lookalike.requests.reading import Reading
from lookalike.requests.verb import verb

__all__ = ["Stories", "languages", "stop_list", "stories"]


@verb(requests.Stories)
def stories(data: Any, **options: Unpack[requests.Stories]) -> Stories:
    """Finds pages that carry the same article, the first page of each story, and the boilerplate around articles.

    Two pages are similar if the Jaccard similarity of their stop-word shingles (a stop word and the next two words) is
    at least `threshold`. `language` is a language code (`languages()` lists all codes), the path of a stop list, or a
    list of codes and paths. If `url` names the column of URLs, boilerplate is detected separately for each host, and
    hosts that mirror each other are reported. If `date` names the column of dates, the earliest page of each story
    counts as its first page. With `html`, pages are parsed as HTML and reduced to their visible text. With
    method="length", each page is compared with all pages whose articles have a similar length, not only with those that
    share a band of hashes.

    >>> pages = ["Home | Sport | Weather. The storm that came in the night has torn the roof off the school.",
    ...          "The storm that came in the night has torn the roof off the school. Next: the lottery numbers",
    ...          "Home | Sport | Weather. There is a fair in the town on Sunday, and it is open to all."]
    >>> stories(pages, language="en").pages["story"].to_pylist()
    [0, 0, 1]
    """
    for name in ("url", "date"):
        check_column(name, options[name])
    language = options["language"]
    chosen = check_names("language", language)
    for name in chosen:
        if name != "auto":
            stop_list(name)
    question = StoryCriteria(() if "auto" in chosen else chosen, Threshold(options["threshold"]), options["method"])
    source = open_source(data, **{"batch_rows": BATCH_ROWS, **part(options, Reading)})
    return find_stories(
        source, question, url=options["url"], date=options["date"],
        html=options["html"], threads=check_threads(options["threads"]), progress=callback(options["progress"]),
    )  # fmt: skip
