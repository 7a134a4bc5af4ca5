import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { query } from './servers/query.ts'

// Supervisors end the servers of a killed holder within 5 s.
const LEFTOVER_LIMIT_MS = 8000
// The holder polls its parent, and so does the command in between (end-with-parent.mjs). So both end soon after a kill
// -9.
const UNAWARE_LIMIT_MS = 1500
const ENDING = ' it is ending'

interface Note {
  port: number
  serverPids: number[]
}

/**
 * Makes this process the only one that uses a folder. The holder listens on a port that a file in the folder names. So
 * if that port does not respond, the holder was killed, even if another process now has its process id.
 */
export async function holdFolder(folder: string, command: string) {
  const file = join(folder, 'running.json')
  const name = `${command} in ${folder}`
  await mkdir(folder, { recursive: true })

  const { old, response } = await findHolder(file, name)
  if (response !== undefined) {
    throw new Error(
      `\`${command}\` already runs here, with its data in ${relative('.', folder)}:${response.slice(name.length)}`,
    )
  }
  if (old) await ended(old.serverPids)

  let words = ' it is just starting'
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(name + words)
  })
  await once(listener.listen(0, '127.0.0.1').unref(), 'listening')
  const note = (serverPids: number[]) =>
    writeFile(file, JSON.stringify({ port: (listener.address() as AddressInfo).port, serverPids } satisfies Note))
  await note([])
  return {
    /** Sets the message for commands that find the folder in use, and the servers that must end before its next use. */
    async publish(news: string, servers: readonly { pid: number | undefined }[]) {
      words = ` ${news}`
      await note(servers.flatMap(({ pid }) => pid ?? []))
    },
    /** Lets other commands wait for the release of the folder. */
    ending() {
      words = ENDING
    },
    async release() {
      listener.close()
      await rm(file, { force: true })
    },
  }
}

/** Returns the last holder, and its response if it still holds the folder and does not end. */
async function findHolder(file: string, name: string) {
  const startedAt = Date.now()
  for (;;) {
    const old = await read(file)
    const response = old && (await query(old.port, 'who?'))
    if (!response?.startsWith(name)) return { old }
    const limitMs = response.endsWith(ENDING) ? LEFTOVER_LIMIT_MS : UNAWARE_LIMIT_MS
    if (Date.now() > startedAt + limitMs) return { old, response }
    await sleep(50)
  }
}

async function read(file: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Note
  } catch {
    return undefined
  }
}

async function ended(pids: number[]): Promise<void> {
  const deadline = Date.now() + LEFTOVER_LIMIT_MS
  while (pids.some(isAlive) && Date.now() < deadline) await sleep(50)
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
