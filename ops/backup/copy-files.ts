import { constants } from 'node:fs'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Only the running server needs these. It creates preallocated journal files anew. */
const ofTheProcess = /^(mongod\.lock|diagnostic\.data|server\.log|.*\.sock|WiredTigerPreplog\.\d+)$/

/** Writes wait while the data files are copied, so this can't take for ever. */
export const maxCopyMs = 10 * 60_000

/** The whole data folder with its journal while the server is locked, as MongoDB's manual says. */
export const copyFiles = (dataFiles: string, to: string, signal: AbortSignal): Promise<void> =>
  copy(dataFiles, to, signal, (path) => !ofTheProcess.test(basename(path)))

/** Into a stopped server's data folder. @throws {Error} if the folder is not empty */
export async function restoreFiles(folder: string, dataFiles: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(dataFiles), { recursive: true })
  await mkdir(dataFiles, { recursive: true, mode: 0o700 })
  if ((await readdir(dataFiles)).length > 0) throw new Error(`${dataFiles} is not empty`)
  await copy(join(folder, 'files'), dataFiles, signal, () => true)
}

/** Copies a folder's content. On Node.js 24, `errorOnExist` also refuses an empty target folder. */
async function copy(
  from: string,
  to: string,
  signal: AbortSignal,
  isWanted: (path: string) => boolean,
): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from))
    await cp(join(from, name), join(to, name), {
      recursive: true,
      errorOnExist: true,
      force: false,
      // The journal may be a link to another disk. A copy of the link would lead to the running server's files.
      dereference: true,
      // A file system that can share blocks copies at once.
      mode: constants.COPYFILE_FICLONE,
      filter: (path) => {
        signal.throwIfAborted()
        return isWanted(path)
      },
    })
}
