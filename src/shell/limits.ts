/** Longest command that is looked at, in UTF-16 units. Longer ones are refused unread, so that no input is slow. */
export const MOST_CHARACTERS = 8192
/** Deepest nesting of substitutions, groups, loops and wrappers. */
export const MOST_DEPTH = 12
/** Most simple commands in one command line. */
export const MOST_COMMANDS = 64
/** Most words of a `for` loop, and most words that braces may expand to. */
export const MOST_LOOP_WORDS = 256
/** Longest running time a `timeout` prefix may grant, in seconds. */
export const MOST_TIMEOUT_SECONDS = 60
/** Longest quotation of a part in a reason, in UTF-16 units. */
export const MOST_QUOTED_CHARACTERS = 80
