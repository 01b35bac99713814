"""What only runs at GitHub, held as far as it goes here: to its schemas, and to the project."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import kubernetes_validate
import pytest
import yaml

from release_notes import notes

ROOT = Path(__file__).parent.parent
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("github-workflows", "workflows/*.yml"),
        ("dependabot", "dependabot.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/w*.yml"),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml"),
    ],
)
def test_files_for_github_are_as_github_reads_them(schema: str, pattern: str) -> None:
    files = sorted(map(str, GITHUB.glob(pattern)))
    assert files
    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_no_more_than_they_say(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 120, name
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            # What a stranger can name (a branch, a title) is no part of a script.
            assert "${{ github.event" not in step.get("run", "")
            assert "${{ github.head_ref" not in step.get("run", "")


def test_the_pythons_that_are_tested_are_those_that_are_promised() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    makefile = re.search(r"^PYTHONS \?= (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert makefile is not None
    tested = yaml.safe_load((GITHUB / "workflows" / "test.yml").read_text())
    pythons = tested["jobs"]["pythons"]["strategy"]["matrix"]["python"]
    assert pythons == makefile[1].split()
    assert project["requires-python"] == f">={pythons[0]}"


def test_release_notes_are_the_section_of_that_version() -> None:
    changelog = (
        "# Changelog\n\n## Unreleased\n- later\n\n## 1.0.0 - 2027-01-01\n### Added\n- this\n\n"
        "## [0.9.0]\n- before\n"
    )
    assert notes(changelog, "1.0.0") == "### Added\n- this\n"
    assert notes(changelog, "0.9.0") == "- before\n"
    for missing in ("1.0", "2.0.0", "1.0.0-rc1"):
        with pytest.raises(LookupError):
            notes(changelog, missing)


def test_the_unit_of_systemd_is_shut_in_and_not_started_again_over_a_wrong_setting() -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(ROOT / "deploy" / "systemd" / "paperless-fingerprint.service")
    service = unit["Service"]
    for name in ("NoNewPrivileges", "DynamicUser", "PrivateTmp", "ProtectHome"):
        assert service[name] == "yes", name
    assert service["ProtectSystem"] == "strict"
    assert "3" in service["RestartPreventExitStatus"].split()
    installed = (ROOT / "docs" / "install.md").read_text()
    folder = service["ExecStart"].partition("/bin/")[0]
    assert f"python3 -m venv {folder}\n" in installed
    assert service["EnvironmentFile"] in installed


def test_manifests_of_kubernetes_hold_together() -> None:
    claim, deployment, service = yaml.safe_load_all(
        (ROOT / "deploy" / "kubernetes.yaml").read_text()
    )
    spec = deployment["spec"]
    labels = spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"] == labels == service["spec"]["selector"]
    assert (spec["replicas"], spec["strategy"]["type"]) == (1, "Recreate")
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == set(volumes)
    assert volumes["data"]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert container["ports"][0]["containerPort"] == service["spec"]["ports"][0]["port"] == 8760
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


@pytest.mark.parametrize("version", ["1.30.0", "1.37.0"])
def test_manifests_of_kubernetes_are_as_its_schemas_say(version: str) -> None:
    for manifest in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text()):
        kubernetes_validate.validate(manifest, version, strict=True)


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("there is no hadolint for this machine")
    found = subprocess.run(
        [linter, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_dashboard_for_kibana_asks_for_fields_that_can_be_counted() -> None:
    lines = (ROOT / "deploy" / "dashboards" / "kibana.ndjson").read_text().splitlines()
    kept = {one["id"]: one for one in map(json.loads, lines)}
    for one in kept.values():
        for reference in one["references"]:
            assert kept[reference["id"]]["type"] == reference["type"], one["id"]
        if one["type"] != "visualization":
            continue
        ((index,),) = ([r["id"] for r in one["references"]],)
        kind = index.removeprefix("paperless-fingerprint-")
        mapping = json.loads((ROOT / "es_mappings" / f"{kind}.v1.json").read_text())["mappings"]
        for asked in json.loads(one["attributes"]["visState"])["aggs"]:
            if field := asked["params"].get("field"):
                assert mapping["properties"][field].get("doc_values", True), field


def test_the_template_for_unraid_is_well_formed() -> None:
    template = ET.parse(ROOT / "deploy" / "unraid.xml").getroot()
    targets = {one.get("Target"): one for one in template.iter("Config")}
    assert {"/data", "/hook", "/spool", "8760", "PUID", "PGID"} <= set(targets)
    for name, one in targets.items():
        assert name is not None
        assert one.get("Mask") == str(name.endswith(("TOKEN", "SECRET"))).lower(), name
