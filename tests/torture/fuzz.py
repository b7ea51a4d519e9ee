"""Calls that follow the document of a service, its admin API or a relay, and calls that break it, from Schemathesis.

No answer is a fault of the program, and none is missing in its document. What ends something needs something to end,
each time: it is made here, for every first of two calls of such an operation that follow the document. Every operation
did at least once what it is for: calls that all fail show little.

Takes a file that says where the program is and with which keys, then options for Schemathesis.
"""

import collections
import html
import json
import pathlib
import re
import sys
import time

import requests
import schemathesis
import schemathesis.cli
from schemathesis import GenerationMode

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance"
)
INTEGRATION = "/v1/auth/integration"
TOKEN = f"{INTEGRATION}/token"
PICKUP_ID = "fuzz-0123456789abcdef0123456789abcdef"
ORDER = "fuzz-order"
LIMIT = 30  # Seconds: what has not come by then never will.

WORLD = json.loads(pathlib.Path(sys.argv[1]).read_text())
AT, SERVICE, KEYS, TILL = (WORLD[name] for name in ("at", "service", "keys", "till"))
# Those of the operator's back office, of which each has 1,000 calls, or the one of the vendor's server.
SERVER_KEYS = WORLD["serverKeys"]
ADMIN_KEYS = [] if TILL else SERVER_KEYS
# Where tills call.
TILLS = SERVICE if ADMIN_KEYS else AT
# Here messages are delivered at once, no merchant has two-step sign-in, and there is no provider.
NEVER = {"retryMessage", "dropMessage", "removeSecondFactor", "comeBack", "signOut"}
MERCHANT = {name: WORLD[name] for name in ("email", "password")}
statuses = collections.defaultdict(collections.Counter)
turns = collections.Counter()


def send(method, url, **more):
    """Asks, and asks again where it is told to wait. No error has the URL: it has secrets."""
    begun = time.monotonic()
    while True:
        answer = requests.request(method, url, timeout=60, **more)
        if answer.status_code == 200:
            return answer
        if answer.status_code != 429 or time.monotonic() - begun > LIMIT:
            raise RuntimeError(f"{method} {url.partition('?')[0]}: {answer.status_code}")
        time.sleep(0.2)


def ask(method, path, **query):
    headers = {"authorization": f"Bearer {TILL}"} if TILL else {}
    return send(method, TILLS + path, params={**KEYS, **query}, headers=headers).json()


def integration():
    return ask("POST", INTEGRATION)["integrationToken"]


def fields(page):
    """What the page's form sends by itself."""
    inputs = [dict(re.findall(r'(\w+)="([^"]*)"', tag)) | {"tag": tag} for tag in re.findall(r"<input ([^>]*)>", page)]
    kept = [at for at in inputs if at["type"] == "hidden" or (at["type"] == "radio" and "checked" in at["tag"])]
    return {at["name"]: html.unescape(at["value"]) for at in kept}


def page(token):
    about = {"client_id": KEYS["client_id"], "integration_token": token}
    return send("GET", f"{SERVICE}/connect", params=about).text


def finished():
    """An integration that the merchant has finished."""
    token = integration()
    now = page(token)
    for more in ({"action": "sign-in", **MERCHANT}, {"action": "connect", "ereceipts": "yes"}):
        now = send("POST", f"{SERVICE}/connect", data={**fields(now), **more}).text
    if 'data-page="finished"' not in now:
        raise RuntimeError("the connect page does not end as it must")
    return token


def picked_up(**query):
    token = finished()
    return token, ask("GET", TOKEN, integration_token=token, **query)


def order(number):
    lines = [{"name": "Sourdough", "quantity": 1, "unitPrice": 100, "amount": 100}]
    about = {"externalId": number, "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 100}
    return {**about, "lines": lines}


def link(access):
    """The last part of a receipt's link: sends an order with an e-receipt, and waits for its message."""
    receipt = {"phone": "+972502345678", "consent": {"id": "ereceipt-1", "locale": "en"}}
    headers = {"authorization": f"Bearer {access}", "idempotency-key": ORDER}
    send("POST", f"{AT}/v1/orders", json={**order(ORDER), "ereceipt": receipt}, headers=headers)
    messages, begun = pathlib.Path(WORLD["messages"]), time.monotonic()
    while time.monotonic() - begun < LIMIT:
        found = re.search(r"/r/([\w-]+)", messages.read_text() if messages.exists() else "")
        if found:
            return found[1]
        time.sleep(0.05)
    raise RuntimeError("no message came")


def admin(method, path, body=None):
    headers = {"authorization": f"Bearer {ADMIN_KEYS[0]}"}
    return send(method, f"{AT}/admin/v1{path}", json=body, headers=headers).json()


def make_for_admin(operation):
    turns["made"] += 1
    spare = WORLD["spare"]
    match operation:
        case "addVendor":
            return {"body": {"name": "Fuzz", "origins": ["https://till.example"]}}
        case "addAccount":
            return {"body": {"name": "Fuzz", "email": f"fuzz-{turns['made']}@fuzz.example"}}
        case "setOrigins":
            return {"path_parameters": {"clientId": spare["clientId"]}, "body": {"origins": []}}
        case "rotateSecret":
            return {"path_parameters": {"clientId": spare["clientId"]}, "body": {"endOlder": True}}
        case "disableVendor" | "enableVendor":
            return {"path_parameters": {"clientId": spare["clientId"]}}
        case "setPassword":
            return {"path_parameters": {"id": spare["id"]}, "body": {}}
        case "setRegions":
            return {"path_parameters": {"id": spare["id"]}, "body": {"regions": ["IL"]}}
        case "disableAccount" | "enableAccount" | "removeSecondFactor":
            return {"path_parameters": {"id": spare["id"]}}
        case "revokeTokenSets" | "eraseOrders" | "eraseCustomers":
            return {"body": {"vendor": spare["clientId"]}}
        case "freeOrder":
            number = f"{ORDER}-{turns['made']}"
            headers = {"authorization": f"Bearer {WORLD['access']}"}
            send("POST", f"{SERVICE}/v1/orders", json=order(number), headers=headers)
            return {"body": {"vendor": KEYS["client_id"], "store": WORLD["store"], "externalId": number}}
    return {}


def make(operation):
    """Values for a call, by their place; none where it needs none."""
    if ADMIN_KEYS:
        return make_for_admin(operation)
    match operation:
        case "getIntegration" | "cancelIntegration":
            return {"query": {"integration_token": integration()}}
        case "pickUpTokens":
            return {"query": {"integration_token": finished()}}
        case "acknowledgeTokens":
            return {"query": {"integration_token": picked_up()[0]}}
        case "sendOrder":
            turns["order"] += 1
            made = {"body": order(f"{ORDER}-{turns['order']}")}
        case "getOrder":
            made = {"path_parameters": {"externalId": ORDER}}
        case "revokeTill":
            return {"path_parameters": {"id": WORLD["till_id"]}}
        case "getConnection" | "disconnect" | "getStore" | "updateStore" | "sendCustomers":
            made = {}
        case _:
            return {} if TILL else make_at_service(operation)
    # The merchant of a till connects again whenever the fuzzer has disconnected.
    if TILL and not requests.get(f"{AT}/connection", headers={"authorization": f"Bearer {TILL}"}).json()["connected"]:
        picked_up()
    return made


def make_at_service(operation):
    match operation:
        case "showConnectPage":
            return {"query": {"client_id": KEYS["client_id"], "integration_token": integration()}}
        case "reissueTokens":
            return {"query": {"integration_token": picked_up(pickup_id=PICKUP_ID)[0], "pickup_id": PICKUP_ID}}
        case "refreshTokens":
            refresh = picked_up()[1]["refreshToken"]
            return {"body": {**KEYS, "grant_type": "refresh_token", "refresh_token": refresh}}
        case "revokeTokens":
            return {"body": {**KEYS, "token": picked_up()[1]["accessToken"]}}
        case "sendConnectForm":
            return {"body": {**fields(page(integration())), "action": "cancel"}}
        case "sendConnectionsForm":
            return {"body": {"action": "sign-in", **MERCHANT}}
        case "showReceipt":
            return {"path_parameters": {"link": WORLD["link"]}}
        case "showScannedReceipt":
            return {"path_parameters": {"link": "A" * 22}}
    return {}


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    if ADMIN_KEYS and "authorization" in (case.headers or {}):
        turns["key"] += 1
        case.headers["authorization"] = f"Bearer {ADMIN_KEYS[turns['key'] % len(ADMIN_KEYS)]}"
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    turns[operation] += 1
    made = make(operation) if turns[operation] % 2 else {}
    for place in ("query", "path_parameters"):
        if place in made:
            setattr(case, place, {**(getattr(case, place) or {}), **made[place]})
    if "body" in made:
        case.body = made["body"]


@schemathesis.hook
def after_call(context, case, response):
    # A request with another method says nothing of the operation.
    if case.method.upper() == case.operation.method.upper():
        statuses[case.operation.definition.raw.get("operationId")][response.status_code] += 1


def settings():
    """In a file: a command line can be read by everybody on the machine."""
    parameters = {"client_id": KEYS["client_id"], "integration_token": integration()}
    if ADMIN_KEYS:
        parameters = {}
        auth = {"admin_key": ("bearer", ADMIN_KEYS[0])}
        WORLD["access"] = picked_up()[1]["accessToken"]
        WORLD["store"] = admin("GET", "/accounts")["accounts"][0]["stores"][0]["id"]
        account = admin("POST", "/accounts", {"name": "Spare", "email": "spare@fuzz.example"})
        WORLD["spare"] = {**admin("POST", "/vendors", {"name": "Spare"}), "id": account["id"]}
    elif TILL:
        auth = {"till_key": ("bearer", TILL), "fleet_key": ("bearer", SERVER_KEYS[0])}
        headers = {"authorization": f"Bearer {SERVER_KEYS[0]}", "idempotency-key": "spare"}
        spare = send("POST", f"{AT}/tills", json={"merchant": "spare"}, headers=headers)
        WORLD["till_id"] = spare.json()["till"]["id"]
    else:
        access = picked_up()[1]["accessToken"]
        WORLD["link"] = link(access)
        auth = {name: ("api_key", key) for name, key in KEYS.items()} | {"access_token": ("bearer", access)}
        del parameters["client_id"]
    lines = ["[parameters]", *(f"{name} = {json.dumps(value)}" for name, value in parameters.items())]
    for name, (kind, key) in auth.items():
        lines += [f"[auth.openapi.{name}]", f"{kind} = {json.dumps(key)}"]
    file = pathlib.Path(sys.argv[1]).with_suffix(".toml")
    file.write_text("\n".join(lines))
    return file


def main():
    document = requests.get(f"{AT}/openapi.json", timeout=60)
    words = ["--config-file", str(settings()), "run", document.url, "--no-color", "--checks", CHECKS, *sys.argv[2:]]
    try:
        schemathesis.cli.schemathesis(words)
        code = 0
    except SystemExit as end:
        code = end.code
    only = [word for option, word in zip(sys.argv, sys.argv[1:]) if option == "--include-operation-id"]
    missed = []
    for path, methods in document.json()["paths"].items():
        for operation in (method["operationId"] for method in methods.values()):
            # The fuzzer leaves out the document that it has read.
            if path == "/openapi.json" or (only and operation not in only):
                continue
            answers = statuses[operation]
            print(f"fuzz: {operation} {', '.join(f'{status}: {count}' for status, count in sorted(answers.items()))}")
            if operation not in NEVER and not any(200 <= status < 300 for status in answers):
                missed.append(operation)
    print(f"fuzz: {sum(count.total() for count in statuses.values())} calls answered")
    if missed:
        print(f"never a success: {', '.join(missed)}")
    sys.exit(code or bool(missed))


main()
