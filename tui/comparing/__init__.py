"""Comparing two paths, without Textual. ``screens/compare.py`` shows it, ``commands/diff.py``
prints it.

- ``subjects`` - what is compared, and what is said of it
- ``choices`` - what the branch that is shown can be compared with
- ``lines`` - a row of a comparison as lines, with the words that differ marked
- ``view`` - where the human looks in a comparison, and what is seen there
- ``head`` - what stands above and below it
"""
