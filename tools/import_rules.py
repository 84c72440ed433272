"""An import rule that needs no list of the benchmark kinds: whoever adds one is held to it too."""

from __future__ import annotations

import grimp
from importlinter import ContractCheck, fields
from importlinter.contracts.protected import ProtectedContract
from importlinter.domain.imports import ModuleExpression


class KindsContract(ProtectedContract):
    """Each package below `kinds_in` that holds an `extract` is imported by `allowed_importers` alone."""

    type_name = "kinds"

    kinds_in = fields.StringField()
    protected_modules = fields.ListField(subfield=fields.ModuleExpressionField(), required=False)

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Protect the kinds that are there."""
        kinds = [
            name for name in graph.find_children(str(self.kinds_in)) if f"{name}.extract" in graph.modules
        ]
        modules = [ModuleExpression(name) for name in sorted(kinds)]
        self.protected_modules = modules  # type: ignore[assignment] # declared as a field, read as its value
        return super().check(graph, verbose)
