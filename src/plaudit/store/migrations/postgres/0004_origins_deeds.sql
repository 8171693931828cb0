-- A keyed hash of where a rater's first answer came from.
ALTER TABLE raters ADD COLUMN origin bytea;

-- What a deed did to a contest is the event at this position of its log.
ALTER TABLE deeds ADD COLUMN contest text NOT NULL DEFAULT '';
ALTER TABLE deeds ADD COLUMN position bigint NOT NULL DEFAULT 0;
CREATE INDEX deeds_by_contest ON deeds (contest, number);
