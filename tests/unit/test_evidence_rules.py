"""The rules that weigh differences, each on the smallest text that shows it."""

from __future__ import annotations

import pytest

from paperless_fingerprint.comparison.changes.mark import SEVEREST
from paperless_fingerprint.comparison.changes.months import misread_months
from paperless_fingerprint.comparison.evidence import people as strangers
from paperless_fingerprint.comparison.evidence.gather import Evidence, weigh
from paperless_fingerprint.comparison.judgement import chances_of, is_enough
from paperless_fingerprint.comparison.relation import judge, read
from paperless_fingerprint.comparison.side import Side, Weighing
from paperless_fingerprint.comparison.stretch import stretch_of_part
from paperless_fingerprint.model import Document, Relation
from paperless_fingerprint.text.lexicon import MONTHS, NoVocabulary, common_words
from paperless_fingerprint.text.normalise import normalise
from paperless_fingerprint.text.tokens import tokenise

BODY = (
    "the meter of the house was read by our own staff and the reading was checked twice before "
    "this bill was written so that no further correction will be made for the time that it is "
    "about please keep the letter with your papers and tell us at once if the reading is wrong "
)


def side(text: str) -> Side:
    return Side(tokenise(text), normalise(text).split())


def evidence(first: str, second: str) -> Evidence:
    return weigh(side(first), side(second), NoVocabulary())


def relation(first: str, second: str) -> Relation:
    return judge(read(Document(1, content=first)), read(Document(2, content=second))).relation


def letter(name: str, date: str = "14.06.2024", reference: str = "Invoice 4711902") -> str:
    return f"Brook Energy\n{name}\n{reference}\nDate {date}\nDear {name},\n{BODY}\nTotal 118.20\n"


# A part and its whole ---------------------------------------------------------------------------


def test_the_stretch_is_where_the_part_lies_and_not_where_its_words_are() -> None:
    part = [f"w{n}" for n in range(60)]
    scattered = [word for n in range(60) for word in (f"w{n}", f"x{n}", f"y{n}")]
    whole = scattered + part + scattered
    start, end = stretch_of_part(part, whole) or (0, 0)
    assert start <= len(scattered) <= start + 12
    assert end >= len(scattered) + len(part)
    assert stretch_of_part(whole, part) == (start, end)


def test_texts_of_like_length_have_no_stretch_nor_has_a_part_whose_pages_are_spread() -> None:
    part = [f"w{n}" for n in range(60)]
    assert stretch_of_part(part, [*part, *(f"x{n}" for n in range(20))]) is None
    filler = [f"x{n}" for n in range(300)]
    assert stretch_of_part(part, [*part[:30], *filler, *part[30:]]) is None


def test_a_name_elsewhere_in_a_bundle_does_not_excuse_another_in_the_letter() -> None:
    mine, hers = letter("Hollis Granger"), letter("Isla Pemberton")
    rest = "Minutes of the meeting with Hollis Granger about the new roof of the old barn. " * 12
    assert relation(letter("Isla Pemberton"), rest + hers) is Relation.CONTAINS
    assert relation(mine, rest + hers) is not Relation.CONTAINS


def test_marks_of_a_part_stand_where_they_are_in_the_whole() -> None:
    rest = "Notes on other matters that nobody needs any more, kept for the file alone. " * 12
    whole = rest + letter("Isla Pemberton", reference="Invoice 4711903")
    found = evidence(letter("Isla Pemberton"), whole)
    spelled = side(whole).tokens.spellings
    changed = [m.difference for m in found.marks if m.severity > 0]
    assert [spelled[item.start_b] for item in changed] == ["4711903"]
    assert len(found.alignment.to_a) == len(spelled)
    assert found.coverage_b < 0.5 < found.coverage_a


# People -----------------------------------------------------------------------------------------


def test_a_name_that_stands_for_another_is_somebody_else_even_where_both_occur() -> None:
    """The clerk is called like the customer of the other letter."""
    ending = "\nYours, Jakub Mazurek\n"
    assert relation(letter("Jakub Mazurek") + ending, letter("Tymon Jankowski") + ending) not in {
        Relation.NEAR,
        Relation.VERSION,
    }


def test_a_name_without_its_space_is_a_name() -> None:
    found = evidence(letter("Jonas Petersen"), letter("PaulkRademacher"))
    assert found.name_severity + found.strangers > 4


def test_a_name_that_moved_to_another_place_is_nobody_new() -> None:
    first = f"Brook Energy\nIsla Pemberton\n{BODY}"
    second = f"Brook Energy\n{BODY}\nIsla Pemberton"
    assert evidence(first, second).strangers == 0


def test_what_is_left_of_a_stamp_is_nobody() -> None:
    """'Copie', stamped across a name."""
    signed, stamped = (BODY + f"\nYours\n{name}\n" for name in ("Rémi Garnier", "Opie"))
    assert (
        4 * evidence(signed, stamped).name_severity
        < 3 * evidence(signed, BODY + "\nYours\nOlivier Bassompierre\n").name_severity
    )


def test_more_words_than_a_name_has_are_nobody() -> None:
    signed, two, five = (
        BODY + f"\nYours\n{name}\n"
        for name in ("Margaux Rousselot", "Kordi Hebreti", "Kordi Rabie Lurmihe Hebreti Tifyay")
    )
    assert evidence(signed, five).name_severity < evidence(signed, two).name_severity


def test_other_people_at_other_places_of_clean_pages_are_other_letters() -> None:
    first = f"Brook Energy\nIsla Pemberton\n{BODY}{BODY}\nTotal 118.20\n"
    second = f"Brook Energy\n{BODY}{BODY}\nTotal 118.20\nHollis Granger\n"
    assert relation(first, second) not in {Relation.NEAR, Relation.VERSION, Relation.CONTAINS}
    named = f"Brook Energy\n{BODY}{BODY}\nTotal 118.20\n"
    assert relation(first, named) in {Relation.NEAR, Relation.VERSION}


def test_two_names_in_characters_are_told_apart_beside_western_letters() -> None:
    found = evidence(letter("k 山口大輔"), letter("伊藤由美"))
    assert found.name_severity > 4


def test_the_same_other_character_again_and_again_is_no_misreading() -> None:
    once = evidence(BODY + "伊 " + BODY, BODY + "加 " + BODY)
    again = evidence(BODY + "伊 " + BODY + "伊", BODY + "加 " + BODY + "加")
    assert once.name_severity < 1 < again.name_severity


class Heard:
    """A library in which other documents name these people."""

    def document_frequency(self, word: str) -> int:
        return 6 if word in {"beatriz", "sequeira", "duarte", "queirós"} else 0


class Family:
    """A library in which every other document names one of these people."""

    def document_frequency(self, word: str) -> int:
        return 60 if word in {"sem", "schouten", "noor", "kuipers"} else 0


def test_only_so_many_names_of_a_long_text_are_looked_for(monkeypatch) -> None:
    """Each is held against all of the other text: no hostile page makes that quadratic."""
    asked = []

    class Watched:
        @staticmethod
        def extractOne(name, *_, **__):  # noqa: N802
            asked.append(name)
            return name, 0.0, 0

    class Everybody:
        def document_frequency(self, word: str) -> int:
            return 9

    def people(first: str) -> str:
        letters = [chr(97 + n) for n in range(26)]
        return " ".join(f"{first}{x}{y}on {first}{y}{x}berg" for x in letters for y in letters)

    monkeypatch.setattr(strangers, "process", Watched)
    one, other = side(f"{BODY} {people('Al')}"), side(f"{BODY} {people('Um')}")
    assert not weigh(one, other, Everybody()).known_strangers
    assert len(asked) == strangers._MOST_FULL_NAMES


def test_two_names_that_others_bear_are_two_people_however_many_letters_they_share() -> None:
    one, other = side(letter("Beatriz Sequeira")), side(letter("Duarte Queirós"))
    assert weigh(one, other, Heard()).name_severity >= SEVEREST
    assert evidence(letter("Beatriz Sequeira"), letter("Duarte Queirós")).name_severity < SEVEREST


def test_another_name_beside_another_number_is_seen() -> None:
    first = f"Brook Energy 0433 Isla Pemberton {BODY} total 118.20"
    second = f"Brook Energy 7182 Hollis Granger {BODY} total 118.20"
    assert evidence(first, second).name_severity > 4


def test_a_first_name_that_is_a_common_word_is_a_name_where_it_changes_twice() -> None:
    assert "will" in common_words()
    first, second = letter("Will Pemberton"), letter("Daan Pemberton")
    assert evidence(first, second).name_severity >= SEVEREST
    assert relation(first, second) not in {Relation.NEAR, Relation.VERSION}


def test_characters_misread_around_one_that_was_not_are_no_other_name() -> None:
    form = (
        "尊敬的赵建国先生：您位于东湖路的电表已于2024年3月5日抄录，读数为4821度。合同编号FA88213的有效期"
        "至2025年1月7日，如需终止请提前书面通知我们。您的案件由我们负责，上午可拨打分机7731。此致敬礼"
    )
    # Each looks like the one that it stands for, but for one that was added.
    misread = form.replace("上午可拨打", "丸協吏可拨扚")
    for right, wrong in zip("抄终湖路", "抁络溯跔", strict=True):
        misread = misread.replace(right, wrong)
    assert evidence(form, misread).name_severity < 1.5
    assert evidence(form, misread.replace("赵建国", "卫国庆")).name_severity > 4


# Months and numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "month"),
    [
        ("ju ni", 6),
        ("novemibclr", 11),
        ("mär", 3),
        ("apwil", 4),
        ("jlnho 2023", 6),
        ("dcccmbcr", 12),
        ("duringgaugust", 8),
        ("perngiugno", 6),
        ("au9ust", 8),
    ],
)
def test_a_month_is_known_torn_apart_or_misread(run: str, month: int) -> None:
    weighing = Weighing(side(""), side(""), NoVocabulary())
    read = misread_months(tuple(run.split()), weighing).values()
    assert {reading.month for reading in read} == {month}


@pytest.mark.parametrize("run", ["meter", "ju", "ma", "xxxxxxxx", "rubbish of the scanner"])
def test_what_is_no_month_is_none(run: str) -> None:
    weighing = Weighing(side(""), side(""), NoVocabulary())
    assert not misread_months(tuple(run.split()), weighing)


@pytest.mark.parametrize(
    ("run", "month"), [("judi", 6), ("mav", 5), ("moy", 5), ("mei", 5), ("bril", 4)]
)
def test_what_is_far_from_the_month_that_is_expected_is_another_one(run: str, month: int) -> None:
    weighing = Weighing(side(""), side(""), NoVocabulary())
    [read] = misread_months((run,), weighing, frozenset({11})).values()
    assert read.month == month
    assert read.trust > 0.85


@pytest.mark.parametrize("run", ["judi", "jvni", "nov"])
def test_what_may_be_the_month_that_is_expected_is_no_other(run: str) -> None:
    weighing = Weighing(side(""), side(""), NoVocabulary())
    read = misread_months((run,), weighing, frozenset({6, 7, 11})).values()
    assert not {reading.month for reading in read} - {6, 7, 11}


@pytest.mark.parametrize(
    ("first", "second"),
    [("Dezember", "Judi"), ("Octvber", "bpril"), ("noyember", "mei"), ("mei", "noyember")],
)
def test_two_months_are_told_apart_where_one_or_both_are_misread(first: str, second: str) -> None:
    assert evidence(f"Period {first}\n{BODY}", f"Period {second}\n{BODY}").month_severity > 4


@pytest.mark.parametrize(
    ("first", "second"),
    [("Zeitraum Dezember", "ZeitraumlJuni"), ("Periode oktober", "Periodelopril")],
)
def test_a_month_that_a_speck_glued_to_a_word_is_a_month(first: str, second: str) -> None:
    assert evidence(f"{first}\n{BODY}", f"{second}\n{BODY}").month_severity > 4
    itself = second.replace("l", " ", 1) if second.startswith("Z") else "Periode april"
    assert evidence(f"{itself}\n{BODY}", f"{second}\n{BODY}").month_severity == 0


def test_a_month_without_its_accents_is_a_month() -> None:
    first, second = "Okres wrzesnia 2019", "Okres marca 2019"
    assert evidence(f"{first}\n{BODY}", f"{second}\n{BODY}").month_severity > 4
    assert "marco" not in MONTHS


def test_a_misread_month_is_no_other_than_itself() -> None:
    assert not evidence(f"Period Octvber\n{BODY}", f"Period 0ctober\n{BODY}").month_severity


def test_a_month_beside_a_torn_one_is_another_month() -> None:
    first = f"Statement for December {BODY} due in December"
    second = f"Statement for Ju ne {BODY} due in Ju ne"
    assert evidence(first, second).month_severity > 4


def test_a_full_name_of_common_words_is_a_name_where_it_changes_twice() -> None:
    first = f"Dear Sem Schouten,\n{BODY}\n{BODY}\nSigned Sem Schouten\n"
    other = first.replace("Sem Schouten", "Noor Kuipers")
    assert weigh(side(first), side(other), Family()).name_severity >= SEVEREST


def test_a_japanese_name_of_five_characters_is_a_name_where_it_changes_twice() -> None:
    page = (
        "ご請求書 佐々木健一 様\n"
        + "お支払いは月末までにお願いいたします。" * 5
        + "\n佐々木健一 殿\n"
    )
    other = page.replace("佐々木健一 様", "加藤真由美 様").replace(
        "佐々木健一 殿", "i加藤真由美 殿"
    )
    assert evidence(page, other).name_severity >= SEVEREST


@pytest.mark.parametrize(
    ("word", "rest"), [("heures", "our"), ("heures", "LaT"), ("heures", "eL sir")]
)
def test_the_rest_of_a_word_is_no_other_word(word: str, rest: str) -> None:
    body = (
        "Vous avez lu le compteur au mois de mai et nous vous adressons la facture pour la "
        "maison dans les vingt jours qui suivent la date de la lettre, à huit heures du matin. "
    )
    assert not evidence(body, body.replace(word, rest)).reworded


def test_words_that_nobody_knows_are_edits_where_all_else_was_read_well() -> None:
    first = BODY * 4
    edited = first.replace("checked twice before", "verplombt quandrically", 1)
    assert evidence(first, edited).reworded > 4
    misread = (
        first.replace("house", "hovze").replace("letter", "lcttcr").replace("papers", "qaqers")
    )
    assert (
        evidence(
            first, misread.replace("checked twice before", "verplombt quandrically", 1)
        ).reworded
        < 1
    )
    # Its middle may be lost.
    assert (
        evidence(first, first.replace("checked twice before", "checkedquandrfore", 1)).reworded < 1
    )


def test_a_month_in_place_of_another_has_not_moved_into_a_sentence() -> None:
    march = f"Period March\n{BODY}\nPlease pay before the end of the following month."
    april = f"Period April\n{BODY}\nPlease pay before the middle of March unless told otherwise."
    assert evidence(march, april).month_severity > 4


def test_one_month_among_many_edits_of_a_long_text_is_an_edit() -> None:
    short = f"work begins in March {BODY}"
    long = short + " ".join(f"clause{n} of the contract" for n in range(1500))
    apart = evidence(short, short.replace("March", "June")).month_severity
    assert evidence(long, long.replace("March", "June")).month_severity < 0.7 * apart


def test_a_date_glued_to_a_word_is_a_date() -> None:
    first = f"{BODY} am 08.10.2016 {BODY}"
    glued = evidence(first.replace("am 08", "amo08"), first.replace("08.10", "27.12"))
    assert glued.fact_severity > 1
    assert evidence(first.replace("am 08", "amo08"), first).fact_severity < 0.5


def test_another_date_is_no_misreading_but_one_number_may_be() -> None:
    first = f"{BODY} 21.03.2017 {BODY}"
    assert evidence(first, first.replace("21.03", "15.05")).fact_severity >= SEVEREST
    number = f"{BODY} 48210377 {BODY}"
    assert evidence(number, number.replace("48210377", "91654802")).fact_severity < SEVEREST / 2


def test_amounts_of_a_column_that_only_one_text_has_were_corrected() -> None:
    first = f"{BODY}\n193,36\n1.106,65\n1.480,11\n{BODY}"
    # The column was read in another order, so none stands in place of another.
    corrected = f"{BODY}\n{BODY}\n3.961,41\n2.211,77\n13,78\n"
    moved = f"{BODY}\n{BODY}\n193,36\n1.106,65\n1.480,11\n"
    assert evidence(first, corrected).amount_severity > 8
    assert evidence(first, moved).amount_severity == 0


def test_an_amount_whose_end_is_lost_is_no_other_amount() -> None:
    first = f"{BODY} share of 1.257,73 EUR {BODY}"
    assert evidence(first, first.replace("1.257,73 EUR", "1.25")).amount_severity < 1
    assert evidence(first, first.replace("1.257,73 EUR", "8.36")).amount_severity > 2


def test_a_long_number_that_is_the_same_again_behind_a_misread_digit_is_the_same() -> None:
    first = f"{BODY} 6527422744894 {BODY}"
    assert evidence(first, first.replace("6527422744894", "652442274M004")).fact_severity < 0.5
    assert evidence(first, first.replace("6527422744894", "652742275M813")).fact_severity > 1


def test_a_number_in_place_of_an_amount_is_an_amount_without_its_comma() -> None:
    found = evidence(f"{BODY} paid 3.158,33 {BODY}", f"{BODY} paid 153733 {BODY}")
    assert found.amount_severity > found.fact_severity == 0


def test_a_torn_number_with_a_misread_digit_is_the_same_number() -> None:
    first = f"{BODY} 1960-10-27 {BODY}"
    assert evidence(first, first.replace("1960-10-27", "19GO-1O Z7")).fact_severity < 1


def test_numbers_that_all_changed_speak_together_and_one_does_not() -> None:
    dates = [f"{BODY} 0{n}.03.2024" for n in range(1, 8)]
    first = " ".join(dates)
    one = first.replace("03.03.2024", "03.08.2024")
    every = first.replace(".03.2024", ".07.2025")
    assert evidence(first, first).numbers_against == 0
    assert evidence(first, one).numbers_against == 0
    assert evidence(first, every).numbers_against > 5


# Sentences --------------------------------------------------------------------------------------


def test_a_sentence_under_a_stamp_is_no_sentence_that_was_left_out() -> None:
    sentence = "The next reading of the meter will take place in the spring of next year."
    first = f"{BODY}\n{sentence}\n{BODY}"
    stamped = first.replace(
        sentence, "fLo 1alEi 0la E LP L LAA eTO rA PrPI0o LE11 uiP lol t72 8 06"
    )
    # A word may have got through, or be equal by chance.
    torn = stamped.replace("LAA eTO", "will")
    found = evidence(first, torn)
    assert max(found.sentence_a, found.clause_a) == 0
    assert found.lost_a
    gone = first.replace(sentence, "")
    # Where the two sides begin and end there may be a word in common.
    assert max(evidence(first, stamped).sentence_a, evidence(first, stamped).clause_a) == 0
    assert max(evidence(first, gone).sentence_a, evidence(first, gone).clause_a) > 4


def wrapped(text: str, words: int) -> list[str]:
    found = text.split()
    return [" ".join(found[at : at + words]) for at in range(0, len(found), words)]


def page(lines: list[str]) -> str:
    head = "Brook Energy\nHollis Granger\n12 Mill Lane Fenwick\nInvoice 4711902\nDate 14.06.2024\n"
    return (
        head + "\n".join(lines) + "\nTotal 118.20 due on 30.06.2024\nWith kind regards Isla Reed\n"
    )


def test_lines_lost_in_the_middle_of_a_page_make_it_no_part_of_another() -> None:
    lines = wrapped(BODY, 9)
    torn, whole = page(lines[:1] + lines[4:]), page(lines)
    assert evidence(torn, whole).lost_b
    assert relation(torn, whole) is Relation.NEAR


def test_rubbish_over_lines_makes_a_page_no_whole_of_which_the_other_is_a_part() -> None:
    rubbish = "er r OTn P 0t P0s PT aiAlt a LsrPo PsiOe tP o en AATes no1 tt lI T rO1 re 1A " * 2
    begun = page(wrapped(BODY, 9)[:4]).split("Total")[0]
    assert evidence(begun + rubbish, begun).lost_a
    assert not evidence(begun + "kept for the file of the house alone " * 5, begun).lost_a


def test_what_cannot_be_read_in_one_text_counts_as_there_and_what_is_another_passage_does_not() -> (
    None
):
    first = BODY * 2
    passage = "checked twice before this bill was written"
    smeared = evidence(first, first.replace(passage, "cRrE1 tO0eT l1I bE3r tl1Is bI1", 1))
    assert (smeared.coverage_a, smeared.coverage_b) == (1.0, 1.0)
    other = evidence(first, first.replace(passage, "left alone until somebody asked again", 1))
    assert other.coverage_a < 1.0 > other.coverage_b


def test_what_ends_where_the_other_goes_on_is_no_torn_page_nor_one_without_a_page() -> None:
    lines = wrapped(BODY, 9)
    assert not evidence(page(lines).split("Total")[0], page(lines + lines)).lost_b
    second = wrapped(" ".join(f"minute{n}" for n in range(70)), 9)
    assert not evidence(page(lines), page(lines[:3] + second + lines[3:])).lost_b


def test_whole_lines_are_those_of_the_page_that_lost_them() -> None:
    whole = page(wrapped(BODY, 11))
    lines = wrapped(BODY, 8)
    lost = lines[:2] + lines[4:]
    written_anew = wrapped(" ".join(lost), 11)
    assert evidence(page(lost), whole).sentence_b < evidence(page(written_anew), whole).sentence_b


def test_single_letters_are_no_words_of_a_sentence() -> None:
    line = "N.º de o 7923225 Factura n.º de o 2024 y a.\n"
    assert max(evidence(BODY + line + BODY, BODY + BODY).sentence_a, 0) == 0
    assert evidence(BODY + line + BODY, BODY + BODY).clause_a == 0


def test_common_words_are_found_by_the_keys_of_tokens() -> None:
    assert tokenise("Grüßen").keys[0] in common_words()


def test_the_rest_of_a_page_that_was_misread_must_be_larger() -> None:
    def other(noise: float) -> float:
        return chances_of(Evidence(noise, 0.7, 0.4, 0, 0, 1, 0, 0, 0, 0, 0, 0), 80, 140).other

    assert other(0.0) < 1 == other(0.04)


def test_what_is_enough_can_only_grow() -> None:
    assert not is_enough(0, 0.0, 0, 0, 0)
    assert is_enough(0, 0.0, 40, 0, 0)
    assert is_enough(0, 0.0, 0, 12, 0)
    assert is_enough(0, 0.0, 3, 6, 6)
    assert is_enough(6, 0.3, 3, 3, 3)
    assert not is_enough(0, 0.0, 3, 3, 3)


def test_passages_in_place_of_others_speak_for_another_letter_of_the_form() -> None:
    def other(passages: int, share: float) -> float:
        found = Evidence(
            0.0, 0.9, 0.9, 8, 8, 1, 0, 0, 0, 0, 6, 0, passages=passages, replaced_share=share
        )
        return chances_of(found, 120, 120).other

    assert other(0, 0.0) < other(2, 0.05) < other(3, 0.09)


def test_people_whom_the_library_knows_are_others_on_the_worst_page() -> None:
    first, second, damaged = (
        f"Brook Energy\n{BODY}\nPresent: {names} Hollis Granger\nTotal 118.20\n"
        for names in ("Beatriz Sequeira", "", "Beatr1z Sequcira")
    )
    other = second + "Duarte Queirós\n"
    assert weigh(side(first), side(other), Heard()).known_strangers
    assert not evidence(first, other).known_strangers
    assert not weigh(side(first), side(damaged + "Duarte Queirós\n"), Heard()).known_strangers
    assert not weigh(side(first), side(second), Heard()).known_strangers
