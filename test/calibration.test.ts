import { describe, expect, it } from 'vitest'
import { measureCalibration, shareOfBaseline, WANTED_SHARE } from '../bench/calibration.ts'
import { hasData, noticeMissing } from './support/shared.ts'

if (!hasData) noticeMissing('the shared data')

describe.skipIf(!hasData)('calibration on the recorded sessions', () => {
  it('predicts prompts closer than one slope over the characters, at the median and at the ninth decile', () => {
    const { pooled } = measureCalibration()
    expect(pooled.ours.length).toBeGreaterThan(1_000)
    expect(pooled.baseline).toHaveLength(pooled.ours.length)
    expect(shareOfBaseline(pooled, 0.5)).toBeLessThanOrEqual(WANTED_SHARE)
    expect(shareOfBaseline(pooled, 0.9)).toBeLessThanOrEqual(WANTED_SHARE)
  })
})
