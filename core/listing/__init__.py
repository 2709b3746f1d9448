"""Lists of rollouts: what is known of each, and which of them a query means.

- ``facts`` - what lists show of a rollout, worked out from its steps and marks
- ``sql`` - a query's tree as a condition of SQL
- ``rollout_list`` - the rollouts that a query means, in an order, read where they are looked at
"""
