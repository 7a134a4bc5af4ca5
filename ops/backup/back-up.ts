import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { copyFiles, longestCopyMs } from './copy-files.ts'
import { dump, hasTools } from './dump.ts'
import { type Note, writeNote } from './note.ts'
import { isFolderOf, lookAtOneServer, lookAtServer } from './server.ts'
import { whileLocked } from './while-locked.ts'

/**
 * Takes a backup of the whole server into a new folder: by mongodump, or, where `dataFiles` says where the server keeps them on this
 * machine, by a copy of its files. What cannot read along with the oplog is taken while writes wait.
 * @throws {Error} when it is not complete: then the folder is no backup, and the server takes writes
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
  await mkdir(folder)
  const kind = dataFiles === null ? 'dump' : 'files'
  const oplog = kind === 'dump' && server.majorityUntil !== null
  const take = async (ending: AbortSignal): Promise<Date> => {
    const begunAt = new Date()
    if (dataFiles === null) await dump(mongodbUrl, folder, oplog, ending)
    else await copyFiles(dataFiles, join(folder, 'files'), ending)
    // Of what is written while the oplog is read along, nothing is promised.
    return kind === 'files' ? (server.majorityUntil ?? begunAt) : begunAt
  }
  const taken = oplog ? take(until) : whileLocked(mongodbUrl, longestCopyMs, until, take)
  const takenAt = (await taken).toISOString()
  const note = { kind, takenAt, mongodb: server.version, oplog } as const
  await writeNote(folder, note)
  return note
}
