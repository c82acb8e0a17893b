import { describe, expect, it } from 'vitest'
import { claudeCodeReader } from '../../formats/claude-code/index.ts'
import { workbenchUse } from './workbench-use.ts'

/** One thread of calls with their results. */
function thread(...calls: readonly (readonly [name: string, input: object, result: string])[]) {
  const reader = claudeCodeReader()
  let parentUuid: string | null = null
  const push = (type: string, message: object): void => {
    const uuid: string = `${parentUuid ?? ''}x`
    reader.pushEntry({ type, uuid, parentUuid, isSidechain: false, sessionId: 's', message })
    parentUuid = uuid
  }
  push('user', { role: 'user', content: 'Go.' })
  calls.forEach(([name, input, content], index) => {
    const id = `c${index}`
    push('assistant', { role: 'assistant', id: `m${index}`, content: [{ type: 'tool_use', id, name, input }] })
    push('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] })
  })
  return reader.finish().main
}

const SCRIPT = { file_path: '/w/.spillway/scripts/count.sh' }

describe('what threads say of the workbench', () => {
  it('counts spills by their pointers, behind a line number too', () => {
    const use = workbenchUse('.spillway')
    use.take(
      thread(
        [
          'Bash',
          { command: 'x' },
          '[spillway m4rvfaplxzia: Bash x, 348,894 characters. Back: /a.txt]\nFirst 400 characters:',
        ],
        [
          'Read',
          { file_path: 'a.png' },
          '1\t[spillway xjb2eoxah7cd: Read image a.png, 10x10, 511 bytes. Back: /a.png]',
        ],
        ['Bash', { command: 'y' }, 'nothing of the kind'],
      ),
    )
    expect(use.sums().spills).toEqual({ count: 2, characters: 348_894, bytes: 511 })
  })

  it('counts scripts of the workbench, how often they were written and run, over all threads', () => {
    const use = workbenchUse('.spillway')
    use.take(
      thread(['Write', SCRIPT, 'ok'], ['Edit', SCRIPT, 'ok'], ['Write', { file_path: '/w/scripts/own.sh' }, 'ok']),
    )
    use.take(thread(['Bash', { command: 'sh .spillway/scripts/count.sh && sh scripts/own.sh' }, '3']))
    use.take(thread(['Bash', { command: 'sh /w/.spillway/scripts/count.sh | head' }, '3']))
    expect(use.sums().scripts).toEqual({ scripts: 1, writes: 2, runs: 2 })
  })
})
