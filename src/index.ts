/**
 * Spillway's library: the economy, the formats it works on, and the use cases behind the command line.
 * Importing it needs no native module; SQLite is loaded when an archive is opened.
 */
export { apply } from './core/apply.ts'
export { type Economized, economize, type Outcome, type Report } from './core/economy.ts'
export type { Edit, EditKind, EditOf, Removed } from './core/edits.ts'
export { SpillwayError, type SpillwayErrorCode } from './core/errors.ts'
export { type CheckOptions, check, type Severity, type Violation } from './core/legality/index.ts'
export {
  chooseAll,
  DEFAULT_POLICY,
  type EconomyContext,
  type Plan,
  type Policy,
  type Shortfall,
} from './core/policy.ts'
export { DEFAULT_RULES, type RuleName, type RuleOptions } from './core/rules/index.ts'
export { type EconomyState, EMPTY_STATE } from './core/state.ts'
export {
  type BriefLint,
  type ChildThread,
  digestOf,
  lintBrief,
  RECORD_TOKENS,
  recordFault,
  renderRecord,
  rulesIn,
  type Task,
  type TaskOptions,
  type TaskRecord,
  type TaskState,
  tasksOf,
} from './core/tasks/index.ts'
export type {
  Address,
  Block,
  CallBlock,
  Exchange,
  Message,
  ResultBlock,
  Transcript,
  Turn,
} from './core/transcript.ts'
export { exchangesOf, turnsOf, viewTokens } from './core/transcript.ts'
export type { Format, ReadOptions, Session, SessionReader, SessionWriter, SourceLine } from './formats/format.ts'
export { FORMATS } from './formats/index.ts'
export {
  checkRequest,
  type Finding,
  type PrefixMemory,
  prefixMemory,
  type RequestContext,
  type RequestFormat,
  remember,
} from './formats/legality/index.ts'
export { lineSplitter } from './formats/lines.ts'
export type { AnyModel, ModelEndpoint, ModelInstance } from './hands/ask-model.ts'
export { type SummariesOptions, summarizeTasks } from './hands/summaries/index.ts'
export { fitMiddleware, fitPrepareStep, type StepOptions } from './loops/ai-sdk.ts'
export { type ApiClient, fitClient } from './loops/client.ts'
export {
  type Archived,
  type ArchivedHit,
  type ContentArchive,
  memoryArchive,
} from './loops/content-archive.ts'
export type { LoopOptions } from './loops/conversations.ts'
export { type DatabaseArchive, databaseArchive } from './loops/database-archive.ts'
export { fileArchive } from './loops/file-archive.ts'
export { type Fitted, fit } from './loops/fit.ts'
export type { FitOptions, Shape } from './loops/fit-options.ts'
export type { FitReport } from './loops/fit-report.ts'
export type { FitState } from './loops/fit-state.ts'
export type { EditedFile, PutBack, TodoItem } from './loops/put-back.ts'
export { type RecallTool, type RecallToolOptions, recallTool } from './loops/recall-tool.ts'
export { checkForecast, type Forecast, type ForecastCheck } from './planning/forecast.ts'
export { plannedPolicy } from './planning/plan.ts'
export { PRESETS, type Preset, type PresetName } from './planning/presets.ts'
export { type PriceChoice, type Prices, pricesFor } from './planning/prices.ts'
export {
  dietTools,
  measureTools,
  type ServerTokens,
  type ToolMeasure,
  type ToolTokens,
} from './planning/schemas/index.ts'
export { type Analysis, type AnalyzeOptions, analyzeSession } from './sessions/analyze.ts'
export { type CompactOptions, type CompactTarget, compactSession } from './sessions/compact.ts'
export type { CompactReport } from './sessions/compact-report.ts'
export { doctorSession } from './sessions/doctor.ts'
export type { DoctorOptions, DoctorReport } from './sessions/doctor-report.ts'
export { type Recalled, type RecallOptions, recall } from './sessions/recall.ts'
export { type RestoreOptions, type RestoreReport, restoreSession } from './sessions/restore.ts'
export type { DigestedTask, Summaries, Summarize, SummaryOutcome } from './sessions/task-summaries.ts'
export { type ReportedTask, sessionTasks, type TasksOptions, type TasksReport } from './sessions/tasks.ts'
export { type Classification, classify } from './shell/index.ts'
