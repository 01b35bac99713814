"""The tables, and how a file of an earlier version becomes one of this version."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from paperless_fingerprint.files.sqlite import Format
from paperless_fingerprint.stores.sqlite import fts_merge

#: 'pfpr'.
APPLICATION_ID = 0x70667072

#: The text of a document, or what is known of it, takes 2 KB as a rule: of these more pages are full
#: than of SQLite's usual ones, and an import writes fewer of them.
_PAGE_BYTES = 8192
#: For every connection. The size of the pages says nothing to a file that has some, and comes first:
#: SQLite counts the cache in pages, and would make it twice as large as asked.
PRAGMAS = (f"page_size = {_PAGE_BYTES}", "cache_size = -65536", "temp_store = MEMORY")

_FIRST = """
CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL,
    title TEXT NOT NULL,
    correspondent TEXT,
    document_type TEXT,
    created TEXT,
    added TEXT,
    modified TEXT,
    tags TEXT NOT NULL,
    original_filename TEXT,
    page_count INTEGER,
    file_size INTEGER,
    checksum TEXT,
    archive_serial_number INTEGER,
    owner TEXT,
    viewers TEXT NOT NULL,
    spec TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    words INTEGER NOT NULL,
    shingles INTEGER NOT NULL,
    level INTEGER NOT NULL,
    level_counts TEXT NOT NULL,
    bands BLOB NOT NULL,
    sketch BLOB NOT NULL,
    facts BLOB NOT NULL
);
CREATE UNIQUE INDEX document_uuid ON document (uuid);
CREATE INDEX document_text_hash ON document (text_hash) WHERE text_hash != '';
CREATE INDEX document_checksum ON document (checksum) WHERE checksum IS NOT NULL;

-- Apart from the rest, so that a look at the metadata does not read past every text.
CREATE TABLE content (id INTEGER PRIMARY KEY, text TEXT NOT NULL);

-- Our own words, joined by spaces. The ascii tokenizer takes every other character for a letter,
-- so that what text/normalise.py calls a word is one here. Contentless: the text is in `content`.
CREATE VIRTUAL TABLE words USING fts5 (
    title, content, correspondent, document_type, tags, content='', tokenize='ascii'
);

-- One row a posting: the hash's upper 31 bits and the document's id in one integer, which is the
-- row's own key. SQLite has nothing smaller or faster.
CREATE TABLE posting (key INTEGER PRIMARY KEY);
CREATE TABLE band (key INTEGER PRIMARY KEY);

-- AUTOINCREMENT: a token that was given once never comes again.
CREATE TABLE pending (token INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE);

CREATE TABLE pair (
    a INTEGER NOT NULL,
    b INTEGER NOT NULL,
    relation TEXT NOT NULL,
    confidence REAL NOT NULL,
    score REAL NOT NULL,
    scores TEXT NOT NULL,
    reasons TEXT NOT NULL,
    leader INTEGER,
    PRIMARY KEY (a, b)
) WITHOUT ROWID;
CREATE INDEX pair_b ON pair (b);
CREATE INDEX pair_strength ON pair (confidence DESC, score DESC, a, b);

CREATE TABLE grouping (
    id TEXT PRIMARY KEY,
    relation TEXT NOT NULL,
    confidence REAL NOT NULL,
    lowest INTEGER NOT NULL,
    primary_id INTEGER NOT NULL,
    members TEXT NOT NULL,
    pairs TEXT NOT NULL,
    contradictions TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX grouping_strength ON grouping (confidence DESC, lowest);
CREATE TABLE grouping_member (id INTEGER PRIMARY KEY, grouping TEXT NOT NULL);
CREATE INDEX grouping_member_of ON grouping_member (grouping);

CREATE TABLE chain (id INTEGER PRIMARY KEY, chain TEXT NOT NULL, position INTEGER NOT NULL,
                    is_latest INTEGER NOT NULL);
CREATE INDEX chain_of ON chain (chain, position);

CREATE TABLE decision (
    key TEXT PRIMARY KEY,
    a INTEGER NOT NULL,
    b INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    relation TEXT,
    facts_a TEXT NOT NULL,
    facts_b TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX decision_a ON decision (a);
CREATE INDEX decision_b ON decision (b);

-- Embeddings, apart from the documents: a space is a model and the way documents are cut for it.
-- `changes` numbers the writes and `removals` counts what went, so that a process that keeps the
-- vectors in memory reads no more than what is new.
CREATE TABLE embedding_space (
    space INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    changes INTEGER NOT NULL DEFAULT 0,
    removals INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE embedding (
    id INTEGER NOT NULL,
    space INTEGER NOT NULL,
    text_hash TEXT NOT NULL,
    language TEXT NOT NULL,
    change INTEGER NOT NULL,
    codes BLOB NOT NULL,
    facts BLOB NOT NULL
);
CREATE UNIQUE INDEX embedding_of ON embedding (id, space);
CREATE INDEX embedding_change ON embedding (space, change);
-- A deleted document leaves no trace; REPLACE, which keeps the id, does not fire this.
CREATE TRIGGER embedding_forgotten AFTER DELETE ON document BEGIN
    UPDATE embedding_space SET removals = removals + 1
        WHERE space IN (SELECT space FROM embedding WHERE id = OLD.id);
    DELETE FROM embedding WHERE id = OLD.id;
END;
"""

_RIGHTS = """
-- A search by words asks of every hit who may view it. A document's row is a kilobyte and more, so
-- in a large library each of them would have to be read from the file.
CREATE INDEX document_rights ON document (id, owner, viewers);
"""

_UNPOSTED = """
-- Whose postings are not in the trees yet. A large import would touch nearly every page of them with
-- each of its transactions; so it leaves them to the end, when all go in at once, in their order.
CREATE TABLE unposted (id INTEGER PRIMARY KEY);
"""

_CHANGES = """
-- See changes.py. A few thousand rows at most.
CREATE TABLE change (number INTEGER PRIMARY KEY, id INTEGER NOT NULL);
"""

# FTS5 writes what it has gathered at the end of each transaction and when so many bytes are full; of
# the usual megabyte it makes many small segments, which an import then merges over and over.
_GATHERED_BYTES = 32 * 1024 * 1024

#: What leads from version n to n + 1 stands at place n. Never edited once released. The third is
#: the option that _make() sets, which is no statement that must succeed.
MIGRATIONS: tuple[str, ...] = (_FIRST, _RIGHTS, "", _UNPOSTED, _CHANGES)
VERSION = len(MIGRATIONS)
#: From this version on an import lifts what it leaves in the full-text index.
_LIFTED_FROM = 5


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables, or bring them up to date; refuse a file that is not ours."""
    library = Format(
        APPLICATION_ID, VERSION, _make, "Name another file with --store sqlite:///PATH."
    )
    library.prepare(connection, path)


def _make(connection: sqlite3.Connection, version: int) -> None:
    for script in MIGRATIONS[version:]:
        for statement in _statements(script):
            connection.execute(statement)
    # The option is as old as FTS5, but not in its manual: without it everything works as well.
    with suppress(sqlite3.OperationalError):
        connection.execute(
            "INSERT INTO words (words, rank) VALUES ('hashsize', ?)", (_GATHERED_BYTES,)
        )
    if 0 < version < _LIFTED_FROM:
        fts_merge.lift(connection)
    if version == 0:
        connection.execute("INSERT INTO note VALUES ('namespace', ?)", (str(uuid4()),))


def _statements(script: str) -> list[str]:
    """Statement by statement: executescript() would commit the transaction that guards them."""
    found, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    return found
