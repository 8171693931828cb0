-- By which door a rater came; 0 where it is not known. Only counts of it are ever read.
ALTER TABLE raters ADD COLUMN door smallint NOT NULL DEFAULT 0;

-- How many the door of a contest turned away, by day (since 1970, UTC) and reason.
CREATE TABLE turned_away (
  contest bigint NOT NULL REFERENCES contests (id),
  day bigint NOT NULL,
  reason text NOT NULL,
  times bigint NOT NULL,
  PRIMARY KEY (contest, day, reason)
);
