"""Gives a call that follows the document something that it can be about.

What ends something needs something to end, each time. The harness makes it, over a socket of its own; every second call
of such an operation keeps what the fuzzer made up.
"""

import collections
import json
import os
import urllib.request

import schemathesis
from schemathesis import GenerationMode

MAKER = os.environ["POS_FUZZ_MAKER"]
NEEDY = frozenset(os.environ["POS_FUZZ_NEEDY"].split(","))
counts = collections.Counter()


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    if operation not in NEEDY or case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    counts[operation] += 1
    if counts[operation] % 2 == 0:
        return
    with urllib.request.urlopen(f"{MAKER}/{operation}", timeout=60) as answer:
        made = json.load(answer)
    for place in ("query", "path_parameters"):
        if place in made:
            setattr(case, place, {**(getattr(case, place) or {}), **made[place]})
    if "body" in made:
        case.body = made["body"]
