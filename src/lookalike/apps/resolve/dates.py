"""Recognises dates in several notations, and writes them as eight digits: year, month and day."""

from __future__ import annotations

import re

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_DATE = re.compile(
    r"(?:1[6-9]|20)\d\d([-/. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])|"  # 1999-12-31, 19991231
    r"(?:0?[1-9]|[12]\d|3[01])([-/. ])(?:0?[1-9]|[12]\d|3[01])\2(?:(?:1[6-9]|20)\d\d|\d\d)"  # 31/12/1999, 12/31/99
)
_DATE_TIME = re.compile(r"(?:1[6-9]|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d.*")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WITH_MONTH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[-/., ]*(?:of )?{_MONTH}[-/., ]*(?P<year>\d{{4}})",  # 31 December 1999
        rf"{_MONTH}[-/., ]*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[-/., ]+(?P<year>\d{{4}})",  # Dec 31, 1999
        rf"(?P<year>\d{{4}})[-/., ]*{_MONTH}[-/., ]*(?P<day>\d{{1,2}})",  # 1999-Dec-31
    )
)


def is_date(text: str) -> bool:
    """True if a text is a date, possibly with a time.

    >>> is_date("31/12/1999"), is_date("Dec 31, 1999"), is_date("May 5")
    (True, True, False)
    """
    return bool(_DATE.fullmatch(text) or _DATE_TIME.fullmatch(text) or _named(text))


def date_in_digits(text: str) -> str | None:
    """Returns the year, month and day of a date as eight digits.

    If no date is recognised, returns all digits of the text, or None if there are none.

    >>> date_in_digits("31/12/1999"), date_in_digits("1999-12-31T10:00"), date_in_digits("12/31/1999")
    ('19991231', '19991231', '19991231')
    >>> date_in_digits("31 December 1999"), date_in_digits("Dec 31st, 1999"), date_in_digits("1999-dec-31")
    ('19991231', '19991231', '19991231')
    """
    if found := _named(text.strip()):
        month = MONTHS.index(found["month"][:3].lower()) + 1
        return f"{int(found['year']):04}{month:02}{int(found['day']):02}"
    parts = re.findall(r"\d+", text)
    if any(len(part) > 4 for part in parts[:3]):
        return "".join(parts)
    if len(parts) >= 3 and len(parts[0]) == 4:
        year, month_, day = parts[:3]
    elif len(parts) >= 3:
        day, month_, year = parts[:3]
        if int(month_) > 12 >= int(day):
            day, month_ = month_, day
    else:
        return "".join(parts) or None
    return f"{int(year):04}{int(month_):02}{int(day):02}"


def _named(text: str) -> re.Match[str] | None:
    """Finds the parts of a date whose month is written as a word."""
    return next((found for pattern in _WITH_MONTH if (found := pattern.fullmatch(text))), None)
