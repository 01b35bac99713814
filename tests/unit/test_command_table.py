"""Tables and the list of commands on the terminal."""

from __future__ import annotations

from paperless_fingerprint.cli.table import cell_width, fitted, fold, table_lines


def shown(columns: list[tuple[str, str]], rows: list[tuple[str, ...]], width: int) -> list[str]:
    return list(table_lines(columns, rows, width))


def test_columns_stand_side_by_side() -> None:
    columns = [("name", "left"), ("sure", "right")]
    assert shown(columns, [("Rechnung", "97%"), ("Brief", "100%")], 40) == [
        "",
        " name       sure",
        " ───────────────",
        " Rechnung    97%",
        " Brief      100%",
        "",
    ]


def test_the_widest_cell_is_folded_between_words_and_nothing_is_lost() -> None:
    columns = [("", "left"), ("text", "left")]
    lines = shown(columns, [("a", "one two three four"), ("b", "abcdefghijklmn")], 15)
    assert lines[3:-1] == [
        " a   one two", "     three", "     four", " b   abcdefghi", "     jklmn",
    ]  # fmt: skip
    assert all(cell_width(line) <= 15 for line in lines)


def test_letters_of_two_places_are_counted_as_two() -> None:
    assert cell_width("請求書") == 6
    assert cell_width("e\u0301") == 1
    assert fold("請求書請求書", 4) == ["請求", "書請", "求書"]
    lines = shown([("title", "left"), ("id", "right")], [("請求書", "1"), ("letter", "12")], 40)
    assert lines[3:5] == [" 請求書    1", " letter   12"]


def test_the_widest_columns_give_way_and_each_keeps_a_place() -> None:
    assert fitted([3, 10, 20], 40) == [3, 10, 20]
    assert fitted([3, 10, 20], 23) == [3, 10, 10]
    assert fitted([3, 10, 20], 15) == [3, 6, 6]
    assert sum(fitted([30, 30, 31], 40)) == 40
    assert fitted([5, 5], 1) == [1, 1]
