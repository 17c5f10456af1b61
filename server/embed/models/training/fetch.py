"""Fetches the sources that sources.toml lists, each by its package name, and verifies them."""

import hashlib
import pathlib
import subprocess
import sys
import tomllib
from dataclasses import dataclass

HERE = pathlib.Path(__file__).parent


@dataclass
class Source:
    """A fetched and verified file with its entry in sources.toml."""

    registry: str
    name: str
    use: str
    held_out: bool
    path: pathlib.Path


def fetch_all(cache):
    """Fetches the sources that are not in the cache yet, and returns all in the order of the list."""
    with open(HERE / "sources.toml", "rb") as file:
        listed = tomllib.load(file)
    for folder in ("debian", "pypi", "descriptions"):
        (cache / folder).mkdir(exist_ok=True)
    lists = update_package_lists(cache, listed["descriptions"])
    sources = descriptions(cache, lists, listed["descriptions"])
    fetch_debian(cache, lists, listed["debian"])
    for registry in ("debian", "pypi"):
        for entry in listed[registry]:
            path = cache / registry / entry["file"]
            if not path.exists() and registry == "pypi":
                run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                     "--dest", ".", f"{entry['name']}=={entry['version']}"], path.parent)
            verify(path, path.read_bytes(), entry["sha256"])
            sources.append(Source(registry, entry["name"], entry["use"], entry.get("held_out", False), path))
    return sources


def update_package_lists(cache, entries):
    """Fetches the package lists with the translated descriptions, using apt-get; returns apt's options."""
    lists = cache / "apt" / "lists"
    languages = ",".join(entry["language"] for entry in entries)
    options = ["-o", f"Dir::State::lists={lists}", "-o", f"Dir::Cache={cache / 'apt'}",
               "-o", f"Acquire::Languages={languages}", "-o", "APT::Sandbox::User="]
    if not lists.exists():
        (lists / "partial").mkdir(parents=True)
        run(["apt-get", *options, "--quiet", "--quiet", "update"], cache)
    return options


def descriptions(cache, lists, entries):
    """Returns Debian's translated descriptions, unpacked into the cache."""
    targets = run(["apt-get", *lists, "indextargets", "--format", "$(METAKEY) $(RELEASE) $(FILENAME)",
                   "Created-By: Translations"], cache)
    files = {tuple(line.split()[:2]): line.split()[2] for line in targets.decode().splitlines()}
    sources = []
    for entry in entries:
        language = entry["language"]
        path = cache / "descriptions" / f"Translation-{language}"
        if not path.exists():
            key = (f"main/i18n/Translation-{language}", entry["suite"])
            if key not in files:
                sys.exit(f"apt-get knows no {key[0]} of {key[1]}: does this machine run Debian {key[1]}?")
            text = run(["/usr/lib/apt/apt-helper", "cat-file", files[key]], cache)
            path.write_bytes(text)
        verify(path, path.read_bytes(), entry["sha256"])
        sources.append(Source("debian", language, "descriptions", False, path))
    return sources


def fetch_debian(cache, lists, entries):
    """Downloads the Debian packages that are not in the cache, with one call of apt-get."""
    folder = cache / "debian"
    missing = [f"{entry['name']}={entry['version']}" for entry in entries if not (folder / entry["file"]).exists()]
    if missing:
        run(["apt-get", *lists, "--quiet", "--quiet", "download", *missing], folder)


def verify(path, content, sha256):
    """Exits if a file is not the one that was trained on."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        sys.exit(f"{path}: sha256 is {found}, but sources.toml says {sha256}")


def run(command, folder):
    """Runs a command in a folder and returns its output; exits if it fails."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"this command failed: {' '.join(map(str, command))}")
    return done.stdout
