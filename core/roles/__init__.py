"""Who acts: the built-in roles, the protocols a user's own code plugs into, and the registry."""
