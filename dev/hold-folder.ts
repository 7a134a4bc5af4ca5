import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { query } from './servers/query.ts'

// Supervisors end the servers of a killed holder within 5 s.
const LEFTOVER_LIMIT_MS = 8000
// The holder polls its parent, and so does the command in between (end-with-parent.mjs). So both end soon after a kill
// -9.
const UNAWARE_LIMIT_MS = 1500

interface Note {
  port: number
  serverPids: number[]
  news: string
}

/**
 * Makes this process the only one that uses a folder. The holder listens on a port that a file in the folder names. So
 * if that port does not respond, the holder was killed, even if another process now has its process id.
 */
export async function holdFolder(folder: string, command: string) {
  const file = join(folder, 'running.json')
  const read = (): Promise<Note | null> => readFile(file, 'utf8').then(JSON.parse, () => null)
  await mkdir(folder, { recursive: true })
  const startedAt = Date.now()
  let last = await read()
  while (last !== null && (await query(last.port, 'who?')) === file) {
    if (Date.now() > startedAt + UNAWARE_LIMIT_MS)
      throw new Error(`\`${command}\` already runs here, with its data in ${relative('.', folder)}: ${last.news}`)
    await sleep(50)
    last = await read()
  }
  // The servers of a killed holder, and of one that is just ending.
  const deadline = Date.now() + LEFTOVER_LIMIT_MS
  while (last?.serverPids.some(isAlive) && Date.now() < deadline) await sleep(50)

  const listener = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(file)
  })
  await once(listener.listen(0, '127.0.0.1').unref(), 'listening')
  const { port } = listener.address() as AddressInfo
  const note = (news: string, serverPids: number[]) =>
    writeFile(file, JSON.stringify({ port, serverPids, news } satisfies Note))
  await note('it is just starting', [])
  return {
    /** Sets the message for commands that find the folder in use, and the servers that must end before its next use. */
    publish: (news: string, servers: readonly { pid: number | undefined }[]) =>
      note(
        news,
        servers.flatMap(({ pid }) => pid ?? []),
      ),
    /** The next holder waits for the servers. */
    release: () => listener.close(),
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
