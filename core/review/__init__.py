"""The queue of ``rollstep review``: many rollouts, one person, one after the other.

- ``queue`` - the frozen list with its place and what was decided; how far it is. Pure
- ``reading`` - which steps of a rollout a person has read
- ``keeping`` - queues in a library: begun, gone on with, listed
- ``giving`` - marks on rollouts of the queue, given and taken back
"""
