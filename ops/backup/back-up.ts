import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { copyFiles, longestCopyMs } from './copy-files.ts'
import { dump, hasTools } from './dump.ts'
import { type Note, writeNote } from './note.ts'
import { isFolderOf, lookAtOneServer, lookAtServer } from './server.ts'
import { whileLocked } from './while-locked.ts'

/**
 * Takes a backup of the whole server into a new folder: by mongodump, or, where `dataFiles` says where the server keeps them on this
 * machine, by a copy of its files. What cannot read along with the oplog is taken while writes wait.
 * @throws {Error} when it is not complete: then there is no such folder, and the server takes writes
 */
export async function backUp(
  mongodbUrl: string,
  folder: string,
  dataFiles: string | null,
  until: AbortSignal,
): Promise<Note> {
  if (dataFiles === null && !hasTools())
    throw new Error(
      "There is no mongodump on the PATH: install MongoDB's database tools, or use --data-files",
    )
  const server = await (dataFiles === null ? lookAtServer(mongodbUrl) : lookAtOneServer(mongodbUrl))
  if (server.isRouter) throw new Error('Of a sharded cluster each shard is backed up by itself')
  // Else files that change meanwhile would pass as a backup.
  if (dataFiles !== null && !(await isFolderOf(server, dataFiles)))
    throw new Error(`${dataFiles} is not the data folder of the server at MONGODB_URL`)
  await makeNew(folder)
  const kind = dataFiles === null ? 'dump' : 'files'
  const oplog = kind === 'dump' && server.majorityUntil !== null
  const take = async (ending: AbortSignal): Promise<Date> => {
    const begunAt = new Date()
    if (dataFiles === null) await dump(mongodbUrl, folder, oplog, ending)
    else await copyFiles(dataFiles, join(folder, 'files'), ending)
    // Of what is written while the oplog is read along, nothing is promised.
    return kind === 'files' ? (server.majorityUntil ?? begunAt) : begunAt
  }
  try {
    const taken = oplog ? take(until) : whileLocked(mongodbUrl, longestCopyMs, until, take)
    const takenAt = (await taken).toISOString()
    const note = { kind, takenAt, mongodb: server.version, oplog } as const
    await writeNote(folder, note)
    return note
  } catch (error) {
    // Of no use to anybody, full of customers' data, and in the way of the next try.
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function makeNew(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  // Customers' data, whatever the tools make of their files: for nobody else on this machine.
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new Error(`${folder} is there already: a backup takes a new one`) : error
  })
}
