"""The way in: counts calls, lets faults happen, answers for services that moto lacks, and keeps slow answers."""

import hashlib
import io
import json
import os
import re
import socket
import threading
import time
from typing import Any
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

import catalogue
import control
from moto.ec2.models.instance_types import INSTANCE_TYPES
from prices import on_demand_price
from state import Fault, lock, state

#: Their answers never change, and moto takes seconds to make them.
STATIC_ACTIONS = {"DescribeInstanceTypes", "DescribeInstanceTypeOfferings"}
PRODUCTS_A_PAGE = 100


class Call:
    def __init__(self, environ: dict[str, Any], body: bytes) -> None:
        scope = re.search(r"Credential=[^/]+/[^/]+/([^/]+)/([^/]+)/", environ.get("HTTP_AUTHORIZATION", ""))
        self.region, self.service = scope.groups() if scope else ("", "")
        self.path = environ.get("PATH_INFO", "")
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        self.is_json = bool(target)
        self.params: dict[str, Any] = {}
        if target:
            self.action = target.rpartition(".")[2]
            self.params = json.loads(body or b"{}")
        elif self.service in ("ec2", "iam", "sts"):
            self.params = dict(parse_qsl(body.decode(), keep_blank_values=True))
            self.action = self.params.pop("Action", "")
            self.params.pop("Version", None)
        else:
            self.action = _rest_action(environ["REQUEST_METHOD"], self.path)

    def told(self) -> dict[str, Any]:
        params = {name: value for name, value in self.params.items() if not name.endswith("UserData")}
        return {"service": self.service, "action": self.action, "at": time.time() * 1000, "params": params}


def _rest_action(method: str, path: str) -> str:
    if method == "GET" and re.fullmatch(r"/clusters/[^/]+", path):
        return "DescribeCluster"
    if method == "GET" and path.startswith("/managedresources/"):
        return "GetManagedResource"
    return f"{method} {path}"


class Gate:
    def __init__(self, app: Any, cache_folder: str) -> None:
        self.app = app
        self.cache_folder = cache_folder
        # What is kept was made by these lines.
        with open(catalogue.__file__, "rb") as source:
            self.maker = hashlib.sha256(source.read()).hexdigest()
        self.cache: dict[str, tuple[str, list[tuple[str, str]], bytes]] = {}
        self.cache_locks: dict[str, threading.Lock] = {}

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length) if length else b""
        environ["wsgi.input"] = io.BytesIO(body)
        path = environ.get("PATH_INFO", "")
        if path.startswith("/_ctl/"):
            return _control(path[6:], body, start_response)
        if path.startswith("/moto-api"):
            return self.app(environ, start_response)
        call = Call(environ, body)
        told = call.told()
        state.remember(told)
        state.apply_due_changes()
        fault = self._fault(call, environ)
        if fault is not None and fault.kind == "drop-before":
            told["status"] = 0
            return _drop(environ, start_response)
        if fault is not None and fault.kind in ("error", "bucket"):
            told["status"] = fault.status
            return _error(call, fault, start_response)
        status, headers, content = self._answer(call, environ, body)
        told["status"] = int(status.split()[0])
        if fault is not None and fault.kind == "drop-after":
            told["isDropped"] = True
            return _drop(environ, start_response)
        start_response(status, headers)
        return [content]

    def _fault(self, call: Call, environ: dict[str, Any]) -> Fault | None:
        """The first that is due decides; delays come on top."""
        delay, found = 0.0, None
        with lock:
            for fault in state.faults:
                if fault.action not in ("*", call.action) or fault.times <= 0:
                    continue
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                if fault.kind == "delay":
                    fault.times -= 1
                    delay += fault.milliseconds
                elif found is None and (fault.kind != "bucket" or _is_empty(fault)):
                    fault.times -= 1
                    found = fault
        if delay > 0:
            time.sleep(delay / 1000)
        return found

    def _answer(self, call: Call, environ: dict[str, Any], body: bytes) -> tuple[str, list[tuple[str, str]], bytes]:
        if call.service == "pricing" and call.action == "GetProducts":
            return _json(_products(call.params))
        if call.action == "GetManagedResource":
            return _json({"arn": call.path, "name": call.path, "appliedWeights": {}, "zonalShifts": state.zonal_shifts})
        if call.action in STATIC_ACTIONS and call.params.get("DryRun") != "true":
            return self._kept(call, environ)
        return self._run(environ)

    def _run(self, environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes]:
        begun: list[Any] = []
        chunks = self.app(environ, lambda status, headers, _=None: begun.extend((status, headers)))
        content = b"".join(chunks)
        return begun[0], begun[1], content

    def _kept(self, call: Call, environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes]:
        asked = json.dumps([self.maker, call.region, call.action, sorted(call.params.items())])
        name = hashlib.sha256(asked.encode()).hexdigest()[:32]
        with lock:
            own_lock = self.cache_locks.setdefault(name, threading.Lock())
        with own_lock:
            if name in self.cache:
                return self.cache[name]
            file = os.path.join(self.cache_folder, name)
            if os.path.exists(file):
                with open(file, "rb") as stored:
                    answer = ("200 OK", [("Content-Type", "text/xml")], stored.read())
            else:
                answer = self._run(environ)
                if not answer[0].startswith("200"):
                    return answer
                # Renamed into place, so that nobody reads half of it.
                with open(f"{file}.{os.getpid()}", "wb") as unfinished:
                    unfinished.write(answer[2])
                os.replace(f"{file}.{os.getpid()}", file)
            self.cache[name] = answer
            return answer


def _is_empty(bucket: Fault) -> bool:
    now = time.monotonic()
    bucket.tokens = min(bucket.capacity, bucket.tokens + (now - bucket.touched) * bucket.refill)
    bucket.touched = now
    if bucket.tokens < 1:
        return True
    bucket.tokens -= 1
    return False


def _drop(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Nobody learns what has become of the call."""
    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    start_response("500 Internal Server Error", [])
    return [b""]


def _error(call: Call, fault: Fault, start_response: Any) -> list[bytes]:
    status = f"{fault.status} Error"
    if call.is_json or call.service not in ("ec2", "iam", "sts"):
        content = json.dumps({"__type": fault.code, "code": fault.code, "message": fault.message}).encode()
        headers = [("Content-Type", "application/x-amz-json-1.1"), ("x-amzn-ErrorType", fault.code)]
    else:
        error = f"<Code>{escape(fault.code)}</Code><Message>{escape(fault.message)}</Message>"
        content = (
            f"<Response><Errors><Error>{error}</Error></Errors><RequestID>0</RequestID></Response>"
            if call.service == "ec2"
            else f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error><RequestId>0</RequestId></ErrorResponse>"
        ).encode()
        headers = [("Content-Type", "text/xml")]
    start_response(status, headers)
    return [content]


def _control(name: str, body: bytes, start_response: Any) -> list[bytes]:
    route = control.routes.get(name)
    if route is None:
        start_response("404 Not Found", [])
        return [f"there is no /_ctl/{name}".encode()]
    content = json.dumps(route(json.loads(body or b"{}")), default=str).encode()
    start_response("200 OK", [("Content-Type", "application/json")])
    return [content]


def _json(value: Any) -> tuple[str, list[tuple[str, str]], bytes]:
    return "200 OK", [("Content-Type", "application/x-amz-json-1.1")], json.dumps(value).encode()


def _products(params: dict[str, Any]) -> dict[str, Any]:
    filters = {f["Field"]: f["Value"] for f in params.get("Filters", [])}
    is_metal = filters.get("productFamily", "").endswith("(bare metal)")
    currency = "CNY" if filters.get("regionCode", "").startswith("cn-") else "USD"
    names = sorted(name for name in INSTANCE_TYPES if ("metal" in name) == is_metal)
    priced = [(name, f"{price:.6f}") for name in names if (price := on_demand_price(name)) is not None]
    start = int(params.get("NextToken") or 0)
    end = start + int(params.get("MaxResults") or PRODUCTS_A_PAGE)
    products = [
        json.dumps(
            {
                "product": {"attributes": {"instanceType": name}},
                "terms": {"OnDemand": {"term": {"priceDimensions": {"rate": {"pricePerUnit": {currency: price}}}}}},
            }
        )
        for name, price in priced[start:end]
    ]
    return {
        "FormatVersion": "aws_v1",
        "PriceList": products,
        **({"NextToken": str(end)} if end < len(priced) else {}),
    }
