"""Texts that people read: marking them for the catalogues of translations."""


def N_(text: str) -> str:  # noqa: N802 (the name that gettext's tools look for)
    """Marks a text for the catalogue; it is translated where it is shown."""
    return text
