"""Free JSON values of a project file, as JSON text."""

from __future__ import annotations

from ..errors import Fault
from .keys import own_entries
from .scalars import json_scalar, json_string, key_path
from .yaml_nodes import Items, Mapping, Node, Scalar


class JsonBuilder:
    """Builds JSON text from nodes; faults are appended to the list given."""

    def __init__(self, faults: list[Fault]) -> None:
        self._faults = faults

    def build(self, node: Node, path: str) -> str | None:
        """The JSON text of a node, spaced as ``json.dumps`` does; None after a fault."""
        before = len(self._faults)
        text = self._value(node, path)
        return text if len(self._faults) == before else None

    def _value(self, node: Node, path: str) -> str:
        if isinstance(node, Items):
            items = (self._value(item, f"{path}[{i}]") for i, item in enumerate(node.items))
            return f"[{', '.join(items)}]"
        if isinstance(node, Mapping):
            pairs = (
                f"{json_string(key.text)}: {self._value(value, key_path(path, key.text))}"
                for key, value in own_entries(node, path, self._faults)
            )
            return f"{{{', '.join(pairs)}}}"
        return self._scalar(node, path)

    def _scalar(self, node: Scalar, path: str) -> str:
        if not node.plain:
            return json_string(node.text)
        try:
            return json_scalar(node.text)
        except ValueError as error:
            hint = "Put it in quotes if it is meant as text."
            self._faults.append(Fault(str(error), node.line, node.column, path, hint))
            return "null"
