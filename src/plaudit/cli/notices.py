"""The options about notices: which addresses they may go to, and the server that takes mail."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from plaudit.cli.secret import read_secret

PASSWORD = "PLAUDIT_MAIL_PASSWORD"
private_option = click.option(
    "--private-webhooks",
    is_flag=True,
    envvar="PLAUDIT_PRIVATE_WEBHOOKS",
    show_envvar=True,
    help="Let webhooks go to this machine and private networks too, also by plain http.",
)
_OPTIONS = (
    private_option,
    click.option(
        "--mail",
        envvar="PLAUDIT_MAIL",
        show_envvar=True,
        metavar="URL",
        help="A server that takes mail for editors, such as smtp://user@mail.example.org:587.",
    ),
    click.option(
        "--mail-from",
        envvar="PLAUDIT_MAIL_FROM",
        show_envvar=True,
        metavar="ADDRESS",
        help="The address that mail comes from.",
    ),
    click.option(
        "--mail-password-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"A file with the password of the mail server's user, or set {PASSWORD}.",
    ),
)


def notice_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options about notices, for a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def given_notices(options: dict[str, Any]) -> Any:
    """What the options and the environment say about notices."""
    from plaudit.errors import InvalidInput
    from plaudit.service.notices.settings import NoticeSettings, read_mail

    private, url, sender = (options[name] for name in ("private_webhooks", "mail", "mail_from"))
    if not url:
        if sender or options["mail_password_file"]:
            raise InvalidInput("Mail needs a server that takes it: give --mail as well.")
        return NoticeSettings(private=private)
    if not sender:
        raise InvalidInput("Mail needs an address that it comes from: give --mail-from as well.")
    password = read_secret("mail password", options["mail_password_file"], PASSWORD)
    return NoticeSettings(private=private, mail=read_mail(url, sender, password))
