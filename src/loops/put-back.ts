/** What must survive an eviction (seed C6): given by the caller, else found in the messages. */

export interface TodoItem {
  readonly text: string
  readonly status: string
}

/** What is being edited; without content it is read from disk. */
export interface EditedFile {
  readonly path: string
  readonly content?: string
}

type Given<Value> = Value | undefined | Promise<Value | undefined>

/** Each is asked at an eviction only; `false` leaves the part out, absent finds it in the messages. */
export interface PutBack {
  /** Default: the first user message. */
  readonly task?: false | (() => Given<string>)
  /** Default: the plan file or plan call last written. */
  readonly plan?: false | (() => Given<string>)
  /** Default: the last TodoWrite, write_todos or update_plan, or the tasks of TaskCreate and TaskUpdate. */
  readonly todos?: false | (() => Given<readonly TodoItem[] | string>)
  /** Default: the user's later messages. */
  readonly rules?: false | (() => Given<readonly string[] | string>)
  /** Default: the file of the last edit, read from disk now. */
  readonly file?: false | (() => Given<EditedFile | string>)
}
