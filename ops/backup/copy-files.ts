import { constants } from 'node:fs'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** Of the running server, and of no use to another: also room for the journal to come, of which a server makes its own when it starts. */
const ofTheProcess = /^(mongod\.lock|diagnostic\.data|server\.log|.*\.sock|WiredTigerPreplog\.\d+)$/

/** What a copy of the data files takes at most. A server that is locked for longer keeps its merchants waiting for too long. */
export const longestCopyMs = 10 * 60_000

/** The data files with their journal, as MongoDB's manual has them copied: all of the folder, while the server is locked. */
export async function copyFiles(dataFiles: string, to: string): Promise<void> {
  if (!(await readdir(dataFiles)).includes('WiredTiger'))
    throw new Error(`${dataFiles} is not the data folder of a MongoDB`)
  await cp(dataFiles, to, {
    recursive: true,
    errorOnExist: true,
    force: false,
    // Where the file system can share blocks it takes no time.
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => !ofTheProcess.test(basename(path)),
  })
}

/** @throws {Error} where a database is already: nothing is ever overwritten */
export async function layBack(folder: string, dataFiles: string): Promise<void> {
  await mkdir(dataFiles, { recursive: true })
  if ((await readdir(dataFiles)).length > 0) throw new Error(`${dataFiles} is not empty`)
  await cp(join(folder, 'files'), dataFiles, { recursive: true, mode: constants.COPYFILE_FICLONE })
}
