/**
 * Generated tests draw the same cases on every run, so that a red one is about the change and not about luck; the
 * nightly run draws others (SPILLWAY_SEED=random) and prints the seed of what it finds.
 */
import fc from 'fast-check'

const wish = process.env.SPILLWAY_SEED ?? '20261130'
if (wish !== 'random') fc.configureGlobal({ seed: Number(wish) })
