"""The text of HTML pages: as a parser that builds a tree has it, and in bounded time for any page."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from lookalike.apps.stories.pages import to_text

# The twin: a tree of the page, without hidden elements, and with line breaks around blocks

HIDDEN = ["script", "style", "noscript", "template", "svg", "iframe", "head"]
BLOCKS = (
    "address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li "
    "main nav ol option p pre section table td th tr ul"
).split()


def text_of_tree(page: str) -> str:
    body = LexborHTMLParser(page).body
    if body is None:
        return ""
    body.strip_tags(HIDDEN, recursive=True)
    for node in body.css(",".join(BLOCKS)):
        node.insert_before("\n")
        node.insert_after("\n")
    lines = (" ".join(line.split()) for line in body.text(deep=True).split("\n"))
    return "\n".join(line for line in lines if line)


words = st.sampled_from(
    ["storm", "a < b", "&amp;", "&nbsp;", "&#8364;", "&lt;p>", "&copy 2", "\n", " ", "x>y", "<3", "é"]
)
attributes = st.sampled_from(
    ["", " hidden", ' class="a b"', " title='1 > 0'", ' alt="<p>"', " a=b/", "\nid=x", ' x = "/>"']
)
aside = st.sampled_from(
    [
        "<!-- <p>no</p> -->",
        "<!---->",
        "<script>if (a < b) '<p>no</p>'</script>",
        "<script><!-- <script></script> --></script>",
        "<STYLE>p > a {}</STYLE >",
        "<noscript><img><noscript>no</noscript></noscript>",
        "<template><div>no<template>no</template></div></template>",
        '<svg viewBox="0"><style/><g><path d="M0"/><text>no</text><svg/></g></svg>',
        "<svg/>",
        "<iframe><p>no</iframe>",
        "<textarea><p>&amp;</textarea>",
        "<?php no ?>",
        "<br/>",
        "<hr>",
        "<img src=x>",
    ]
)
names = st.sampled_from(["div", "section", "ul", "SPAN", "b", "i", "a", "h2", "blockquote", "custom-tag", "em"])


def element(name: str, attributes: str, content: list[str]) -> str:
    return f"<{name}{attributes}>{''.join(content)}</{name.lower()}>"


content = st.recursive(
    st.one_of(words, aside), lambda inner: st.builds(element, names, attributes, st.lists(inner, max_size=4))
)


@given(st.lists(content, max_size=6).map("".join), st.booleans())
def test_the_text_of_a_well_formed_page_is_that_of_its_tree(content: str, whole: bool) -> None:
    head = "<!doctype html><html lang=en><head><meta charset=utf-8><title>no</title></head>"
    page = f"{head}<body>{content}</body></html>" if whole else f"<body>{content}"
    assert to_text(page) == text_of_tree(page)


odd_attributes = st.lists(st.sampled_from([*"abc=\"'/<> \n\f\v\xa0", '="', "='", "a=b"]), max_size=12).map("".join)


@given(st.sampled_from(["a", "p", "/a"]), odd_attributes)
@example("a", ' href=/?q="foo')
@example("a", " href=x='y")
@example("p", ' ="x')
@example("a", ' title=="')
def test_a_tag_with_odd_attributes_ends_where_that_of_a_parser_ends(name: str, attributes: str) -> None:
    page = f"<body><div>one <{name} {attributes}>two</div><div>three</div>"
    assert to_text(page) == text_of_tree(page)


@given(odd_attributes)
@example("a=b/")
@example("a=/")
@example("a='x=y'/")
def test_a_drawing_is_empty_only_if_a_parser_takes_it_for_empty(attributes: str) -> None:
    """In <svg id=x/> the slash belongs to the value. What followed was once taken for visible text."""
    page = f"<body><div>one <svg {attributes}>two</svg></div><div>three</div>"
    assert to_text(page) == text_of_tree(page)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ul><li>one<li>two</ul>three", "one\ntwo\nthree"),
        ("<p>one<p>two <b>three", "one\ntwo three"),
        ("<b><p>one</b>two</p>three", "onetwo\nthree"),
        ("<select><option>one<option>two</select>three", "one\ntwo\nthree"),
        ("<title>no</title>one<title>two</title>", "onetwo"),
        ("<head><noscript><img></noscript><title>no</title></head>one", "one"),
        ("one<svg><path><p>two", "one\ntwo"),
        ("one<noscript>two", "onetwo"),
        ("one<!-- two", "one"),
        ("one<script>two", "one"),
        ('one<a b="two', "one"),
        ("one<", "one<"),
        ("&#99999999999999999999999999;", "\ufffd"),
        (f"&#{'1' * 5000};", "\ufffd"),
    ],
)
def test_pages_with_mistakes_have_a_text(page: str, text: str) -> None:
    assert to_text(page) == text


HOSTILE = [
    '"<div>" * N',
    '"<ul><li>" * N',
    '"<a " + "".join(f" a{i}" for i in range(N))',
    '"".join(f"<font color={i}><p>" for i in range(N))',
    '"".join(f"<b a={i}><div>" for i in range(N)) + "</b></div>" * N',
    '"<select>" + "<option>" * N',
    '"".join(f"<body a{i}>" for i in range(N))',
    '"<svg><template><noscript>" * N + "</noscript></template></svg>"',
    '"<!--" * N',
    '"<script><!--<script>" * N',
    '"<a b=\\"" * N',
    '"</" * N',
    '"<a " + "=\\"" * N',
    '"<a " + "b \\n" * N',
    '"<a b=" + "\'" * N',
    '"&#" + "1" * N',
]
"""Pages on which a parser takes time that grows with the square of the length, as expressions."""


def test_no_page_takes_more_than_its_length() -> None:
    """A child process has 30 s of processor time for all pages; a tree of the fourth one alone takes minutes."""
    program = f"""
from lookalike.apps.stories.pages import to_text
N = 20_000
for page in ({", ".join(HOSTILE)}):
    to_text(page)
"""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=limit)
    assert ran.returncode == 0, ran.stderr
