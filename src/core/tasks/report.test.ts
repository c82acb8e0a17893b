import { describe, expect, it } from 'vitest'
import { readReport } from './report.ts'

describe('what a report says', () => {
  it('the conclusion is what stands under a heading that concludes, not how the worker begins', () => {
    const report =
      'Perfect! Now let me write it up.\n\n## Details\nA long story.\n\n## Summary\n\nThe lock is never released.'
    expect(readReport(report).conclusion).toBe('The lock is never released.')
    expect(readReport('Perfect! Now I know.\n\nThe lock is **never** released.').conclusion).toBe(
      'The lock is never released.',
    )
    expect(readReport('ok').conclusion).toBe('ok')
    expect(readReport('```json\n{"a": 1}\n```').conclusion).toBe('{"a": 1}')
  })

  it('the answer to a poll holds the report behind a mark', () => {
    expect(readReport('[Tool: Read] {"file_path":"a"}\n\n--- RESULT ---\nAll 3 pass.').conclusion).toBe('All 3 pass.')
  })

  it.each([
    ['a line that says so', 'Worker result: edited src/add.ts, tests 3 passed.', [], ['src/add.ts']],
    ['a line of its own', 'I created `src/new.ts` and updated config.json.', [], ['src/new.ts', 'config.json']],
    ['under a heading', '### What I changed\n\n1. **`src/modules/ai.js`**\n   - more', [], ['src/modules/ai.js']],
    ['new files under a heading', '## Files created\n- docs/a.md\n- docs/b.md', ['docs/a.md', 'docs/b.md'], []],
    ['what should be done claims nothing', 'src/a.ts needs to be updated. src/b.ts should be changed.', [], []],
    ['what was not done claims nothing', 'No files changed: src/a.ts is fine; src/b.ts was not modified.', [], []],
    ['what was only read', 'The lock is in src/lock.ts (lines 3-9).', [], []],
    ['versions and addresses are no files', 'Updated to 1.2.3, see https://x.dev/a.html for e.g. more.', [], []],
  ])('files: %s', (_, report, added, changed) => {
    expect(readReport(report)).toMatchObject({ filesAdded: added, filesChanged: changed })
  })

  it('errors, what was tried, and what a worker could not verify', () => {
    const report =
      'All is built and the pages of the site are rendered again by the new engine, which took quite a while to be set up on this machine.\nError: the port 80 is taken\n- Failed: 0\n- no errors elsewhere\nI tried threading.Timer, which races.\n\n## Unverified\n- behaviour on Windows\n\n## Next\nNote: restart the server.'
    expect(readReport(report)).toMatchObject({
      errors: ['Error: the port 80 is taken'],
      triedAndFailed: ['I tried threading.Timer, which races.'],
      toRemember: ['behaviour on Windows', 'Note: restart the server.'],
    })
  })

  it('a long or hostile report is read in time in proportion to its length', () => {
    for (const piece of ['a/', 'x'.repeat(400), '**', '# ', 'updated a.b.c.d.e/f.ts ', '\n\n', '`']) {
      const begun = performance.now()
      readReport(piece.repeat(Math.ceil(300_000 / piece.length)))
      expect(performance.now() - begun, piece).toBeLessThan(2000)
    }
  })
})
