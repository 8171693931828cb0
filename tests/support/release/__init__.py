"""What tests of wheels share: a local index, and environments with nothing else in them."""
