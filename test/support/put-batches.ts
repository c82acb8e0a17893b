/**
 * Archives batches; also a process of its own: `put-batches.ts FOLDER NAME BATCHES OBJECTS`, which prints a line after
 * each batch, for tests that run several at once or kill one.
 */
import { pathToFileURL } from 'node:url'
import { openArchive } from '../../src/archive/index.ts'
import { referenceOf } from '../../src/core/reference.ts'

/** The first object is the same in every batch of every process. */
export function batchContents(name: string, batch: number, objects: number): string[] {
  const own = Array.from({ length: objects }, (_, at) => `${name} ${batch} ${at} `.repeat(200))
  return ['shared by all', ...own]
}

async function putBatches(folder: string, name: string, batches: number, objects: number): Promise<void> {
  const archive = await openArchive(folder)
  for (let batch = 0; batch < batches; batch++) {
    const removed = batchContents(name, batch, objects).map((content, entry) => ({
      ref: referenceOf(content),
      content,
      mediaType: 'text/plain',
      class: 'restorable' as const,
      rule: 'results',
      at: { thread: 'main', entry },
    }))
    archive.put({ session: name, source: `/${name}.jsonl`, time: Date.now(), removed })
    process.stdout.write(`${batch}\n`)
  }
  archive.close()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = '', name = '', batches = '0', objects = '0'] = process.argv.slice(2)
  await putBatches(folder, name, Number(batches), Number(objects))
}
