"""Prints pages, scans them badly and reads them with a real OCR engine (tesseract).

Needs `apt-get install tesseract-ocr tesseract-ocr-all fonts-dejavu fonts-liberation
fonts-freefont-ttf` and the extra `bench`. What noise a text-based generator makes up, an engine
makes otherwise: it errs in runs, it knows words, it reads columns in an order of its own.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import textwrap
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

LANGUAGES = {
    "en": "eng", "de": "deu", "fr": "fra", "es": "spa",
    "it": "ita", "nl": "nld", "pl": "pol", "pt": "por",
}  # fmt: skip
FONTS = [
    "LiberationSans-Regular", "LiberationSerif-Regular",
    "LiberationMono-Regular", "LiberationSansNarrow-Regular",
    "DejaVuSans", "DejaVuSerif", "DejaVuSansCondensed",
    "FreeSans", "FreeSerif",
]  # fmt: skip
_DOTS_PER_INCH = 150
_WIDTH, _HEIGHT, _TEXT_WIDTH = 1240, 1754, 1000
#: Damage at which nearly nothing can be read any more.
_WORST = 0.15
_WORD = re.compile(r"\w{3,}")
_PRICE = re.compile(r"^(.*\S) ([\d.,]+(?: \S{1,3})?)$")


@dataclass(frozen=True)
class Print:
    """What is to be scanned, and how badly (0 to 0.1: as the share of letters to be misread)."""

    pages: tuple[tuple[str, ...], ...]
    damage: float
    language: str
    font: str
    seed: int
    stamp: str = ""


def read_all(prints: list[Print]) -> list[str]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(read, prints))


def share_read(printed: Print, text: str) -> float:
    """Of the printed words of three letters and more those that were read as they are."""
    words = Counter(_WORD.findall(" ".join(line for page in printed.pages for line in page)))
    return (words & Counter(_WORD.findall(text))).total() / max(1, words.total())


def read(printed: Print) -> str:
    rng = random.Random(printed.seed)
    stamped = rng.randrange(len(printed.pages)) if printed.stamp else -1
    return "\n\n".join(
        _recognise(
            _scan(
                _drawn(page, printed.font, printed.stamp if number == stamped else "", rng),
                printed.damage,
                rng,
            ),
            printed.language,
        )
        for number, page in enumerate(printed.pages)
    )


def _drawn(lines: tuple[str, ...], font_name: str, stamp: str, rng: random.Random) -> Image.Image:
    """On as many sheets' length as it takes: one long sheet is read as well as three."""
    size = 24 if "Narrow" in font_name or "Serif" in font_name else 22
    font = ImageFont.truetype(f"{font_name}.ttf", size)
    step = int(size * 1.45)
    fitting = int(_TEXT_WIDTH / font.getlength("nationale Termine") * 17)
    lines = tuple(part for line in lines for part in textwrap.wrap(line, fitting) or [""])
    height = max(_HEIGHT // 2, 240 + step * len(lines))
    image = Image.new("L", (_WIDTH, height), 255)
    pen = ImageDraw.Draw(image)
    right = 110 + _TEXT_WIDTH
    for number, line in enumerate(lines):
        y = 100 + number * step
        row = _PRICE.match(line)
        if row and len(line) < 60:
            pen.text((110, y), row[1], font=font, fill=15)
            pen.text((right - pen.textlength(row[2], font=font), y), row[2], font=font, fill=15)
        else:
            pen.text((110, y), line, font=font, fill=15)
    if stamp:
        mark = Image.new("L", (460, 90), 255)
        big = ImageFont.truetype("LiberationSans-Bold.ttf", 34)
        ImageDraw.Draw(mark).text((12, 22), stamp, font=big, fill=70)
        ImageDraw.Draw(mark).rectangle((2, 2, 456, 86), outline=70, width=4)
        mark = mark.rotate(rng.uniform(-12, 12), expand=True, fillcolor=255)
        at = (rng.randrange(100, 700), rng.randrange(40, max(41, height - 240)))
        area = (*at, at[0] + mark.width, at[1] + mark.height)
        image.paste(Image.fromarray(np.minimum(np.asarray(image.crop(area)), mark)), area)
    return image


def _scan(image: Image.Image, damage: float, rng: random.Random) -> Image.Image:
    """A rough scanner: fewer dots, a turned sheet, faint ink, dirt, a fax's black and white."""
    if damage == 0:
        return image
    severity = min(1.0, damage / _WORST) * rng.uniform(0.6, 1.15)
    image = image.rotate(
        rng.gauss(0, 0.25 + 0.5 * severity), Image.Resampling.BICUBIC, expand=False, fillcolor=250
    )
    scale = 1 - 0.42 * severity * rng.uniform(0.6, 1.0)
    small = image.resize(
        (int(image.width * scale), int(image.height * scale)), Image.Resampling.BILINEAR
    )
    small = small.filter(ImageFilter.GaussianBlur(0.15 + 0.75 * severity))
    dots = np.asarray(small).astype(np.float32)
    noise = np.random.default_rng(rng.randrange(2**32))
    dots += noise.normal(0, 4 + 40 * severity, dots.shape)
    faint = 1 - 0.35 * severity * rng.random()
    dots = 255 - (255 - dots) * faint
    specks = noise.random(dots.shape) < 0.004 * severity
    dots[specks] = 20
    if rng.random() < 0.35 * severity + 0.05:
        at, width = rng.randrange(dots.shape[0]), rng.randrange(3, 25)
        dots[at : at + width] += rng.choice([-110, 110])
    if rng.random() < 0.15:
        dots = np.where(dots > 150, 255, 0)
    stored = BytesIO()
    Image.fromarray(np.clip(dots, 0, 255).astype(np.uint8)).save(
        stored, "JPEG", quality=int(80 - 50 * severity)
    )
    return Image.open(stored)


def _recognise(image: Image.Image, language: str) -> str:
    page = BytesIO()
    image.save(page, "PNG")
    done = subprocess.run(
        ["tesseract", "-", "-", "-l", LANGUAGES[language], "--dpi", str(_DOTS_PER_INCH)],
        input=page.getvalue(),
        capture_output=True,
        check=True,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    return done.stdout.decode().strip()
