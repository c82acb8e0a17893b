import { describe, expect, it } from 'vitest'
import { readSession } from './read.ts'
import type { Source } from './source.ts'

describe('readSession', () => {
  it('gives up on a line that does not end, saying which', async () => {
    const line = Buffer.from('{"type":"user","parentUuid":null,"message":{"role":"user","content":"hm"}}\n')
    const endless = Buffer.alloc(16 * 1024 * 1024)
    let given = 0
    const source: Source = {
      file: 'pipe',
      name: 'pipe',
      subagents: [],
      async *chunks() {
        yield line
        for (; given < 1000; given++) yield endless
      },
    }
    await expect(readSession(source)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(/^pipe:2: goes on after \d+ bytes/),
    })
    expect(given).toBeLessThan(100)
  })
})
