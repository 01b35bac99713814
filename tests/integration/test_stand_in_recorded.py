"""The stand-in against what a real Paperless 3.0.5 answered: the same requests, the same answers.

The recordings lie outside the repository. What is compared: the status, the headers that carry
meaning, the shape of a body (names and types), and the body itself where it is a refusal or where
the values are what the case is about.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest
from paperless_fixtures import shared_folder

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.demo.stand_in.routing import ROUTES

pytestmark = pytest.mark.shared

#: Each scenario starts from the same library; its cases are played in this order. A trailing '='
#: means that the values are compared, too, and not only their types; names after it limit that.
SCENARIOS = {
    "who asks, and in which version": """
        auth_badtoken auth_none version_1 version_5 version_9 version_10 version_11 root
        trailing_slash_missing post_trailing_slash_missing wrong_method token_bad
        me_ui_settings profile statistics remote_version perm_nobody_list perm_nobody_ui
        perm_bot_status perm_bot_tasks perm_bot_create_cf perm_bot_note doc_404 bad_json
    """,
    "lists": """
        documents_list_default documents_list_fields list_page2 list_page_beyond=
        list_page_size_0=count,results list_page_size_huge=count,results list_id_gt=count,results
        list_unknown_filter=count,results list_bad_ordering=count,results list_modified_bad=
        list_v9_all list_v9_header_fields list_truncate_content list_fields_content
        doc_checksum_filter=
    """,
    "tags": """
        tag_create=name,color,text_color,slug,matching_algorithm,owner tag_create_dup=
        tag_create_case tag_create_empty= tag_create_long= tag_create_badcolor=
        tag_create_defaults=matching_algorithm,color tag_create_child=parent,slug
        tag_create_comma=slug tag_get tag_list=count,display_count tag_iexact=count,display_count
        tag_rename=name,slug perm_bot_create_tag=owner,id tag_create_owner_null=owner
        tag_create_owner_null_again= tag_create_owner_admin_same=
    """,
    "tags on documents": """
        tag_create tag_create_case tag_create_defaults tag_create_child
        doc_patch_tags=tags doc_after_patch=tags doc_patch_tags_replace=tags doc_after_child=tags
        doc_patch_bad_tag= doc_patch_empty_obj=
        bulk_modify_tags= bulk_after=count bulk_noop= bulk_bad_doc= bulk_bad_tag= bulk_bad_method=
        bulk_missing_remove= bulk_dup_ids= bulk_empty_docs= bulk_add_tag= bulk_add_child=
        bulk_add_child_after=results list_by_tag_none bulk_remove_parent= bulk_remove_parent_after=results
        pc_reset=tags pc_child_only=tags pc_child_only_after=tags pc_child_from_none=tags
        pc_child_from_none_after=tags pc_both=tags pc_both_after=tags noop_before noop_bulk= noop_after
        bulk_reprocess= content_edit=content patch_fields_gotcha patch_fields_gotcha_after=title
    """,
    "custom fields": """
        cf_create_documentlink=id,extra_data cf_create_float cf_create_string cf_create_select
        cf_create_url cf_create_longtext cf_create_boolean cf_create_dupname= cf_create_badtype=
        cf_list=count cf_list_all=count cf_bad_value_float cf_bad_link= cf_bad_field= cf_bad_url=
        cf_url_relative= cf_long_string= cf_self_link=custom_fields cf_replace_list=custom_fields
        cf_bulk_modify= cf_bulk_update_value= cf_bulk_update_after=fields_of_2
        cf_bulk_remove= cf_bulk_remove_after=fields_of_2 bulk_modify_cf_list= bulk_cf_bad_float=
        cf_after=bad_float cf_patch_field_in_use=data_type
    """,
    "views, notes, people": """
        tag_create cf_create_documentlink
        saved_view_create=filter_rules,display_fields,page_size saved_view_create_v9
        saved_view_list_v9 saved_view_list saved_view_bad_rule= saved_view_missing=
        ui_settings_after_v9=saved_views note_add note_list note_empty user_create corr_create
        corr_list type_create
    """,
    "duplicates, versions, files": """
        dup_get_orig=duplicate_documents dup_in_list=results doc_metadata_txt doc_png_metadata
        version_get_version_doc= version_get_version_doc_meta version_root= version_root_of_root=
        version_root_missing= version_patch_tags= version_bulk_tag= version_list_all
        version_root_content get_full_perms
    """,
    "the trash": """
        doc_delete doc_get_deleted= bulk_on_trashed= trash_list trash_restore= doc_get_restored
        doc_delete2 trash_empty= trash_list_after=
    """,
    "another user's rights": """
        tag_create perm_bot_get= perm_bot_list= perm_bot_patch= perm_bot_metadata= perm_bot_download=
        perm_bot_bulk= doc_unown= perm_bot_list_unowned= perm_bot_bulk_unowned=
        perm_bot_bulk_mixed= doc_share_view= perm_bot_view_shared= perm_bot_patch_shared=
        doc_share_view2=permissions perm_bot_bulk_shared=
    """,
}
#: Names that recordings have or lack by chance: what the server was, or had, at that moment.
_NOT_COMPARED = frozenset({"settings", "detail", "current_asn", "original_metadata"})
_COMPARED_HEADERS = ("x-api-version", "x-version", "location", "www-authenticate")


@pytest.fixture(scope="module")
def recorded() -> Path:
    return shared_folder("paperless", "recorded")


@pytest.fixture(scope="module")
def schema() -> dict:
    return json.loads(shared_folder("paperless", "openapi.json").read_text())


def library() -> StandIn:
    """As many documents, users and labels as the recorded server had, under the same ids."""
    server = StandIn()
    people = server.library.people
    permissions = ["view_document", "change_document", "view_tag", "add_tag"]
    server.bot = people.token_of(people.add_user("bot", "bot", permissions=permissions))
    server.nobody = people.token_of(people.add_user("nobody2", "x"))
    server.library.add_label("tags", "Existing", owner=server.admin.id)
    for number in range(1, 20):
        old = number in {1, 2, 19}
        server.library.add(
            "the same text" if number in {1, 19} else f"text {number}\n" + "line\n" * 200,
            title={6: "doc-binary", 19: "invoice-copy"}.get(number, f"doc-{number}"),
            created="2024-01-17" if old else "2026-11-18",
            owner=server.admin.id,
            tags=[1] if number == 3 else [],
            original_file_name=f"doc-{number}.txt",
        )
    return server


def prepare(scenario: str, server: StandIn) -> None:
    rows = server.library
    if scenario in {"the trash", "duplicates, versions, files"}:
        rows.add("webhook test", title="wh-test", owner=2, tags=[1])
    if scenario == "duplicates, versions, files":
        rows.add("second", root=2, version_label="v2", original_file_name="inv-v2.pdf")
        rows.add("scan", id=27, owner=2, original_file_name="scan.png")
    if scenario == "lists":
        for _ in range(7):
            rows.add("more", owner=2)
        for number in (20, 21, 22, 23, 24, 25, 26):
            trash_document(rows, rows.documents[number])


def answer_of(server: StandIn, case: str, request: dict) -> httpx.Response:
    # The recordings' own anonymiser mistook '/root/' in an address for a home folder.
    path = request["path"].replace("/usr/src/paperless/", "/root/")
    headers = {n: v for n, v in request["headers"].items() if n != "Authorization"}
    if case == "auth_badtoken":
        headers["Authorization"] = "Token wrong"
    elif case != "auth_none" and not case.startswith("token_"):
        token = server.token
        if case.startswith("perm_bot"):
            token = server.bot
        elif case.startswith("perm_nobody"):
            token = server.nobody
        headers["Authorization"] = f"Token {token}"
    content = {"json": request["json"]} if request["json"] is not None else {}
    if case == "bad_json":
        content = {"content": b"{nonsense"}
    with httpx.Client(base_url=server.url, trust_env=False) as http:
        return http.request(request["method"], path, headers=headers, **content)


def differences(theirs, ours, where: str = "") -> list[str]:
    """Where names or types differ. None stands for any type: a field may be empty by chance."""
    if theirs is None or ours is None:
        return []
    if isinstance(theirs, dict) and isinstance(ours, dict):
        found = [f"{where}: {n} is missing" for n in theirs.keys() - ours.keys()]
        found += [f"{where}: {n} is too much" for n in ours.keys() - theirs.keys()]
        for name in (theirs.keys() & ours.keys()) - _NOT_COMPARED:
            found += differences(theirs[name], ours[name], f"{where}.{name}")
        return found
    if isinstance(theirs, list) and isinstance(ours, list):
        return differences(theirs[0], ours[0], f"{where}[0]") if theirs and ours else []
    both = {type(theirs), type(ours)}
    if len(both) == 1 or both == {int, float}:
        return []
    return [f"{where}: {type(theirs).__name__} became {type(ours).__name__}"]


def special(name: str, theirs: dict, ours: dict) -> bool:
    """Comparisons of one part of an answer."""
    if name == "fields_of_2":

        def of(body):
            return next(r["custom_fields"] for r in body["results"] if r["id"] == 2)

        links = [f for f in of(theirs) if f["field"] == 1], [f for f in of(ours) if f["field"] == 1]
        return links[0] == links[1]
    if name == "bad_float":
        kept = {"value": "abc", "field": 2}
        return kept in theirs["custom_fields"] and kept in ours["custom_fields"]
    if name == "saved_views":
        return theirs["settings"][name] == ours["settings"][name]
    return theirs[name] == ours[name]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_answers_are_those_of_a_real_paperless(scenario: str, recorded: Path):
    problems: list[str] = []
    with library() as server:
        prepare(scenario, server)
        for told in SCENARIOS[scenario].split():
            case, exact, names = told.partition("=")
            recording = json.loads((recorded / f"{case}.json").read_text())
            theirs = recording["response"]
            ours = answer_of(server, case, recording["request"])
            found = compared(theirs, ours)
            body = theirs["body"]
            if exact and not names and ours.headers.get("content-type") == "application/json":
                if body != ours.json():
                    found.append(f"{body} became {ours.json()}")
            elif exact and names and not found:
                found += [n for n in names.split(",") if not special(n, body, ours.json())]
            problems += [f"{case}: {problem}" for problem in found]
    assert problems == []


def compared(theirs: dict, ours: httpx.Response) -> list[str]:
    found = []
    if theirs["status"] != ours.status_code:
        found.append(f"status {theirs['status']} became {ours.status_code}: {ours.text[:200]}")
    kind = theirs["headers"].get("content-type", "").partition(";")[0]
    if kind != ours.headers.get("content-type", "").partition(";")[0]:
        found.append(f"content type {kind} became {ours.headers.get('content-type')}")
    found += [
        f"{name}: {theirs['headers'].get(name)} became {ours.headers.get(name)}"
        for name in _COMPARED_HEADERS
        if theirs["headers"].get(name) != ours.headers.get(name)
    ]
    if kind == "application/json" and not found:
        found += differences(theirs["body"], ours.json())
    elif (
        kind
        and theirs["status"] == 403
        and not found
        and not ours.text.startswith(theirs["body"]["_text"][:9])
    ):
        found.append(f"{theirs['body']} became {ours.text}")
    return found


def test_sign_in_is_limited_as_recorded(recorded: Path):
    theirs = json.loads((recorded / "token_throttle.json").read_text())
    with library() as server, httpx.Client(base_url=server.url, trust_env=False) as http:
        told = theirs["request"]["json"]
        statuses = [http.post("/api/token/", json=told).status_code for _ in range(5)]
        last = http.post("/api/token/", json=told)
    assert statuses == [400] * 5
    assert last.status_code == theirs["response"]["status"]
    assert re.fullmatch(r"\d+", last.headers["retry-after"])
    assert "x-api-version" not in last.headers
    pattern = re.sub(r"\d+", r"\\d+", re.escape(theirs["response"]["body"]["detail"]))
    assert re.fullmatch(pattern, last.json()["detail"])


def test_tasks_look_as_recorded(recorded: Path):
    with library() as server, httpx.Client(base_url=server.url, trust_env=False) as http:
        http.headers["Authorization"] = f"Token {server.token}"
        for case in ("upload_txt", "dup_rejected"):
            server.consumption.refuse_duplicates = case == "dup_rejected"
            file = {"document": ("a.txt", b"words of a new document", "text/plain")}
            upload = http.post("/api/documents/post_document/", files=file)
            theirs = json.loads((recorded / f"{case}.json").read_text())["response"]
            assert (upload.status_code, type(upload.json())) == (200, type(theirs["body"]))
            server.consumption.wait()
            ours = http.get("/api/tasks/", params={"task_id": upload.json()}).json()
            theirs = json.loads((recorded / f"{case}.task.json").read_text())["response"]["body"]
            assert differences(theirs, ours) == []
            assert theirs["results"][0]["status"] == ours["results"][0]["status"]
            assert (
                differences(theirs["results"][0]["result_data"], ours["results"][0]["result_data"])
                == []
            )


def test_every_path_of_the_stand_in_is_one_of_paperless(schema: dict):
    known = {
        (re.sub(r"\{\w+\}", "7", path), method.upper())
        for path, methods in schema["paths"].items()
        for method in methods
    }
    examples = [
        (pattern.pattern.strip("^$"), method) for pattern, methods in ROUTES for method in methods
    ]
    unknown = []
    for pattern, method in examples:
        alternatives = re.search(r"\((?:\?:)?([a-z_|]+)\)", pattern)
        for one in alternatives[1].split("|") if alternatives else [""]:
            path = pattern.replace(alternatives[0], one) if alternatives else pattern
            path = path.replace(r"(\d+)", "7")
            if (path, method) not in known:
                unknown.append((path, method))
    assert unknown == []


def test_bodies_follow_the_schema(schema: dict):
    """Names that the schema does not know would be an invention of ours."""
    shapes = {
        "/api/documents/1/": "Document",
        "/api/documents/1/metadata/": "Metadata",
        "/api/tags/1/": "Tag",
        "/api/correspondents/1/": "Correspondent",
        "/api/document_types/1/": "DocumentType",
        "/api/custom_fields/1/": "CustomField",
        "/api/saved_views/1/": "SavedView",
    }
    with library() as server, httpx.Client(base_url=server.url, trust_env=False) as http:
        http.headers["Authorization"] = f"Token {server.token}"
        http.post("/api/correspondents/", json={"name": "c"})
        http.post("/api/document_types/", json={"name": "d"})
        http.post("/api/custom_fields/", json={"name": "f", "data_type": "float"})
        http.post("/api/saved_views/", json={"name": "v", "filter_rules": []})
        for path, name in shapes.items():
            answer = http.get(path)
            assert answer.status_code == 200, path
            known = schema["components"]["schemas"][name]["properties"].keys()
            assert answer.json().keys() <= known, path
