"""Using a page with the Tab key alone."""

from playwright.sync_api import Locator, Page, expect

# Gives a number to all that can be used and is shown; of a group of radio buttons one is enough.
NUMBER = """
() => {
  const groups = new Set();
  const all = "a[href], button, input, select, textarea, summary, iframe, [tabindex='0']";
  const usable = [...document.querySelectorAll(all)].filter((one) => {
    if (one.disabled || one.tabIndex < 0 || !one.checkVisibility({ visibilityProperty: true })) return false;
    if (one.closest("details:not([open])") && one.localName !== "summary") return false;
    if (one.type !== "radio") return true;
    const group = [...document.getElementsByName(one.name)].filter((other) => other.form === one.form);
    const stop = group.find((other) => other.checked);
    if (stop) return stop === one;
    if (groups.has(one.name)) return false;
    return groups.add(one.name);
  });
  usable.forEach((one, number) => { one.dataset.stop = number; });
  return usable.map((one) => one.outerHTML.slice(0, 90));
}
"""  # noqa: E501
# Which of them has the focus, and whether one can see that.
FOCUS = """
() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const style = getComputedStyle(at);
  const ringed = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return [Number(at.dataset.stop ?? -1), ringed || at.localName === "iframe", at.outerHTML.slice(0, 90)];
}
"""  # noqa: E501


def unreached(page: Page) -> list[str]:
    """What the Tab key does not reach on this page, and what it reaches without a sign of it."""
    usable: list[str] = page.evaluate(NUMBER)
    page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    seen: set[int] = set()
    hidden: list[str] = []
    # Inside of a frame there are stops of its own; the end of the page comes as no focus at all.
    for _ in range(2 * len(usable) + 40):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUS)
        if at is None and len(seen) > 1:
            break
        if at is not None:
            seen.add(at[0])
            hidden += [] if at[1] else [f"no sign of the focus: {at[2]}"]
    else:
        hidden.append("the focus never left the page")
    return [
        *(f"not reached: {usable[one]}" for one in sorted(set(range(len(usable))) - seen)),
        *dict.fromkeys(hidden),
    ]


def tab_to(page: Page, wanted: Locator) -> None:
    """Presses Tab until this has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(150):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {wanted}")
