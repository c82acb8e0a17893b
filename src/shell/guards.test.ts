import { describe, expect, it } from 'vitest'
import { NO_GLANCES } from '../../test/support/glance-cases.ts'
import { hostileSample } from '../../test/support/glance-hostile.ts'
import { classify, classifyWithout } from './classify.ts'
import { everyGuard } from './guards.ts'

/** Generated hostile commands that stand beside the cases. */
const GENERATED = 500

describe('every guard is needed', () => {
  const commands = [...NO_GLANCES, ...hostileSample(GENERATED).map(({ command }) => command)]

  it('and there are many', () => {
    expect(everyGuard().length).toBeGreaterThan(300)
    expect(commands.length).toBe(NO_GLANCES.length + GENERATED)
  })

  it.each(everyGuard())('without "%s" a hostile command passes', (guard) => {
    const without = new Set([guard])
    const caught = commands.find((command) => classifyWithout(without, command).allow)
    expect(caught).toBeDefined()
    expect(classify(caught ?? '').allow).toBe(false)
  })
})
