"""A package, so that its services and its browser end with the last test that needs them."""
