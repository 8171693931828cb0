"""Uploaded pictures: known by their content, and refused if they could do more than show."""

import base64
import gzip
import struct
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plaudit.errors import InvalidInput
from plaudit.service.intake.images.checking import MAX_BYTES, check_image
from plaudit.service.intake.images.svg_uses import MAX_DRAWN
from support.images import GIF, JPEG, PLAIN_SVG, PNG, SVG

WEBP_LOSSY = base64.b64decode(
    "UklGRjoAAABXRUJQVlA4IC4AAACwAQCdASoDAAIAAUAmJaACdLoABDAAAP7x3I/4DdfFtMv/vYL/3YL/3YL/WwAA"
)
WEBP_LOSSLESS = base64.b64decode("UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQjyLXo/+BiOh/AAA=")
WEBP_MOVING = base64.b64decode(
    "UklGRqoAAABXRUJQVlA4WAoAAAACAAAAAgAAAQAAQU5JTQYAAAAAAAAAAABBTk1GRgAAAAAAAAAAAAIAAAEAAAAAAAJW"
    "UDggLgAAADABAJ0BKgMAAgABQCYloAADcAD+8dyP/+xfytfytUv//+9gv/9xn//3Gf/T4ABBTk1GMAAAAAAAAAAAAAIA"
    "AAEAAAAAAABWUDggGAAAADQBAJ0BKgMAAgAAACYlpAADcAD+/TZoAA=="
)
WHOLE = {
    "png": (PNG, "image/png"),
    "jpeg": (JPEG, "image/jpeg"),
    "gif": (GIF, "image/gif"),
    "webp lossy": (WEBP_LOSSY, "image/webp"),
    "webp lossless": (WEBP_LOSSLESS, "image/webp"),
    "webp moving": (WEBP_MOVING, "image/webp"),
    "svg": (PLAIN_SVG, "image/svg+xml"),
}
whole = pytest.mark.parametrize(("body", "media_type"), WHOLE.values(), ids=WHOLE)


def refusal(body: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        check_image(body)
    return str(caught.value)


def drawing(inside: str, *, attributes: str = "") -> bytes:
    return f'<svg xmlns="{SVG}" {attributes}>{inside}</svg>'.encode()


def png_chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def png_with(header: bytes) -> bytes:
    return b"".join(
        (PNG[:8], png_chunk(b"IHDR", header), png_chunk(b"IDAT", b"x"), png_chunk(b"IEND", b""))
    )


# What a file is


@whole
def test_a_picture_is_known_by_its_content(body: bytes, media_type: str) -> None:
    assert check_image(body) == media_type


@whole
def test_a_picture_cut_off_anywhere_is_refused(body: bytes, media_type: str) -> None:
    # A GIF may end after any whole block that follows a frame.
    extension = GIF.index(b"!\xf9")
    whole_blocks = {extension, extension + 8, len(GIF) - 1} if body == GIF else set()
    for length in set(range(len(body))) - whole_blocks:
        assert refusal(body[:length])


@whole
@given(noise=st.binary(max_size=200))
def test_what_follows_a_picture_does_not_change_what_it_is(
    body: bytes, media_type: str, noise: bytes
) -> None:
    if media_type == "image/svg+xml":
        noise = b"\n" * len(noise)
    assert check_image(body + noise) == media_type


@given(body=st.binary(max_size=300))
@example(b"")
@example(b"BM\x00\x00")
@example(b"<html><script>alert(1)</script></html>")
@example(b"%PDF-1.7")
@example(b"RIFF\x00\x00\x00\x00WAVE")
@example(b"\x00\x00\x00\x18ftypavif")
def test_anything_else_is_refused_and_what_is_allowed_is_said(body: bytes) -> None:
    assert refusal(body)


@pytest.mark.parametrize("start", [PNG[:8], b"\xff\xd8\xff", b"GIF89a", b"RIFF\x40\0\0\0WEBP"])
@given(rest=st.binary(max_size=200))
def test_the_first_bytes_alone_make_no_picture(start: bytes, rest: bytes) -> None:
    try:
        assert check_image(start + rest) in ("image/gif", "image/jpeg")
        assert len(rest) > 8  # chance made a frame
    except InvalidInput:
        pass


@pytest.mark.parametrize("start", [PNG[:8], PNG[:33], b"GIF89a", b"\xff\xd8\xff", WEBP_LOSSY[:20]])
def test_html_behind_a_header_is_refused(start: bytes) -> None:
    assert "is not one" in refusal(start + b"<html><script>alert(1)</script></html>" * 9)


@given(place=st.integers(0, len(PNG) - 1), change=st.integers(1, 255))
def test_a_changed_byte_of_a_png_is_noticed(place: int, change: int) -> None:
    body = bytearray(PNG)
    body[place] ^= change
    assert refusal(bytes(body))


# How large it may be


def test_a_file_of_too_many_bytes_is_refused() -> None:
    assert check_image(PNG + bytes(MAX_BYTES - len(PNG))) == "image/png"
    assert "5,000,001 bytes" in refusal(PNG + bytes(MAX_BYTES - len(PNG) + 1))


def test_a_picture_of_too_many_pixels_is_refused_by_its_header() -> None:
    def png(width: int, height: int) -> bytes:
        return png_with(struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))

    assert check_image(png(8000, 5000)) == "image/png"
    assert "8,001 × 5,000 pixels" in refusal(png(8001, 5000))
    jpeg = JPEG.replace(struct.pack(">HH", 2, 3), struct.pack(">HH", 60000, 60000))
    assert "60,000 × 60,000" in refusal(jpeg)
    gif = GIF.replace(struct.pack("<HH", 3, 2), struct.pack("<HH", 60000, 60000), 1)
    assert "60,000 × 60,000" in refusal(gif)
    frame = struct.pack("<HHHH", 0, 0, 3, 2)
    large = struct.pack("<HHHH", 0, 0, 60000, 60000)
    assert "60,000 × 60,000" in refusal(GIF[::-1].replace(frame[::-1], large[::-1], 1)[::-1])
    lossy = WEBP_LOSSY.replace(struct.pack("<HH", 3, 2), struct.pack("<HH", 16383, 16383))
    assert "16,383 × 16,383" in refusal(lossy)
    place = WEBP_LOSSLESS.index(b"VP8L") + 9
    lossless = WEBP_LOSSLESS[:place] + b"\xff\xff\xff\x0f" + WEBP_LOSSLESS[place + 4 :]
    assert "16,384 × 16,384" in refusal(lossless)
    canvas = WEBP_MOVING.replace(b"\x02\0\0\x01\0\0", b"\xff\xff\xff\xff\xff\xff", 1)
    assert "16,777,216 × 16,777,216" in refusal(canvas)
    assert "100,000 × 1,000" in refusal(drawing("", attributes='width="100000px" height="1000"'))


@pytest.mark.parametrize(
    "header",
    [
        struct.pack(">IIBBBBB", 0, 2, 8, 2, 0, 0, 0),
        struct.pack(">IIBBBBB", 3, 0, 8, 2, 0, 0, 0),
        struct.pack(">IIBBBBB", 3, 2**31, 8, 2, 0, 0, 0),
        struct.pack(">IIBBBBB", 3, 2, 3, 2, 0, 0, 0),
        struct.pack(">IIBBBBB", 3, 2, 8, 5, 0, 0, 0),
        struct.pack(">IIBBBBB", 3, 2, 8, 2, 1, 0, 0),
        struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 1, 0),
        struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 2),
        struct.pack(">IIBBBB", 3, 2, 8, 2, 0, 0),
    ],
)
def test_a_png_header_that_makes_no_sense_is_refused(header: bytes) -> None:
    assert "header" in refusal(png_with(header))


def test_a_png_without_a_picture_or_with_its_header_later_is_refused() -> None:
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0))
    end = png_chunk(b"IEND", b"")
    assert "no picture" in refusal(PNG[:8] + header + end)
    assert "header" in refusal(PNG[:8] + png_chunk(b"IDAT", b"x") + header + end)


def test_a_jpeg_with_two_frames_or_none_is_refused() -> None:
    start = JPEG.index(b"\xff\xc2")
    length = 2 + int.from_bytes(JPEG[start + 2 : start + 4], "big")
    frame = JPEG[start : start + length]
    assert "two frames" in refusal(JPEG[:start] + frame + JPEG[start:])
    assert refusal(JPEG[:start] + JPEG[start + length :])


# Drawings that only draw

GOOD = {
    "gradient": '<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient>'
    '</defs><rect fill="url(#a)" style="stroke:url(\'#a\');opacity:.5" transform="rotate(9)"/>',
    "style": "<style>.a{fill:rgb(1,2,3)} @media (prefers-color-scheme:dark){.a{fill:#fff}}</style>",
    "style in CDATA": "<style><![CDATA[.a > .b {fill: none}]]></style>",
    "text": '<text xml:space="preserve" font-family="Arial, serif">Hi &#128024; &lt;</text>',
    "use": '<defs><g id="a"><path d="M0 0L1 1z"/></g></defs><use href="#a"/>'
    '<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/>',
    "animation": '<rect id="r"><animate attributeName="x" from="0" to="9" dur="2s"/></rect>'
    '<animateTransform href="#r" attributeName="transform" type="rotate" dur="1s"/>',
    "words": '<g id="Layer (1)" class="a@b" data-name="url(x)" aria-label="a \\ b"/>',
    "inkscape": '<n:namedview xmlns:n="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" id="v" '
    'pagecolor="#fff"/><g xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:label="L"/>'
    '<metadata><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><c:Work '
    'xmlns:c="http://creativecommons.org/ns#" r:about="">text</c:Work></r:RDF></metadata>',
    "comment": "<!-- <script>not one</script> --><g/>",
    "title": "<title>An elephant</title><desc>script alert(1)</desc>",
}


@pytest.mark.parametrize("inside", GOOD.values(), ids=GOOD)
@pytest.mark.parametrize("start", ["", "\ufeff", "\n", '<?xml version="1.0" encoding="UTF-8"?>\n'])
def test_a_drawing_that_only_draws_is_taken(inside: str, start: str) -> None:
    assert check_image(start.encode() + drawing(inside)) == "image/svg+xml"


XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
HTML = "http://www.w3.org/1999/xhtml"
ATTACKS = {
    "script": "<script>alert(1)</script>",
    "script elsewhere": '<script href="https://evil.example/x.js"/>',
    "script by prefix": f'<x:script xmlns:x="{SVG}">alert(1)</x:script>',
    "script of HTML": f'<script xmlns="{HTML}">alert(1)</script>',
    "script in CDATA": "<script><![CDATA[alert(1)]]></script>",
    "script in other case": "<sCrIpT>alert(1)</sCrIpT>",
    "script without namespace": '<script xmlns="">alert(1)</script>',
    "script deep inside": "<g><defs><symbol><script/></symbol></defs></g>",
    "script inside metadata": "<metadata><script>alert(1)</script></metadata>",
    "script inside an inert element": '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    "<script/></r:RDF>",
    "script inside style": "<style><script>alert(1)</script></style>",
    "handler": '<rect onclick="alert(1)"/>',
    "handler in other case": '<rect OnClick="alert(1)"/>',
    "handler with entities": '<rect onload="&#97;lert(1)"/>',
    "handler of animation": '<animate onbegin="alert(1)" attributeName="x"/>',
    "handler in a namespace": f'<rect xmlns:s="{SVG}" s:onclick="alert(1)"/>',
    "foreignObject": f'<foreignObject><body xmlns="{HTML}"/></foreignObject>',
    "html": f'<h:iframe xmlns:h="{HTML}" src="javascript:alert(1)"/>',
    "mathml": '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"/>',
    "unknown language": '<e:thing xmlns:e="urn:example">content</e:thing>',
    "xml events": '<x:listener xmlns:x="http://www.w3.org/2001/xml-events" event="load"/>',
    "link": '<a href="javascript:alert(1)"><rect/></a>',
    "link to itself": '<a href="#x"><rect/></a>',
    "use of a script": '<use href="javascript:alert(1)"/>',
    "use of data": f'<use {XLINK} xlink:href="data:image/svg+xml;base64,PHN2Zy8+#x"/>',
    "use elsewhere": '<use href="https://evil.example/a.svg#b"/>',
    "use of another file": '<use href="other.svg#b"/>',
    "use with a space first": '<use href=" #a"/>',
    "use with a tab": '<use href="java&#9;script:alert(1)"/>',
    "image": '<image href="https://evil.example/pixel.png"/>',
    "image as data": '<image href="data:image/png;base64,AAAA"/>',
    "feImage": '<filter id="f"><feImage href="https://evil.example/x"/></filter>',
    "font": '<font-face><font-face-src><font-face-uri href="x"/></font-face-src></font-face>',
    "animated link": '<a><animate attributeName="href" to="javascript:alert(1)"/></a>',
    "animated use": '<use href="#a"><set attributeName="href" to="data:x"/></use>',
    "animated xlink": '<use href="#a"><animate attributeName="xlink:href" values="data:x"/></use>',
    "animated handler": '<rect><set attributeName="onmouseover" to="alert(1)"/></rect>',
    "animated style": '<rect><set attributeName="style" to="fill:red"/></rect>',
    "animated fill": '<rect><set attributeName="fill" to="url(https://evil.example)"/></rect>',
    "discard": "<discard/>",
    "handler element": '<handler type="application/ecmascript">alert(1)</handler>',
    "base": '<g xml:base="https://evil.example/"><use href="#a"/></g>',
    "import": "<style>@import 'https://evil.example/x.css';</style>",
    "import in other case": "<style>@IMPORT url(x.css);</style>",
    "import as media": "<style>@media-import 'x';</style>",
    "font face": "<style>@font-face{font-family:a;src:local(a)}</style>",
    "style url": "<style>rect{fill:url(https://evil.example/#a)}</style>",
    "style url in quotes": '<style>rect{fill:url( "//evil.example/#a" )}</style>',
    "style url in CDATA": "<style><![CDATA[rect{fill:url(//evil.example)}]]></style>",
    "style url in parts": "<style>rect{fill:u<!-- -->rl(//evil.example)}</style>",
    "style url escaped": "<style>rect{fill:\\75 rl(//evil.example)}</style>",
    "style url after a comment": "<style>rect{fill:url(/**/#a)}</style>",
    "style url between comments": '<style>a{b:"/*"} rect{fill:url(//evil.org)} c{d:"*/"}</style>',
    "style url not closed": "<style>rect{fill:url(#a</style>",
    "style url with two": "<style>rect{fill:url(#a),url(x)}</style>",
    "style image-set": "<style>rect{cursor:image-set('https://evil.example/x' 1x)}</style>",
    "style expression": "<style>rect{width:expression(alert(1))}</style>",
    "style of HTML": f'<style xmlns="{HTML}">@import "x";</style>',
    "style attribute": '<rect style="background:URL(https://evil.example)"/>',
    "style attribute escaped": '<rect style="fill:u\\rl(https://evil.example)"/>',
    "style attribute by entities": '<rect style="fill:&#117;rl(https://evil.example)"/>',
    "fill": '<rect fill="url(https://evil.example/x.svg#a)"/>',
    "filter": '<rect filter="url(data:image/svg+xml,x#a)"/>',
    "cursor": '<rect cursor="url(x.cur)"/>',
    "mask": '<rect mask="url(//evil.example#a)"/>',
    "instruction": '<?xml-stylesheet href="https://evil.example/x.css"?><g/>',
    "instruction of PHP": "<?php system('x') ?><g/>",
    "entity": "<text>&xxe;</text>",
    "iframe attribute": '<rect srcdoc="x"/>',
    "media attribute": '<style media="x">a{}</style>',
}


@pytest.mark.parametrize("inside", ATTACKS.values(), ids=ATTACKS)
def test_a_drawing_that_could_do_more_is_refused(inside: str) -> None:
    message = refusal(drawing(inside))
    assert "The drawing (SVG) cannot be shown: " in message


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'<!DOCTYPE svg [<!ENTITY a "b">]>' + drawing("<text>&a;</text>"), "DOCTYPE"),
        (b'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + PLAIN_SVG, "DOCTYPE"),
        (b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">' + PLAIN_SVG, "DOCTYPE"),
        (b'<?xml version="1.0" encoding="UTF-7"?>' + PLAIN_SVG, "encoding 'UTF-7'"),
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>' + PLAIN_SVG, "encoding"),
        (b'<?xml-stylesheet href="x.css"?>' + PLAIN_SVG, "instruction"),
        (PLAIN_SVG + b"<?php x ?>", "instruction"),
        (PLAIN_SVG + PLAIN_SVG, "not XML"),
        (b"<html>" + PLAIN_SVG + b"</html>", "root"),
        (b"<svg><rect/></svg>", "root"),
        (f'<svg xmlns="{HTML}"/>'.encode(), "root"),
        (f'<g xmlns="{SVG}"/>'.encode(), "root"),
        (drawing("<text>\xe9</text>").decode().encode("latin-1"), "UTF-8"),
        (drawing("<rect>"), "line 1 is not XML"),
        (drawing("<text>\0</text>"), "NUL"),
        (drawing("", attributes='onload="alert(1)"'), "'onload'"),
        (drawing("", attributes='xmlns:a="urn:x" a:b="c"'), "another language"),
    ],
)
def test_a_drawing_that_is_wrapped_or_written_otherwise_is_refused(body: bytes, why: str) -> None:
    assert why in refusal(body)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_drawing_in_another_encoding_is_refused(encoding: str) -> None:
    assert refusal(drawing("<script>alert(1)</script>").decode().encode(encoding))
    assert refusal(PLAIN_SVG.decode().encode(encoding))


def test_a_packed_drawing_is_refused_by_name() -> None:
    assert "gzip" in refusal(gzip.compress(PLAIN_SVG))


def test_a_drawing_that_grows_when_drawn_is_refused() -> None:
    layers = ['<g id="l0"><rect/></g>']
    layers += [
        f'<g id="l{n}">{f"<use href={chr(34)}#l{n - 1}{chr(34)}/>" * 10}</g>' for n in range(1, 9)
    ]
    assert f"{MAX_DRAWN:,}" in refusal(drawing("".join(layers)))
    assert check_image(drawing("".join(layers[:4]))) == "image/svg+xml"
    masks = "".join(
        f'<mask id="m{n}">{f"<rect mask={chr(34)}url(#m{n - 1}){chr(34)}/>" * 10}</mask>'
        for n in range(1, 9)
    )
    assert f"{MAX_DRAWN:,}" in refusal(drawing(masks))


def test_a_drawing_that_uses_itself_is_refused() -> None:
    assert "uses itself" in refusal(drawing('<g id="a"><use href="#a"/></g>'))
    assert "uses itself" in refusal(
        drawing('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>')
    )
    chain = "".join(f'<g id="a{n}"><use href="#a{n + 1}"/></g>' for n in range(2000))
    assert "too deeply" in refusal(drawing(chain))


def test_a_drawing_too_deep_or_too_long_is_refused() -> None:
    assert "too many elements" in refusal(drawing("<g>" * 300 + "</g>" * 300))
    assert "too many elements" in refusal(drawing("<g/>" * 100_001))


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=60)


@given(name=st.from_regex(r"[A-Za-z][A-Za-z-]{0,20}", fullmatch=True), value=TEXT)
@example("onclick", "x")
@example("src", "x")
@example("formaction", "javascript:x")
def test_no_attribute_lets_a_link_or_function_through(name: str, value: str) -> None:
    written = value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    body = drawing(f'<rect {name}="{written} url(https://evil.example)"/>')
    inert = name in ("id", "class", "lang", "role", "tabindex")
    if not inert and not name.startswith(("aria-", "data-")):
        assert refusal(body)


@given(text=TEXT)
def test_no_style_lets_an_address_through(text: str) -> None:
    written = text.replace("&", "&amp;").replace("<", "&lt;")
    assert refusal(drawing(f"<style>{written} a{{fill:url({written}//evil.example)}}</style>"))
