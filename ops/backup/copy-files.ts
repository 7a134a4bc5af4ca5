import { constants } from 'node:fs'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Of the running server, and of no use to another: also room for the journal to come, of which a server makes its own when it starts. */
const ofTheProcess = /^(mongod\.lock|diagnostic\.data|server\.log|.*\.sock|WiredTigerPreplog\.\d+)$/

/** What a copy of the data files takes at most. A server that is locked for longer keeps its merchants waiting for too long. */
export const longestCopyMs = 10 * 60_000

/** The data files with their journal, as MongoDB's manual has them copied: all of the folder, while the server is locked. */
export const copyFiles = (dataFiles: string, to: string, until: AbortSignal): Promise<void> =>
  copy(dataFiles, to, until, (path) => !ofTheProcess.test(basename(path)))

/** @throws {Error} where a database is already: nothing is ever overwritten */
export async function layBack(folder: string, dataFiles: string, until: AbortSignal): Promise<void> {
  await mkdir(dirname(dataFiles), { recursive: true })
  await mkdir(dataFiles, { recursive: true, mode: 0o700 })
  if ((await readdir(dataFiles)).length > 0) throw new Error(`${dataFiles} is not empty`)
  await copy(join(folder, 'files'), dataFiles, until, () => true)
}

const copy = (
  from: string,
  to: string,
  until: AbortSignal,
  wants: (path: string) => boolean,
): Promise<void> =>
  cp(from, to, {
    recursive: true,
    errorOnExist: true,
    force: false,
    // The journal may be on another disk behind a link, which in the copy would lead to the files of the server that runs.
    dereference: true,
    // Where the file system can share blocks it takes no time.
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => {
      until.throwIfAborted()
      return wants(path)
    },
  })
