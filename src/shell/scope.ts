import { A_NUMBER, type Knowledge, NOTHING_KNOWN } from './fields.ts'

/** Set at login, without blanks; what a script assigns itself is followed like any variable. */
const A_PLACE: Knowledge = { values: undefined, dashFree: true, whole: true, numeric: false }
const BUILT_IN: ReadonlyMap<string, Knowledge> = new Map([
  ...['?', '#', '$', '!', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO', 'EPOCHSECONDS', 'BASHPID'].map(
    (name) => [name, A_NUMBER] as const,
  ),
  ...['HOME', 'USER', 'LOGNAME'].map((name) => [name, A_PLACE] as const),
])

/**
 * What is known at one point of the script: variables whose last assignment is certain, and the working directory.
 * A branch works on a fork; what it assigned is unknown afterwards, because it may not have run.
 */
export interface Scope {
  readonly parent: Scope | undefined
  /** Made when the first variable is set: most commands set none. */
  variables: Map<string, Knowledge> | undefined
  /** The working directory, lexically; `undefined` when it is not known. */
  directory: string | undefined
  /** A `cd` may have happened here. */
  moved: boolean
}

export function rootScope(directory: string | undefined): Scope {
  return { parent: undefined, variables: undefined, directory, moved: false }
}

export function forkScope(parent: Scope): Scope {
  return { parent, variables: undefined, directory: parent.directory, moved: parent.moved }
}

export function setVariable(scope: Scope, name: string, knowledge: Knowledge): void {
  scope.variables ??= new Map()
  scope.variables.set(name, knowledge)
}

/** After a branch: whatever it assigned may or may not have been assigned. */
export function forgetBranch(scope: Scope, branch: Scope): void {
  for (const name of branch.variables?.keys() ?? []) setVariable(scope, name, NOTHING_KNOWN)
  if (branch.directory !== scope.directory) scope.directory = undefined
  if (branch.moved) scope.moved = true
}

export function lookUp(scope: Scope, name: string): Knowledge {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const knowledge = at.variables?.get(name)
    if (knowledge !== undefined) return knowledge
  }
  if (name === 'PWD' || name === 'OLDPWD') {
    const blankless = !scope.moved || (name === 'PWD' && scope.directory !== undefined && !/\s/.test(scope.directory))
    return { values: undefined, dashFree: true, whole: blankless, numeric: false }
  }
  return BUILT_IN.get(name) ?? NOTHING_KNOWN
}

/** Is the variable assigned by the script itself, so that its value does not come from the environment? */
export function isAssigned(scope: Scope, name: string): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) if (at.variables?.has(name)) return true
  return false
}
