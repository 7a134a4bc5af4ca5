import { restoreFiles } from './copy-files.ts'
import { restoreDump } from './dump.ts'
import { type Note, readNote } from './note.ts'

/** An empty server for an archive, a stopped server's empty data folder for data files. */
export interface Target {
  mongodbUrl: string | null
  dataFiles: string | null
}

/** @throws {Error} if the backup is incomplete, or the target is not empty */
export async function restore(
  folder: string,
  { mongodbUrl, dataFiles }: Target,
  signal: AbortSignal,
): Promise<Note> {
  const note = await readNote(folder)
  if (note.kind === 'files') {
    if (dataFiles === null) throw new Error('This is a copy of data files. Name the target with --data-files')
    await restoreFiles(folder, dataFiles, signal)
  } else {
    if (mongodbUrl === null) throw new Error('This is an archive. Set MONGODB_URL to the target')
    await restoreDump(mongodbUrl, folder, signal)
  }
  return note
}
