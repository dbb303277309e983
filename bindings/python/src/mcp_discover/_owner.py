"""What owns memory of the library."""

from typing import Any, Optional

from ._library import lib


class Owner:
    """Owns an object of the library, which it frees once: so it cannot be copied."""

    # Within reach also when the interpreter ends.
    _library = lib
    #: Of the object, until it is freed or given away.
    _address: Optional[int] = None

    def _give_up(self) -> Optional[int]:
        """The address, for whoever frees the object now; None if that was done before."""
        address, self._address = self._address, None
        return address

    def __reduce__(self) -> "tuple[Any, ...]":
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: what it holds exists once")
