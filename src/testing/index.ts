export {
  type Answer,
  type AnswerBlock,
  answer,
  call,
  type Drop,
  type Failure,
  overloaded,
  promptTooLong,
  type Reply,
  rateLimited,
  type Script,
  type Stall,
  say,
  serverError,
  think,
} from './script.ts'
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.ts'
export type { ReceivedRequest } from './server.ts'
export type { WireBlock, WireError, WireMessage, WireRequest, WireUsage } from './wire.ts'
