"""Maps the repository's folders to the ``rollstep`` package; the list of packages is computed, so
that no subpackage can be forgotten. Everything else stands in ``pyproject.toml``.
"""

from setuptools import find_packages, setup

CODE = ("core", "tui")
DATA = ("themes", "sample_projects")

packages = [
    f"rollstep.{name}"
    for top in CODE
    for name in (top, *(f"{top}.{sub}" for sub in find_packages(top)))
]

setup(
    packages=[*packages, *(f"rollstep.{name}" for name in DATA)],
    package_dir={f"rollstep.{name}": name for name in (*CODE, *DATA)},
    package_data={
        "rollstep.core": ["**/*.json", "**/*.sql", "**/*.j2", "**/*.css", "**/*.js", "py.typed"],
        "rollstep.tui": ["**/*.tcss", "py.typed"],
        "rollstep.themes": ["*.yaml"],
        "rollstep.sample_projects": ["**/*"],
    },
)
