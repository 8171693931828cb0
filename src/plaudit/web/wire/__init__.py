"""The formats of the HTTP API: what comes in and what goes out, checked by msgspec."""
