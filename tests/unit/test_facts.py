from __future__ import annotations

import pytest

from paperless_fingerprint.comparison.facts import labelled, plain_amount, read_facts, stated
from paperless_fingerprint.text.languages import languages
from paperless_fingerprint.text.tokens import tokenise


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


@pytest.mark.parametrize("language", languages(), ids=lambda one: one.code)
def test_labels_of_every_language_say_the_same_in_a_text_and_in_its_tokens(language):
    def told(text):
        return (
            {(found.kind, found.spelling) for found in stated(text) if found.kind != "amount"},
            {(found.kind, found.spelling) for found in labelled(tokenise(text))},
        )

    for kind, labels in language.labels.items():
        for label in labels:
            assert told(f"xyz {label} nr. 4711-22") == ({(kind, "4711-22")},) * 2
    for label in language.totals:
        assert all(("total", "118,20") in found for found in told(f"xyz {label}: 118,20"))


@pytest.mark.parametrize("language", languages(), ids=lambda one: one.code)
def test_a_date_and_a_company_are_read_in_every_language(language):
    for number, names in enumerate(language.months, 1):
        for name in names:
            assert read_facts(f"3 {name} 2024").dates == (f"2024-{number:02}-03",)
    for form in language.legal_forms:
        assert read_facts(f"Nordlicht {form}\n").parties == (f"Nordlicht {form}",)


def test_a_label_of_two_letters_is_a_whole_word():
    assert read_facts("Az. 12/3456").references == (("reference", "12/3456"),)
    assert read_facts("Azubi 2024").references == ()
