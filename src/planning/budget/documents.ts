/**
 * Fixed documents inside a prompt (seed O2): AGENTS.md, CLAUDE.md, SOUL.md and their like are sent with every request,
 * and they are often most of the floor. Harnesses mark each by a line that names it.
 */
import { estimateTokens } from '../../core/tokens.ts'

export interface FixedDocument {
  readonly name: string
  readonly tokens: number
}

const NAME =
  '(?:[^\\s"\'<>`]*/)?(?:[A-Z][A-Z0-9_-]{2,40}|copilot-instructions|MEMORY|\\.cursorrules)(?:\\.local)?\\.mdc?'

/**
 * How a document opens: "Contents of …/CLAUDE.md (…):" (Claude Code), "# AGENTS.md instructions for …" (Codex),
 * "## …/SOUL.md" (OpenClaw and pi), `<file path="AGENTS.md">` and `<document name=…>` (others).
 */
const OPENING = new RegExp(
  `^(?:Contents of (${NAME})\\b.*|#{1,4} +(?:File: *)?[\`"]?(${NAME})[\`"]?(?: instructions for .*)?|<[a-z_-]+ +(?:path|name|file|source)=["'](${NAME})["'][^>]*>)\\s*$`,
)
/** Where the documents are over and something else begins. */
const CLOSING = /^(?:<\/[a-zA-Z_-]+>|IMPORTANT: this context may or may not|# currentDate)/

/** Every document in these texts, largest first; one that is named twice counts together. */
export function documentsIn(texts: readonly string[]): FixedDocument[] {
  const sizes = new Map<string, number>()
  for (const text of texts) for (const [name, body] of sectionsOf(text)) add(sizes, name, estimateTokens(body))
  return [...sizes].map(([name, tokens]) => ({ name, tokens })).sort((one, other) => other.tokens - one.tokens)
}

function sectionsOf(text: string): [string, string][] {
  // Almost every text has no document at all.
  if (!/\.mdc?\b/.test(text)) return []
  const sections: [string, string][] = []
  let name: string | undefined
  let lines: string[] = []
  const close = (): void => {
    if (name !== undefined) sections.push([name, lines.join('\n')])
    name = undefined
    lines = []
  }
  for (const line of text.split('\n')) {
    const opening = line.length > 600 ? null : OPENING.exec(line)
    if (opening) {
      close()
      name = opening[1] ?? opening[2] ?? opening[3]
    } else if (CLOSING.test(line)) close()
    if (name !== undefined) lines.push(line)
  }
  close()
  return sections
}

function add(sizes: Map<string, number>, name: string, tokens: number): void {
  sizes.set(name, (sizes.get(name) ?? 0) + tokens)
}
