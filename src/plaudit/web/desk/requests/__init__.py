"""What comes to the desk: who sent it, whether they may, and where it goes.

Every page of the desk stands on this room, and the room knows none of them.
"""
