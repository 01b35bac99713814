from __future__ import annotations

import re
import unicodedata

from hypothesis import assume, example, given
from hypothesis import strategies as st

from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.text import normalise as texts
from paperless_fingerprint.text.letters import INVISIBLE, rejoined
from paperless_fingerprint.text.normalise import MAX_WORD_CHARACTERS, normalise, words
from paperless_fingerprint.text.tokens import tokenise

# Mostly the characters that our own rules speak of, and now and then anything at all.
PIECES = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=12),
    st.sampled_from(
        ["-\n", "\u00ad\n", "- \r\n", "ß", "ﬁ", "½", "\u0301", "€", "日本", "เก่า", "\u200b", "\ud800",
         "İ", "ǰ", "K", "\u0345", "①", "❶", "_", "Straße", "\t", " "]
    ),
)  # fmt: skip
# Of each kind of script: with capitals, with marks, of one-character words, of syllables.
SCRIPTS = st.sampled_from(
    """Grüße Привет Ελλάδα שָׁלוֹם مُحَمَّد दिन हिन्दी கட்டணம் విద్యుత్ ไฟฟ้า ใบแจ้ง ສະບາຍດີ សួស្តី မင်္ဂလာပါ
    王小明 日本語 ﾃｽﾄ が 한국어 𠀡𠀢 𝐀𝐛 አማርኛ ქართული ཤིང་ नी‍ला می‌خواهم""".split()
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS)
def test_words_are_letters_digits_and_marks_of_bounded_length(text: str) -> None:
    for word in words(text):
        assert 0 < len(word) <= MAX_WORD_CHARACTERS
        assert not any(c.isspace() or c in "-_.,;:!?€" for c in word)
        word.encode()


@given(TEXTS)
@example("\u0345\u0301")
def test_what_was_normalised_stays_as_it_is(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(TEXTS)
def test_the_quick_way_for_latin_text_gives_what_the_general_way_gives(text: str) -> None:
    composed = unicodedata.normalize("NFKC", text)
    composed = INVISIBLE.sub("", rejoined(composed))
    folded = unicodedata.normalize("NFKC", composed.casefold())
    assert texts._join_words(text).split() == texts._ANY_WORD.findall(folded)


@given(st.lists(PIECES | SCRIPTS | st.sampled_from([" ", "\n", "-\n"]), max_size=12).map("".join))
@example("दिन और दान")
@example("𠀡𠀢")
@example("=\u200b̸")
def test_tokens_without_joined_numbers_are_the_normalised_words(text: str) -> None:
    tokens = tokenise(text)
    assume(not any(re.search(r"\d[.,:/'’-]\d", spelling) for spelling in tokens.spellings))
    assert list(tokens.keys) == words(text)
    assert [tokens.text[start:end] for start, end in tokens.spans()] == list(tokens.spellings)


@given(TEXTS)
def test_composed_and_decomposed_letters_are_the_same(text: str) -> None:
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(
        unicodedata.normalize("NFC", text)
    )


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=3), max_size=60), st.integers(1, 5))
def test_hashes_are_the_set_of_shingles(found: list[str], shingle_words: int) -> None:
    runs = {tuple(found[i : i + shingle_words]) for i in range(len(found) - shingle_words + 1)} or (
        {tuple(found)} if found else set()
    )
    hashes = shingle_hashes(" ".join(found), shingle_words)
    assert len(hashes) == len(runs)
    assert (hashes[1:] > hashes[:-1]).all()
