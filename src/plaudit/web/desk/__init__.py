"""The pages of the desk, for people who run contests."""
