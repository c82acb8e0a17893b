import { describe, expect, it } from 'vitest'
import { assistant, transcriptOf, user } from '../../../test/support/transcripts.ts'
import { announcementMark, replyMark, spawnMark, withUnasked } from './task-marks.ts'

const RUN = 'a11e84e4-392e-4aca-aac5-344308c9ad8b'
const CHILD = 'agent:main:subagent:23065531-4b5b-4af3-90ce-7fe01f743d8e'

describe('what OpenClaw records about its workers', () => {
  it('the answer to a spawn: accepted, refused, refused with a child', () => {
    expect(spawnMark({ status: 'accepted', childSessionKey: CHILD, runId: RUN })).toEqual({
      ids: [CHILD, RUN],
      status: 'launched',
    })
    expect(spawnMark({ status: 'error', childSessionKey: CHILD })).toEqual({ ids: [CHILD], status: 'refused' })
    expect(spawnMark({ status: 'forbidden', error: 'no' })).toBeUndefined()
    expect(spawnMark({ status: 'completed', exitCode: 0 })).toBeUndefined()
    expect(spawnMark(undefined)).toBeUndefined()
  })

  it('an announcement, by its sender or its key', () => {
    const provenance = { kind: 'inter_session', sourceSessionKey: CHILD, sourceTool: 'subagent_announce' }
    expect(announcementMark({ provenance })).toEqual({ ids: [CHILD] })
    const key = `announce:v1:${CHILD}:${RUN}:active-wake`
    expect(announcementMark({ provenance, idempotencyKey: key })).toEqual({ ids: [CHILD, RUN] })
    const settle = `announce:requester-settle:main:agent:main:yield1:${RUN}:yield-1:user`
    expect(announcementMark({ idempotencyKey: settle })).toEqual({ ids: [RUN] })
    expect(announcementMark({ idempotencyKey: `${RUN}:user` })).toBeUndefined()
  })

  it('the answer to an announcement that was not stored', () => {
    expect(replyMark({ __openclaw: { runId: `announce:v1:${CHILD}:${RUN}` } })).toEqual({ ids: [CHILD, RUN] })
    expect(replyMark({ __openclaw: { runId: RUN } })).toBeUndefined()
    expect(replyMark({})).toBeUndefined()
  })

  it('an answer that follows a finished one is an answer to something that was not stored', () => {
    const { messages } = transcriptOf([user('go'), assistant('done'), assistant('more'), user('ok'), assistant('yes')])
    expect(withUnasked(messages, () => true).map(({ task }) => task)).toEqual([
      undefined,
      undefined,
      { ids: [] },
      undefined,
      undefined,
    ])
    expect(withUnasked(messages, () => false).some(({ task }) => task)).toBe(false)
  })
})
