"""HTTP: routes, wire formats, security, pages."""
