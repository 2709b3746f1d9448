"""The library screen's pure parts: which columns, one row, the page beside the table."""
