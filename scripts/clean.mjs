// A stale file in dist/ would be published: the build always starts from nothing.
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
