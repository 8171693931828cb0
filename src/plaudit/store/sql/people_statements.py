"""Statements about people and API keys, for both engines. Parameters are written `:name`."""

from plaudit.store.people import Account, Deed, Invitation, Session

ACCOUNT = ", ".join(Account.__dataclass_fields__)
SESSION = ", ".join(Session._fields)
INVITATION = ", ".join(Invitation._fields)
DEED = ", ".join(Deed._fields)

# Writing this row locks it: changes of accounts take turns.
LOCK_ACCOUNTS = "UPDATE account_changes SET count = count + 1"

ACCOUNTS = f"SELECT {ACCOUNT} FROM accounts ORDER BY number"
ACCOUNT_NAMED = f"SELECT {ACCOUNT} FROM accounts WHERE folded = :folded"
ADD_ACCOUNT = (
    "INSERT INTO accounts (name, folded, role, password, created_at)"
    " VALUES (:name, :folded, :role, :password, :created_at) ON CONFLICT (folded) DO NOTHING"
)
SET_PASSWORD = "UPDATE accounts SET password = :password WHERE number = :number"
SET_ROLE = "UPDATE accounts SET role = :role WHERE number = :number"
DROP_ACCOUNT = "DELETE FROM accounts WHERE number = :number"

SUBJECTS = "SELECT account, linked_at FROM subjects ORDER BY account"
SUBJECT_ACCOUNT = (
    "SELECT a.number, a.name, a.folded, a.role, a.password, a.created_at"
    " FROM subjects AS s JOIN accounts AS a ON a.number = s.account WHERE s.hash = :hash"
)
ADD_SUBJECT = "INSERT INTO subjects (account, hash, linked_at) VALUES (:account, :hash, :linked_at)"
DROP_SUBJECT = "DELETE FROM subjects WHERE account = :account"

SESSIONS = f"SELECT {SESSION} FROM sessions WHERE account = :account ORDER BY created_at, hash"
SESSION_OF = (
    "SELECT s.hash, s.account, s.agent, s.created_at, s.seen_at,"
    " a.number, a.name, a.folded, a.role, a.password, a.created_at"
    " FROM sessions AS s JOIN accounts AS a ON a.number = s.account WHERE s.hash = :hash"
)
ADD_SESSION = (
    f"INSERT INTO sessions ({SESSION}) VALUES (:hash, :account, :agent, :created_at, :seen_at)"
)
TOUCH_SESSION = "UPDATE sessions SET seen_at = :at WHERE hash = :hash AND seen_at < :at"
DROP_SESSION = "DELETE FROM sessions WHERE hash = :hash"
DROP_SESSIONS = "DELETE FROM sessions WHERE account = :account"

INVITATIONS = f"SELECT {INVITATION} FROM invitations ORDER BY created_at, hash"
INVITATION_OF = f"SELECT {INVITATION} FROM invitations WHERE hash = :hash"
ADD_INVITATION = (
    f"INSERT INTO invitations ({INVITATION})"
    " VALUES (:hash, :kind, :role, :account, :made_by, :created_at, :expires_at)"
)
DROP_INVITATION = "DELETE FROM invitations WHERE hash = :hash"
DROP_FIRST = "DELETE FROM invitations WHERE kind = 'first'"
DROP_RESETS = "DELETE FROM invitations WHERE kind = 'reset' AND account = :account"
DROP_MADE = "DELETE FROM invitations WHERE made_by = :account AND made_by > 0"

GUESSES = "SELECT failures, at FROM guesses WHERE who = :who"
COUNT_GUESS = (
    "INSERT INTO guesses (who, failures, at) VALUES (:who, :failures, :at)"
    " ON CONFLICT (who) DO UPDATE SET failures = excluded.failures, at = excluded.at"
    " WHERE guesses.failures = :seen_failures AND guesses.at = :seen_at"
)
FORGET_GUESSES = "DELETE FROM guesses WHERE who = :who"

ADD_DEED = f"INSERT INTO deeds ({DEED}) VALUES (:at, :who, :what, :contest, :position)"
DEEDS = f"SELECT {DEED} FROM deeds ORDER BY number DESC LIMIT :limit"
DEEDS_OF = f"SELECT {DEED} FROM deeds WHERE contest = :contest ORDER BY number DESC LIMIT :limit"

KEYS = "SELECT name, hash, scopes, created_at FROM keys ORDER BY created_at, name"
PUT_KEY = (
    "INSERT INTO keys (name, hash, scopes, created_at)"
    " VALUES (:name, :hash, :scopes, :created_at)"
    " ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, scopes = excluded.scopes,"
    " created_at = excluded.created_at"
)
DROP_KEY = "DELETE FROM keys WHERE name = :name"

STALE_SESSIONS = "DELETE FROM sessions WHERE created_at < :begun_before OR seen_at < :seen_before"
STALE_INVITATIONS = "DELETE FROM invitations WHERE expires_at < :expired_before"
STALE_GUESSES = "DELETE FROM guesses WHERE at < :guessed_before"
