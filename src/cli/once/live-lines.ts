/** Lines at the bottom of a terminal that are drawn anew, below what is printed for good. */
import type { WriteStream } from 'node:tty'

const ESCAPE = '\u001b['

export interface LiveLines {
  /** Takes the lines away, lets something be printed, and puts these in their place. */
  redraw(lines: readonly string[], print?: () => void): void
  /** Takes them away for good. */
  end(): void
}

/** On anything but a terminal nothing is drawn; what is printed is printed. */
export function liveLines(stream: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean }): LiveLines {
  if (stream.isTTY !== true || process.env.TERM === 'dumb') {
    return { redraw: (_, print) => print?.(), end: () => {} }
  }
  let drawn: readonly string[] = []
  const clear = (): void => {
    if (drawn.length > 0) stream.write(`${ESCAPE}${drawn.length}A${ESCAPE}0J`)
    drawn = []
  }
  return {
    redraw(lines, print) {
      if (!print && lines.join('\n') === drawn.join('\n')) return
      clear()
      print?.()
      stream.write(lines.map((line) => `${line}\n`).join(''))
      drawn = lines
    },
    end: clear,
  }
}
