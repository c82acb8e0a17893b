import type { Rule } from '../judging.ts'
import type { RuleName } from '../verb.ts'
import { awkRule } from './awk.ts'
import { findRule } from './find.ts'
import { jqRule } from './jq.ts'
import { sedRule } from './sed.ts'
import { cdRule, exportRule, printfRule, readRule, seqRule, setRule } from './shell.ts'
import { testRule } from './test-command.ts'
import { ghApiRule, gitConfigRule, psRule, tarRule } from './tools.ts'
import { envRule, timeoutRule, xargsRule } from './wrappers.ts'

/** The checks that no table can state, by the name that the tables use. */
export const RULES: Readonly<Record<RuleName, Rule>> = {
  awk: awkRule,
  cd: cdRule,
  env: envRule,
  export: exportRule,
  find: findRule,
  'gh api': ghApiRule,
  'git config': gitConfigRule,
  jq: jqRule,
  printf: printfRule,
  ps: psRule,
  read: readRule,
  sed: sedRule,
  seq: seqRule,
  set: setRule,
  tar: tarRule,
  test: testRule,
  timeout: timeoutRule,
  xargs: xargsRule,
}
