/** OpenClaw's session store since 2026.7: one SQLite database an agent (docs/formats.md). */
export { addressWords, isStoreFile, STORE_NAME, type StoreAddress, storeAddress } from './address.ts'
export { type ChildSession, childrenInRegistry, childrenInStore, REGISTRY_NAME } from './children.ts'
export { copyStore } from './copy.ts'
export { type EventRow, eventsIn, sessionsIn } from './events.ts'
