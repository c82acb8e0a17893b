/** What is spilled, and what stays in its place (F4). */

/** From this many characters on, a result of Bash, Grep, Glob, WebFetch, WebSearch or an MCP tool is spilled. */
export const DEFAULT_SPILL_CHARS = 4000
/**
 * The same for Read: what was read is used at once. Spilling every result over 8,000 characters hides 17-42 % of what
 * the agent uses next.
 */
export const DEFAULT_READ_SPILL_CHARS = 40_000
/** From this many decoded bytes on, an image or document is spilled. */
export const DEFAULT_SPILL_MEDIA_BYTES = 250_000
/** Characters that stay of the beginning, and of the end, where summaries and errors stand. */
export const DEFAULT_PREVIEW_HEAD = 400
export const DEFAULT_PREVIEW_TAIL = 400

export interface SpillLimits {
  /** Characters (code points); null or 0: nothing is spilled at all. */
  readonly threshold: number | null
  readonly readThreshold: number
  /** Null: images and documents stay. */
  readonly mediaBytes: number | null
  readonly previewHead: number
  readonly previewTail: number
  /** Tools whose results are looked at; `mcp__*` names every tool of every server. */
  readonly tools: readonly string[]
  /** Judge the result as a whole, lists included; false: each text field alone, lists never. */
  readonly whole: boolean
}

export type SpillPreset = 'default' | 'seed'

const SEED_TOOLS = ['Bash', 'Read', 'Grep', 'Glob', 'WebFetch', 'WebSearch']

/** `seed`: the numbers of the system this one follows, exactly. */
export const SPILL_PRESETS: Readonly<Record<SpillPreset, SpillLimits>> = {
  default: {
    threshold: DEFAULT_SPILL_CHARS,
    readThreshold: DEFAULT_READ_SPILL_CHARS,
    mediaBytes: DEFAULT_SPILL_MEDIA_BYTES,
    previewHead: DEFAULT_PREVIEW_HEAD,
    previewTail: DEFAULT_PREVIEW_TAIL,
    tools: [...SEED_TOOLS, 'mcp__*'],
    whole: true,
  },
  seed: {
    threshold: 4000,
    readThreshold: 4000,
    mediaBytes: null,
    previewHead: 400,
    previewTail: 0,
    tools: SEED_TOOLS,
    whole: false,
  },
}
