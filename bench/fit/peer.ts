/** What the comparison asks of a strategy: the messages of the next request, given the whole history so far. */
import type { ChatMessage } from './trajectory.ts'

export interface Prompt {
  readonly messages: readonly ChatMessage[]
  /** Can the model get at this text by what the prompt tells it? Beside what the prompt itself holds. */
  readonly canRecover?: (text: string) => boolean
}

export interface Peer {
  readonly name: string
  /** A new conversation; `limit` is the size at which a strategy is to act, in tokens of our count. */
  begin(limit: number, task: string): (history: readonly ChatMessage[]) => Prompt | Promise<Prompt>
}
