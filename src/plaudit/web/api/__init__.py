"""The HTTP API: its routes, and the OpenAPI document made from them."""
