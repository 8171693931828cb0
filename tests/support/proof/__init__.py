"""What tests of proof share: contests with votes, and what a notary signed of them."""
