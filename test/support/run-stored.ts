/**
 * A process of its own: `run-stored.ts STORE HOME URL PROMPT` runs the real binary on a scripted model with an
 * economized store in a file, and prints `<session> <uuid>` for every entry once it is stored; for tests that kill it.
 */
import { SqliteSessionStore } from '../../src/stores/index.ts'
import { createClaudeHome, runClaudeCode } from './claude-code.ts'

const [file = '', root = '', url = '', prompt = ''] = process.argv.slice(2)
const store = new SqliteSessionStore(file)
await runClaudeCode(createClaudeHome(root), url, {
  prompt,
  model: 'claude-opus-5-5',
  tools: ['Bash', 'Agent'],
  sessionStoreFlush: 'eager',
  sessionStore: {
    append: async (key, entries) => {
      await store.append(key, entries)
      for (const { uuid } of entries) process.stdout.write(`${key.projectKey} ${key.sessionId} ${uuid ?? '-'}\n`)
    },
    load: (key) => store.load(key),
  },
})
