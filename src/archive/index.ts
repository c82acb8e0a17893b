export { type Archive, openArchive, storeSource } from './archive.ts'
export {
  type Database,
  type FileKind,
  inTransaction,
  openDatabase,
  type Statement,
  translated,
} from './database.ts'
export { allArchives, archiveFolder } from './location.ts'
export type { ArchivedObject } from './objects.ts'
export { createPrivateFile } from './private-file.ts'
export type { Collection, Needed } from './retention.ts'
export { DEFAULT_SEARCH_LIMIT, type SearchHit, type SearchQuery } from './search.ts'
export { spillFolder } from './spill.ts'
export { PrefixMatcher, type UndoInput, type UndoSplice, undone } from './undo.ts'
