"""The network as tests need it: lines that are cut, receivers that misbehave, certificates."""
