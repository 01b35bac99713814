from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperless_fingerprint.library import jsonl
from paperless_fingerprint.library.jsonl import BadLine, ReadDocument
from paperless_fingerprint.model import Document


def read(*lines: bytes | str) -> list[ReadDocument | BadLine]:
    data = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    return list(jsonl.read(io.BytesIO(data)))


def test_all_keys_of_the_design() -> None:
    value = {
        "id": 7,
        "title": "Rechnung",
        "content": "Text",
        "correspondent": "Stadtwerke",
        "document_type": "Rechnung",
        "created": "2024-03-03",
        "added": "2024-03-05T10:15:00Z",
        "modified": "2024-03-06T10:15:00Z",
        "tags": ["a", "b"],
        "original_filename": "scan.pdf",
        "page_count": 2,
        "file_size": 1000,
        "checksum": "abc",
        "uuid": "0b7c5b9e-6c1f-4f4f-9a55-0a5b7f2b9d11",
        "archive_serial_number": 5,
        "owner": 3,
        "viewers": [4, "group:2"],
        "something_else": {"is": "ignored"},
    }
    [found] = read(json.dumps(value))
    assert isinstance(found, ReadDocument)
    expected = {key: value[key] for key in value if key != "something_else"}
    expected |= {"tags": ("a", "b"), "owner": "3", "viewers": ("4", "group:2")}
    assert found.document == Document(**expected)


def test_id_and_content_are_enough_and_empty_lines_are_nothing() -> None:
    found = read('{"id": 1, "content": "x"}', "", "  ", '{"id": "2", "content": null}')
    assert [item.document.id for item in found if isinstance(item, ReadDocument)] == [1, 2]
    assert [item.line for item in found] == [1, 4]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("hello", "not JSON"),
        ("[" * 100_000, "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        ("[1, 2]", "not an object"),
        ("{}", "no 'id'"),
        ('{"content": "x"}', "no 'id'"),
        ('{"id": 0}', "from 1 to"),
        ('{"id": -3}', "from 1 to"),
        ('{"id": 1.5}', "from 1 to"),
        ('{"id": true}', "from 1 to"),
        ('{"id": "abc"}', "from 1 to"),
        ('{"id": 99999999999999999999999}', "from 1 to"),
        ('{"id": 1, "content": ["x"]}', "'content' is"),
        ('{"id": 1, "tags": "x"}', "'tags' is"),
        ('{"id": 1, "tags": [null]}', "'tags' is"),
        ('{"id": 1, "page_count": "many"}', "'page_count' is"),
        ('{"id": 1, "file_size": -1}', "'file_size' is"),
        ('{"id": 1, "uuid": "no-uuid"}', "no UUID"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(line: bytes | str, words: str) -> None:
    found = read('{"id": 10, "content": "before"}', line, '{"id": 11, "content": "after"}')
    assert [type(item) for item in found] == [ReadDocument, BadLine, ReadDocument]
    bad = found[1]
    assert isinstance(bad, BadLine)
    assert bad.line == 2
    assert words in bad.reason
    assert len(bad.reason) < 300


def test_an_id_twice_names_the_first_line() -> None:
    found = read('{"id": 5, "content": "a"}', '{"id": 6}', '{"id": 5, "content": "b"}')
    assert isinstance(found[2], BadLine)
    assert found[2].line == 3
    assert "line 1" in found[2].reason


@given(st.lists(st.integers(1, 12)))
def test_ids_in_any_order_are_known_again(ids: list[int]) -> None:
    first: dict[int, int] = {}
    for number, item in enumerate(read(*(f'{{"id": {id}}}' for id in ids)), start=1):
        line = first.setdefault(ids[number - 1], number)
        if line == number:
            assert isinstance(item, ReadDocument)
        else:
            assert isinstance(item, BadLine)
            assert f"stands on line {line} already" in item.reason


def test_nul_bytes_and_half_surrogates_become_storable() -> None:
    found = read(
        '{"id": 1, "content": "a\\u0000b"}',
        '{"id": 2, "content": "a\\ud800b"}',
        '{"id": 3, "content": "\\ud83d\\ude00", "title": "\\udfff"}',
        b'{"id": 4, "content": "caf\xe9"}',
    )
    contents = [item.document.content for item in found if isinstance(item, ReadDocument)]
    assert contents == ["a\ufffdb", "a\ufffdb", "😀", "caf\ufffd"]
    for content in contents:
        content.encode()


def test_a_line_that_is_too_long_is_refused_without_being_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(jsonl, "_READ_BYTES", 64)
    found = read('{"id": 1}', '{"id": 2, "content": "' + "x" * 1000 + '"}', '{"id": 3}')
    assert [type(item) for item in found] == [ReadDocument, BadLine, ReadDocument]
    assert found[1].line == 2


@given(st.lists(st.binary(max_size=80), max_size=6))
def test_no_bytes_break_the_reader(lines: list[bytes]) -> None:
    list(jsonl.read(io.BytesIO(b"\n".join(lines))))
