"""rollstep's engine: no Textual, no printing; usable from a notebook.

Importing this package loads neither litellm nor Textual.
"""
