/** What agents read about the workbench; each text can be replaced by option. `folder` is how they name it. */

export interface WorkbenchTexts {
  /** For the coordinator, above the index. */
  readonly coordinator: (folder: string) => string
  /** For a worker, above the index. */
  readonly worker: (folder: string) => string
  readonly titles: Readonly<Record<'scripts' | 'artifacts' | 'notes', string>>
  readonly empty: string
  readonly more: (count: number, folder: string) => string
  readonly added: string
  readonly changed: string
  readonly removed: string
}

export const WORKBENCH_TEXTS: WorkbenchTexts = {
  coordinator: (folder) => `# Workbench

${folder} is shared by all workers and outlives this conversation. Workers know the rules of it; briefs need not repeat them.
- scripts/: what will be run a second time. Have an existing script run instead of having it written again.
- artifacts/: outputs over 2,000 characters; reports name their paths.
- notes/: decisions that must not get lost, one a file.
What was in it when this conversation began:`,
  worker: (folder) => `The workbench is ${folder}; all workers share it.
- scripts/: save what will be run a second time there; its first line says what it does (\`# desc: ...\`, in the language's own comment). Look below first: what is there is run, not written again.
- artifacts/: output over 2,000 characters goes into a file there; the report names the path.
- notes/: one decision a file, with its reason; the first line says which.
In it now:`,
  titles: { scripts: 'Scripts', artifacts: 'Artifacts', notes: 'Notes' },
  empty: '(empty)',
  more: (count, folder) => `${count} more that were not used lately: \`ls ${folder}\``,
  added: 'new',
  changed: 'changed',
  removed: 'gone',
}
