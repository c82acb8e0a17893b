/** What a prompt may cost of a window, what it must hold, and what leaves first (seed C); pure. */
export { type Budget, type BudgetOptions, budgetOf } from './budget.ts'
export { type BudgetChoice, type BudgetTerms, budgetPolicy, LEAST_GAIN_SHARE } from './choose.ts'
export { type ErrorFacts, type ErrorSigns, signsOf } from './error-facts.ts'
export { type EvictableTurn, earlierNotes } from './evict.ts'
export { type Floor, floorOf } from './floor.ts'
export { isNote, type Note, type NoteFacts, type NoteSection, noteText, readNote } from './note.ts'
export { overflowOf } from './overflow.ts'
export { isOverflow, overflows } from './overflow-signs.ts'
export { isNoteBlock, pinnedSize } from './pinned.ts'
export { blockSize, messageSize, transcriptSize } from './size.ts'
export { promptTokensOf } from './usage.ts'
export {
  type KnownWindow,
  type LearnedWindow,
  learnedAccepted,
  learnedRefusal,
  windowFor,
} from './window.ts'
