/** How an example session is told: stages (one run of the binary each), and in each the model's answers in order. */

import { type AnswerBlock, call, type Reply, say, think } from '../../src/testing/index.ts'
import type { RunOptions } from '../../test/support/claude-code.ts'

export interface Stage {
  /** What the person asks. */
  readonly prompt: string
  readonly replies: readonly Reply[]
  /** The answers inside a subagent that this stage starts. */
  readonly subagent?: readonly Reply[]
  /** What this run of the binary needs beside the prompt. */
  readonly options?: Omit<RunOptions, 'prompt'>
}

/** One answer: thoughts and words first (either may be missing), then calls. */
export function turn(words: { readonly think?: string; readonly say?: string }, ...calls: AnswerBlock[]): Reply {
  const content: AnswerBlock[] = []
  if (words.think !== undefined) content.push(think(words.think))
  if (words.say !== undefined) content.push(say(words.say))
  return { content: [...content, ...calls] }
}

/** The tools, as the model calls them. File tools want absolute paths, so a story is told for one folder. */
export function toolsIn(project: string) {
  return {
    read: (file: string): AnswerBlock => call('Read', { file_path: `${project}/${file}` }),
    grep: (pattern: string, path = 'src'): AnswerBlock =>
      call('Grep', { pattern, path: `${project}/${path}`, output_mode: 'content', '-n': true }),
    glob: (pattern: string): AnswerBlock => call('Glob', { pattern, path: project }),
    bash: (command: string, description: string): AnswerBlock => call('Bash', { command, description }),
    edit: (file: string, old: string, next: string): AnswerBlock =>
      call('Edit', { file_path: `${project}/${file}`, old_string: old, new_string: next }),
    write: (file: string, content: string): AnswerBlock => call('Write', { file_path: `${project}/${file}`, content }),
    agent: (description: string, prompt: string): AnswerBlock =>
      call('Agent', { description, prompt, subagent_type: 'general-purpose', run_in_background: false }),
  }
}
