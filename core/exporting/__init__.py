"""From saved rollouts to files: many at once, in memory that does not grow with their number.

- ``plan`` - what is asked for: the format, which branches, whose replies, what is left out
- ``items`` - where rollouts come from: a library, by id or by query, and bundles
- ``subjects`` - from a saved rollout to the trajectories that are written
- ``perspective``, ``asked``, ``answers``, ``role_subject`` - as other roles lived them
- ``searching`` - secrets and hidden characters in what is written; ``redacting`` takes secrets out
- ``provenance`` - what stands beside an export: who made each message
- ``staging`` - files that appear whole, or not at all
- ``outputs`` - from trajectories to those files: one, one each, train and test
- ``tally`` - what was read, written, skipped, lost and found
- ``many`` - all of it in a row: ``export_many``
- ``one`` - a single trajectory: its report, its bytes
"""
