"""Image, compose file, proxy and unit: checked by rule where nothing can build or start them.

A builder of images is rarely at hand. What the image would run is run here as it stands, and tools
(docker compose, caddy, systemd-analyze) judge the files wherever they are installed.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from plaudit.cli import main
from support.service_process import free_port, until

ROOT = next(place for place in Path(__file__).parents if (place / "pyproject.toml").is_file())
DEPLOY = ROOT / "deploy"
SERVE = main.get_command(None, "serve")  # type: ignore[arg-type]
SECRET = "0123456789abcdef0123456789abcdef"


def steps(text: str) -> list[tuple[str, str]]:
    """The instructions of a container file, continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]  # type: ignore[misc]


def last_stage(text: str) -> dict[str, str]:
    """The instructions of the last stage: of each kind the last one."""
    given = steps(text)
    start = max(place for place, (name, _) in enumerate(given) if name == "FROM")
    return dict(given[start:])


def faults(text: str, root: Path = ROOT) -> list[str]:
    """What is wrong with a container file, by the usual rules."""
    given = steps(text)
    final = last_stage(text)
    wrong = []
    for name, words in given:
        if name == "FROM" and not re.match(r"\S+/\S+:[\w${}.-]*\d*[\w${}.-]+", words):
            wrong.append(f"no full name and tag: {words}")
        if name == "FROM" and ":latest" in words:
            wrong.append("the tag latest")
        if name == "ADD":
            wrong.append("ADD instead of COPY")
        if name == "COPY" and not words.startswith("--from="):
            sources = words.split()[:-1]
            wrong += [f"no {each} to copy" for each in sources if not (root / each).exists()]
        if name == "RUN" and "pip install" in words and "--no-cache-dir" not in words:
            wrong.append("pip keeps its cache in the image")
        if name == "RUN" and "apt-get install" in words:
            wrong.append("a package of the system: is it needed?")
        if name in ("ENTRYPOINT", "CMD", "VOLUME") and not isinstance(parsed(words), list):
            wrong.append(f"{name} goes through a shell")
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", final.get("USER", "")):
        wrong.append("the last stage has no USER with a number, or it is root")
    wrong += [f"no {name}" for name in ("HEALTHCHECK", "ENTRYPOINT", "CMD") if name not in final]
    return wrong


def parsed(words: str) -> Any:
    try:
        return json.loads(words)
    except json.JSONDecodeError:
        return None


CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")


def test_the_image_follows_the_rules() -> None:
    assert faults(CONTAINERFILE) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("USER 10001:10001", "USER root", "root"),
        ("USER 10001:10001\n", "", "root"),
        ("--no-cache-dir ", "", "cache"),
        ('ENTRYPOINT ["plaudit"]', "ENTRYPOINT plaudit", "shell"),
        ("COPY src", "COPY sources", "no sources to copy"),
        ("COPY src", "ADD src", "ADD"),
        ("${PYTHON}-slim AS", "latest AS", "latest"),
        ("HEALTHCHECK ", "LABEL ", "no HEALTHCHECK"),
    ],
)
def test_a_fault_of_the_image_is_found(old: str, new: str, fault: str) -> None:
    found = faults(CONTAINERFILE.replace(old, new))
    assert any(fault in each for each in found), found


def unknown_options(words: list[str]) -> list[str]:
    """The options of `plaudit serve` that there are not."""
    assert SERVE is not None
    known = {name for param in SERVE.params for name in param.opts}
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    return sorted(given - known)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the image runs, with its environment, from a folder in the place of /data and /cache."""
    final = last_stage(CONTAINERFILE)
    folder, port = tmp_path_factory.mktemp("container"), str(free_port())
    settings = dict(word.split("=", 1) for word in shlex.split(final["ENV"]))
    settings["PLAUDIT_DATABASE"] = str(folder / Path(settings["PLAUDIT_DATABASE"]).name)
    del settings["PATH"], settings["XDG_CACHE_HOME"]
    words = [*parsed(final["ENTRYPOINT"]), *parsed(final["CMD"])]
    command = [sys.executable, "-m", *[port if word == "8000" else word for word in words]]
    health = parsed(final["HEALTHCHECK"].partition("CMD ")[2])
    health = [sys.executable, *[word.replace(":8000/", f":{port}/") for word in health[1:]]]
    service = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | settings | {"PLAUDIT_SECRET": SECRET},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield {"service": service, "health": health, "port": port, "folder": folder}
    finally:
        service.kill()
        service.wait()


@pytest.mark.slow
def test_what_the_image_runs_is_healthy_and_stops_when_told(running: dict[str, Any]) -> None:
    def healthy() -> bool:
        assert running["service"].poll() is None
        done = subprocess.run(running["health"], capture_output=True, check=False)
        return done.returncode == 0

    until(healthy, "the health check passes", pause=0.2, seconds=300.0)
    assert httpx2.get(f"http://127.0.0.1:{running['port']}/readyz").status_code == 200
    assert (running["folder"] / "contests.db").is_file()
    running["service"].terminate()
    assert running["service"].wait(timeout=30) == 0
    assert subprocess.run(running["health"], capture_output=True, check=False).returncode != 0


# Compose

COMPOSE = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
# What the specification calls the parts of a service that are used here.
PARTS = {
    "image", "build", "restart", "command", "environment", "volumes", "networks", "healthcheck",
    "read_only", "tmpfs", "cap_drop", "security_opt", "depends_on", "ports",
}  # fmt: skip


def compose_faults(text: str) -> list[str]:
    """Parts that are unknown or lead nowhere, and what should not be open."""
    whole = yaml.safe_load(text)
    wrong = []
    for name, service in whole["services"].items():
        wrong += [f"{name}: {part}?" for part in set(service) - PARTS]
        if "build" not in service and not re.search(r"/[\w-]+:\d", service.get("image", "")):
            wrong.append(f"{name}: an image without a version")
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            known = (DEPLOY / source).exists() if source[0] == "." else source in whole["volumes"]
            wrong += [] if known else [f"{name}: no volume {source}"]
        wrong += [
            f"{name}: no network {n}" for n in set(service["networks"]) - set(whole["networks"])
        ]
        for other in service.get("depends_on", ()):
            wrong += [] if other in whole["services"] else [f"{name}: no service {other}"]
        if name != "proxy" and "ports" in service:
            wrong.append(f"{name}: open to the world")
    return wrong + [f"env.example lacks {v}" for v in variables(text) - examples()]


def variables(text: str) -> set[str]:
    return set(re.findall(r"\$\{(\w+)", text))


def examples() -> set[str]:
    lines = (DEPLOY / "env.example").read_text(encoding="utf-8")
    return set(re.findall(r"^(\w+)=", lines, re.MULTILINE))


def test_the_compose_file_is_whole() -> None:
    assert compose_faults(COMPOSE) == []
    assert variables(COMPOSE) == examples()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("- db:/var", "- dbs:/var", "no volume dbs"),
        ("postgres:17-alpine", "postgres", "without a version"),
        ("./Caddyfile:", "./Caddy:", "no volume ./Caddy"),
        ("read_only:", "readonly:", "readonly?"),
        ("${POSTGRES_PASSWORD", "${PASSWORD", "lacks PASSWORD"),
        ("    read_only: true", '    ports: ["8000:8000"]', "open to the world"),
    ],
)
def test_a_fault_of_the_compose_file_is_found(old: str, new: str, fault: str) -> None:
    found = compose_faults(COMPOSE.replace(old, new))
    assert any(fault in each for each in found), found


def test_the_service_trusts_the_proxy_and_nobody_else() -> None:
    services = yaml.safe_load(COMPOSE)["services"]
    command = services["plaudit"]["command"]
    assert unknown_options(command) == []
    address = services["proxy"]["networks"]["front"]["ipv4_address"]
    assert [word for word in command if word.startswith("--proxy")] == [f"--proxy={address}"]
    assert "front" not in services["db"]["networks"]
    assert yaml.safe_load(COMPOSE)["networks"]["back"]["internal"] is True


def test_the_proxy_leads_to_the_service() -> None:
    proxy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    services = yaml.safe_load(COMPOSE)["services"]
    ((service, port),) = re.findall(r"reverse_proxy (\w+):(\d+)", proxy)
    assert f"--port={port}" in services[service]["command"]
    assert proxy.count("{$PLAUDIT_HOST}") == 1


@pytest.mark.skipif(not shutil.which("caddy"), reason="caddy is not installed")
def test_caddy_takes_its_file() -> None:
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    subprocess.run(command, check=True, env=os.environ | {"PLAUDIT_HOST": "vote.example.org"})


def has_compose() -> bool:
    docker = shutil.which("docker")
    command = ["docker", "compose", "version"]
    return bool(docker) and not subprocess.run(command, capture_output=True, check=False).returncode


@pytest.mark.skipif(not has_compose(), reason="docker compose is not installed")
def test_compose_takes_its_file() -> None:
    command = ["docker", "compose", "--env-file", "/dev/null", "config", "--quiet"]
    filled = dict.fromkeys(examples(), "x" * 32)
    subprocess.run(command, cwd=DEPLOY, check=True, env=os.environ | filled)


# systemd


def unit() -> str:
    return (DEPLOY / "plaudit.service").read_text(encoding="utf-8")


def test_the_unit_starts_plaudit_with_options_that_there_are() -> None:
    (started,) = re.findall(r"^ExecStart=(.*)$", unit(), re.MULTILINE)
    words = shlex.split(started)
    assert words[:2] == ["/opt/plaudit/bin/plaudit", "serve"]
    assert unknown_options(words) == []


MOST_EXPOSED = 20  # of 100; a unit without any protection has 96


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_the_unit_and_finds_it_closed(tmp_path: Path) -> None:
    copy = tmp_path / "plaudit.service"
    # Only the program is not where the unit expects it.
    copy.write_text(unit().replace("/opt/plaudit/bin/plaudit", sys.executable))
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    closed = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}"]
    judged = subprocess.run([*closed, str(copy)], capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout.splitlines()[-1]
