"""The desk's list of what raters proposed: to take, to change and take, to refuse."""
