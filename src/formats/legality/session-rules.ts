/** The rules of session files (D, E): what they say; the formats themselves check them on the recorded entries. */
import type { RuleFacts } from './rule.ts'

export const CLAUDE_CODE_RULES: readonly RuleFacts[] = [
  {
    id: 'D01',
    severity: 'reject',
    evidence: 'issue',
    statement: 'Every parentUuid names an earlier entry, or is null.',
  },
  { id: 'D02', severity: 'warn', evidence: 'inferred', statement: 'Uuids are unique, and parents form no circle.' },
  {
    id: 'D03',
    severity: 'reject',
    evidence: 'issue',
    statement: 'The leaf that is named, or the last entry, is the branch.',
  },
  { id: 'D04', severity: 'reject', evidence: 'ran', statement: 'Main entries never hang on sidechain entries.' },
  { id: 'D05', severity: 'reject', evidence: 'ran', statement: 'The lines of one message id stand together.' },
  {
    id: 'D06',
    severity: 'reject',
    evidence: 'ran',
    statement: 'The flattened branch obeys the rules of calls and results.',
  },
  { id: 'D07', severity: 'warn', evidence: 'ran', statement: 'toolUseResult says what the result says.' },
  {
    id: 'D08',
    severity: 'reject',
    evidence: 'ran',
    statement: 'A compact boundary has no parent and stands before its summary.',
  },
  { id: 'D09', severity: 'reject', evidence: 'ran', statement: 'Preserved messages of a boundary exist before it.' },
  { id: 'D10', severity: 'warn', evidence: 'ran', statement: 'Attachments are links of the chain.' },
  { id: 'D11', severity: 'warn', evidence: 'ran', statement: 'Synthetic lines keep their flags.' },
  {
    id: 'D12',
    severity: 'warn',
    evidence: 'ran',
    statement: 'Lines without uuid stay as they are and where they are.',
  },
  { id: 'D13', severity: 'reject', evidence: 'ran', statement: 'Each line is one whole JSON object.' },
  { id: 'D14', severity: 'warn', evidence: 'ran', statement: 'Behind an edit thinking goes, on models that bind it.' },
  { id: 'D15', severity: 'warn', evidence: 'ran', statement: 'Persisted outputs move with their session.' },
]

export const PI_RULES: readonly RuleFacts[] = [
  {
    id: 'E01',
    severity: 'reject',
    evidence: 'ran',
    statement: 'A header first; every parentId names an entry, or is null.',
  },
  { id: 'E02', severity: 'reject', evidence: 'ran', statement: 'The last entry is the tip of the branch.' },
  {
    id: 'E03',
    severity: 'reject',
    evidence: 'types',
    statement: 'Results answer calls of the assistant message before.',
  },
  { id: 'E04', severity: 'reject', evidence: 'types', statement: 'A failed or aborted answer has no results.' },
  { id: 'E05', severity: 'reject', evidence: 'ran', statement: 'A compaction names the first entry that it keeps.' },
  {
    id: 'E06',
    severity: 'warn',
    evidence: 'types',
    statement: 'Labels, leaves and branch summaries name entries that exist.',
  },
  { id: 'E07', severity: 'reject', evidence: 'ran', statement: 'A context edit names a message of the active branch.' },
  { id: 'E08', severity: 'warn', evidence: 'ran', statement: 'Ids are unique; calls pair inside their turn.' },
  { id: 'E09', severity: 'warn', evidence: 'ran', statement: 'Contents have the shape of their role.' },
  {
    id: 'E10',
    severity: 'warn',
    evidence: 'ran',
    statement: 'Bytes that were sent change in deliberate batches only.',
  },
  {
    id: 'E11',
    severity: 'warn',
    evidence: 'types',
    statement: 'Thinking is replayed for its own model, or not at all.',
  },
]
