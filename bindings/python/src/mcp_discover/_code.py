"""What the enumerations of codes have in common."""

from enum import Enum
from typing import TypeVar

C = TypeVar("C", bound="Code")


class Code(str, Enum):
    """A code of the library: a text, its name in JSON, and behind it the number it has in C.

    A name or number that this version does not know makes a member that is not listed, so that verdicts of later
    versions can be read: ``Era("later")`` is equal to ``"later"``, and to no member that is.
    """

    _value_: str
    code: int

    def __new__(cls, name: str, code: int = -1) -> "Code":
        member = str.__new__(cls, name)
        member._value_ = name
        member.code = code
        return member

    @classmethod
    def of(cls: "type[C]", code: int) -> C:
        """The member with this number in C."""
        for member in cls:
            if member.code == code:
                return member
        return cls._unlisted(f"unrecognized_{code}", code)

    @property
    def is_known(self) -> bool:
        """Whether this version of the package knows the code."""
        return type(self).__members__.get(self.name) is self

    @classmethod
    def _missing_(cls: "type[C]", value: object) -> C:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is no {cls.__name__}: expected a text")
        return cls._unlisted(value, -1)

    @classmethod
    def _unlisted(cls: "type[C]", name: str, code: int) -> C:
        member = str.__new__(cls, name)
        member._name_ = name.upper()
        member._value_ = name
        member.code = code
        return member

    def __str__(self) -> str:
        return self._value_

    def __format__(self, spec: str) -> str:
        return format(self._value_, spec)

    def __repr__(self) -> str:
        known = "" if self.is_known else " (unknown to this version)"
        return f"<{type(self).__name__}.{self._name_}{known}>" if known else f"{type(self).__name__}.{self._name_}"

    __hash__ = str.__hash__

    def __reduce_ex__(self, protocol: object) -> "tuple[object, ...]":
        return type(self), (self._value_,)
