import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allArchives, archiveFolder } from './location.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-location-')))
})
afterEach(() => rmSync(root, { recursive: true }))

function folder(...parts: string[]): string {
  const path = join(root, ...parts)
  mkdirSync(path, { recursive: true })
  return path
}

describe('archiveFolder', () => {
  it('takes --archive before SPILLWAY_ARCHIVE before the project before the data folder', () => {
    const project = folder('project', '.spillway')
    const workingFolder = folder('project', 'deep', 'inside')
    const environment = { SPILLWAY_ARCHIVE: '/named', XDG_DATA_HOME: '/data' }
    expect(archiveFolder({ asked: '/asked', workingFolder, environment })).toBe('/asked')
    expect(archiveFolder({ workingFolder, environment })).toBe('/named')
    expect(archiveFolder({ workingFolder, environment: { XDG_DATA_HOME: '/data' } })).toBe(project)
    expect(archiveFolder({ environment: { XDG_DATA_HOME: '/data' } })).toBe('/data/spillway')
    expect(archiveFolder({ workingFolder, environment: { SPILLWAY_ARCHIVE: '', XDG_DATA_HOME: '/data' } })).toBe(
      project,
    )
  })

  it('finds the nearest project folder, also where the working folder is gone', () => {
    folder('.spillway')
    const nearest = folder('project', '.spillway')
    const gone = join(root, 'project', 'removed', 'worktree')
    expect(archiveFolder({ workingFolder: gone, environment: {} })).toBe(nearest)
  })

  it('uses no link and no folder of another user, and looks no further up', () => {
    folder('.spillway')
    const elsewhere = folder('elsewhere')
    const workingFolder = folder('project')
    symlinkSync(elsewhere, join(workingFolder, '.spillway'))
    const environment = { XDG_DATA_HOME: '/data' }
    expect(archiveFolder({ workingFolder, environment })).toBe('/data/spillway')
    const other = folder('other')
    folder('other', '.spillway')
    expect(archiveFolder({ workingFolder: other, environment, user: 4242 })).toBe('/data/spillway')
  })

  it('ignores a recorded folder that is not absolute or cannot be read', () => {
    const environment = { XDG_DATA_HOME: '/data' }
    expect(archiveFolder({ workingFolder: 'project', environment })).toBe('/data/spillway')
    expect(archiveFolder({ workingFolder: `/${'x'.repeat(5000)}`, environment })).toBe('/data/spillway')
    const file = join(root, 'file')
    writeFileSync(file, '')
    expect(archiveFolder({ workingFolder: join(file, 'inside'), environment })).toBe('/data/spillway')
  })

  it('follows the platform where XDG_DATA_HOME says nothing usable', () => {
    const at = (environment: Record<string, string>, platform: NodeJS.Platform) =>
      archiveFolder({ environment, platform })
    expect(at({ HOME: '/home/a' }, 'linux')).toBe('/home/a/.local/share/spillway')
    expect(at({ HOME: '/home/a', XDG_DATA_HOME: 'relative' }, 'linux')).toBe('/home/a/.local/share/spillway')
    expect(at({ HOME: '/Users/a', XDG_DATA_HOME: '/data' }, 'darwin')).toBe(
      '/Users/a/Library/Application Support/spillway',
    )
  })
})

describe('allArchives', () => {
  const withFile = (path: string) => {
    writeFileSync(join(path, 'archive.sqlite'), '')
    return path
  }

  it('lists every existing archive once, the likeliest first', () => {
    const named = withFile(folder('named'))
    const project = withFile(folder('project', '.spillway'))
    const data = withFile(folder('data', 'spillway'))
    const environment = { SPILLWAY_ARCHIVE: named, XDG_DATA_HOME: join(root, 'data') }
    const workingFolder = join(root, 'project')
    expect(allArchives({ workingFolder, environment })).toEqual([named, project, data])
    const twice = { SPILLWAY_ARCHIVE: `${root}/./data/spillway`, XDG_DATA_HOME: join(root, 'data') }
    expect(allArchives({ environment: twice })).toEqual([data])
  })

  it('is narrowed by --archive and creates nothing', () => {
    const data = withFile(folder('data', 'spillway'))
    const environment = { XDG_DATA_HOME: join(root, 'data') }
    expect(allArchives({ asked: join(root, 'missing'), environment })).toEqual([])
    expect(allArchives({ asked: data, environment })).toEqual([data])
    expect(allArchives({ environment: { XDG_DATA_HOME: join(root, 'nothing') } })).toEqual([])
  })
})
