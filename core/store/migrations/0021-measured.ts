// Schema 21: the measure of a task when it last made progress. A start that changes nothing counts as a crash.
export const MEASURED = `
ALTER TABLE task ADD COLUMN measured TEXT;
`;
