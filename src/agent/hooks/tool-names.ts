/** Names of tools and patterns of names: `Bash`, `mcp__files__*`. */

/** Tools that do hands-on work: they run something or change a file. */
export const HANDS_ON_TOOLS: readonly string[] = [
  'Bash',
  'PowerShell',
  'Monitor',
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
]

/** Is the tool in the list? An entry that ends in `*` names every tool that begins so. */
export function isListed(tool: string, list: readonly string[]): boolean {
  return list.some((entry) => (entry.endsWith('*') ? tool.startsWith(entry.slice(0, -1)) : entry === tool))
}
