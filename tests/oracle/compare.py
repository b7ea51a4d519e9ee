"""Compares the SDK with PyPI `phonenumbers`, the reference: `cargo xtask phone-data --compare` runs it with what it needs."""
import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter

import phonenumbers as lib
from phonenumbers import phonemetadata

try:
    from re import _parser as sre
except ImportError:  # Python 3.10 and older
    import sre_parse as sre

MOBILE = (lib.PhoneNumberType.MOBILE, lib.PhoneNumberType.FIXED_LINE_OR_MOBILE)
KINDS = {lib.PhoneNumberType.MOBILE: "mobile", lib.PhoneNumberType.FIXED_LINE_OR_MOBILE: "fixed_line_or_mobile"}
DESCS = ("general_desc", "fixed_line", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip",
         "pager", "uan", "voicemail", "mobile", "mobile", "mobile")
# Scripts that each Unicode release has: Arabic, Devanagari, Thai, full width, and one beyond 16 bits.
ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10, 0x1d7ce]
LABELS = [" ext ", " ext. ", "x", " x ", "#", " # ", "~", " int ", ";ext=", ",", ",,", ";", " extn ", " anexo ", " доб. ",
          " extensión ", " - ", " extra "]
BEFORE = ["Tel. ", "phone: ", "(", "*", "#", "a", "”", "tel:"]
AFTER = ["”", ")", "。", " €", "ש", "²", "#", "a", " x", ";isub=12", ";foo=bar", ";phone-context=+972",
         ";phone-context=example.com", ";phone-context="]
MARKS = "-x‐–—−ー－．／ \u00a0\u00ad\u200b\u2060\u3000()（）［］[]./~⁓∼*_\u200e"
INVALID = ["invalid", None, None, None, None, None, None]


def answer(region, text):
    """What the contract says in terms of the reference."""
    try:
        number = lib.parse(text, region)
    except lib.NumberParseException:
        return INVALID
    # Its formats have the extension; ours have it apart.
    extension, number.extension = number.extension, None
    extension = extension and "".join(str(unicodedata.digit(digit)) for digit in extension)
    kind = lib.number_type(number)
    e164 = lib.format_number(number, lib.PhoneNumberFormat.E164)
    if lib.is_valid_number(number) and kind in MOBILE:
        return ["valid", e164, lib.format_number(number, lib.PhoneNumberFormat.NATIONAL),
                lib.format_number(number, lib.PhoneNumberFormat.INTERNATIONAL),
                lib.region_code_for_number(number), KINDS[kind], extension]
    reason = lib.is_possible_number_for_type_with_reason(number, lib.PhoneNumberType.MOBILE)
    if reason == lib.ValidationResult.IS_POSSIBLE:
        return ["possible", e164, None, None, None, None, extension]
    return INVALID


class Words:
    """Random strings that a pattern matches."""

    def __init__(self, rng):
        self.rng = rng
        self.parsed = {}

    def of(self, pattern):
        if pattern not in self.parsed:
            self.parsed[pattern] = sre.parse(pattern)
        return "".join(self.node(op, value) for op, value in self.parsed[pattern])

    def node(self, op, value):
        name = str(op)
        if name == "LITERAL":
            return chr(value)
        if name == "IN":
            return self.choice(value)
        if name == "BRANCH":
            return "".join(self.node(*node) for node in self.rng.choice(value[1]))
        if name == "SUBPATTERN":
            return "".join(self.node(*node) for node in value[-1])
        if name == "MAX_REPEAT":
            low, high, inner = value
            return "".join(self.node(*node) for _ in range(self.rng.randint(low, high)) for node in inner)
        return ""

    def choice(self, items):
        digits = []
        for op, value in items:
            if str(op) == "LITERAL":
                digits.append(chr(value))
            elif str(op) == "RANGE":
                digits.extend(map(chr, range(value[0], value[1] + 1)))
            else:
                digits.extend("0123456789")
        return self.rng.choice(digits)


def mutate(rng, text):
    at = rng.randrange(len(text))
    digit = str(rng.randrange(10))
    return rng.choice([text[:at] + digit + text[at + 1:], text[:at] + text[at + 1:], text[:at] + digit + text[at:]])


def vector(rng, words, metadata, home):
    """A class and an input; `metadata` is the number's, `home` that of the region it is typed in."""
    code = str(metadata.country_code)
    descs = [desc for desc in (getattr(metadata, name) for name in DESCS) if desc and desc.national_number_pattern]
    number = words.of(rng.choice(descs).national_number_pattern)
    prefix = words.of(metadata.national_prefix_for_parsing) if metadata.national_prefix_for_parsing else ""
    idd = words.of(home.international_prefix) if home.international_prefix else "00"
    if rng.random() < 0.25:
        number = mutate(rng, number)
    name, text = rng.choice([
        ("national", number), ("prefix", prefix + number), ("prefix", (metadata.national_prefix or "") + number),
        ("plus", "+" + code + number), ("plus prefix", "+" + code + prefix + number),
        ("international prefix", idd + code + number), ("international prefix", "+" + idd + code + number),
        ("code", code + number), ("code prefix", code + prefix + number),
        ("random", "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 19)))),
        ("random plus", "+" + code + "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 15)))),
        ("plus inside", mutate(rng, number) + rng.choice(["+", "+1", "++"])),
    ])
    if text and rng.random() < 0.05:
        text = mutate(rng, text)
    if rng.random() < 0.05:
        zero = rng.choice(ZEROS)
        name, text = "other digits", text.translate({48 + digit: zero + digit for digit in range(10)})
    if rng.random() < 0.1:
        name, text = "separators", re.sub(r"(?<=\d)(?=\d)", lambda _: rng.choice(["", "", "", " ", "-", ".", "/"]), text)
    if rng.random() < 0.1:
        name, text = written(rng, text)
    return name, text


def written(rng, text):
    """What may stand in a number and around it."""
    extension = "".join(rng.choice("0123456789") for _ in range(rng.choice([1, 3, 6, 12, 21])))
    letters = "".join(rng.choice("aBcxYz") if rng.random() < 0.2 else char for char in text)
    marks = "".join(char + (rng.choice(MARKS) if rng.random() < 0.2 else "") for char in text)
    return rng.choice([
        ("extension", text + rng.choice(LABELS) + extension + rng.choice(["", "", "#"])),
        ("letters", letters), ("punctuation", marks),
        ("something before", rng.choice(BEFORE) + text), ("something after", text + rng.choice(AFTER)),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the built phone-oracle")
    parser.add_argument("--vectors", type=int, default=10_000, help="for each region")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    differences = Counter()
    total = 0
    regions = sorted(lib.SUPPORTED_REGIONS)
    every = [phonemetadata.PhoneMetadata.metadata_for_region(region) for region in regions]
    every += [phonemetadata.PhoneMetadata.metadata_for_nongeo_region(code) for code in lib.COUNTRY_CODES_FOR_NON_GEO_REGIONS]
    for region in regions:
        rng = random.Random(f"{options.seed} {region}")
        words = Words(rng)
        home = phonemetadata.PhoneMetadata.metadata_for_region(region)
        pairs = [vector(rng, words, home if rng.random() < 0.8 else rng.choice(every), home) for _ in range(options.vectors)]
        with tempfile.TemporaryFile("w+", encoding="utf-8") as lines:
            lines.writelines(f"{region}\t{text}\n" for _, text in pairs)
            lines.seek(0)
            ours = subprocess.run([options.program], stdin=lines, stdout=subprocess.PIPE, check=True).stdout
        for (name, text), line in zip(pairs, ours.decode().splitlines(), strict=True):
            total += 1
            got, wanted = json.loads(line), answer(region, text)
            if got != wanted:
                differences[region, name] += 1
                if sum(differences.values()) <= 20:
                    print(f"{region}, {name}: {text!r}: {got}, reference {wanted}")
    print(f"{total} numbers of {len(regions)} regions against phonenumbers {lib.__version__}: "
          f"{sum(differences.values())} differences")
    for (region, name), count in differences.most_common(20):
        print(f"  {region}, {name}: {count}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
