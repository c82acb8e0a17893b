/**
 * What may change in a transcript, as data (DESIGN section 4).
 *
 * Rules propose edits, the plan chooses, `apply` (core/apply) carries them out on the neutral view and a format's
 * writer on the recorded bytes; both must agree, which a property test checks.
 */
import type { Address, JsonValue } from './transcript.ts'

/** How to get the content back if it were not archived; it steers the pointer's words and what retention drops first. */
export type ContentClass = 'restorable' | 'rerunnable' | 'worthless'

/** One piece of content that an edit takes out; the archive stores it under `ref`. */
export interface Removed {
  /** First 12 lower-case base32 characters of SHA-256 over the content (core/reference). */
  readonly ref: string
  readonly content: string | Uint8Array
  readonly mediaType: string
  readonly class: ContentClass
  readonly tool?: string
  /** What the call was about: a path, a command, a pattern. */
  readonly target?: string
  readonly rule: string
  readonly at: Address
}

interface EditBase {
  /** The rule that proposed it; repairs use the legality rule's id (`A09`, `D01`, …). */
  readonly rule: string
  /** One line a person understands. */
  readonly reason: string
  /** `economy` edits must shrink; `legality` edits may grow and are reported apart; `thinking` ends an epoch. */
  readonly purpose: 'economy' | 'legality' | 'thinking'
  readonly class: ContentClass
  /** Estimated tokens it frees (negative when it adds). */
  readonly frees: number
  readonly removed: readonly Removed[]
  readonly at: Address
}

/** Path of keys and indexes inside a call's input. */
export type InputPath = readonly (string | number)[]

export type EditChange =
  /** The whole body of a result becomes this text; images in it leave with it. `isError` changes the flag. */
  | { readonly kind: 'replace-result'; readonly text: string; readonly isError?: boolean }
  /** String arguments become texts; the object and all its keys stay (A19). */
  | {
      readonly kind: 'replace-arguments'
      readonly values: readonly { readonly path: InputPath; readonly text: string }[]
    }
  /** An image or document block becomes a text block; with `part`, the part of a result's body. */
  | { readonly kind: 'replace-media'; readonly text: string; readonly part?: number }
  | { readonly kind: 'replace-text'; readonly text: string }
  /** A call and its result leave together; a message that is empty afterwards leaves too. */
  | { readonly kind: 'drop-exchange'; readonly result?: Address }
  /** A call becomes one line of text and its result leaves: what an old exchange shrinks to. */
  | { readonly kind: 'fold-exchange'; readonly text: string; readonly result?: Address }
  /** One block leaves; an entry that is empty afterwards leaves too. */
  | { readonly kind: 'drop-block' }
  /** Every entry of the message at `at` leaves; what referred to them is re-linked to the nearest living ancestor. */
  | { readonly kind: 'drop-message'; readonly entries: readonly number[] }
  /** The thinking blocks of the entry at `at` leave; the entry stays, even when empty (`content: []`). */
  | { readonly kind: 'strip-thinking' }
  /** A call gets an answer of this text; its entry's identity is derived from the call, never random. */
  | { readonly kind: 'answer-call'; readonly callId: string; readonly text: string; readonly isError: boolean }
  /** The entry's parent becomes this key (null: a root). */
  | { readonly kind: 'relink'; readonly parent: string | null }
  /** A whole message is put after the entry at `at`. */
  | { readonly kind: 'insert-message'; readonly role: 'user' | 'assistant'; readonly text: string }
  /** The message at `at` moves behind the entry with this ordinal. */
  | { readonly kind: 'move'; readonly after: number }
  /** The blocks of the entry at `at` get this order (indexes into the present one). */
  | { readonly kind: 'reorder'; readonly order: readonly number[] }
  /** A result that answers nothing becomes a text block with the same words. */
  | { readonly kind: 'result-to-text' }
  /** A source line that holds several objects is split between them. */
  | { readonly kind: 'split-line' }
  /** A field of the native entry gets another value; the writer knows the field. */
  | { readonly kind: 'set-field'; readonly field: string; readonly value: JsonValue }

export type Edit = EditBase & EditChange
export type EditKind = Edit['kind']
export type EditOf<K extends EditKind> = Extract<Edit, { kind: K }>

/** Where the result stands that leaves with its call. */
export function answerOf(edit: Edit): Address | undefined {
  return edit.kind === 'drop-exchange' || edit.kind === 'fold-exchange' ? edit.result : undefined
}
