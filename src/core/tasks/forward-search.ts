/** Searches of one text that only ever move on: what stands far ahead, or nowhere, is looked for once. */

export type ForwardSearch = (wanted: string, from: number) => number

/** `text.indexOf(wanted, from)`; all calls for one `wanted` together are linear as long as `from` never falls. */
export function forwardSearch(text: string): ForwardSearch {
  const found = new Map<string, number>()
  return (wanted, from) => {
    const before = found.get(wanted)
    if (before !== undefined && (before < 0 || before >= from)) return before
    const at = text.indexOf(wanted, from)
    found.set(wanted, at)
    return at
  }
}
