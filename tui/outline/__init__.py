"""The outline of a rollout, without Textual; ``screens/outline.py`` shows it.

- ``tree`` - the rollout's steps as a tree of segments, and what stands in each
- ``words`` - what the lines say, and what the filter finds them by
- ``model`` - the outline as it is moved in: what is unfolded, the filter, the row under the cursor
- ``rows`` - a row drawn
- ``bars`` - the line above the tree and those below it
- ``preview`` - what is told of the row under the cursor
"""
