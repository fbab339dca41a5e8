// Schema step: the form in which names of people are compared, so that a condition finds a person by an index. Written with the key that they
// are searched by, which is therefore made again (core/catalog/search/index-upkeep.ts).
export const PEOPLE_BY_CASE = `
ALTER TABLE person ADD COLUMN case_key TEXT;
CREATE INDEX person_by_case ON person(case_key);
UPDATE person SET name_key = NULL;
`;
