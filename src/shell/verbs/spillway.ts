import type { Family } from '../verb.ts'

/** Spillway's own looks: what its pointers name as the way back must be open to whoever reads them. */
export const SPILLWAY: Family = {
  title: 'Spillway itself',
  verbs: [
    {
      names: ['spillway'],
      options: { flags: 'h V --help --version' },
      verbs: [
        {
          names: ['recall'],
          options: {
            flags: 'h --help --json',
            values: '--tool --target --session --since --until --limit',
            refused: { '--archive': 'opens an archive somewhere else' },
          },
          note: 'it may write its readable copy of what it brings back',
        },
        { names: ['glance'], options: { flags: 'h --help --json', refused: { '--batch': 'reads standard input' } } },
      ],
      bare: 'itself',
    },
  ],
}
