/** Claude Code's session files: `<config>/projects/<working folder>/<id>.jsonl` and its subagents. */
export { isClaudeCode } from './detect.ts'
export { claudeCodeReader } from './reader.ts'
