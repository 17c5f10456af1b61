"""Reads the parallel texts from the sources: a group is one text in several languages."""

import gzip
import hashlib
import io
import re
import struct
import subprocess
import tarfile
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field

LANGUAGES = "en zh fr de ja ko es ru pt it pl uk cs tr sv vi nl el id hu ro bg da fi ca".split()
# A group is embedded in at most this many languages; those with the fewest texts come first.
MOST_LANGUAGES = 8
# The most groups of each kind, and of each package of messages.
MOST_GROUPS = {"descriptions": 1200, "messages": 2000, "lists": 400, "manuals": 1500}
MOST_MESSAGES = 40
# The number of messages in a list, and the most lists of a package.
LIST, MOST_LISTS = 4, 8
# Directives such as %s, %(name)d and {0}, which a user's question does not have.
DIRECTIVE = re.compile(r"%(?:\(\w+\))?[-+#0-9.*$lhz]*[sdiuxXcrfgplL]|\{[\w!:]*\}|<\w+>|%%")


@dataclass
class Group:
    """One text in several languages, with a record and a question about it for each language."""

    kind: str
    name: str
    held_out: bool
    records: dict = field(default_factory=dict)
    queries: dict = field(default_factory=dict)


def read_groups(sources):
    """Returns the groups of all sources, in an order that depends only on the texts."""
    groups = read_descriptions([s for s in sources if s.use == "descriptions"])
    groups += read_messages([s for s in sources if s.use == "messages"])
    groups += read_manuals([s for s in sources if s.registry == "debian" and s.use != "descriptions"])
    chosen, used = [], Counter()
    for kind, most in MOST_GROUPS.items():
        of_kind = sorted((g for g in groups if g.kind == kind), key=lambda g: rank(g.name))
        used.clear()
        chosen += [with_few_languages(group, used) for group in of_kind[:most]]
    return chosen


def with_few_languages(group, used):
    """Keeps English and the languages that have had the fewest texts so far."""
    order = sorted(group.records, key=lambda code: (code != "en", used[code], rank(group.name + code)))
    chosen = order[:MOST_LANGUAGES]
    used.update(chosen)
    group.records = {code: group.records[code] for code in chosen}
    group.queries = {code: group.queries[code] for code in chosen}
    return group


def rank(name):
    """Returns a pseudorandom number that depends only on the name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def language(code):
    """Returns one of the 25 languages for a code such as pt_BR or zh-Hans, or None."""
    code, _, variant = code.replace("-", "_").partition("_")
    variant = variant.partition(".")[0].lower()
    plain = {"pt": ("", "br", "pt"), "zh": ("", "cn", "tw", "hans", "hant"), "en": ("",)}
    allowed = plain.get(code, ("", code))
    return code if code in LANGUAGES and variant in allowed else None


def add_text(texts, group, code, value):
    """Keeps one of several texts of a language, such as those of Portugal and Brazil, chosen pseudorandomly."""
    old = texts[group].get(code)
    if old is None or rank(group + value) < rank(group + old):
        texts[group][code] = value


# Package descriptions


def read_descriptions(sources):
    """Reads Debian's descriptions: the title and first paragraph is a record, the title a question."""
    texts = defaultdict(dict)
    names = {}
    for source in sources:
        code = language(source.name)
        for name, key, title, paragraph in read_stanzas(source.path.read_text("utf-8")):
            names.setdefault(key, name)
            add_text(texts, key, code, f"{title}\n{paragraph}")
    groups = []
    for key, by_language in texts.items():
        title = by_language.get("en", "").partition("\n")[0]
        translated = {c: t for c, t in by_language.items() if c == "en" or not t.startswith(title)}
        if title and len(translated) >= 5 and not re.search("-(dev|dbg|doc|data)$|^lib", names[key]):
            stem = names[key].removeprefix("lib").partition("-")[0]
            group = Group("descriptions", names[key], rank(stem) % 5 == 0, translated)
            group.queries = {c: t.partition("\n")[0] for c, t in translated.items()}
            groups.append(group)
    return groups


def read_stanzas(text):
    """Yields the package, the key, the title and the first paragraph of each description in a file."""
    pattern = r"Package: (\S+)\nDescription-md5: (\S+)\nDescription-\S+: (.+)\n((?: .+\n)*)"
    for name, key, title, rest in re.findall(pattern, text):
        paragraph = rest.split("\n .\n")[0]
        yield name, key, title, " ".join(paragraph.split())[:600]


# Messages


def read_messages(sources):
    """Reads the message catalogues of programs: a message is a record, and a question without its directives."""
    groups, seen = [], set()
    for source in sorted(sources, key=lambda s: not s.held_out):
        texts = defaultdict(dict)
        for path, content in files_of(source):
            found = re.search(r"(?:locale|lang|locales)/([\w@-]+)/LC_MESSAGES/[^/]+\.mo$", path)
            code = found and language(found[1])
            for message, translation in read_catalogue(content) if code else ():
                if is_sentence(message) and message != translation:
                    add_text(texts, message, code, translation)
        usable = [m for m, t in texts.items() if len(t) >= 4 and m not in seen]
        usable.sort(key=rank)
        seen.update(usable)
        groups += [message_group("messages", source, m, texts[m]) for m in usable[:MOST_MESSAGES]]
        groups += list_groups(source, usable[MOST_MESSAGES:], texts)
    return groups


def message_group(kind, source, message, translations):
    """Makes a group of a message and its translations."""
    texts = {"en": message} | translations
    records = {code: " ".join(text.split()) for code, text in texts.items()}
    queries = {code: " ".join(DIRECTIVE.sub(" ", text).split()) for code, text in texts.items()}
    return Group(kind, f"{source.name}: {message}", source.held_out, records, queries)


def list_groups(source, messages, texts):
    """Yields lists of messages of one program: a list is a record, its first two messages a question."""
    for start in range(0, min(len(messages) - LIST + 1, LIST * MOST_LISTS), LIST):
        parts = [message_group("lists", source, m, texts[m]) for m in messages[start:start + LIST]]
        group = Group("lists", parts[0].name, source.held_out)
        for code in parts[0].records:
            if all(code in part.records for part in parts):
                group.records[code] = "\n".join(part.records[code] for part in parts)
                group.queries[code] = " ".join(part.queries[code] for part in parts[:2])
        if len(group.records) >= 4:
            yield group


def is_sentence(message):
    """Returns whether a message has enough words to be informative, and is not a whole help text."""
    words = re.findall(r"[A-Za-z]{2,}", DIRECTIVE.sub(" ", message))
    return len(words) >= 5 and 25 <= len(message) <= 300 and "Copyright" not in message


def files_of(source):
    """Yields the path and content of each file of a Debian package or a Python wheel."""
    if source.registry == "pypi":
        with zipfile.ZipFile(source.path) as archive:
            yield from ((name, archive.read(name)) for name in sorted(archive.namelist()))
        return
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", source.path], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile() and "/share/" in member.name:
                yield member.name, archive.extractfile(member).read()


def read_catalogue(content):
    """Yields the messages and translations of a compiled gettext catalogue, without plurals and contexts."""
    order = "<" if content[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack_from(f"{order}3I", content, 8)
    for i in range(count):
        pair = []
        for table in (originals, translations):
            length, offset = struct.unpack_from(f"{order}2I", content, table + 8 * i)
            pair.append(content[offset:offset + length])
        if pair[0] and pair[1] and b"\0" not in pair[0] and b"\4" not in pair[0]:
            try:
                yield pair[0].decode(), pair[1].decode()
            except UnicodeDecodeError:
                pass


# Manual pages


def read_manuals(sources):
    """Reads translated manual pages: the beginning of a page is a record, its title and first sentence a question."""
    pages = defaultdict(dict)
    for source in sources:
        for path, content in files_of(source):
            found = re.search(r"share/man/(?:([\w.]+)/)?man\d/([^/]+)\.gz$", path)
            code = found and language(found[1] or "en")
            if code:
                add_text(pages, found[2], code, gzip.decompress(content).decode("utf-8", "replace"))
    groups = []
    for name, by_language in pages.items():
        sections = {code: read_sections(page) for code, page in by_language.items()}
        english = sections.get("en", [])
        described = next((i for i, (heading, _) in enumerate(english) if heading == "DESCRIPTION"), 0)
        group = Group("manuals", name, rank(name) % 5 == 0)
        for code, page in sections.items():
            # A translation may have one more section, on its translators; another number means another version.
            if described and len(page) - len(english) in (0, 1):
                add_page(group, code, page[0][1], page[described][1])
        if len(group.records) >= 4 and "en" in group.records:
            groups.append(group)
    return groups


def add_page(group, code, title, description):
    """Adds a page to its group, if its title is like "ls - list directory contents"."""
    title, description = title[:200], description[:500]
    if " - " in title and len(description) > 60:
        group.records[code] = f"{title}\n{description}"
        group.queries[code] = f"{title.partition(' - ')[2]}. {first_sentence(description)}"


def read_sections(source):
    """Returns the headings and texts of a manual page's sections."""
    sections = re.split(r"^\.S[Hh] *", source, flags=re.MULTILINE)[1:]
    parts = (section.partition("\n") for section in sections)
    return [(heading.strip('" '), plain_text(body[:3000])) for heading, _, body in parts]


def plain_text(source):
    """Removes the markup from a section of a manual page."""
    lines = []
    for line in source.splitlines():
        if line.startswith((".\\\"", "'", ".nf", ".de", ".if", ".ie", ".el")):
            continue
        line = re.sub(r"^\.(?:BR?|IR?|RB|RI|BI|IB|SM|Nm|Nd|Xr|Fl|Ar)\b *", "", line)
        if not line.startswith("."):
            lines.append(line.replace('"', ""))
    text = " ".join(lines).replace("\\-", "-").replace("\\(hy", "-").replace("\\(en", "-")
    text = re.sub(r"\\f(?:\[\w*\]|\(..|.)|\\[&/%,|^:]|\\s[-+]?\d", "", text)
    text = re.sub(r"\\\[\w+\]|\\\(..|\\e", "", text).replace("\\ ", " ").replace(" – ", " - ").replace(" -- ", " - ")
    return " ".join(text.split())


def first_sentence(text):
    """Returns the first sentence of a text, or its first 200 characters."""
    return re.split(r"(?<=[.。])\s|(?<=。)", text)[0][:200]
