"""The house rules that a machine can check: imports go one way, nothing prints, only files.py opens files."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import taut

PACKAGE = Path(taut.__file__).parent
ORDER = [
    *(
        "errors",
        "atomic_files",
        "lazy_names",
        "reprs",
        "type_words",
        "type_checks",
        "labelled",
        "executors",
        "clusters",
        "numerics",
        "structure",
        "generators",
        "mechanics",
        "extending",
        "mechanisms",
        "trees",
        "statics",
        "dynamics",
    ),
    *("control", "measurement", "kinetostatics", "locomotion", "search", "live", "output", "learning", "papers", "cli"),
    "__main__",
]
SOURCES = sorted(PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_packages(path: Path) -> set[str]:
    packages = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        packages |= {name.split(".")[1] for name in names if name.startswith("taut.")}
    return packages


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if p.name != "__init__.py"], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_imports_go_downwards(path: Path) -> None:
    here = ORDER.index(package_of(path))
    for package in imported_packages(path):
        assert ORDER.index(package) <= here, f"{path.name} in {package_of(path)} imports from {package}"
    if package_of(path) == "dynamics":
        assert "statics" not in imported_packages(path), "the two do not know each other"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_command_prints_and_only_files_opens(path: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    if package_of(path) != "cli":
        assert "print" not in called
    if package_of(path) in ORDER[: ORDER.index("output")] and path.name not in ("files.py", "atomic_files.py"):
        assert "open" not in called


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_file_says_what_it_is_for_and_stays_short(path: Path) -> None:
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert text.count("\n") <= 350


@pytest.mark.parametrize(
    "folder", [PACKAGE / "mechanics", *(p for p in (PACKAGE / "mechanics").iterdir() if p.is_dir())]
)
def test_no_folder_of_mechanics_has_more_than_fifteen_files(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= 15


def imported_modules(path: Path) -> set[Path]:
    """The files of this package that a file imports when it is loaded; not those it imports later, or for types."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            file = PACKAGE.parent / Path(*name.split(".")).with_suffix(".py")
            if file.is_file():
                found.add(file)
    return found


def test_no_file_imports_itself_by_way_of_others() -> None:
    graph = {path: imported_modules(path) for path in SOURCES}
    sorter = TopologicalSorter(graph)
    sorter.prepare()  # raises CycleError, which names the cycle
    assert sum(map(len, graph.values())) > 500, "nothing was looked at"
