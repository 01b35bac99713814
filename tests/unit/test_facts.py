from __future__ import annotations

import numpy as np
import pytest

from paperless_fingerprint.facts import MOST_PACKED, pack_facts, plain_amount, plausible, read_facts


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("am 3. März 2024 fällig", "2024-03-03"),
        ("due on March 3, 2024", "2024-03-03"),
        ("le 3 mars 2024", "2024-03-03"),
        ("el 3 de marzo de 2024", "2024-03-03"),
        ("il 3 marzo 2024", "2024-03-03"),
        ("op 3 maart 2024", "2024-03-03"),
        ("dnia 3 marca 2024", "2024-03-03"),
        ("em 3 de março de 2024", "2024-03-03"),
        ("2024-03-03", "2024-03-03"),
        ("03.03.2024", "2024-03-03"),
        ("3/3/24", "2024-03-03"),
        ("4/28/2024", "2024-04-28"),
    ],
)
def test_a_date_is_read_in_every_locale(text, date):
    assert read_facts(text).dates == (date,)


@pytest.mark.parametrize("text", ["32.01.2024", "2024-13-01", "3 words 2024", "99.99.2024"])
def test_what_is_no_date_is_not_read_as_one(text):
    assert read_facts(text).dates == ()


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("1.387,30", "1387.30"),
        ("1,387.30", "1387.30"),
        ("1'387.30", "1387.30"),
        ("1 387,30", "1387.30"),
        ("0,05", "0.05"),
    ],
)
def test_an_amount_is_the_same_however_it_is_written(written, plain):
    assert plain_amount(written) == plain


def test_references_totals_and_accounts_are_found_by_their_labels():
    facts = read_facts(
        "Rechnungsnummer: SR2024-117\nKundennummer: 1653318\n"
        "Rechnungsbetrag 118,20 €\nIBAN DE89 3704 0044 0532 0130 00"
    )
    assert ("invoice number", "SR2024-117") in facts.references
    assert ("customer number", "1653318") in facts.references
    assert facts.total == "118.20"
    assert facts.ibans == ("DE89370400440532013000",)


@pytest.mark.parametrize(
    "label", ["Invoice no.", "Facture n°", "Factura n.º", "Faktura nr", "Factuurnummer"]
)
def test_an_invoice_number_is_found_in_other_languages(label):
    assert read_facts(f"{label} A-20391").references == (("invoice number", "A-20391"),)


def test_facts_stop_at_a_bound_however_long_the_text_is():
    facts = read_facts(
        "12.03.2024 " * 30_000 + " ".join(f"{n}.{n % 90 + 10},10" for n in range(999))
    )
    assert len(facts.dates) == 1
    assert len(facts.amounts) <= 50


def form(
    numbers,
    *,
    words="the yearly reading of your meter was entered on request below, please check within fourteen working days",
) -> str:
    return " ".join(f"{words} {number}" for number in numbers)


BILLS = [form(range(1000 * k, 1000 * k + 12)) for k in range(1, 30)]


def test_members_of_a_form_with_other_numbers_are_not_plausible():
    packed = [pack_facts(bill) for bill in BILLS]
    assert not plausible(packed[0], packed[1:]).any()


def test_a_copy_with_a_few_misread_numbers_is_plausible():
    copy = BILLS[0].replace("1003", "1008").replace("1007", "10O7").replace("meter", "rneter", 3)
    assert plausible(pack_facts(BILLS[0]), [pack_facts(copy)]).all()


def test_a_part_of_a_long_document_is_plausible():
    rng = np.random.default_rng(1)
    pages = [
        " ".join(f"word{n % 97}x{chr(97 + n % 26) * 5} {rng.integers(10**6)}" for n in range(300))
        for _ in range(20)
    ]
    whole = pack_facts(" ".join(pages))
    assert plausible(whole, [pack_facts(pages[7])]).all()
    assert plausible(pack_facts(pages[7]), [whole]).all()


@pytest.mark.parametrize("text", ["", "hello", "the the the the", "1 2 3"])
def test_where_nothing_is_known_everything_is_plausible(text):
    packed = pack_facts(text)
    assert plausible(packed, [pack_facts(bill) for bill in BILLS]).all()
    assert plausible(pack_facts(BILLS[0]), [packed, b""]).all()
    assert plausible(b"", [packed]).all()


def test_plausible_does_not_depend_on_the_company_a_document_is_in():
    packed = [pack_facts(text) for text in [*BILLS[:5], "", BILLS[0] + " copy", "only words here"]]
    together = plausible(packed[0], packed)
    alone = [bool(plausible(packed[0], [other])[0]) for other in packed]
    assert together.tolist() == alone


def test_a_digest_stays_small():
    text = " ".join(f"{n} wordnumber{n}" for n in range(50_000))
    assert len(pack_facts(text)) <= 4 * (4 + 2 * MOST_PACKED)
