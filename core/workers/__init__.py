"""Child processes, spoken to over pipes: user's own python roles, and the model gateway."""
