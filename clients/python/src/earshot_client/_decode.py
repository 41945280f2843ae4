"""JSON of the service as records, and back."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


@cache
def _fields(record: type) -> tuple[tuple[str, str, Any, bool], ...]:
    """Name here, name in JSON, type, and whether it can be absent, for each field."""
    hints = get_type_hints(record)
    return tuple(
        (field.name, _camel(field.name), hints[field.name], field.default is not dataclasses.MISSING)
        for field in dataclasses.fields(record)
    )


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)


def decode(record: type[Record], value: object) -> Record:
    """A record of what the service answered. What a newer service adds is left out.

    Raises ValueError when the answer cannot be this record.
    """
    decoded = _decode(record, value, record.__name__)
    assert isinstance(decoded, record)
    return decoded


def decode_list(record: type[Record], value: object) -> list[Record]:
    """As decode(), for a list."""
    if not isinstance(value, list):
        raise ValueError(f"Expected a list of {record.__name__} but received {type(value).__name__}")
    return [decode(record, each) for each in value]


def _decode(kind: Any, value: object, place: str) -> object:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        (first, *_) = [each for each in get_args(kind) if each is not types.NoneType]
        return _decode(first, value, place)
    if origin is list:
        if not isinstance(value, list):
            raise ValueError(f"Expected a list at {place} but received {value!r}")
        (item,) = get_args(kind)
        return [_decode(item, each, f"{place}[{at}]") for at, each in enumerate(value)]
    if origin is dict:
        if not isinstance(value, Mapping):
            raise ValueError(f"Expected an object at {place} but received {value!r}")
        _, item = get_args(kind)
        return {key: _decode(item, each, f"{place}.{key}") for key, each in value.items()}
    if kind is datetime:
        if not isinstance(value, str):
            raise ValueError(f"Expected a time at {place} but received {value!r}")
        return datetime.fromisoformat(value)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _decode_record(kind, value, place)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    # Literals too: a newer service may know more of them.
    return value


def _decode_record(record: type, value: object, place: str) -> object:
    if not isinstance(value, Mapping):
        raise ValueError(f"Expected an object at {place} but received {value!r}")
    found: dict[str, object] = {}
    for name, key, kind, can_miss in _fields(record):
        if key in value:
            found[name] = _decode(kind, value[key], f"{place}.{key}")
        elif not can_miss:
            raise ValueError(f"Expected {key} at {place}")
    return record(**found)
