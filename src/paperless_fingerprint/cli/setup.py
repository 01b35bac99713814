"""Commands about the installation itself: config show, doctor."""

from __future__ import annotations

from dataclasses import asdict

import click

from paperless_fingerprint.cli.context import Context, Group, command, print_json, print_table, say
from paperless_fingerprint.errors import ExitCode, FingerprintError


@click.group(cls=Group)
def config() -> None:
    """Show the settings."""


@config.command(name="show")
@click.option("--markdown", is_flag=True, hidden=True, help="The table of docs/settings.md.")
def config_show(context: Context, markdown: bool, as_json: bool) -> None:
    """Show every setting, its value, and where it came from. Secrets are hidden."""
    if markdown:
        click.echo(_as_markdown(), nl=False)
        return
    settings = context.settings()
    if as_json:
        print_json(
            {
                "setting": setting.key,
                "value": value,
                "origin": origin,
                "variable": setting.variable,
                "help": setting.help,
            }
            for setting, value, origin in settings.shown()
        )
        return
    print_table(
        [("setting", "left"), ("value", "left"), ("from", "left"), ("meaning", "left")],
        (
            (setting.label, "" if value is None else str(value), origin, setting.help)
            for setting, value, origin in settings.shown()
        ),
    )


def _as_markdown() -> str:
    from paperless_fingerprint.settings.registry import REGISTRY, spelled

    lines = [
        "| setting | default | in the environment | meaning |",
        "|---|---|---|---|",
    ]
    for setting in REGISTRY:
        default = "" if setting.default is None else f"`{spelled(setting.default)}`"
        choices = f" ({', '.join(setting.choices)})" if setting.choices else ""
        lines.append(
            f"| `{setting.label}` | {default} | `{setting.variable}` | {setting.help}{choices} |"
        )
    return "\n".join(lines) + "\n"


@command()
def doctor(context: Context, as_json: bool) -> None:
    """Check settings, store and connections, and say what to fix."""
    from paperless_fingerprint.checkup.finding import Finding
    from paperless_fingerprint.checkup.library import examine

    findings: list[Finding] = []
    worst = ExitCode.DONE
    try:
        settings = context.settings()
    except FingerprintError as error:
        findings.append(Finding("settings", False, str(error)))
        worst = ExitCode(error.exit_code)
    else:
        findings.append(Finding("settings", True, "All settings are valid."))
        report = examine(settings)
        findings += report.findings
        worst = report.exit_code
    if as_json:
        print_json(asdict(f) for f in findings)
    else:
        for finding in findings:
            sign = "FAIL" if not finding.ok else "ok" if finding.checked else "-"
            click.echo(f"{sign:4}  {finding.part:9}  {finding.message}")
        if worst is not ExitCode.DONE:
            say("Something needs your attention; see the lines marked FAIL.")
    click.get_current_context().exit(worst)
