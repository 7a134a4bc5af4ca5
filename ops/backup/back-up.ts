import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { copyFiles, longestCopyMs } from './copy-files.ts'
import { dump, hasTools } from './dump.ts'
import { type Note, writeNote } from './note.ts'
import { lookAtServer } from './server.ts'
import { whileLocked } from './while-locked.ts'

/**
 * Takes a backup of the whole server into a new folder: by mongodump, or, where `dataFiles` says where the server keeps them on this
 * machine, by a copy of its files. What cannot read along with the oplog is taken while writes wait.
 * @throws {Error} when it is not complete: then the folder is no backup, and the server takes writes
 */
export async function backUp(mongodbUrl: string, folder: string, dataFiles: string | null): Promise<Note> {
  const server = await lookAtServer(mongodbUrl)
  if (server.isRouter) throw new Error('Of a sharded cluster each shard is backed up by itself')
  if (dataFiles === null && !hasTools())
    throw new Error(
      "There is no mongodump on the PATH: install MongoDB's database tools, or use --data-files",
    )
  await mkdir(folder)
  const kind = dataFiles === null ? 'dump' : 'files'
  const oplog = kind === 'dump' && server.majorityUntil !== null
  const take = async (): Promise<Date> => {
    const begunAt = new Date()
    if (dataFiles === null) await dump(mongodbUrl, folder, oplog)
    else await copyFiles(dataFiles, join(folder, 'files'))
    // Of what is written while the oplog is read along, nothing is promised.
    return kind === 'files' ? (server.majorityUntil ?? begunAt) : begunAt
  }
  const takenAt = (oplog ? await take() : await whileLocked(mongodbUrl, longestCopyMs, take)).toISOString()
  const note = { kind, takenAt, mongodb: server.version, oplog } as const
  await writeNote(folder, note)
  return note
}
