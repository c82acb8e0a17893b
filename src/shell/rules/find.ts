import { type Field, UNKNOWN } from '../fields.ts'
import { type Judging, named, object } from '../judging.ts'
import type { Why } from '../verb.ts'

/** Tests, options and actions of `find` by the number of words they take. */
const BARE = new Set(
  '! ( ) , -a -o -not -and -or -true -false -print -print0 -ls -prune -quit -depth -d -daystart -follow -mount -xdev -noleaf -empty -executable -readable -writable -nouser -nogroup -ignore_readdir_race -noignore_readdir_race -warn -nowarn -H -L -P -E -X -x -s -help --help -version --version'.split(
    ' ',
  ),
)
const VALUED = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -perm -user -group -uid -gid -links -inum -samefile -newer -anewer -cnewer -mtime -mmin -atime -amin -ctime -cmin -used -maxdepth -mindepth -fstype -regextype -printf -context -Bmin -Bnewer -Btime -D'.split(
    ' ',
  ),
)
const REFUSED: Readonly<Record<string, Why>> = {
  '-delete': 'deletes what it finds; list with -print',
  '-ok': 'runs a program after asking',
  '-okdir': 'runs a program after asking',
  '-execdir': 'runs a program in each folder; use `-exec`',
  '-fprint': 'writes a file; leave it out',
  '-fprint0': 'writes a file; leave it out',
  '-fprintf': 'writes a file; use -printf',
  '-fls': 'writes a file; use -ls',
  '-files0-from': 'reads its folders from a file or standard input',
}

/** `find`: known tests; `-exec` of a glance on what was found. */
export function findRule(judging: Judging): void {
  const { fields } = judging
  let inExpression = false
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]
    if (field === undefined) return
    const { text } = field
    const begins = /^[-(!,]/.test(text) || text === ')'
    if (!inExpression && !begins && !(field.mayBeOption || field.mayVary)) continue
    if (field.mayBeOption || !field.known) {
      object(
        judging,
        'dynamic words',
        named(judging, field),
        'may turn into `-delete`; begin it with a folder, or quote it after a test',
      )
      continue
    }
    if (!/^-[HLPD]$|^-O\d$/.test(text)) inExpression = true
    const refused = REFUSED[text]
    if (refused !== undefined) object(judging, 'find actions', named(judging, field), refused)
    else if (text === '-exec') at = exec(judging, at + 1)
    else if (VALUED.has(text) || /^-newer[aBcmt]{2}$/.test(text)) {
      at++
      const value = fields[at]
      if (value?.mayVary || (value?.glob && value.mayBeOption)) {
        object(judging, 'dynamic words', named(judging, value), 'may split into `-delete`; quote it')
      }
    } else if (!BARE.has(text) && !/^-O\d$/.test(text)) {
      object(judging, 'find actions', named(judging, field), 'is not a known test or action of find')
    }
  }
}

/** Looks at the command between `-exec` and `;` or `+`; returns the place of the closing word. */
function exec(judging: Judging, from: number): number {
  const { fields } = judging
  const rest = fields.slice(from)
  const close = rest.findIndex((field, at) => field.text === ';' || (field.text === '+' && rest[at - 1]?.text === '{}'))
  const command = close < 0 ? rest : rest.slice(0, close)
  if (close < 0 || command.length === 0) {
    object(judging, 'find actions', judging.text, 'has an `-exec` that does not end with `\\;` or `{} +`')
    return fields.length
  }
  // `+` puts many names there, `;` one; find puts a name wherever it sees braces, inside of words too.
  const many = rest[close]?.text === '+'
  judging.wrapped.look(command.map(withFound), { words: many ? 'data' : 'certain', input: false })
  return from + close
}

function withFound(field: Field): Field {
  if (!field.text.includes('{}')) return field
  // What find puts there begins with a folder, never with a dash.
  const text = field.text.replaceAll('{}', UNKNOWN)
  return {
    text,
    known: false,
    mayBeOption: false,
    mayVary: false,
    glob: false,
    alternatives: undefined,
    plain: false,
    whole: false,
    source: field.source,
  }
}
