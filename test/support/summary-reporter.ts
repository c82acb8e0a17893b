import type { Reporter, TestModule } from 'vitest/node'

/** Prints the one line that continuous integration reads: counts of tests, and every module that failed to load. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      let failedInside = false
      for (const test of module.children.allTests()) {
        const state = test.result().state
        if (state === 'passed') count.passed++
        else if (state === 'failed') {
          count.failed++
          failedInside = true
        } else count.skipped++
      }
      if (module.state() === 'failed' && !failedInside) count.failed++
    }
    count.failed += unhandledErrors.length
    process.on('exit', () => {
      process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
    })
  }
}
