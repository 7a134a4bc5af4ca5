import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { copyFiles, maxCopyMs } from './copy-files.ts'
import { dump, hasTools } from './dump.ts'
import { type Note, writeNote } from './note.ts'
import { isFolderOf, readOneServer, readServer } from './server.ts'
import { whileLocked } from './while-locked.ts'

/**
 * Backs up the whole server into a new folder: with mongodump, or by a copy of `dataFiles`, its data folder on this
 * machine. Writes to a server wait while its files are copied.
 * @throws {Error} if the backup is incomplete. The folder is then removed, and the server accepts writes.
 */
export async function backUp(
  mongodbUrl: string,
  folder: string,
  dataFiles: string | null,
  signal: AbortSignal,
): Promise<Note> {
  if (dataFiles === null && !hasTools())
    throw new Error(
      "There is no mongodump on the PATH: install MongoDB's database tools, or use --data-files",
    )
  const server = await (dataFiles === null ? readServer(mongodbUrl) : readOneServer(mongodbUrl))
  if (server.isRouter) throw new Error('This is a mongos. Back up each shard by itself')
  // Otherwise a copy of files that change meanwhile would pass as a backup.
  if (dataFiles !== null && !(await isFolderOf(server, dataFiles)))
    throw new Error(`${dataFiles} is not the data folder of the server at MONGODB_URL`)
  await createFolder(folder)
  // Writes during a dump may or may not be in it.
  const takenAt = (dataFiles === null ? new Date() : server.majorityAt).toISOString()
  try {
    if (dataFiles === null) await dump(mongodbUrl, folder, signal)
    else
      await whileLocked(mongodbUrl, maxCopyMs, signal, (stop) =>
        copyFiles(dataFiles, join(folder, 'files'), stop),
      )
    const note = { kind: dataFiles === null ? 'dump' : 'files', takenAt, mongodb: server.version } as const
    await writeNote(folder, note)
    return note
  } catch (error) {
    // An incomplete backup contains customers' data, and would be in the way of the next one.
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function createFolder(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  // Customers' data: only this user may read it, whatever mode the tools give their files.
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new Error(`${folder} exists already. Name a new folder`) : error
  })
}
