"""What a scanner and its OCR do to a page, made up: the same seed gives the same damage.

For the demo and for tests. It knows nothing of how the matcher recognises noise, and should not:
what is found here must not be found because both sides read the same table.
"""

from __future__ import annotations

import random
import re

#: Letters as OCR mistakes them, in Latin scripts.
CONFUSIONS = (
    ("rn", "m"), ("m", "rn"), ("cl", "d"), ("d", "cl"), ("w", "vv"), ("fi", "ﬁ"), ("ü", "ii"),
    ("l", "1"), ("1", "l"), ("0", "O"), ("O", "0"), ("5", "S"), ("S", "5"), ("8", "B"), ("B", "8"),
    ("I", "l"), ("i", "l"), ("l", "i"), ("e", "c"), ("c", "e"), ("h", "b"), ("u", "n"), ("n", "u"),
    ("t", "f"), ("f", "t"), ("a", "o"), ("ä", "a"), ("ö", "o"), ("ß", "B"), ("é", "e"), ("è", "é"),
    ("ñ", "n"), ("ó", "o"), ("ł", "l"), ("ę", "e"), ("€", "C"), ("£", "E"), ("g", "q"), ("y", "v"),
)  # fmt: skip

#: Characters that look alike in print, Chinese and Japanese; read both ways.
LOOK_ALIKES = (
    "日目", "未末", "土士", "人入", "千干", "己已", "大犬", "力カ", "待侍", "間問", "申甲",
    "回同", "木本", "見貝", "合台", "一ー", "天夫", "文丈", "年牛", "白自", "新析", "社杜",
    "はほ", "ばぱ", "りリ", "へヘ", "ソン", "シツ", "ロ口", "エ工", "るろ", "わね", "きさ",
    "我找", "们门", "请清", "间问", "来米", "使便", "晓晚", "历厉", "设没", "话活", "位拉",
)  # fmt: skip
_TWINS = {pair[i]: pair[1 - i] for pair in LOOK_ALIKES for i in (0, 1)}

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def scan(text: str, *, seed: int, word_rate: float, stamp: str = "", move: str = "") -> str:
    """The text as it comes back from a scanner.

    `word_rate` is the share of words that suffer, a Chinese or Japanese character counting as a
    word. `stamp` is what an office set on the page by hand. `move` is how a paragraph begins: from
    there on the text goes to the top, as pages do that went through the feeder the wrong way.
    """
    chance = random.Random(seed)
    if move:
        text = move_to_top(text, move)
    lines = [_scan_line(line, chance, word_rate) for line in text.splitlines()]
    if stamp:
        lines.insert(_place_for_stamp(lines, chance), stamp)
    return "\n".join(lines)


def move_to_top(text: str, beginning: str) -> str:
    paragraphs = text.split("\n\n")
    first = next(i for i, paragraph in enumerate(paragraphs) if paragraph.startswith(beginning))
    return "\n\n".join(paragraphs[first:] + paragraphs[:first])


def _scan_line(line: str, chance: random.Random, word_rate: float) -> str:
    # OCR sees columns as words with one space between them.
    pieces: list[str] = []
    for word in line.split():
        if _CJK.search(word):
            pieces.append(_scan_characters(word, chance, word_rate) + " ")
        elif chance.random() < word_rate:
            pieces.append(_damage_word(word, chance))
        else:
            pieces.append(word + " ")
    return "".join(pieces).strip()


def _damage_word(word: str, chance: random.Random) -> str:
    """The word as read, and the space after it unless that was overlooked."""
    kind = chance.random()
    if kind < 0.07:
        return ""
    if kind < 0.15:
        return word
    if kind < 0.23 and len(word) >= 6:
        place = chance.randrange(2, len(word) - 2)
        return f"{word[:place]} {word[place:]} "
    possible = [(right, wrong) for right, wrong in CONFUSIONS if right in word]
    if not possible:
        return word.replace(".", ",") + " " if "." in word else word + "' "
    right, wrong = chance.choice(possible)
    return word.replace(right, wrong, 1) + " "


def _scan_characters(word: str, chance: random.Random, word_rate: float) -> str:
    read: list[str] = []
    for character in word:
        if chance.random() >= word_rate:
            read.append(character)
        elif character in _TWINS:
            read.append(_TWINS[character])
        elif chance.random() < 0.5:
            # Most characters have no twin in the table: half of those are lost, the rest survive.
            continue
        else:
            read.append(character)
    return "".join(read)


def _place_for_stamp(lines: list[str], chance: random.Random) -> int:
    """Somewhere in the upper half, where there is white paper."""
    empty = [i for i, line in enumerate(lines[: len(lines) // 2 + 1]) if not line]
    return chance.choice(empty) if empty else 0
