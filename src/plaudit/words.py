"""Words for people: texts are marked here, and translated where they are shown."""


def N_(text: str) -> str:  # noqa: N802
    """Marks a text for the catalogue; it is translated where it is shown."""
    return text
