"""From flags, environment and file to settings, checked.

A value comes from the command line, else from the environment, else from the TOML file, else it
is the default.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import astuple
from pathlib import Path

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.settings.addresses import parts_of, without_password
from paperless_fingerprint.settings.registry import (
    BY_KEY,
    PREFIX,
    REGISTRY,
    Setting,
    Settings,
    Sources,
    Value,
    default_config_file,
    default_data_folder,
    spelled,
)

#: Settings of earlier versions, and why nobody needs them.
_GONE = {"exact.threshold": "what is called exact is identical, and always sure"}


def load(
    flags: Mapping[str, Value] | None = None,
    environment: Mapping[str, str] | None = None,
    file: Path | None = None,
    *,
    content: bytes | None = None,
) -> Settings:
    """All settings, checked. A file that is named must be there; the usual one need not.

    `content` stands for what is in the file, for whoever asks whether it would do.
    """
    environment = os.environ if environment is None else environment
    environment = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
    named = file or (
        Path(environment[PREFIX + "CONFIG"]) if environment.get(PREFIX + "CONFIG") else None
    )
    path = named or default_config_file()
    if content is None:
        content = _read(path, required=named is not None)
    in_file = _from_file(path, content)
    for key in _GONE:
        variable = PREFIX + key.replace(".", "_").upper()
        if environment.get(variable):
            _say_that_it_is_gone(key, f"The environment has {variable}")
    origin_of_file = str(path)
    values: dict[str, Value] = {}
    origins: dict[str, str] = {}
    for setting in REGISTRY:
        raw: object
        if flags and flags.get(setting.key) is not None:
            raw, origin = flags[setting.key], "flag"
        elif environment.get(setting.variable, "") != "":
            raw, origin = environment[setting.variable], "environment"
        elif setting.key in in_file:
            raw, origin = in_file[setting.key], origin_of_file
        else:
            raw, origin = setting.default, "default"
        values[setting.key] = None if raw is None else _checked(setting, raw, origin)
        origins[setting.key] = origin
    if values["store"] is None:
        values["store"] = f"sqlite:///{default_data_folder() / 'library.db'}"
    settings = Settings(
        origins=origins, sources=Sources(dict(flags or {}), environment, path)
    ).having(values)
    _check_together(settings)
    return settings


def _read(path: Path, *, required: bool) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if required:
            raise ConfigurationError(
                f"The settings file {path} is not there. Make it, or name another with --config."
            ) from None
        return b""
    except OSError as error:
        raise ConfigurationError(
            f"The settings file {path} cannot be read: {error.strerror}."
        ) from error


def _from_file(path: Path, content: bytes) -> dict[str, object]:
    if not content:
        return {}
    import tomllib

    try:
        told = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The settings file {path} is not valid TOML: {error}.") from error
    except RecursionError:
        raise ConfigurationError(
            f"The settings file {path} is nested too deep; a setting stands in a section at most."
        ) from None
    found: dict[str, object] = {}
    for name, value in told.items():
        inner = value if isinstance(value, dict) else None
        for key, each in (
            ((f"{name}.{part}", v) for part, v in inner.items())
            if inner is not None
            else ((name, value),)
        ):
            if key in _GONE:
                _say_that_it_is_gone(key, f"The settings file {path} has '{key}'")
                continue
            if key not in BY_KEY:
                raise ConfigurationError(
                    f"The settings file {path} has '{key}', which is no setting. Did you mean "
                    f"'{_nearest(key)}'? 'paperless-fingerprint config show' lists them all."
                )
            found[key] = each
    return found


def _say_that_it_is_gone(key: str, where: str) -> None:
    import logging

    logging.getLogger("paperless_fingerprint").warning(
        "%s, which has no effect any more: %s. It can be left out.", where, _GONE[key]
    )


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(key, BY_KEY, 1, 0.0)), "store")


def _checked(setting: Setting, raw: object, origin: str) -> Value:
    where = (
        f"{setting.label} (from {setting.variable})" if origin == "environment" else setting.label
    )
    shown = "the value given" if setting.secret else repr(raw)
    works = f"{spelled(setting.default)} works" if setting.default is not None else "leave it out"
    try:
        value = _KINDS[setting.kind](raw)
    except (TypeError, ValueError):
        kind = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[
            setting.kind
        ]
        raise ConfigurationError(f"{where} is {shown}, which is not {kind}; {works}.") from None
    if setting.choices and value not in setting.choices:
        raise ConfigurationError(f"{where} is {shown}; it can be {', '.join(setting.choices)}.")
    if setting.low is not None and setting.high is not None:
        assert isinstance(value, int | float)
        if not setting.low <= value <= setting.high:
            raise ConfigurationError(
                f"{where} is {shown}, but it must lie between {setting.low:g} and "
                f"{setting.high:g}; {works}."
            )
    return value


def _as_bool(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    text = str(raw).strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ValueError


def _as_int(raw: object) -> int:
    if isinstance(raw, bool | float):
        raise ValueError  # noqa: TRY004  (told to the user in one sentence with the others)
    return int(str(raw))


def _as_float(raw: object) -> float:
    if isinstance(raw, bool):
        raise ValueError  # noqa: TRY004
    value = float(str(raw))
    if not math.isfinite(value):
        raise ValueError
    return value


def _as_text(raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError  # noqa: TRY004
    return raw.strip()


_KINDS: Mapping[type, Callable[[object], Value]] = {
    bool: _as_bool, int: _as_int, float: _as_float, str: _as_text
}  # fmt: skip


def _is_page_address(text: str) -> bool:
    """With 40 characters to spare of the 200 that Paperless keeps of an address."""
    parts = parts_of(text)
    return (
        parts is not None
        and parts.scheme in {"http", "https"}
        and bool(parts.hostname)
        and "@" not in parts.netloc
        and not parts.query
        and not parts.fragment
        and len(text) <= 160
    )


def _check_notify(settings: Settings) -> None:
    told = settings.notify
    if not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", told.daily_at):
        raise ConfigurationError(
            f"[notify] daily_at is '{told.daily_at}', which is no hour and minute; 08:00 works."
        )
    parts = parts_of(told.webhook) if told.webhook else None
    if told.webhook and (
        parts is None or parts.scheme not in {"http", "https"} or not parts.hostname
    ):
        raise ConfigurationError(
            "[notify] webhook is no address of http or https; "
            "https://automation.example.org/hooks/duplicates is one."
        )
    if told.webhook_header and not re.fullmatch(
        r"[A-Za-z0-9-]+:[ \t]*[\x21-\x7e][\x20-\x7e]*", told.webhook_header
    ):
        raise ConfigurationError(
            "[notify] webhook_header is no header; write a name, a colon and a value, such as "
            "Authorization: Bearer 0123456789abcdef."
        )
    if told.when != "off" and not (told.webhook or told.apprise):
        raise ConfigurationError(
            f"[notify] when is '{told.when}', and there is nobody to tell. Set [notify] webhook or "
            "[notify] apprise, or leave it off."
        )


def _check_together(settings: Settings) -> None:
    """What only several settings together can get wrong, or what is no plain value."""
    public = settings.service.public_url
    if public and not _is_page_address(public):
        raise ConfigurationError(
            f"[service] public_url is '{without_password(public)}', which is no address that a "
            "browser opens; https://duplicates.example.org and http://192.168.1.5:8760 are some."
        )
    _check_notify(settings)
    settings.spec()  # bands that do not divide the permutations, and the like
    weights = list(astuple(settings.weights))
    if abs(sum(weights) - 100) > 1e-6:
        listed = " + ".join(f"{weight:g}" for weight in weights)
        raise ConfigurationError(
            f"[weights] jaccard, fuzzy, metadata and title sum up to {sum(weights):g} ({listed}), "
            "but they are percentages and must sum up to 100; 40, 30, 15 and 15 work."
        )
    if settings.version.threshold > settings.near.threshold:
        from paperless_fingerprint.languages import gettext as _

        raise ConfigurationError(
            _(
                "[version] threshold is %(version)s, above [near] threshold %(near)s, so no version "
                "could ever be found; 0.75 and 0.85 work.",
                version=f"{settings.version.threshold:g}",
                near=f"{settings.near.threshold:g}",
            )
        )
