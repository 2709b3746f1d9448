"""How the fields of the project file's types are described: their ``Meta``, and JSON kept as text.

Every field's description stands in its ``Meta``. Values of free JSON shape are kept as JSON text
(``JsonText``), so that a project is frozen through and through and numbers stay as written.
"""

from typing import Annotated, Any

from msgspec import Meta

JsonText = Annotated[str, Meta(extra={"json": True})]
"""A JSON document as text; in YAML it is written as the value itself."""

JsonObject = Annotated[str, Meta(extra={"json": True, "object": True})]
"""Like JsonText, and the document is an object."""

Count = Annotated[int, Meta(ge=1)]
"""A whole number from 1."""


def doc(text: str, **more: Any) -> Any:
    """The ``Meta`` of a field: what it means, and its bounds."""
    return Meta(description=text, **more)
