"""What every page of the desk may say: what a step did, and what state a contest is in."""

from plaudit.words import N_, _

# What a page says after a step; the address carries the key, never the text.
DONE = {
    "edited": N_("The item was replaced. This is the new one; the trail keeps the old one."),
    "withdrawn": N_("The item was withdrawn: nobody sees it, and its votes do not count."),
    "restored": N_("The item is back, with its votes."),
    "added": N_("The items were added."),
    "undone": N_("The step was undone."),
    "role": N_("The role was changed."),
    "removed": N_("The account was removed and signed out everywhere."),
    "excluded": N_("Excluded: these votes no longer count."),
    "readmitted": N_("Readmitted: the votes count again."),
    "erased": N_("The rater was erased."),
    "merged": N_("The items were merged, and their votes added up."),
    "let-be": N_("Reviewed. You find it below if you want to review it again."),
    "look-again": N_("It is on the list again."),
    "cancelled": N_("The link no longer works."),
    "revoked": N_("The key was revoked."),
    "password": N_("Your password was changed, and all other browsers were signed out."),
    "linked": N_("Your account is linked. You can sign in without a password from now on."),
    "unlinked": N_("Your account is no longer linked, and all other browsers were signed out."),
    "named": N_("The account is linked."),
    "unlinked-other": N_("The account is no longer linked, and was signed out everywhere."),
    "ended": N_("Signed out."),
    "signed-out": N_("You are signed out."),
    "saved": N_("The settings were changed."),
    "same": N_("No changes."),
    "open": N_("The contest is running."),
    "pause": N_("The contest is paused."),
    "close": N_("The contest is closed."),
    "reopen": N_("The contest is running again."),
    "retire": N_("The contest is retired."),
    "unretire": N_("The contest is back, and closed."),
    "delete": N_("The draft was deleted. It is under Deleted drafts, if you want it back."),
    "undelete": N_("The draft is back."),
    "scheduled": N_("The times were set."),
    "published": N_("Saved when the results are public."),
    "codes-made": N_("The codes were made. Download or print them below."),
    "codes-revoked": N_("Revoked: these codes get nobody in any more. Votes given with them stay."),
    "codes-reinstated": N_("These codes work again."),
    "listed": N_("The ids are on the list."),
    "unlisted": N_("The ids are off the list."),
    "link-key": N_("The key was changed. Links that the old one signed let nobody in any more."),
    "proposals-taken": N_("Taken: the items are in the contest."),
    "proposals-refused": N_("Refused: whoever proposed them reads why."),
    "notices-on": N_("Notices go there from now on. A test is on its way."),
    "notices-off": N_("Nothing goes there any more."),
    "sent-again": N_("It is sent again."),
    "created": N_("Draft created. Check it, then start it."),
}
# What a contest's state is called at the desk.
STATE_NAMES = {
    "open": N_("Running"),
    "paused": N_("Paused"),
    "closed": N_("Closed"),
    "draft": N_("Draft"),
    "decided": N_("Decided"),
    "retired": N_("Retired"),
    "deleted": N_("Deleted"),
    "scheduled": N_("Scheduled"),
    "ended": N_("Time is over"),
}


def done(key: str) -> str:
    """What a page says after a step; "" for a key that nothing has."""
    return _(DONE[key]) if key in DONE else ""
