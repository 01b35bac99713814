"""The page in the language of whoever looks: of the browser, or of the setting."""

from __future__ import annotations

import re

import pytest
from browsing import DESK, PHONE, TALL, any_store, set_in
from playwright.sync_api import expect
from test_every_page import PAGES, too_wide, violations

import texts
from paperless_fingerprint.languages import gettext, speaking

BROWSERS = {"de": "de-DE", "fr": "fr-FR"}
#: Everything that can be read on the page, folded or not, and what is read out.
_READ = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode.textContent);
    for (const name of ["aria-label", "title", "placeholder", "alt"])
        for (const one of document.querySelectorAll(`[${name}]`)) found.push(one.getAttribute(name));
    return found.map(text => text.replace(/\\s+/g, " ").trim()).filter(text => text);
}"""


def left_in_english(language: str, read: set[str]) -> set[str]:
    """Whole texts of the program that were shown although the language says otherwise."""
    found = set()
    for message in texts.extracted():
        for text in (message.id,) if isinstance(message.id, str) else message.id:
            plain = text.replace("%%", "%")
            if plain in read and "%(" not in text:
                with speaking(language):
                    if gettext(text) != plain:
                        found.add(text)
    return found


@any_store
@pytest.mark.parametrize("language", BROWSERS)
def test_a_browser_is_answered_in_its_language(window, chromium, language):
    """And longer words fit a phone and everybody's hands."""
    page = window.open(locale=BROWSERS[language], viewport=PHONE)
    read, found = set(), {}
    for name, path in PAGES.items():
        answer = page.goto(path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert answer.headers["content-language"] == language
        read |= set(page.evaluate(_READ))
        set_in(page, TALL)
        page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")
        found[name] = violations(page), too_wide(page)
    assert found == dict.fromkeys(PAGES, ([], 0))
    heading = {"de": "Duplikate", "fr": "Doublons"}[language]
    assert heading in read
    assert left_in_english(language, read) == set()


@any_store
def test_longer_words_fit_a_desk(window, chromium):
    page = window.open(locale="fr-FR", viewport=DESK)
    found = {}
    for name, path in PAGES.items():
        page.goto(path)
        found[name] = too_wide(page)
    assert found == dict.fromkeys(PAGES, 0)


@any_store
def test_dates_numbers_and_reasons_are_the_languages(window, chromium):
    english, german = window.open(locale="en-GB"), window.open(locale="de-DE")
    for page in (english, german):
        page.goto("/review/g1")
    expect(english.locator(".facts").first).to_contain_text(re.compile(r"\d+ [A-Z][a-z]{2,3} 20"))
    expect(german.locator(".facts").first).to_contain_text(re.compile(r"\d\d\.\d\d\.20\d\d"))
    expect(english.locator(".reasons")).to_contain_text("98 % of the text matches")
    expect(german.locator(".reasons")).to_contain_text("98\u00a0% des Textes stimmen überein")
    german.goto("/documents/23")
    expect(german.locator("text.far").first).to_have_text(re.compile(r"^\d,\d\d$"))


@any_store
def test_what_was_done_is_said_in_the_language_too(window, chromium):
    page = window.open(locale="de-DE")
    page.goto("/review/p23-24")
    page.keyboard.press("s")
    expect(page.locator("#said")).to_contain_text("Bestätigt: ")
    page.keyboard.press("u")
    expect(page.locator("#said")).to_contain_text("Rückgängig gemacht")
    page.goto("/decisions")
    expect(page.locator("main")).to_contain_text("rückgängig gemacht")


def test_the_setting_wins(open_site, chromium):
    _, window = open_site(web_language="fr")
    page = window.open(locale="de-DE", signed_in=False)
    page.goto("/review")
    expect(page.get_by_role("heading", name="Se connecter")).to_be_visible()
    page.get_by_label("Nom d’utilisateur").fill("admin")
    page.get_by_label("Mot de passe").fill("wrong")
    page.get_by_role("button", name="Se connecter").click()
    expect(page.get_by_role("alert")).to_contain_text("Paperless a refusé la connexion")
    page.goto("/nothing")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
