/**
 * The binary on a leash: when this process dies, however it dies, the binary is ended too. By itself it would live on,
 * ask the model again and again, and have every tool call refused, because nobody answers its hooks any more.
 */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'

/** Waits for the end of its input, which is the end of this process; then asks the binary to end, and then makes it. */
const WATCH = 'read _; kill -TERM "$0"; sleep 5; kill -KILL "$0"'

/**
 * For `spawnClaudeCodeProcess`.
 * @param onStderr hears the binary's error output
 * @param onProblem hears that there is no leash; the binary runs all the same
 */
export function spawnOnLeash(
  { command, args, cwd, env, signal }: SpawnOptions,
  onStderr: (text: string) => void,
  onProblem: (problem: Error) => void,
): SpawnedProcess {
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    signal,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stderr.setEncoding('utf8').on('data', onStderr)
  if (child.pid !== undefined) {
    const watcher = spawn('/bin/sh', ['-c', WATCH, String(child.pid)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // In a group of its own: what ends this process's group must not end the watch.
      detached: true,
    })
    watcher.once('error', onProblem)
    watcher.unref()
    if (watcher.stdin instanceof Socket) watcher.stdin.unref()
    watcher.stdin.once('error', () => {
      // It was ended because the binary was: nothing is left to be watched.
    })
    child.once('exit', () => watcher.kill('SIGKILL'))
  }
  return child
}
