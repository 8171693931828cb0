"""Notices: what happens in contests, told to webhooks and by mail.

Promises: every notice is sent at least once, under an id that stays the same, from a queue in the
store that survives the process; one worker sends at a time; nothing here is on the way of a vote.
A notice goes only to public addresses of the network, unless the service was told otherwise.

It may use all rooms of the service. `news` finds what is new in a contest, `courier` is the thread
that queues and sends, `webhook` and `mail` are the two ways, and `address_book` is for editors.
"""
