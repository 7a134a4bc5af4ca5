import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withServer } from './server.ts'

/** Whether MongoDB's database tools are on the PATH. */
export const hasTools = (): boolean => spawnSync('mongodump', ['--version']).status === 0

const archiveIn = (folder: string): string => `--archive=${join(folder, 'dump.gz')}`

/** `oplog`: what is written meanwhile is in it too, so that the archive is the database as it was at the end of the dump. */
export const dump = (mongodbUrl: string, folder: string, oplog: boolean, until: AbortSignal): Promise<void> =>
  withTools('mongodump', mongodbUrl, ['--gzip', archiveIn(folder), ...(oplog ? ['--oplog'] : [])], until)

/** Those that every server has. */
const ofTheServer = new Set(['admin', 'config', 'local'])

/** @throws {Error} where databases are already, under whatever name: the archive is of a whole server, and nothing is ever overwritten */
export async function restoreDump(
  mongodbUrl: string,
  folder: string,
  oplog: boolean,
  until: AbortSignal,
): Promise<void> {
  const { databases } = await withServer(mongodbUrl, (client) =>
    client.db('admin').admin().listDatabases({ nameOnly: true }),
  )
  const standing = databases.map(({ name }) => name).filter((name) => !ofTheServer.has(name))
  if (standing.length > 0) throw new Error(`The server is not empty: it has ${standing.join(', ')}`)
  // It would go on after a document that it cannot write, and end well.
  const args = ['--gzip', archiveIn(folder), '--stopOnError', ...(oplog ? ['--oplogReplay'] : [])]
  await withTools('mongorestore', mongodbUrl, args, until)
}

/** The URL goes by a file that only this user reads: arguments are seen in the list of processes. */
async function withTools(
  tool: string,
  mongodbUrl: string,
  args: string[],
  until: AbortSignal,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-backup-'))
  const config = join(folder, 'tools.yaml')
  try {
    await writeFile(config, `uri: ${JSON.stringify(wholeServer(mongodbUrl))}\n`, { mode: 0o600 })
    await run(tool, [`--config=${config}`, ...args], until)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What it says goes to stderr: a tool tells its progress every three seconds, for hours. */
async function run(tool: string, args: string[], until: AbortSignal): Promise<void> {
  until.throwIfAborted()
  const child = spawn(tool, args, { stdio: ['ignore', process.stderr, 'inherit'] })
  const end = () => void child.kill()
  until.addEventListener('abort', end)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  until.removeEventListener('abort', end)
  until.throwIfAborted()
  if (code !== 0) throw new Error(`${tool} ended with ${signal ?? code}`)
}

/** Without the database's name, which `--oplog` does not go with; who signs in is still looked up there. */
export function wholeServer(mongodbUrl: string): string {
  const [, hosts = '', database = '', query = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/.exec(mongodbUrl) ?? []
  const signsIn = hosts.includes('@') && database !== '' && !/(^|&)authSource=/i.test(query)
  const options = [query, signsIn ? `authSource=${database}` : ''].filter((part) => part !== '').join('&')
  return `${hosts}/${options === '' ? '' : `?${options}`}`
}
