export {
  type Answer,
  type AnswerBlock,
  answer,
  call,
  type Drop,
  type Failure,
  type Garbage,
  garbage,
  type Overflow,
  overloaded,
  promptTooLong,
  type Reply,
  rateLimited,
  type Script,
  type Stall,
  say,
  serverError,
  slowly,
  think,
} from './script.ts'
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.ts'
export type { ReceivedRequest } from './server.ts'
export {
  type ContractCheck,
  type ContractOptions,
  type OpenStore,
  sessionStoreContract,
} from './session-store/index.ts'
export type { WireBlock, WireError, WireMessage, WireRequest, WireUsage } from './wire.ts'
