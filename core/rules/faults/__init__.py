"""Faults: tool results that go wrong on purpose. ``docs/faults.md`` is their page for people. Pure;
nothing is imported here, so that a play without faults loads none of it.

- ``kinds`` - the built-in kinds and the project's own; what each gives at a place
- ``drawing`` - which of a project's rules answers a call, and where a human may inject a fault
- ``texts`` - the bodies of the built-in kinds
- ``misfit`` - a result that fails its tool's ``returns``
"""
