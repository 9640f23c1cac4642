"""How lists are asked for: in pages, and with filters."""

from fnmatch import fnmatchcase
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError


def page(response: Any, items: list[Any], name: str) -> ActionResult:
    """As many as were asked for, and where to go on."""
    start = int(response.params.get("NextToken") or 0)
    size = int(response.params.get("MaxResults") or len(items) or 1)
    end = start + size
    return ActionResult({name: items[start:end], **({"NextToken": str(end)} if end < len(items) else {})})


def matches(item: dict[str, Any], filters: dict[str, list[str]], fields: dict[str, str]) -> bool:
    tags = {tag["Key"]: tag["Value"] for tag in item.get("Tags", [])}
    for name, patterns in filters.items():
        if name.startswith("tag:"):
            values = [tags[name[4:]]] if name[4:] in tags else []
        elif name == "tag-key":
            values = list(tags)
        elif name in fields:
            values = [str(item.get(fields[name], ""))]
        else:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid")
        if not any(fnmatchcase(value, pattern) for value in values for pattern in patterns):
            return False
    return True
