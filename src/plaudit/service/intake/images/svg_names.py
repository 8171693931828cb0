"""The elements and attributes of SVG that a drawing may use: those that only draw.

Everything else is refused, also what is added to SVG later. Left out on purpose: scripts and event
attributes, foreignObject, links (a), image and feImage (they load something), and everything that
a click could start.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"
# Notes that drawing programs keep in their files; browsers ignore them.
INERT_NAMESPACES = frozenset(
    {
        "http://www.inkscape.org/namespaces/inkscape",
        "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://creativecommons.org/ns#",
        "http://purl.org/dc/elements/1.1/",
        "http://www.bohemiancoding.com/sketch/ns",
        "http://www.serif.com/",
        "http://vectornator.io",
        "http://www.figma.com/figma/ns",
    }
)

ANIMATIONS = _words("animate animateMotion animateTransform set")
ELEMENTS = ANIMATIONS | _words(
    """
    svg g defs symbol use title desc metadata style switch view
    path rect circle ellipse line polyline polygon
    text tspan textPath
    linearGradient radialGradient stop pattern clipPath mask marker filter mpath
    feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
    feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
    feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
    feSpotLight feTile feTurbulence
    """
)

# Attributes that name or describe something; their values are never read as CSS.
WORDS = _words("id class lang role tabindex")
ATTRIBUTES = WORDS | _words(
    """
    accent-height alignment-baseline amplitude ascent attributeName attributeType azimuth
    baseFrequency baseline-shift baseProfile begin bias by calcMode clip clip-path
    clip-rule clipPathUnits color color-interpolation color-interpolation-filters color-rendering
    cx cy d diffuseConstant direction display divisor dominant-baseline dur dx dy edgeMode
    elevation enable-background end exponent fill fill-opacity fill-rule filter filterUnits
    flood-color flood-opacity font font-family font-size font-size-adjust font-stretch font-style
    font-variant font-weight from fr fx fy g1 g2 glyph-orientation-horizontal
    glyph-orientation-vertical gradientTransform gradientUnits height image-rendering in in2
    intercept isolation k1 k2 k3 k4 kernelMatrix kernelUnitLength kerning keyPoints keySplines
    keyTimes lengthAdjust letter-spacing lighting-color limitingConeAngle line-height
    marker-end marker-mid marker-start markerHeight markerUnits markerWidth mask mask-type
    maskContentUnits maskUnits max method min mix-blend-mode mode numOctaves offset opacity
    operator order orient origin overflow overline-position overline-thickness paint-order path
    pathLength patternContentUnits patternTransform patternUnits pointer-events points
    pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits r radius refX
    refY repeatCount repeatDur requiredExtensions requiredFeatures restart result rotate rx ry
    scale seed
    shape-rendering side spacing specularConstant specularExponent spreadMethod startOffset
    stdDeviation stitchTiles stop-color stop-opacity strikethrough-position stroke
    stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width style surfaceScale systemLanguage tableValues targetX targetY
    text-anchor text-decoration text-rendering textLength to transform transform-origin type
    underline-position underline-thickness unicode-bidi values vector-effect version viewBox
    visibility white-space width word-spacing writing-mode x x1 x2 xChannelSelector y y1 y2
    yChannelSelector z zoomAndPan additive accumulate
    """
)
XML_ATTRIBUTES = frozenset({"space", "lang"})
XLINK_ATTRIBUTES = frozenset({"href", "type", "title", "role", "show", "actuate", "arcrole"})

# Functions of CSS that only compute; those that load something are left out.
FUNCTIONS = _words(
    """
    rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix calc min max clamp var
    matrix translate translatex translatey scale scalex scaley rotate skewx skewy
    blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
    circle ellipse inset polygon path not is where nth-child nth-of-type cubic-bezier steps media
    """
)
