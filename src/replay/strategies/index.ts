/** Every strategy a replay can compare, by name. */
import { PRESETS } from '../../planning/presets.ts'
import type { Strategy } from '../strategy.ts'
import { CLAUDE_CODE, DEEPAGENTS, OPENCODE, PI } from './compaction.ts'
import { CLEAR_TOOL_USES, CLEAR_TOOL_USES_20K, COLD_ONLY, FLOWER_AT_RESUME, SLIDING_MASK } from './masking.ts'
import { OPENCLAW_CACHE_TTL } from './openclaw.ts'
import { ours } from './ours.ts'

/** Nothing is ever taken out: what all others are measured against. */
export const RAW: Strategy = { name: 'raw', recoverable: true, player: () => () => {} }

const PEERS: readonly Strategy[] = [
  SLIDING_MASK,
  CLEAR_TOOL_USES,
  CLEAR_TOOL_USES_20K,
  CLAUDE_CODE,
  DEEPAGENTS,
  PI,
  OPENCODE,
  OPENCLAW_CACHE_TTL,
  FLOWER_AT_RESUME,
  COLD_ONLY,
]

export const STRATEGIES: readonly Strategy[] = [RAW, ...Object.values(PRESETS).map(ours), ...PEERS]
