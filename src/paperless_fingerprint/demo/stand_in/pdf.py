"""Small PDF files with the text of a document: letters that every viewer has, and that can be
searched and copied. Standard library only, but for the widths of letters.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import groupby

from paperless_fingerprint.demo.stand_in.paper import (
    HEIGHT,
    WIDTH,
    Line,
    is_east_asian,
    pages_of,
    width_of,
)

_KINDS = {"": (b"/F1", "Helvetica"), "fixed": (b"/F2", "Courier")}
#: Japanese and Chinese letters of the viewer's own: the name, the order of its characters, the map.
_JAPANESE = ("HeiseiKakuGo-W5", "Japan1", "UniJIS-UCS2-H")
_CHINESE = ("STSong-Light", "GB1", "UniGB-UCS2-H")
_KANA = ("\u3040", "\u30ff")


def pdf_of(text: str, page_count: int | None = None) -> bytes:
    pages = pages_of(text, page_count)
    # Letters that Windows' Latin alphabet lacks take the places of its control characters.
    shown = {c for page in pages for line in page for c in line.text}
    strange = [c for c in sorted(shown) if c > "~" and not is_east_asian(c) and not _in_latin(c)]
    codes = {c: code for code, c in enumerate(strange[:31], 1)}
    east = _JAPANESE if any(_KANA[0] <= c <= _KANA[1] for c in shown) else _CHINESE

    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",  # the pages, once it is known where they stand
        *(_latin_font(name, codes, is_fixed=kind == "fixed") for kind, (_, name) in _KINDS.items()),
        *_east_asian_font(*east),
    ]
    first = len(objects) + 1
    for page in pages:
        content = zlib.compress(_content(page, codes))
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources "
            b"<< /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >> >>"
            % (WIDTH, HEIGHT, len(objects) + 2),
            _stream(content, b" /Filter /FlateDecode"),
        ]
    kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(pages)))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages))
    return _file(objects)


def locked(pdf: bytes) -> bytes:
    """With a password that nobody knows."""
    asks = b"trailer\n<< /Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >> /ID [<00> <00>]"
    return pdf.replace(b"trailer\n<<", asks % (b"00" * 32, b"11" * 32))


def _in_latin(character: str) -> bool:
    try:
        character.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def _latin_font(name: str, codes: dict[str, int], *, is_fixed: bool) -> bytes:
    by_code = {code: character for character, code in codes.items()}
    for code in range(32, 256):
        by_code[code] = bytes([code]).decode("cp1252", errors="replace")
    widths = (width_of(by_code.get(code, " "), is_fixed=is_fixed) for code in range(256))
    names = "".join(f" {code} /uni{ord(c):04X}" for c, code in codes.items())
    differences = f" /Differences [{names} ]" if names else ""
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /FirstChar 0 /LastChar 255 /Widths "
        f"[{' '.join(map(str, widths))}] /Encoding << /Type /Encoding /BaseEncoding "
        f"/WinAnsiEncoding{differences} >> >>"
    ).encode()


def _east_asian_font(name: str, ordering: str, to_codes: str) -> Sequence[bytes]:
    """Takes two numbers: the font, and what it is made of."""
    return (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /{to_codes} "
        "/DescendantFonts [6 0 R] >>".encode(),
        f"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /{name} /DW 1000 /CIDSystemInfo "
        f"<< /Registry (Adobe) /Ordering ({ordering}) /Supplement 2 >> /FontDescriptor << /Type "
        f"/FontDescriptor /FontName /{name} /Flags 4 /FontBBox [-100 -200 1000 900] /ItalicAngle 0 "
        "/Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >> >>".encode(),
    )


def _content(page: Sequence[Line], codes: dict[str, int]) -> bytes:
    parts = []
    for line in page:
        font = _KINDS["fixed" if line.is_fixed else ""][0]
        parts.append(b"BT 1 0 0 1 %.1f %.1f Tm" % (line.x, HEIGHT - line.y))
        for is_east, run in groupby(line.text, is_east_asian):
            text = "".join(run)
            if is_east:
                shown = b"<%s>" % text.encode("utf-16-be").hex().encode()
            else:
                shown = b"(%s)" % b"".join(_byte(character, codes) for character in text)
            parts.append(b"%s %.2f Tf %s Tj" % (b"/F3" if is_east else font, line.size, shown))
        parts.append(b"ET")
    return b"\n".join(parts)


def _byte(character: str, codes: dict[str, int]) -> bytes:
    code = (
        bytes([codes[character]]) if character in codes else character.encode("cp1252", "replace")
    )
    return b"".join(
        b"\\%03o" % each if each < 32 or each in b"\\()" else bytes([each]) for each in code
    )


def _stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(data), more, data)


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        table,
    )
    return bytes(out)
