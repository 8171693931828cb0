-- By which door a rater came; 0 where it is not known. Only counts of it are ever read.
ALTER TABLE raters ADD COLUMN door INTEGER NOT NULL DEFAULT 0;

-- How many the door of a contest turned away, by day (since 1970, UTC) and reason.
CREATE TABLE turned_away (
  contest INTEGER NOT NULL REFERENCES contests (id),
  day INTEGER NOT NULL,
  reason TEXT NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (contest, day, reason)
) WITHOUT ROWID;
