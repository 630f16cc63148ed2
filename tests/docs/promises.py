"""docs/origins.md names what is there: promises.py SOURCE.

Each row ends with what shows it: `file: test` under tests/, or a path. Commands have a verb and flags
that the command has and that belong together; functions of C and of CMake are declared."""
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1]).resolve()
FLAG = re.compile(r'^FLAG\(\w+, "([\w-]+)", \w+, "[^"]*", "([^"]*)"', re.M)
VERB = re.compile(r"^VERB\((\w+), (.*)\)$", re.M)


def shown(reference):
    """Why a reference in the last column shows nothing; or null."""
    file, _, test = reference.partition(": ")
    if not test:
        return None if (SOURCE / file).exists() else "there is no such path"
    path = SOURCE / "tests" / file
    text = path.read_text() if path.is_file() else ""
    start = "def " if file.endswith(".py") else "static void "
    return None if f"{start}{test}(" in text else "there is no such test"


class Command:
    def __init__(self):
        cli = SOURCE / "src" / "cli"
        self.flags = {name: verbs.split() for name, verbs in
                      FLAG.findall((cli / "flag" / "flags.def").read_text())}
        rows = VERB.findall((cli / "verbs.def").read_text())
        self.verbs = {name: "true," in rest for name, rest in rows}  # whether it reads a model

    def wrong(self, command):
        words = command.split()[1:]
        if words[0] not in self.verbs:
            return "there is no such verb"
        for word in words[1:]:
            if not re.match(r"--?[a-z]", word):
                continue
            takers = self.flags.get(word.lstrip("-"), [])
            if not ("*" in takers or words[0] in takers
                    or ("m" in takers and self.verbs[words[0]])):
                return f"'{words[0]}' has no flag '{word}'"
        return None


def declared(name):
    folders = [SOURCE / "include", SOURCE / "cmake"]
    return any(re.search(rf"\b{name}\b", p.read_text())
               for f in folders for p in f.rglob("*") if p.is_file())


def main():
    command, wrong, rows, commands = Command(), [], 0, 0
    for line in (SOURCE / "docs" / "origins.md").read_text().splitlines():
        if not line.startswith("| ") or line.startswith("| promised"):
            continue
        rows += 1
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        codes = [re.findall(r"`([^`]+)`", c) for c in cells]
        if len(cells) != 3 or not codes[2]:
            wrong.append(f"not three columns, or shown by nothing: {line}")
            continue
        wrong += [f"`{r}`: {shown(r)}" for r in codes[2] if shown(r)]
        for code in codes[1]:
            if code.startswith("tenon "):
                commands += 1
                if command.wrong(code):
                    wrong.append(f"`{code}`: {command.wrong(code)}")
            elif re.match(r"tenon_\w+", code) and not declared(code.rstrip("()")):
                wrong.append(f"`{code}`: nobody declares it")
    for one in wrong:
        print(one)
    print(f"{rows} promises, {commands} commands, {len(wrong)} wrong")
    sys.exit(1 if wrong or rows < 60 or commands < 20 else 0)


main()
