/** The door of the agent floor: the runtime over the Claude Agent SDK, and its parts, each usable alone. */

export { type Archive, openArchive } from '../archive/index.ts'
export { type ErrorFacts, isOverflow } from '../planning/budget/index.ts'
export type { EventBody, OnRunEvent, RunEvent, RunEventType, WorkerName } from './events/events.ts'
export { type DelegateGuardOptions, type DelegateTexts, delegateGuard } from './hooks/delegate-guard.ts'
export { foregroundGuard } from './hooks/foreground-guard.ts'
export type { HookEvent, OnHookEvent } from './hooks/hook-event.ts'
export { type IndexGuardOptions, indexGuard } from './hooks/index-guard.ts'
export { type IsolateGuardOptions, isolateGuard } from './hooks/isolate-guard.ts'
export { mergeHooks } from './hooks/merge-hooks.ts'
export type { Hooks } from './hooks/pre-tool-use.ts'
export {
  DEFAULT_READ_SPILL_CHARS,
  DEFAULT_SPILL_CHARS,
  DEFAULT_SPILL_MEDIA_BYTES,
  type SpillPreset,
} from './hooks/spill/limits.ts'
export { type SpillGuardOptions, spillGuard } from './hooks/spill-guard.ts'
export { type WhitelistGuardOptions, whitelistGuard } from './hooks/whitelist-guard.ts'
export { type WorkbenchContextOptions, workbenchContext } from './hooks/workbench-context.ts'
export { classifyError, type ErrorClass } from './resilience/classify-error.ts'
export type { Timing } from './resilience/timing.ts'
export {
  type AgentSpec,
  type AgentSpecInput,
  agentSpec,
  type WorkerInput,
  type WorkerSpec,
} from './roles/agent-spec.ts'
export { type CoordinatorOptions, coordinator, type WorkerOptions, worker } from './roles/coordinator.ts'
export { type RoleGuardOptions, roleGuards } from './roles/role-guards.ts'
export { COORDINATOR_RULES, GLANCE_RULES, WORKER_RULES } from './roles/rule-texts.ts'
export { roleOptions } from './roles/sdk-options.ts'
export { analyzeRun, type RunAnalysis } from './run-directory/analyze-run.ts'
export type { ResilienceOptions, RuntimeOptions, StepError, StepOptions, StepResult } from './runtime/options.ts'
export { Runtime } from './runtime/runtime.ts'
export { RUNTIME_TEXTS, type RuntimeTexts } from './runtime/texts.ts'
export {
  type IndexEntry,
  type IndexFolder,
  openWorkbench,
  type Workbench,
  type WorkbenchIndex,
  type WorkbenchOptions,
} from './workbench/workbench.ts'
