"""QR codes as SVG."""

import io


def qr_svg(link: str, *, sized: bool = True) -> bytes:
    """A QR code as SVG, with the quiet zone of four modules that readers need, on white.

    One that is not `sized` is as large as the page makes it.
    """
    import segno

    out = io.BytesIO()
    code = segno.make(link, error="m", micro=False)
    shape = {"border": 4, "scale": 8, "omitsize": not sized}
    code.save(out, kind="svg", dark="#000", light="#fff", xmldecl=False, **shape)
    return out.getvalue()
