"""What the formats of package descriptions ask, as their authors write it: names of fields, what
must be there, and which values are taken. Each function returns the faults it found."""
import re

SEMVER = r"\d+\.\d+\.\d+"
URI = r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+"

# field: (must it be there, the form of its value). Of Arduino's library specification 2.2, with the
# limits of its linter.
ARDUINO = {
    "name": (True, r"(?!(?i:arduino))(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 _.\-]{0,62}"),
    "version": (True, SEMVER),
    "author": (True, r".+"),
    "maintainer": (True, r"(?!(?i:arduino)).+"),
    "sentence": (True, r".+"),
    "paragraph": (True, r".*"),
    "category": (True, "Display|Communication|Signal Input/Output|Sensors|Device Control|Timing|"
                 "Data Storage|Data Processing|Other"),
    "url": (True, URI),
    "architectures": (True, r"\*|[a-z0-9_]+(,[a-z0-9_]+)*"),
    "depends": (False, r".+"),
    "dot_a_linkage": (False, "true|false"),
    "includes": (False, r"[^,\s]+(,[^,\s]+)*"),
    "precompiled": (False, "true|full|false"),
    "ldflags": (False, r"-.*"),
}

# Of PlatformIO's library.json: the type beside the form.
PLATFORMIO = {
    "name": (True, str, r"[^:;/,@<>]{1,100}"),
    "version": (True, str, SEMVER),
    "description": (True, str, r".{1,1000}"),
    "keywords": (True, str, r"[a-z0-9][a-z0-9\-_+. ]{0,49}(, ?[a-z0-9][a-z0-9\-_+. ]{0,49})*"),
    "frameworks": (False, str, r"\*|[a-z0-9]+(, ?[a-z0-9]+)*"),
    "platforms": (False, str, r"\*|[a-z0-9]+(, ?[a-z0-9]+)*"),
    "headers": (False, str, r"[^\s]+\.h"),
    "license": (False, str, r".{1,255}"),
    "homepage": (False, str, URI),
    "authors": (False, dict, None),
    "build": (False, dict, None),
}
PLATFORMIO_BUILD = {
    "srcDir": (False, str, r"[^/].*"),
    "includeDir": (False, str, r"[^/].*"),
    "flags": (False, str, r"-.*"),
    "srcFilter": (False, str, r".*"),
    "libArchive": (False, bool, None),
}

# Of ESP-IDF's idf_component.yml, and of Zephyr's module.yml: scalars, with the key above them.
ESP_IDF = {
    "version": (True, rf'"{SEMVER}"'),
    "description": (False, r"[^#\s].*"),
    "url": (False, URI),
    "license": (False, r"\S+"),
    "maintainers": (False, r'\["[^"]+"\]'),
}
ZEPHYR = {
    "name": (False, r"[A-Za-z0-9_.\-]+"),
    "build": (False, r""),
    "build.cmake": (False, r"[^/\s][^\s]*"),
    "build.kconfig": (False, r"[^/\s][^\s]*"),
}


def faults(found, table):
    """Of a flat map of texts."""
    wrong = [f"no {key}" for key, row in table.items() if row[0] and key not in found]
    for key, value in found.items():
        if key not in table:
            wrong.append(f"nobody knows {key}")
            continue
        kind = table[key][1] if len(table[key]) == 3 else str
        form = table[key][-1]
        if not isinstance(value, kind):
            wrong.append(f"{key}: {value!r} is no {kind.__name__}")
        elif form is not None and not re.fullmatch(form, value):
            wrong.append(f"{key}: {value!r}")
    return wrong


def properties(text):
    """key=value lines, each key once; what is no such line has the key ''."""
    found = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        found["" if not equals or key != key.strip() or key in found else key] = value
    return found


def yaml(text):
    """The few forms that are written: 'key: value', and one level of keys below a 'key:'."""
    found, above = {}, ""
    for line in text.splitlines():
        match = re.fullmatch(r"(  )?([a-z_]+):(?: (\S.*))?", line)
        if not match:
            found[""] = line
            continue
        above = above if match[1] else ""
        found[above + match[2]] = match[3] or ""
        if not match[3]:
            above = match[2] + "."
    return found


def arduino(text, files):
    """Of a library.properties, and of where the files of the library lie."""
    found = properties(text)
    wrong = faults(found, ARDUINO)
    wrong += [f"includes: no src/{name}" for name in found.get("includes", "").split(",")
              if name and f"src/{name}" not in files]
    # What is in src/ makes it a library of format 1.5, where these are not allowed.
    wrong += [f"{name} lies where nothing may" for name in files
              if name.startswith("utility/") or name.endswith((".pde", ".exe")) or
             # A sketch is an example, in a folder of its name.
             name.endswith(".ino") and not re.fullmatch(r"examples/(\w+)/\1\.ino", name)]
    if found.get("sentence") and found.get("paragraph", "").startswith(found["sentence"]):
        wrong.append("paragraph repeats the sentence in front of it")
    return wrong


def platformio(found):
    name = found.get("authors", {}).get("name")
    wrong = [] if name or "authors" not in found else ["an author without a name"]
    return wrong + faults(found, PLATFORMIO) + faults(found.get("build", {}), PLATFORMIO_BUILD)


def esp_idf(text):
    return faults(yaml(text), ESP_IDF)


def zephyr(text):
    return faults(yaml(text), ZEPHYR)
