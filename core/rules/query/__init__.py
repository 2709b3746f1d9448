"""The query language, and what it may ask of steps: what breakpoints look for, and what lists are
filtered by. ``docs/query.md`` is its page for people. Pure; nothing is imported here, so that who
asks no query loads none of it.

The language, whatever the things are that it is asked of:

- ``nodes`` - what a query is made of: the fields of a vocabulary, and the tree
- ``parsing`` - from a text to the tree, with errors that name the column
- ``habits`` - what other languages write otherwise, as hints in those errors
- ``compiling`` - from the tree to a function that answers it
- ``completion`` - what could stand at the cursor of a query that is being typed

Steps:

- ``step_facts`` - one step as queries look at it, and its shape
- ``step_fields`` - the vocabulary of steps, and how each field is read
- ``step_query`` - a query compiled for each shape of step, and asked of any step of a path
- ``path_facts`` - the facts of a path, computed where they are asked for
- ``step_values`` - the values that occur in a path, for completion
- ``schema_values`` - the members and values that the project's tools declare, for completion
"""
