"""The desk in a real browser: from the first link to an editor who signs in."""

from playwright.sync_api import expect

from support.browser.desk import PASSWORD, Person, fill, joined, printed, seen
from support.browser.live_server import LiveServer

EDITORS = "another four of these"


def owner_link(server: LiveServer) -> str:
    """The link that the service printed at its start."""
    return next(word for word in server.log.read_text().split() if "/desk/welcome/" in word)


def test_from_the_first_link_to_an_editor(new_server: LiveServer, person: Person) -> None:
    new_server.make_contest(title="What does the snowman say?")
    page = person(base_url=new_server.url).new_page()
    page.goto("/desk")
    expect(page).to_have_url(f"{new_server.url}/desk/sign-in?next=/desk")
    expect(page.get_by_text("There is no account yet")).to_be_visible()
    seen(page, "no-account")

    page.goto(owner_link(new_server))
    expect(page.locator("#name")).to_be_focused()
    seen(page, "welcome")
    fill(page, name="Ana", password="too short", again="too short")
    page.get_by_role("button", name="Make the account").click()
    expect(page.locator("#password")).to_be_focused()
    expect(page.locator("#password")).to_have_accessible_description(
        "At least 12 characters. Four words that only you would put together are good. "
        "The password has 9 characters. Use at least 12, such as four words."
    )
    seen(page, "welcome-wrong")
    fill(page, password=PASSWORD, again=PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page).to_have_url(f"{new_server.url}/desk")
    expect(page.get_by_role("link", name="Results: What does the snowman say?")).to_be_visible()
    seen(page, "home")
    assert page.evaluate("document.cookie") == ""

    page.get_by_role("link", name="People").click()
    page.get_by_label("Editor").check()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.get_by_label("Change Ana").click()
    seen(page, "people")

    editor = person(base_url=new_server.url).new_page()
    editor.goto(link)
    expect(editor.get_by_text("You are invited. Your role will be: editor.")).to_be_visible()
    fill(editor, name="Bob", password=EDITORS, again=EDITORS)
    editor.get_by_role("button", name="Make the account").click()
    expect(editor.get_by_text("Hello Bob")).to_be_visible()
    expect(editor.get_by_role("link", name="People")).to_have_count(0)
    editor.goto(link)
    expect(editor.get_by_role("heading", level=1)).to_have_text("This link no longer works")

    editor.goto("/desk")
    editor.get_by_role("button", name="Sign out").click()
    expect(editor.get_by_role("status")).to_have_text("You are signed out.")
    editor.goto("/desk/account")
    fill(editor, name="bob", password="a wrong password")
    editor.get_by_role("button", name="Sign in").click()
    expect(editor.get_by_role("alert")).to_contain_text("The name or the password is wrong.")
    expect(editor.locator("#password")).to_be_focused()
    seen(editor, "sign-in-wrong")
    fill(editor, password=EDITORS)
    editor.keyboard.press("Enter")
    expect(editor).to_have_url(f"{new_server.url}/desk/account")
    expect(editor.get_by_text("(this browser)")).to_be_visible()
    seen(editor, "account")
    editor.get_by_label("Current password").fill(EDITORS)
    for again in ("New password", "Repeat the new password"):
        editor.get_by_label(again, exact=True).fill("another four words here")
    editor.get_by_role("button", name="Change the password").click()
    expect(editor.get_by_role("status")).to_contain_text("password")

    page.goto("/desk/people")
    page.get_by_label("Change Bob").click()
    page.get_by_label("Remove for good: Bob").click()
    expect(page.get_by_role("status")).to_contain_text("The account was removed")
    editor.reload()
    expect(editor.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_a_key_is_shown_once(live_server: LiveServer, person: Person) -> None:
    page = joined(live_server, person, "Key maker")
    page.goto("/desk/keys")
    page.get_by_role("button", name="Make the key").click()
    page.get_by_label("Name").fill("newsroom")
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_text("Tick at least one")).to_be_visible()
    page.get_by_label("read: see all contests").check()
    page.get_by_role("button", name="Make the key").click()
    assert page.get_by_label("Key", exact=True).input_value().startswith("plaudit_")
    seen(page, "keys")
    page.get_by_role("button", name="Revoke the key newsroom").click()
    expect(page.get_by_role("status")).to_have_text("The key was revoked.")
    expect(page.get_by_text("newsroom;")).to_have_count(0)


def test_a_new_password_by_a_link(live_server: LiveServer, person: Person) -> None:
    page = joined(live_server, person, "Forgetful")
    link = printed(live_server, "reset", "forgetful")
    other = person().new_page()
    other.goto(link)
    seen(other, "new-password")
    fill(other, password=EDITORS, again=EDITORS)
    other.get_by_role("button", name="Set the password").click()
    expect(other.get_by_text("Hello Forgetful")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_all_of_it_works_without_script(live_server: LiveServer, person: Person) -> None:
    page = joined(live_server, person, "Plain", java_script_enabled=False)
    page.get_by_role("button", name="Sign out").click()
    fill(page, name="plain", password=PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Hello Plain")).to_be_visible()
