"""Signed certificates: who vouches for a verdict, and for which log, items and raters.

The signature is over the certificate in canonical JSON (RFC 8785), so that whoever parses and
writes the file again does not break it.
"""

import hashlib
from typing import Any

import rfc8785

from plaudit.proof.checkpoint import base64_of, read_checkpoint
from plaudit.proof.note import SigningKey, split_note
from plaudit.service.contest.certificate import SIGNED_FORMAT

SIGNATURE = "signature"


def signed_certificate(
    body: dict[str, Any], key: SigningKey, checkpoint: str, *, origin: str
) -> dict[str, Any]:
    """A certificate with the checkpoint of the entry that it was judged at, signed."""
    facts = read_checkpoint(split_note(checkpoint)[0])
    whole = body | {
        "format": SIGNED_FORMAT,
        "origin": origin,
        "items_digest": facts.items_digest.hex(),
        "raters_digest": facts.raters_digest.hex(),
        "checkpoint": checkpoint,
    }
    return whole | {SIGNATURE: key.signature(certificate_text(whole)).line}


def certificate_text(certificate: dict[str, Any]) -> str:
    """The text that is signed for a certificate: what it is of, and its digest."""
    plain = {name: value for name, value in certificate.items() if name != SIGNATURE}
    digest = hashlib.sha256(rfc8785.dumps(plain)).digest()
    return f"{certificate['origin']}\ncertificate {base64_of(digest)}\n"
