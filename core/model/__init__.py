"""What things are: frozen types, pure. Imports nothing above it.

The modules of types that are stored do not postpone their annotations: msgspec would have to
compile each of them from its text when the first rollout is read, which start-up feels.
"""
