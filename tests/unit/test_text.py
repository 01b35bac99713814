from __future__ import annotations

import pytest

from paperless_fingerprint.text import normalise as texts
from paperless_fingerprint.text.normalise import MAX_WORD_CHARACTERS, normalise, words


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ""),
        (" \n\t.,;-–\u2022 ", ""),
        ("Grüße, aus KÖLN!", "grüsse aus köln"),
        ("Straße STRASSE", "strasse strasse"),
        ("1.387,30 €", "1 387 30"),
        ("snake_case", "snake case"),
        ("ﬁnance ½ ② Ⅳ", "finance 1 2 2 iv"),
        ("Rechnungs-\nbetrag", "rechnungsbetrag"),
        ("Rechnungs- \r\n  betrag", "rechnungsbetrag"),
        ("Rechnungs\u00ad\nbetrag", "rechnungsbetrag"),
        ("Rechnungs\u00adbetrag", "rechnungsbetrag"),
        ("E-\nMail", "e mail"),
        ("10-\n12", "10 12"),
        ("2024 -\nend", "2024 end"),
        ("Absatz-\n\nneu", "absatz neu"),
        ("e\u0301te\u0301", "été"),
        ("zero\u200bwidth", "zerowidth"),
        ("\u202eabc\u202c", "abc"),
        ("日本語です", "日 本 語 で す"),
        ("ＡＢＣ１２３", "abc123"),
        ("ﾃｽﾄ", "テ ス ト"),
        ("2024年3月5日", "2024 年 3 月 5 日"),
        ("हिन्दी में", "हिन्दी में"),
        ("한국어 문서", "한국어 문서"),
        ("Привет МИР", "привет мир"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("a\x00b \ud800 c", "a b c"),
        ("😀 ok 👍🏽", "ok"),
    ],
)
def test_normalise(given: str, expected: str) -> None:
    assert normalise(given) == expected


def test_thai_lao_khmer_and_burmese_are_cut_into_syllables() -> None:
    assert words("เก่าใหม่") == ["เก่า", "ให", "ม่"]
    for sample in ("ສະບາຍດີ", "សួស្តី", "မင်္ဂလာပါ"):
        found = words(sample)
        assert len(found) > 1
        assert "".join(found) == sample


def test_the_same_text_from_pdf_docx_and_markdown_is_the_same() -> None:
    pdf = "Kündigung\n\nSehr geehrte Damen und Her-\nren, hiermit kündige ich.\n\f"
    docx = "Kündigung\u000bSehr geehrte Damen und Herren, hiermit kündige ich."
    markdown = "# Kündigung\n\nSehr geehrte Damen und Herren,\nhiermit **kündige** ich.\n"
    assert normalise(pdf) == normalise(docx) == normalise(markdown)


def test_endless_words_are_cut_where_both_stores_can_keep_them() -> None:
    found = words("ab " + "x" * 250)
    assert list(map(len, found)) == [2, MAX_WORD_CHARACTERS, MAX_WORD_CHARACTERS, 50]


def test_a_long_text_gives_the_same_words_as_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Ein Satz, der über die Zei-\nle geht. Noch einer; 日本語です.\n" * 200
    expected = " ".join(words(text))
    for size in (50, 64, 101, 1000):
        monkeypatch.setattr(texts, "_CHUNK_CHARACTERS", size)
        assert normalise(text) == expected


def test_a_long_text_without_any_break_is_still_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_CHUNK_CHARACTERS", 100)
    assert len(normalise("x" * 1000).replace(" ", "")) == 1000


def test_one_word_over_and_over_stays_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_CHUNK_CHARACTERS", 101)
    assert set(words("wort " * 500)) == {"wort"}
