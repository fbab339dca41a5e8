// Schema 19: rules that had no number yet; the first version of each made the existing results. How far rows are recomputed is the
// checkpoint of a task.
export const RULE_TASKS = `
INSERT INTO stored_rule (name, number) SELECT value, 1 FROM json_each('["titles","facts","series","names","analysis"]')
  WHERE EXISTS (SELECT 1 FROM stored_rule);
ALTER TABLE stored_rule DROP COLUMN target;
ALTER TABLE stored_rule DROP COLUMN reached;
`;
