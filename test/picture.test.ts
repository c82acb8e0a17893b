import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { drawPicture, PICTURE } from '../scripts/draw-picture.ts'

it('docs/picture.svg says what a run on examples/long.jsonl says (npm run draw-picture)', async () => {
  expect(readFileSync(PICTURE, 'utf8')).toBe(await drawPicture())
})
