"""From the bytes of a file to imported trajectories; every format's reader is built on this."""
