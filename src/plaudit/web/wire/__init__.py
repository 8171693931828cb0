"""The formats of the HTTP API: requests and answers, checked by msgspec."""
