"""Receipts of version 1, as services gave them before, and the leaves that they are of."""

import struct

# Count, index and text; signed for `snowman` by the key with this seed: 32 times the letter k.
OF_BEFORE = [
    (
        1,
        0,
        (
            "snowman:Aag1ozv39_f39_f39_f39_f39_f36AMAAAAAAAABCQAAAAAAAAACAAAAAAAAAAMAAAAAAAAAAQAA"
            "ACADAADoAwAAAAAAAAEAfbsARfdR0-wrGvKvyc9Z6Ml45GrcuomDtjmsMgloNLfBphsyxCf3Md6LhLeiI1kP"
            "-uyzHwzLMPmpgbLffZgeCA"
        ),
    ),
    (
        5,
        4,
        (
            "snowman:Aag1ozsAAAAAAAAAAAAAAAAAAAAA7AMAAAAAAAABCQAAAAAAAAACAAAAAAAAAAMAAAAAAAAAAQAA"
            "ACADAADoAwAAAAAAAAUEXJwIS2gO1vRkj55SIDuLfeo-vNIWwyxKIaDokXwq_JbVXvMiLYvlJ8RaLoS-eSt8"
            "lE0LqS0cKwelFWAl5NCQCsKQbExk7WmLzHT21v0MtQ_3UoySgxBtiFN4rWAroZZ-"
        ),
    ),
    (
        64,
        37,
        (
            "snowman:Aag1ozshISEhISEhISEhISEhISEhDQQAAAAAAAABCQAAAAAAAAACAAAAAAAAAAMAAAAAAAAAAQAA"
            "ACADAADoAwAAAAAAAEAl7kaPpz5EqhrcFNbn9F8poyGfx_N8whl4WtO3F-_pJRWhbbbkd2KQfbP-g7ZXJ17y"
            "w9q7cW9lfRBFbxdR9DhxBEHLe1Zjp_bvses29LzbvtpZMkEMxiNKI8gLqCXmmBQNglNk-XhwgAWGPp1tUMRF"
            "HCDX3NNDRizBWrLw7ZFgyKWRabUFmgik8cIZyvuiQG5FgYpPLHj9zV8j4B1Z3r3tFy6-Xj4jWGMh9gb6Mbdr"
            "yfp0OCZnivO613oCnvd4B6DZyhZzi2ekCpp9CilfzN8fDBVxl-uuaVsGl75NvxlWGEke0MHo7tv8xilI0wmi"
            "22fLW01mZQf9FT--MY0BFvumOA"
        ),
    ),
]


def leaf(position: int) -> bytes:
    return bytes([position % 251]) * 16 + struct.pack("<qbqqqhhi", position, 1, 9, 2, 3, 1, 0, 800)
