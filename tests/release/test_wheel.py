"""The wheel and the sdist, built, and installed without a network where nothing else is."""

import re
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import plaudit
from support.release.fresh_environment import Fresh, share_kernels
from support.release.local_index import ROOT, build, make_index
from support.service_process import free_port, until

PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def project() -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist."""
    wheel, sdist = build(tmp_path_factory.mktemp("dist"))
    return wheel, sdist


def files_of(wheel: Path) -> dict[str, int]:
    """The files of the package in a wheel, with their checksums."""
    with zipfile.ZipFile(wheel) as opened:
        inside = [each for each in opened.infolist() if each.filename.startswith("plaudit/")]
        return {each.filename: each.CRC for each in inside}


def tracked(folder: str) -> set[str]:
    """The files of a folder that belong to the project."""
    files = (ROOT / folder).rglob("*")
    ours = {path.relative_to(ROOT).as_posix() for path in files if path.is_file()}
    return {path for path in ours if "__pycache__" not in path}


def test_the_wheel_has_every_file_of_the_package(built: tuple[Path, Path]) -> None:
    inside = set(files_of(built[0]))
    # Translators need these; the service reads the compiled catalogues.
    ours = {path for path in tracked("src/plaudit") if not path.endswith((".po", ".pot"))}
    assert inside == {path.removeprefix("src/") for path in ours}
    for needed in ("py.typed", "catalogues/de/LC_MESSAGES/plaudit.mo", "demo/contest.yaml",
                   "web/shared/static/fonts/newsreader-LICENSE.txt"):  # fmt: skip
        assert f"plaudit/{needed}" in inside
    for folder in ("web/desk/templates", "web/public/static", "store/migrations/postgres"):
        assert any(name.startswith(f"plaudit/{folder}/") for name in inside)


def test_the_sdist_builds_the_same_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(built[1]) as packed:
        packed.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    (again,) = build(tmp_path / "dist", source, "wheel")
    assert files_of(again) == files_of(built[0])
    for kept in ("CITATION.cff", "CHANGELOG.md", "docs/index.md", "deploy", "tests/test_house.py"):
        assert (source / kept).exists(), kept


def test_the_index_sees_who_it_is_for(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as opened:
        (name,) = (each for each in opened.namelist() if each.endswith("METADATA"))
        said = opened.read(name).decode()
    for version in PYTHONS:
        assert f"Classifier: Programming Language :: Python :: {version}\n" in said
    assert "Classifier: Typing :: Typed" in said
    assert re.search(r"^License-Expression: BSD-3-Clause$", said, re.MULTILINE)
    places = re.findall(r"^Project-URL: .+, (\S+)$", said, re.MULTILINE)
    assert places
    assert not [place for place in places if made_up(place)]


def made_up(url: str) -> bool:
    """Whether an address can belong to nobody (RFC 2606)."""
    host = urlsplit(url).hostname or ""
    return (
        not host or re.search(r"(^|\.)(example(\.\w+)?|invalid|test|localhost)$", host) is not None
    )


def test_no_file_names_a_home_that_there_is_not() -> None:
    found = re.compile(r"https?://\S*plaudit\.[a-z]+", re.IGNORECASE)
    for name in ("pyproject.toml", "CITATION.cff", "SECURITY.md", "README.md", "deploy"):
        path = ROOT / name
        for file in [path] if path.is_file() else sorted(path.iterdir()):
            assert not [each for each in found.findall(file.read_text("utf-8")) if made_up(each)], (
                file
            )


def test_the_citation_is_of_this_version() -> None:
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == project()["version"]
    assert cited["license"] == project()["license"]
    assert {"cff-version", "message", "title", "authors", "type"} <= set(cited)
    assert cited["references"][0]["year"] == 2017


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """An environment with nothing but Plaudit, its service, and what they need."""
    index = tmp_path_factory.mktemp("index")
    make_index(index, ("service",))
    made = Fresh(tmp_path_factory.mktemp("fresh"), index)
    made.install("plaudit[service]")
    share_kernels(package_of(made, *made.command("python")))
    return made


def package_of(fresh: Fresh, *python: str) -> Path:
    """The folder that `import plaudit` loads, which must be inside the fresh environment."""
    printed = fresh.run(*python, "-c", "import plaudit; print(plaudit.__path__[0])")
    package = Path(printed.strip())
    assert package.is_relative_to(fresh.folder), package
    return package


@pytest.mark.slow
def test_the_hello_of_the_readme_runs_from_the_wheel(fresh: Fresh) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    hello = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    assert "confidence" in fresh.run(*fresh.command("python", "-c", hello))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(plaudit, "evaluate"), reason="evaluate is not part of this tree")
def test_evaluate_runs_from_the_wheel(fresh: Fresh) -> None:
    code = (
        "import plaudit\n"
        "found = plaudit.evaluate(['Hi', 'Please', 'Answer shortly'], range(300),\n"
        "    lambda prompt, question: float(len(prompt) > question % 10))\n"
        "print(found.winner)\n"
    )
    assert fresh.run(*fresh.command("python", "-c", code)).split() == ["Answer", "shortly"]


def serve(fresh: Fresh, command: list[str]) -> str:
    """Starts a service with the demo contest, looks at its pages, and stops it; what it said."""
    httpx2 = pytest.importorskip("httpx2")
    port = free_port()
    log = fresh.folder / f"{port}.txt"
    options = ["serve", "--demo", "--port", str(port), "--database", f"{port}.db"]
    with log.open("w") as file:
        service = subprocess.Popen(
            [*command, *options], cwd=fresh.folder, env=fresh.environment, stdout=file, stderr=file
        )
    try:

        def ready() -> bool:
            assert service.poll() is None, log.read_text()
            try:
                answer = httpx2.get(f"http://127.0.0.1:{port}/readyz", verify=False)
                return bool(answer.status_code == 200)
            except httpx2.TransportError:
                return False

        until(ready, "the service is ready", pause=0.05, seconds=300.0)
        for page in ("/c/snowman", "/c/snowman/results", "/desk", "/openapi.json"):
            answer = httpx2.get(f"http://127.0.0.1:{port}{page}", follow_redirects=True)
            assert answer.status_code == 200, page
        linked = re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", httpx2.get(
            f"http://127.0.0.1:{port}/c/snowman").text)  # fmt: skip
        assert linked
        for each in linked:
            assert httpx2.get(f"http://127.0.0.1:{port}{each}").status_code == 200, each
    finally:
        service.terminate()
        code = service.wait(timeout=60)
    said = log.read_text()
    assert code == 0, said
    return said


@pytest.mark.slow
def test_the_demo_serves_from_the_wheel(fresh: Fresh) -> None:
    serve(fresh, fresh.command("plaudit"))


@pytest.mark.slow
def test_uvx_serves_from_a_local_index(fresh: Fresh) -> None:
    share_kernels(package_of(fresh, *fresh.uvx("plaudit[service]", "python")))
    serve(fresh, fresh.uvx("plaudit[service]", "plaudit"))


@pytest.mark.slow
def test_uvx_fetches_what_serving_needs(fresh: Fresh) -> None:
    named = fresh.by_environment()
    share_kernels(
        package_of(named, *named.uvx("plaudit[service]==" + plaudit.__version__, "python"))
    )
    said = serve(named, named.uvx("plaudit", "plaudit"))
    assert said.count(f"uv fetches plaudit[service]=={plaudit.__version__}.") == 1


@pytest.mark.slow
def test_uvx_says_that_options_are_not_handed_on(fresh: Fresh) -> None:
    done = subprocess.run(
        fresh.uvx("plaudit", "plaudit", "contest", "list"), cwd=fresh.folder,
        env=fresh.environment | {"UV_OFFLINE": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "set UV_INDEX or UV_FIND_LINKS instead" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_extra_is_fetched_once(fresh: Fresh) -> None:
    named = fresh.by_environment()
    done = subprocess.run(
        named.uvx("plaudit", "plaudit", "contest", "list"), cwd=named.folder,
        env=named.environment | {"PLAUDIT_EXTRAS": "service"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "fetches" not in done.stderr
    assert "pip install 'plaudit[service]'" in done.stderr


@pytest.mark.slow
def test_a_plain_install_says_what_the_service_needs(fresh: Fresh) -> None:
    plain = Fresh(fresh.folder / "plain", fresh.index)
    plain.folder.mkdir()
    plain.environment |= {"UV_CACHE_DIR": fresh.environment["UV_CACHE_DIR"]}
    plain.install("plaudit")
    done = subprocess.run(
        plain.command("plaudit", "serve"), env=plain.environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "plaudit[service]" in done.stderr
