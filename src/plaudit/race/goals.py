"""What a race is for: the best `top` items, or all items within epsilon of the best."""

TOP_GOAL, ALL_GOOD_GOAL = "top", "all-good"
GOALS = (TOP_GOAL, ALL_GOOD_GOAL)
