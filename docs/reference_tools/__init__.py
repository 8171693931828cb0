"""What the reference is made with: the list of what is public, and its text for Sphinx."""
