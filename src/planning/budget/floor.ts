/**
 * The floor (seed C3): what is sent again with every request whatever the history, and no compaction reaches. Measured
 * apart, because a verbose import of tools can put tens of thousands of tokens under every step.
 */
import { estimateTokens } from '../../core/tokens.ts'
import { measureTools, type ServerTokens, type ToolTokens } from '../schemas/index.ts'
import { documentsIn, type FixedDocument } from './documents.ts'

/** In estimated tokens, uncalibrated. */
export interface Floor {
  readonly system: number
  readonly tools: number
  readonly total: number
  readonly byTool: readonly ToolTokens[]
  readonly byServer: readonly ServerTokens[]
  /** Documents that sit in the system prompt or before the task; part of `system`, or of the pinned texts. */
  readonly documents: readonly FixedDocument[]
}

export interface FloorParts {
  /** Texts of the system prompt, wherever they stand. */
  readonly system: readonly string[]
  readonly tools?: unknown
  /** Texts of the first user message, where harnesses put documents too. */
  readonly opening?: readonly string[]
}

export function floorOf({ system, tools, opening = [] }: FloorParts): Floor {
  const measured = measureTools(tools)
  const systemTokens = system.reduce((sum, text) => sum + estimateTokens(text), 0)
  return {
    system: systemTokens,
    tools: measured.total,
    total: systemTokens + measured.total,
    byTool: measured.tools,
    byServer: measured.servers,
    documents: documentsIn([...system, ...opening]),
  }
}
