/** The first line of a text that says something, cut at its end: what was cut once stays what it is. */
export function openingOf(text: string, most: number): string {
  const line = text.trimStart().split('\n', 1)[0]?.replace(/\s+/g, ' ').trim() ?? ''
  const points = Array.from(line.slice(0, 2 * most + 2))
  return points.length <= most && line.length <= 2 * most
    ? line
    : `${points
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}
