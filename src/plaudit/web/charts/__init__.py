"""Charts drawn as SVG on the server."""
