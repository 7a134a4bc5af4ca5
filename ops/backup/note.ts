import { open, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** `backup.json`, which is written last: a folder without it is not a backup. */
export interface Note {
  /** `files`: a copy of the data files, in `files/`. `dump`: an archive of mongodump, `dump.gz`. */
  kind: 'files' | 'dump'
  /** Every write acknowledged before this instant is in the backup. */
  takenAt: string
  mongodb: string
}

const nameOf = (folder: string): string => join(folder, 'backup.json')

/** Everything else must be on the disk first. Otherwise the note could vouch for torn files after a power cut. */
export async function writeNote(folder: string, note: Note): Promise<void> {
  await flushAll(folder)
  const written = `${nameOf(folder)}.part`
  await writeFile(written, `${JSON.stringify(note, null, 2)}\n`, { flush: true })
  await rename(written, nameOf(folder))
  await flush(folder)
}

/** @throws {Error} if the folder has no complete backup */
export async function readNote(folder: string): Promise<Note> {
  const text = await readFile(nameOf(folder), 'utf8').catch(() => {
    throw new Error(`There is no complete backup in ${folder}`)
  })
  return JSON.parse(text) as Note
}

/** Syncs everything in a folder to the disk. */
async function flushAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries) await flush(join(parentPath, name))
  await flush(folder)
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
