import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CASES, hasCases, noticeMissing } from '../../../test/support/shared.ts'
import { isOverflow } from '../../planning/budget/index.ts'
import { classifyError } from './classify-error.ts'

interface Case<Want> {
  readonly text: string | null
  readonly want: Want
}

function casesOf<Want>(name: string): Case<Want>[] {
  const file = join(CASES, 'behaviour', `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { cases: Case<Want>[] }).cases : []
}

if (!hasCases) noticeMissing('../shared/cases')

describe.skipIf(!hasCases)('the labelled texts', () => {
  it.each(casesOf<string>('classify').map(({ text, want }) => [text, want] as const))('%s: %s', (text, want) => {
    expect(classifyError({ text })).toBe(want)
  })
  it.each(casesOf<boolean>('overflow').map(({ text, want }) => [text, want] as const))(
    '%s too long: %s',
    (text, want) => {
      expect(isOverflow(text)).toBe(want)
    },
  )
})

describe('status, type and code come before words', () => {
  it.each([
    [{ status: 529, text: 'invalid api key' }, 'transient'],
    [{ status: 401, text: 'overloaded' }, 'fatal'],
    [{ status: 429, type: 'insufficient_quota', text: 'You exceeded your current quota' }, 'fatal'],
    [{ status: 429, text: 'You exceeded your current quota, please check your plan and billing details.' }, 'fatal'],
    [{ status: 429, text: 'You exceeded your current quota. Please retry in 41s.' }, 'transient'],
    [{ status: 413 }, 'overflow'],
    [{ status: 409 }, 'transient'],
    [{ status: 405 }, 'fatal'],
    [{ status: 501 }, 'fatal'],
    [{ status: 526 }, 'fatal'],
    [{ status: null, type: 'rate_limit', text: '' }, 'transient'],
    [{ type: 'authentication_failed', text: 'Please try again' }, 'fatal'],
    [{ type: 'error_max_turns' }, 'fatal'],
    [{ type: 'error_max_budget_usd' }, 'fatal'],
    [{ type: 'billing_error' }, 'fatal'],
    [{ code: 'ECONNRESET', text: 'forbidden' }, 'transient'],
    [{ code: 'CERT_HAS_EXPIRED', text: 'connection error' }, 'fatal'],
    [{ code: 'ENOENT', text: 'spawn /opt/claude ENOENT' }, 'fatal'],
    [{ status: 400, type: 'invalid_request_error', text: 'prompt is too long: 1 tokens > 0 maximum' }, 'overflow'],
  ] as const)('%j is %s', (facts, want) => {
    expect(classifyError(facts)).toBe(want)
  })
})

describe('a number is a status only where a status stands', () => {
  it.each([
    ['HTTP 503 after reading 401 rows', 'transient'],
    ['Request failed with status code 404', 'fatal'],
    ['API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}', 'transient'],
    ['API Error (429 slow down)', 'transient'],
    ['status: 422 while sending 503 rows', 'fatal'],
    ['connect ETIMEDOUT 10.0.4.3:443', 'transient'],
    ['retried 429 times, then: socket hang up', 'transient'],
    ['400 ms passed, then the connection was reset', 'transient'],
    ['wrote 403 files', 'unknown'],
    ['{"error":{"message":"{\\n \\"error\\": {\\n \\"code\\": 429, \\"message\\": \\"check quota\\"}}"}}', 'transient'],
  ] as const)('%s: %s', (text, want) => {
    expect(classifyError(text)).toBe(want)
  })
})

describe('the first statement decides among words', () => {
  it.each([
    ['overloaded: billing is not affected', 'transient'],
    ['connection reset while the certificate was read', 'transient'],
    ['access denied; connection closed', 'fatal'],
    ["the file says 'overloaded'", 'unknown'],
    ['Temporary failure in name resolution', 'transient'],
    ['OAuth token has expired. Please run /login', 'fatal'],
    ['timed out', 'transient'],
    ['timed out in src/a/timeout.test.ts', 'unknown'],
    ['ThrottlingException: Rate exceeded', 'transient'],
    ['AccessDeniedException: no', 'fatal'],
    ['terminated', 'transient'],
    ['quota exceeded for this minute, retry in 10 s', 'transient'],
    ['Too many concurrent requests', 'transient'],
    ['UNAVAILABLE: io exception', 'transient'],
    ['Could not resolve host', 'transient'],
    ['http://127.0.0.1:5000/v1 refused the connection', 'transient'],
    ['Unexpected token < in JSON at position 0', 'transient'],
    ['httpx.ReadTimeout', 'transient'],
    ['This organization has been disabled.', 'fatal'],
    ['Could not load credentials from any providers', 'fatal'],
    ['ENOSPC: no space left on device', 'fatal'],
    ['the monthly budget is used up', 'fatal'],
    ['the page on billing could not be drawn', 'unknown'],
    ['余额不足', 'fatal'],
    ['请求过于频繁,请稍后重试', 'transient'],
    ['You have hit your usage limit (plus plan). Try again in ~9105 min.', 'fatal'],
    ['Claude Code process exited with code 1', 'unknown'],
    ['write: no space left on device', 'fatal'],
    ['the model is loading, 20 s left', 'transient'],
  ] as const)('%s: %s', (text, want) => {
    expect(classifyError(text)).toBe(want)
  })
})
