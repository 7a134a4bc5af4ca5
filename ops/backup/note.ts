import { open, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a backup is. It is written last: a folder without it is no backup. */
export interface Note {
  /** `files`: a copy of the data files, in `files/`. `dump`: an archive of mongodump, `dump.gz`. */
  kind: 'files' | 'dump'
  /** All that was acknowledged before this instant is in it. */
  takenAt: string
  /** The version of the server. */
  mongodb: string
  /** Whether the archive ends with the oplog, which mongorestore has to replay. */
  oplog: boolean
}

const nameOf = (folder: string): string => join(folder, 'backup.json')

/** Only once all else is on the disk: after a power cut it would vouch for files that are torn. */
export async function writeNote(folder: string, note: Note): Promise<void> {
  await flushAll(folder)
  const written = `${nameOf(folder)}.part`
  await writeFile(written, `${JSON.stringify(note, null, 2)}\n`, { flush: true })
  await rename(written, nameOf(folder))
  await flush(folder)
}

/** @throws {Error} where no backup was completed */
export async function readNote(folder: string): Promise<Note> {
  const text = await readFile(nameOf(folder), 'utf8').catch(() => {
    throw new Error(`There is no complete backup in ${folder}`)
  })
  return JSON.parse(text) as Note
}

/** Every file in it and every folder, one after the other. */
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
