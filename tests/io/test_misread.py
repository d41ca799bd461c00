"""Messages about bytes that are not text, or not the JSON that was expected, lead to the cause."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import InvalidOption
from lookalike.flow.threshold import Threshold
from lookalike.io.formats.json_line import Broken, parse
from lookalike.io.misread import not_in_utf8


def reason(data: bytes) -> str:
    with pytest.raises(UnicodeDecodeError) as caught:
        data.decode()
    return not_in_utf8(caught.value).code


@given(
    st.text("abcdefghij klmnop", min_size=20), st.text("abcdefghij klmnop", min_size=20), st.sampled_from(["le", "be"])
)
def test_european_text_in_utf_16_is_recognised_with_and_without_a_byte_order_mark(
    before: str, after: str, order: str
) -> None:
    text = f"{before}é{after}"
    data = text.encode(f"utf-16-{order}")
    assert reason(data) == "utf16"
    assert reason("\ufeff".encode(f"utf-16-{order}") + data) == "utf16"


def test_an_archive_and_a_program_are_not_taken_for_utf_16() -> None:
    """A zip archive was called UTF-16, and the advice to set the encoding led to another error."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("news.jsonl", bytes(range(256)) * 4)
    program = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00\x01\x00\x00\x00\xd0\x6a" + bytes(6) + b"\x40"
    assert reason(archive.getvalue()) == "binary"
    assert reason(program) == "binary"
    assert reason(b"%PDF-1.4\n%\xd0\xd4\xc5\xd8\n1 0 obj\n") == "binary"
    assert reason(b"header \xe9 without zeros near the letter" + b" " * 99 + bytes(1)) == "binary"


@given(st.text("ab c", max_size=30), st.sampled_from(["", "\n", "\r\n"]))
def test_a_line_that_ends_too_early_is_reported_at_its_end(text: str, end: str) -> None:
    """The column was counted from the line break, so that every such line was reported at column 1."""
    line = f'{{"text": "{text}"'
    with pytest.raises(Broken) as caught:
        parse(f"{line}{end}".encode())
    assert caught.value.reason.values["column"] == len(line) + 1


@pytest.mark.parametrize(
    ("given", "meant"), [("80%", "0.8"), ("99.5 %", "0.995"), ("0%", None), ("x%", None), ("180%", None)]
)
def test_a_percentage_is_answered_with_the_share_that_it_stands_for(given: str, meant: str | None) -> None:
    with pytest.raises(InvalidOption) as caught:
        Threshold(given)
    assert (f"Did you mean {meant}?" in str(caught.value)) == (meant is not None)
