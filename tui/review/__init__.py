"""The queue's screen, the parts without Textual: the rollout at hand in one column, what stands at
the side, the lines above and below.
"""
