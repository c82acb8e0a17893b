/**
 * A failing command as the binary sees it: its answer goes to a hook that can replace nothing. Wrapped, it ends well
 * and says its exit code at the end, so that its output is spilled like any other.
 */

const OPEN = '{ :;\n'
const CLOSE = (label: string): string =>
  `\n}; __spillway_status=$?; [ "$__spillway_status" -eq 0 ] || printf '\\n[${label} %s]\\n' "$__spillway_status"`

/** @param label words for the line that names the exit code */
export function wrapped(command: string, label: string): string {
  return `${OPEN}${command}${CLOSE(label.replace(/[^\p{L}\p{N} _-]/gu, ''))}`
}

/** The command inside, or the text itself when it was not wrapped. */
export function unwrapped(command: string): string {
  if (!command.startsWith(OPEN)) return command
  const end = command.lastIndexOf('\n}; __spillway_status=')
  return end < 0 ? command : command.slice(OPEN.length, end)
}
