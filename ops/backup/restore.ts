import { layBack } from './copy-files.ts'
import { restoreDump } from './dump.ts'
import { type Note, readNote } from './note.ts'

/** Where a backup goes: an archive into an empty server, files into the empty data folder of a server that does not run. */
export interface Target {
  mongodbUrl: string | null
  dataFiles: string | null
}

/** @throws {Error} when there is no complete backup, or something where it is to go */
export async function restore(
  folder: string,
  { mongodbUrl, dataFiles }: Target,
  until: AbortSignal,
): Promise<Note> {
  const note = await readNote(folder)
  if (note.kind === 'files') {
    if (dataFiles === null) throw new Error('This is a copy of data files: say by --data-files where it goes')
    await layBack(folder, dataFiles, until)
  } else {
    if (mongodbUrl === null) throw new Error('This is an archive: set MONGODB_URL to where it goes')
    await restoreDump(mongodbUrl, folder, note.oplog, until)
  }
  return note
}
