// Schema step: a group of duplicates is dismissed member by member, so that a member who is hidden from someone brings no group back for them.
// duplicate_group.dismissed is 1 while every member is.
export const DISMISSED_MEMBERS = `
ALTER TABLE duplicate_book ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0 CHECK (dismissed IN (0, 1));
ALTER TABLE duplicate_series ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0 CHECK (dismissed IN (0, 1));
UPDATE duplicate_book SET dismissed = 1 WHERE group_id IN (SELECT id FROM duplicate_group WHERE dismissed = 1);
UPDATE duplicate_series SET dismissed = 1 WHERE group_id IN (SELECT id FROM duplicate_group WHERE dismissed = 1);
`;
