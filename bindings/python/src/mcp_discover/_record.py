"""What the results have in common."""

import dataclasses
from enum import Enum
from typing import Any, TypeVar

R = TypeVar("R")
_LONGEST = 160

_new = object.__new__
_set = object.__setattr__


def make(cls: type[R], fields: dict[str, Any]) -> R:
    """A frozen record, without the cost of setting its fields one by one."""
    record = _new(cls)
    _set(record, "__dict__", fields)
    return record


class Record:
    """A frozen result; its repr shows what is there, and shortens long texts."""

    def __repr__(self) -> str:
        shown = []
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            if not field.repr:
                continue
            value = getattr(self, field.name)
            if value is None or value == field.default or value in ((), {}):
                continue
            shown.append(f"{field.name}={_shown(value)}")
        return f"{type(self).__qualname__}({', '.join(shown)})"


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return repr(value)
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]!r}... ({len(value)} characters)"
    text = repr(value)
    if isinstance(value, (dict, bytes)) and len(text) > _LONGEST:
        return f"{text[:_LONGEST]}..."
    return text
