/** Sums over the first items of a list whose values change: both in logarithmic time (a binary indexed tree). */
export interface Sums {
  add(item: number, value: number): void
  /** Sum of the values before this item. */
  before(item: number): number
}

export function sums(length: number): Sums {
  const tree = new Float64Array(length + 1)
  return {
    add(item, value) {
      for (let at = item + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + value
    },
    before(item) {
      let sum = 0
      for (let at = item; at > 0; at -= at & -at) sum += tree[at] ?? 0
      return sum
    },
  }
}
