"""Statements about contests and pictures, for both engines. Parameters are written `:name`."""

from plaudit.store.contract import Certificate, ContestRecord, Item, Rater
from plaudit.store.log import Entry, Kind

RATER_FIELDS = ", ".join(Rater._fields)
RECORD = ", ".join(ContestRecord.__dataclass_fields__)
ENTRY = ", ".join(Entry._fields)
ITEM = ", ".join(Item._fields)
CERTIFICATE = ", ".join(Certificate._fields)

CONTESTS = f"SELECT {RECORD} FROM contests ORDER BY id"
CONTEST = f"SELECT {RECORD} FROM contests WHERE name = :name"
CONTEST_ID = "SELECT id FROM contests WHERE name = :name"
HEADS = "SELECT name, position, epoch FROM contests ORDER BY id"
STANDING = "SELECT id, state, position, epoch, digest FROM contests WHERE name = :name"

ENTRIES = (
    f"SELECT {ENTRY} FROM log WHERE contest = :contest AND position > :after"
    " ORDER BY position LIMIT :limit"
)
EVENTS = f"SELECT {ENTRY} FROM log WHERE contest = :contest AND rater < 0 ORDER BY position"
ANSWERS_OF = (
    f"SELECT {ENTRY} FROM log WHERE contest = :contest AND rater = :rater AND rater >= 0"
    " ORDER BY position"
)
# The item numbers are filled in. There is no index by item: every vote would have to update it.
ANSWERS_ON = (
    f"SELECT {ENTRY} FROM log WHERE contest = :contest AND rater >= 0"
    " AND item IN (%s) ORDER BY position"
)
# One row if there is the contest, without a number if it has no such rater.
RATER = (
    f"SELECT {RATER_FIELDS} FROM contests LEFT JOIN raters ON contest = id AND key = :key"
    " WHERE name = :name"
)
RECALL = (
    "SELECT r.number, l.item, l.kind, l.level FROM contests AS c"
    " JOIN raters AS r ON r.contest = c.id AND r.key = :key"
    " LEFT JOIN log AS l ON l.contest = c.id AND l.rater = r.number AND l.rater >= 0"
    " WHERE c.name = :name"
)
RATERS = (
    f"SELECT {RATER_FIELDS} FROM raters WHERE contest = :contest AND number > :after"
    " ORDER BY number LIMIT :limit"
)
ITEMS = (
    f"SELECT {ITEM} FROM items WHERE contest = :contest AND number >= :first"
    " ORDER BY number LIMIT :limit"
)
ASSET = "SELECT hash, media_type, body FROM assets WHERE hash = :hash"
CERTIFICATES = f"SELECT {CERTIFICATE} FROM certificates WHERE contest = :contest ORDER BY number"
SNAPSHOT = "SELECT position, body FROM snapshots WHERE contest = :contest"

ADD_CONTEST = (
    f"INSERT INTO contests ({RECORD}) VALUES"
    " (:name, :settings, :state, :position, :epoch, :digest, :created_at, :blinding)"
    " ON CONFLICT (name) DO NOTHING"
)
MOVE_CONTEST = (
    "UPDATE contests SET state = :state, position = :position, epoch = :epoch,"
    " digest = :digest WHERE id = :contest"
)
ADD_CERTIFICATE = (
    f"INSERT INTO certificates (contest, number, {CERTIFICATE})"
    " VALUES (:contest, :number, :position, :lane, :body)"
)
MARKED = "SELECT key, salt FROM raters WHERE contest = :contest AND number = :number"
ERASE_RATER = (
    "UPDATE raters SET key = NULL, origin = NULL, door = 0, salt = :mark"
    " WHERE contest = :contest AND number = :number"
)
ADD_ASSET = (
    "INSERT INTO assets (hash, media_type, body) VALUES (:hash, :media_type, :body)"
    " ON CONFLICT (hash) DO NOTHING"
)
HAS_ASSET = "SELECT 1 FROM assets WHERE hash = :hash"
_LATEST = "ON CONFLICT (hash) DO UPDATE SET at = excluded.at WHERE excluded.at > held.at"
HOLD = f"INSERT INTO held (hash, at) VALUES (:hash, :at) {_LATEST}"
HOLD_KNOWN = (
    f"INSERT INTO held (hash, at) SELECT hash, :at FROM assets WHERE hash = :hash {_LATEST}"
)
LET_GO = "DELETE FROM held WHERE hash = :hash AND at < :before"
DROP_ASSET = "DELETE FROM assets WHERE hash = :hash"
UNHELD = (
    "SELECT hash FROM held WHERE at < :before"
    " AND hash NOT IN (SELECT image FROM items WHERE image <> '')"
)
# Texts that may name a picture. Old settings count too: a change of settings can be undone.
PICTURED = (
    "SELECT settings FROM contests UNION ALL"
    f" SELECT payload FROM log WHERE rater < 0 AND kind = {int(Kind.SETTINGS)}"
)
PUT_SNAPSHOT = (
    "INSERT INTO snapshots (contest, position, body) VALUES (:contest, :position, :body)"
    " ON CONFLICT (contest) DO UPDATE SET position = excluded.position, body = excluded.body"
    " WHERE excluded.position >= snapshots.position"
)
# Writes without changing anything that matters: a check that writing works.
BEAT = "UPDATE pulse SET beats = beats + 1"
