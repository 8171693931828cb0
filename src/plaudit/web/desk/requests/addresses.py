"""Numbers and items in addresses of the desk."""

from starlette.convertors import Convertor, register_url_convertor

from plaudit.phrase import item_id


class Small(Convertor[int]):
    """A number in an address that is no longer than any can be: Python refuses the longest."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """The number as an address has it."""
        return str(value)


class ItemInAddress(Convertor[int]):
    """An item in an address by its id; a number is a position, as in links of before."""

    regex = "[iI]?[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The position of the item in the log."""
        return int(value) if value[0].isdigit() else int(value[1:]) - 1

    def to_string(self, value: int) -> str:
        """The id of the item."""
        return item_id(value)


def name_kinds() -> None:
    """Lets addresses have `{x:small}` and `{x:item}`."""
    register_url_convertor("small", Small())
    register_url_convertor("item", ItemInAddress())
