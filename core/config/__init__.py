"""What a user may set once for all: one TOML file, one for a folder, the environment.

- ``keys`` - every key with its type, its default and what it means
- ``loading`` - from files and the environment to a checked ``Config``
- ``page`` - all keys as a documented TOML file
"""
