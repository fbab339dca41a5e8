// Schema step: an indexed, case-folded key of the names of people, so that conditions find a person without a scan. It is written together
// with the search key, which is therefore reset (core/catalog/search/index-upkeep.ts).
export const PEOPLE_BY_CASE = `
ALTER TABLE person ADD COLUMN case_key TEXT;
CREATE INDEX person_by_case ON person(case_key);
UPDATE person SET name_key = NULL;
`;
