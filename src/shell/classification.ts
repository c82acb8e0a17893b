/** One simple command (or one construct that was refused) of the command that was classified. */
export interface Part {
  /** The part as written, newlines turned into blanks, cut to `MOST_QUOTED_CHARACTERS`. */
  readonly text: string
  readonly allow: boolean
  readonly ephemeral: boolean
  /** One line: why it is refused, or that it only looks. */
  readonly reason: string
}

/**
 * The answer to two questions about one shell command (F10, F5): may a coordinator run it itself, and does its
 * result go stale. `allow` implies `ephemeral`.
 */
export interface Classification {
  readonly allow: boolean
  readonly ephemeral: boolean
  /** One line that names the part and why, for a model to act on. */
  readonly reason: string
  readonly parts: readonly Part[]
}
